"""`python -m sandproof` is the command `sandproof`."""

from __future__ import annotations

from sandproof.main import main

if __name__ == "__main__":
    raise SystemExit(main())
