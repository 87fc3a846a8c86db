"""Runs every benchmark and prints a line of figures for each."""

from __future__ import annotations

from tests.bench import (
    barrier,
    files,
    growth,
    launching,
    loading,
    micro_batching,
    recording,
    resident,
    sampling,
    scaling,
    screening,
    sequential,
    simulating,
    study_loading,
    warm,
)

if __name__ == "__main__":
    for module in (
        files,
        launching,
        loading,
        study_loading,
        micro_batching,
        recording,
        sampling,
        screening,
        sequential,
        simulating,
        warm,
    ):
        module.main()
    barrier.main([])
    growth.main(["--sizes", "1000,10000", "--slots", "2,1000"])  # python -m tests.bench.growth: more
    resident.main([])
    scaling.main(["--sizes", "10000,100000"])  # python -m tests.bench.scaling: a million, too
