"""Sizes of P1B3's data set, ECP-CANDLE/Benchmarks tag v0.1, Pilot1/P1B3."""

from __future__ import annotations

from dataclasses import dataclass

from workloads.parameters import parameter


@dataclass(frozen=True, slots=True)
class P1B3Sizes:
    """Sizes of the files.

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
