"""The command line: claims, runner, verdicts and reports."""

VERSION = "0.1.0"
"""The version of Sandproof, which its package carries as well."""
