"""Panels of the figure of rooflines."""

from __future__ import annotations

import pytest

from orchestrator.analysis.roofline.achieved import Place
from orchestrator.analysis.roofline.ceilings import Ceiling, Roofline
from orchestrator.report.roofline_figure import roofline_drawing


def ceiling(kind: str, value: float, ranks: int = 1) -> Ceiling:
    return Ceiling(kind, "float32", Place(1, 0, "A"), ranks, 1, value, value, value, 3, "micro")


@pytest.mark.parametrize("ranks", [1, 2])
def test_communication_has_a_panel_where_it_was_measured(ranks: int) -> None:
    links = [ceiling("allreduce", 1e9, ranks)] if ranks > 1 else []
    drawn = roofline_drawing(Roofline((ceiling("gemm", 51.1e9), ceiling("triad", 2.8e9), *links), ()))
    assert "gemm float32: 51.1 GFLOP/s" in drawn.svg
    assert ("Distributed: one of several ranks" in drawn.svg) is (ranks > 1)
