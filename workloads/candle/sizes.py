"""Sizes of the data sets of CANDLE, which descriptions of workloads and the makers of their data share."""

from __future__ import annotations

from dataclasses import dataclass

from workloads.parameters import parameter

P1B2_VALIDATION_SHARE = 0.1  # of the training rows, the first ones


@dataclass(frozen=True, slots=True)
class NT3Sizes:
    """Sizes of NT3's files (ECP-CANDLE/Benchmarks tag v0.1, Pilot1/NT3); the defaults are the real ones."""

    train_rows: int = parameter(1120, "training cases", minimum=2)
    test_rows: int = parameter(280, "test cases", minimum=1)
    features: int = parameter(60483, "genes", minimum=1)


@dataclass(frozen=True, slots=True)
class P1B1Sizes:
    """Sizes of P1B1's files (ECP-CANDLE/Benchmarks tag v0.1, Pilot1/P1B1); the defaults are the real ones."""

    train_rows: int = parameter(3000, "training cases", minimum=2)
    test_rows: int = parameter(1000, "test cases", minimum=1)
    features: int = parameter(60483, "genes", minimum=1)
    cancer_types: int = parameter(33, "clusters in the made data", minimum=1)


@dataclass(frozen=True, slots=True)
class P1B2Sizes:
    """Sizes of P1B2's files (ECP-CANDLE/Benchmarks tag v0.1, Pilot1/P1B2); the defaults are the real ones.

    Features are those of the published number of parameters; the README's text says 28,205.
    """

    train_rows: int = parameter(3000, "training cases, of which the first tenth validates", minimum=10)
    test_rows: int = parameter(1000, "test cases", minimum=1)
    features: int = parameter(28204, "features", minimum=1)
    classes: int = parameter(10, "cancer types", minimum=2)


@dataclass(frozen=True, slots=True)
class P1B3Sizes:
    """Sizes of P1B3's files (ECP-CANDLE/Benchmarks tag v0.1, Pilot1/P1B3).

    Genes and descriptors are the published ones. The numbers of drugs and cell lines are not published; with
    these, the sampled rows are about as many as the published 1,000,151 for training and validation.
    """

    cell_lines: int = parameter(60, "cell lines", minimum=2)
    drugs: int = parameter(18000, "drugs", minimum=2)
    genes: int = parameter(25722, "gene expressions of a cell line", minimum=1)
    descriptors: int = parameter(3809, "descriptors of a drug", minimum=1)
    doses: int = parameter(
        5, "log concentrations of each drug and cell line, from -4 downwards by 0.5", minimum=1
    )
    test_drugs: int = parameter(900, "drugs that only the test uses", minimum=1)


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
