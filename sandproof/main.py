"""The command `sandproof`: each subcommand stands in its own module."""

from __future__ import annotations

import argparse
import errno
import os
import sys
import traceback
from collections.abc import Callable, Collection, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import sandproof

COMMANDS = {
    "check": "decide every claim for the paper's rules or for proposals",
    "attack": "find the smallest attack on a proposal",
    "compare": "show which guarantee is weaker, and which stronger, than before",
    "claims": "list the claims with their verdicts, or show one with its proof",
    "controls": "show that every check refutes broken rules",
    "params": "compute thresholds, noise, output sets and capacities",
    "new": "start a proposal",
    "simulate": "run a trace of registrations, passing time and queries",
    "catalogue": "check the proposals that come with Sandproof, or those of a directory",
    "campaign": "check many proposals with many parameters and seeds, and report what is new",
    "completion": "print the script by which a shell completes commands, options, files and claims",
}
"""The commands with what each does, in the order of the help."""

BAD_INPUT = 2
"""The exit status for input that cannot be used."""

INTERRUPTED = 130
"""The exit status, as shells have it, of a command that was interrupted before it had a result."""

UNEXPECTED = 70
"""The exit status of a command that failed because of a defect of its own: nothing is decided."""

DEBUG = "SANDPROOF_DEBUG"
"""The environment variable that asks for the traceback of a defect."""

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""The errors of a file system that takes no more: no defect of this program."""

CUT_SHORT = 141
"""The exit status, as shells have it, of a command whose output nobody reads to the end."""


def misplaced() -> str | None:
    """Say which `spec` is imported, if it is not the one beside this package."""
    package = find_spec("spec")
    found = None if package is None else Path(str(package.origin)).resolve().parent
    expected = Path(__file__).resolve().parent.parent / "spec"
    if found == expected:
        return None
    return f"sandproof: the imported `spec` is {found}, not {expected}"


def parser_of(names: Collection[str]) -> argparse.ArgumentParser:
    """Return the parser of the command line; of commands that are not named it knows the help."""
    parser = argparse.ArgumentParser(
        prog="sandproof",
        description="Check changes to the Privacy Sandbox measurement APIs.",
    )
    parser.add_argument("--version", action="version", version=f"sandproof {sandproof.VERSION}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, summary in COMMANDS.items():
        if name in names:
            import_module(f"sandproof.commands.{name}").add_parser(commands, summary)
            command = commands.choices[name]
            options = [each for action in command._actions for each in action.option_strings]
            command.set_defaults(options=options)
        else:
            commands.add_parser(name, help=summary)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    from sandproof.problems import BadInput, suggestion

    problem = misplaced()
    if problem is not None:
        print(problem, file=sys.stderr)
        return BAD_INPUT
    if sys.stdout is None:
        print("sandproof: standard output is closed: nobody would read it", file=sys.stderr)
        return BAD_INPUT
    given = list(sys.argv[1:] if arguments is None else arguments)
    named = next((each for each in given if not each.startswith("-")), None)
    # A command imports what it needs, so that a short one is not kept waiting by the others.
    parser = parser_of(() if named is None else (named,))
    if named is not None and named not in COMMANDS:
        hint = suggestion(named, COMMANDS) or f"; there are {', '.join(COMMANDS)}"
        parser.error(f"there is no command {named!r}{hint}")
    parsed, unknown = parser.parse_known_args(given)
    if unknown:
        options = parsed.options
        hints = "".join(suggestion(each.partition("=")[0], options) for each in unknown[:1])
        parser.error(f"unrecognized arguments: {' '.join(unknown)}{hints}")
    run: Callable[[argparse.Namespace], int] = parsed.run
    try:
        status = run(parsed)
        sys.stdout.flush()
    except KeyboardInterrupt:
        print("sandproof: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BadInput as error:
        print(f"sandproof: {error}", file=sys.stderr)
        return BAD_INPUT
    except BrokenPipeError:
        # Whoever reads our output has seen enough. Python flushes once more when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CUT_SHORT
    except OSError as error:
        if error.errno not in FULL:
            return unexpected(error)
        print(f"sandproof: {(error.strerror or str(error)).lower()}", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BAD_INPUT
    except Exception as error:
        return unexpected(error)
    return status


def unexpected(error: Exception) -> int:
    """Say that a command failed because of a defect of its own, and where to report that."""
    from sandproof.problems import told

    if os.environ.get(DEBUG) == "1":
        traceback.print_exc()
    print(
        f"sandproof: failed unexpectedly: {told(error)}; nothing is decided. Please report "
        f"this as an issue of the project you have Sandproof {sandproof.VERSION} from, with "
        f"what {DEBUG}=1 prints",
        file=sys.stderr,
    )
    return UNEXPECTED


if __name__ == "__main__":
    raise SystemExit(main())
