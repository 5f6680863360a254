"""Run every benchmark and print its figures: `make bench`."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

if __name__ == "__main__":
    for path in sorted(Path(__file__).parent.glob("*.py")):
        if not path.stem.startswith("_"):
            module = import_module(f"benchmarks.{path.stem}")
            print(f"\n{(module.__doc__ or path.stem).splitlines()[0]}\n", flush=True)
            module.main()
