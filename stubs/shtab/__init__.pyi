"""The part of shtab that the command `completion` uses."""

import argparse

SUPPORTED_SHELLS: list[str]
FILE: dict[str, str]

def complete(parser: argparse.ArgumentParser, shell: str) -> str: ...
