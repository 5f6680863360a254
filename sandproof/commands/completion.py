"""The command `sandproof completion`: the script by which a shell completes the others."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

SHELLS = ("bash", "zsh", "fish")

EXAMPLES = """\
examples:
  eval "$(sandproof completion bash)"      in ~/.bashrc
  sandproof completion zsh > ~/.zfunc/_sandproof
  sandproof completion fish > ~/.config/fish/completions/sandproof.fish
"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser], summary: str) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "completion",
        help=summary,
        description="Print a script for a shell: with it, the tabulator key completes commands, "
        "options, files and the names of claims.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("shell", choices=SHELLS)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the script."""
    import shtab

    from sandproof.families import all_claims
    from sandproof.main import COMMANDS, parser_of

    parser = parser_of(COMMANDS)
    for action in actions_of(parser):
        if action.type is Path:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        elif action.metavar in ("CLAIM", "ID"):
            action.choices = list(all_claims())
    print(shtab.complete(parser, arguments.shell))
    return 0


def actions_of(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Yield the options and arguments of a command and of all that are below it."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for each in action.choices.values():
                yield from actions_of(each)
