"""Sizes of P1B2's data set, ECP-CANDLE/Benchmarks tag v0.1, Pilot1/P1B2."""

from __future__ import annotations

from dataclasses import dataclass

from workloads.parameters import parameter

VALIDATION_SHARE = 0.1  # of the training rows, the first ones


@dataclass(frozen=True, slots=True)
class P1B2Sizes:
    """Sizes of the files; the defaults are the real ones.

    Features are those of the published number of parameters; the README's text says 28,205.
    """

    train_rows: int = parameter(3000, "training cases, of which the first tenth validates", minimum=10)
    test_rows: int = parameter(1000, "test cases", minimum=1)
    features: int = parameter(28204, "features", minimum=1)
    classes: int = parameter(10, "cancer types", minimum=2)
