"""A report of points that differ in the framework."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from db.reader import Reader
from orchestrator.analysis.comparison.axis_comparison import compare_by
from orchestrator.report.blocks import Section, Table
from orchestrator.report.figures import Drawing, error_heatmap
from orchestrator.report.frameworks import error_matrix, framework_blocks
from orchestrator.report.writing import Report, report
from tests.orchestrator.analysis.comparison.test_axis_comparison import point
from tests.orchestrator.cli.analyze.test_compare_by import WRITTEN, ran
from tests.orchestrator.cli.study_ledger import record


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Report:
    folder = tmp_path_factory.mktemp("operators")
    url = f"sqlite:///{folder}/ledger.sqlite"
    record(url, folder, WRITTEN, ran)
    with Reader(url) as reader:
        return report(reader, reader.campaign("operators"))


def section(made: Report) -> Section:
    return next(one for one in made.sections if one.anchor == "frameworks")


def test_what_is_invalid_is_first_then_the_fastest_of_each_point(made: Report) -> None:
    failing, tallies, *_, best = [one for one in section(made).blocks if isinstance(one, Table)]
    assert failing.rows[0][2] == "error_over_bound 40"
    assert [row[0] for row in tallies.rows] == ["auto", "tensorflow"]
    assert len(best.rows) == 8
    first = dict(zip(best.columns, best.rows[0], strict=True))
    assert (first["best"], first["certain"]) == ("auto", True)
    assert first["low"] < first["median"] < first["high"]
    page = made.html()
    assert page.index("error_over_bound 40") < page.index("certainly best")


def test_errors_are_a_figure(made: Report) -> None:
    [figure] = [one for one in section(made).blocks if isinstance(one, Drawing)]
    assert figure.name == "errors"
    assert "1 of 16 cells are above" in figure.caption
    assert "tensorflow bfloat16" in figure.svg


def test_the_worst_error_of_an_operator_is_shown() -> None:
    points = [
        point(name, 1.0, operator=operator, axes={"size": size}, metrics={"error_over_bound": ("", (error,))})
        for operator, worst in (("matmul", 0.5), ("co$v$", 1e300))
        for name in ("jax", "torch")
        for size, error in (("small", 0.1), ("large", worst))
    ]
    rows, columns, errors = error_matrix(compare_by(points, "framework"))
    assert (rows, columns) == (["co$v$", "matmul"], ["jax", "torch"])
    assert errors.tolist() == [[1e300, 1e300], [0.5, 0.5]]
    assert "co$v$" in error_heatmap(rows, columns, errors).svg  # no formula


def test_points_without_errors_have_no_figure_of_them() -> None:
    found = compare_by([point("jax", 1.0), point("torch", 2.0)], "framework")
    assert np.isfinite(error_matrix(found)[2]).sum() == 0
    assert not any(isinstance(one, Drawing) for one in framework_blocks(found))


def test_a_campaign_that_measures_nothing_of_the_kind_has_no_such_section(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/ledger.sqlite"
    record(url, tmp_path, WRITTEN, lambda *_: {"fom_seconds": 1.0, "metrics": (("loss", 1.0, ""),)})
    with Reader(url) as reader:
        made = report(reader, reader.campaign("operators"))
    assert "frameworks" not in [one.anchor for one in made.sections]
