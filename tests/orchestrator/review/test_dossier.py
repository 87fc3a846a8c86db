"""What readers must know of how a ledger was kept stands beside the verdict, in packages too."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from db.events import EventKind
from db.ledger import Ledger
from db.reader import Reader
from orchestrator.analysis.verdict.fom import judge
from orchestrator.report.writing import report
from orchestrator.review.dossier import Dossier
from orchestrator.review.verification import verify
from orchestrator.review.warnings import warnings
from tests.orchestrator.review.packages import packaged, simulated


@pytest.mark.parametrize("kind", [EventKind.RESULTS_NOT_JOURNALLED, EventKind.LEDGER_REMOVED])
def test_a_warning_is_stated_and_packaged(tmp_path: Path, kind: EventKind) -> None:
    url = simulated(tmp_path)
    with Ledger(url) as ledger:
        ledger.note(ledger.campaign("toy").campaign_id, kind, "something happened")
    expected = ["toy: something happened"]
    with Reader(url) as reader:
        assert Dossier.read(reader, [reader.campaign("toy")], reviews=False).warnings == expected
        page = report(reader, reader.campaign("toy")).html()
        assert "Warning: toy: something happened." in page
    assert list(packaged(url, tmp_path / "toy.zip").warnings) == expected
    found = verify(tmp_path / "toy.zip")
    assert (found.findings, found.notes) == ([], expected)


def test_a_makespan_over_several_sessions_says_so(tmp_path: Path) -> None:
    with Reader(simulated(tmp_path, crash_at=25)) as reader:
        [warning] = Dossier.read(reader, [reader.campaign("toy")], reviews=False).warnings
    assert warning.startswith("behave: attempts are of 2 sessions; makespan and rate, and the slot use")


def test_benchmarks_with_the_same_fact_share_a_warning(tmp_path: Path) -> None:
    with Reader(simulated(tmp_path)) as reader:
        row = reader.campaign("toy")
        judged = judge(reader, [row])
        [one], [verdict] = judged.judged, judged.verdict.benchmarks
        work = replace(one.measurements.work, numbers_missing={"metrics.loss": 2, "data.rows": 1})
        measured = [replace(one.measurements, benchmark=f"b{k}", work=work) for k in range(7)]
        stated = replace(judged.verdict, benchmarks=(verdict,) * len(measured))
        several = tuple(replace(one, measurements=facts) for facts in measured)
        found = list(warnings(reader, [row], replace(judged, judged=several, verdict=stated)))
    assert [text.partition(" printed")[0] for text in found] == [
        "b0, b1, b2, b3, b4 and 2 more: 1 accepted instance of 12",
        "b0, b1, b2, b3, b4 and 2 more: 2 accepted instances of 12",
    ]
