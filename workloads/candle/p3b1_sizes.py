"""Sizes of P3B1's files, which the benchmark's description and the maker of its data share."""

from __future__ import annotations

from dataclasses import dataclass

from workloads.parameters import parameter


@dataclass(frozen=True, slots=True)
class P3B1Sizes:
    """Sizes of P3B1's files; the defaults are those of the real ones."""

    features: int = parameter(400, "numbers per report", minimum=1)
    site_train_rows: int = parameter(3900, "training reports of the site task", minimum=1)
    site_test_rows: int = parameter(99, "test reports of the site task", minimum=1)
    site_classes: int = parameter(13, "primary sites", minimum=2)
    laterality_train_rows: int = parameter(600, "training reports of the laterality task", minimum=1)
    laterality_test_rows: int = parameter(86, "test reports of the laterality task", minimum=1)
    laterality_classes: int = parameter(2, "tumour lateralities", minimum=2)
    grade_train_rows: int = parameter(1200, "training reports of the grade task", minimum=1)
    grade_test_rows: int = parameter(68, "test reports of the grade task", minimum=1)
    grade_classes: int = parameter(4, "histological grades", minimum=2)
