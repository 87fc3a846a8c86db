"""Runs every benchmark and prints a line of figures for each."""

from __future__ import annotations

from tests.bench import launching, loading, recording, simulating

if __name__ == "__main__":
    for module in (launching, loading, recording, simulating):
        module.main()
