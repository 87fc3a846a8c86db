"""The figure of merit without a node."""

from __future__ import annotations

from orchestrator.analysis.nodes.ranking import rank_nodes
from tests.db.rows import T0
from tests.orchestrator.analysis.verdict.test_fom import SECOND, Book


def test_no_node_is_credited_with_a_failure_on_another(sqlite_url: str) -> None:
    book = Book(sqlite_url, instances=8)
    ended = {"process_stop_us": T0 + 200 * SECOND, "run_stop_us": None, "fom_seconds": None, "accuracy": None}
    book.run(0, 0, 200, "failed", node="n1", process_start_us=T0, failure_reason="exit code 9", **ended)
    for instance in range(8):
        node = "n1" if instance < 4 else "n2"
        book.run(instance, 300, 400, node=node, received_us=T0 + 401 * SECOND)
    found = rank_nodes(book.ledger, book.ledger.campaign("toy"))
    assert [(one.nodes, one.fom) for one in found.without] == [
        (("n1",), {"p1b1": 0.0}),
        (("n2",), {"p1b1": 0.0}),
    ]
    book.ledger.close()
