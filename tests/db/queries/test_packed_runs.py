"""Where and when accepted runs ran, on both databases."""

from __future__ import annotations

from typing import Any

from db.ledger import Ledger
from db.queries.packed_runs import PackedRun, packed_runs
from db.states import InstanceState
from db.writing.superseding import Missed
from tests.db import rows
from tests.db.rows import T0


def test_runs_that_count_have_a_place_and_times(ledger_url: str) -> None:
    place: dict[str, Any] = {"node": "n1", "slot_index": 3, "peak_memory_bytes": 7}
    times: dict[str, Any] = {"run_start_us": T0 + 5, "run_stop_us": T0 + 9, "fom_seconds": 2.0}
    steps = {"timed_window_start_us": T0 + 6, "timed_window_stop_us": T0 + 8}
    kept = [
        {**place, **times, **steps},
        {**place, **times, "run_start_us": T0 + 1, "peak_memory_bytes": None},
        {**times},  # where it ran is not known
        {**place, "fom_seconds": 2.0},  # nor when
        {**place, **times, "accuracy": 0.1},  # another one runs in its place
    ]
    with Ledger.open(ledger_url) as book:
        rows.started(book, 1, "other")
        number = rows.started(book, 6)
        reports = [
            rows.report(f"toy-t{k}.1", "succeeded", InstanceState.DONE, **one) for k, one in enumerate(kept)
        ]
        book.record(number, [*reports, rows.report("toy-t5.1", "failed", InstanceState.PLANNED, **kept[0])])
        book.supersede(number, "toy", [Missed(4, "toy/4", 0.1)], book.campaign("toy").lease_owner)
        assert packed_runs(book, number) == {
            "toy": [
                PackedRun(1, "n1", 3, T0 + 1, T0 + 9, T0 + 1, T0 + 9, 2.0, None),
                PackedRun(1, "n1", 3, T0 + 5, T0 + 9, T0 + 6, T0 + 8, 2.0, 7),
            ]
        }
