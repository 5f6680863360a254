"""Run every benchmark and print its figures: `make bench`."""

from __future__ import annotations

from benchmarks import linear_time

linear_time.main()
