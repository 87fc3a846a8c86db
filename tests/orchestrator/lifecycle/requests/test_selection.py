"""How commands name instances: one grammar for all of them."""

from __future__ import annotations

import pytest

from db.ledger import Ledger
from db.reader import Reader
from db.states import InstanceState
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.requests.selection import select
from tests.db import rows
from tests.orchestrator.lifecycle.test_resume_as_registered import Registered

CAMPAIGN = """
campaign: toy
benchmarks:
  - {workload: tests.toys.behave, name: a, instances: 4, timeout: 60}
  - {workload: tests.toys.behave, name: b.2 ü, instances: 3, timeout: 60}
"""


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Registered:
    made = Registered(tmp_path_factory.mktemp("toy"), CAMPAIGN)
    made.force("UPDATE instances SET state = 'exhausted' WHERE instance_id = 5")
    for number, node in enumerate(("3", "10", "3.5", "n4")):
        with Ledger(made.url) as book:
            session = book.begin_session(1, "me", 60, kind="launch", host="h", pid=1, version="1", slots=1)
            book.submit(1, session, [rows.attempt(number)])
            failed = rows.report(f"t{number}.1", "failed", InstanceState.PLANNED, node=node)
            book.record(1, [failed])
            book.end_session(1, session, "me", "drained")
    return made


def chosen(toy: Registered, *selections: str, where: tuple[str, ...] = ()) -> list[int]:
    with Reader(toy.url) as reader:
        return select(reader, "toy", selections, where)


@pytest.mark.parametrize(
    ("selections", "where", "numbers"),
    [
        ((), (), [0, 1, 2, 3, 4, 5, 6]),
        (("a",), (), [0, 1, 2, 3]),
        (("a/2",), (), [2]),
        (("a/1..2",), (), [1, 2]),
        (("a/2..", "a/3"), (), [2, 3]),
        (("b.2 ü/0..1", "a/0"), (), [0, 4, 5]),
        ((), ("state=exhausted",), [5]),
        ((), ("state!=exhausted", "benchmark=b*"), [4, 6]),
        (("a",), ("seed>=2019",), [2, 3]),
        ((), ("benchmark_index < 1",), [0, 4]),
        ((), ("node>3",), [1, 2, 3]),  # as numbers; n4 as text
        ((), ("node<=3.0", "node!=n*"), [0]),
        ((), ("node=3.0",), [0]),
        ((), ("node>m",), [3]),
        ((), ("node=1*",), [1]),
    ],
)
def test_selections(
    toy: Registered, selections: tuple[str, ...], where: tuple[str, ...], numbers: list[int]
) -> None:
    assert chosen(toy, *selections, where=where) == numbers


@pytest.mark.parametrize(
    ("selections", "where", "message"),
    [
        (("aa",), (), "no benchmark 'aa'; did you mean a?"),
        (("zzz",), (), "no benchmark 'zzz'; there are a, b.2 ü"),
        (("a/4",), (), "a/4: a has the instances 0 to 3"),
        (("a/2..1",), (), "a/2..1: a has the instances 0 to 3; write the smaller number first: a/1..2"),
        (("a/x",), (), "'a/x' names no instances: write p1b1, p1b1/3"),
        (("a/1..2..3",), (), "names no instances"),
        (("a/99999999999999999999",), (), "names no instances"),
        (("",), (), "'' names no instances"),
        (("a/",), (), "names no instances"),
        ((), ("stat=done",), "no column stat; did you mean state?"),
        ((), ("state",), "'state' is no condition: write COLUMN=VALUE"),
        ((), ("seed>x",), "seed is a number, and 'x' is none"),
        ((), ("node=n1",), "no instance of toy matches node=n1"),
        (("a",), ("state=exhausted",), "no instance of toy matches a state=exhausted"),
    ],
)
def test_wrong_selections(
    toy: Registered, selections: tuple[str, ...], where: tuple[str, ...], message: str
) -> None:
    with pytest.raises(CampaignError) as error:
        chosen(toy, *selections, where=where)
    assert message in str(error.value)
    assert "\n" not in str(error.value)
