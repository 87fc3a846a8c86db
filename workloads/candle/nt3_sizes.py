"""Sizes of NT3's data set, ECP-CANDLE/Benchmarks tag v0.1, Pilot1/NT3."""

from __future__ import annotations

from dataclasses import dataclass

from workloads.parameters import parameter


@dataclass(frozen=True, slots=True)
class NT3Sizes:
    """Sizes of the files; the defaults are the real ones."""

    train_rows: int = parameter(1120, "training cases", minimum=2)
    test_rows: int = parameter(280, "test cases", minimum=1)
    features: int = parameter(60483, "genes", minimum=1)
