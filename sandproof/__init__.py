"""The command line: claims, runner, verdicts and reports."""
