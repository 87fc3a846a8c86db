"""Worker pools that hold orders and start none are found; those that are slow are not."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from orchestrator.standstill import FIRST_SECONDS, Standstill

PATIENCE = 100.0


def holds(**orders: int) -> Callable[[], Mapping[str, int]]:
    """Return a question that is answered with these."""
    return lambda: orders


def find(
    standstill: Standstill,
    orders: Callable[[], Mapping[str, int]],
    running: list[str],
    now: float,
    read: float | None = None,
) -> dict[str, str]:
    """Look, with the journals read just now if no other time is given."""
    return standstill.find(orders, running, now, now if read is None else read)


def test_a_pool_that_starts_none_of_its_orders_is_found_and_told() -> None:
    standstill = Standstill(PATIENCE)
    standstill.started("a", "n01")
    standstill.started("b", "n02")
    assert find(standstill, holds(a=2, b=1), [], 0) == {}
    assert find(standstill, holds(a=2, b=1), [], PATIENCE) == {}
    standstill.started("b", "n02")
    found = find(standstill, holds(a=2, b=1), [], PATIENCE + 10)
    assert list(found) == ["a"]
    assert "of node n01 started none of its 2 orders for 110 s" in found["a"]


def test_it_is_found_again_only_after_as_long() -> None:
    standstill = Standstill(PATIENCE)
    standstill.started("a", None)
    found = [bool(find(standstill, holds(a=1), [], now)) for now in (0, 101, 110, 201, 202, 210)]
    assert found == [False, True, False, False, False, True]


def test_pools_without_orders_wait_as_long_as_they_like() -> None:
    standstill = Standstill(PATIENCE)
    standstill.started("a", None)
    assert find(standstill, holds(a=0), [], 0) == {}
    assert find(standstill, holds(a=0), [], 1e6) == {}
    assert find(standstill, holds(a=1), [], 1e6 + 50) == {}


def test_what_runs_on_a_pool_is_let_finish() -> None:
    standstill = Standstill(PATIENCE)
    standstill.started("a", None)
    assert find(standstill, holds(a=2), ["a"], 0) == {}
    assert find(standstill, holds(a=2), ["a"], 1e6) == {}
    assert find(standstill, holds(a=1), [], 1e6 + 50) == {}
    assert list(find(standstill, holds(a=1), [], 1e6 + 101)) == ["a"]


def test_the_first_start_of_a_pool_may_take_long() -> None:
    standstill = Standstill(PATIENCE)
    assert find(standstill, holds(a=2), [], 0) == {}
    assert find(standstill, holds(a=2), [], FIRST_SECONDS) == {}
    assert list(find(standstill, holds(a=2), [], FIRST_SECONDS + 10)) == ["a"]


def test_no_pool_is_blamed_for_what_was_not_read_yet() -> None:
    standstill = Standstill(PATIENCE)
    standstill.started("a", None)
    assert find(standstill, holds(a=1), [], 0, 0) == {}
    assert find(standstill, holds(a=1), [], 500, 0) == {}
    assert find(standstill, holds(a=1), [], 600, PATIENCE) == {}
    assert list(find(standstill, holds(a=1), [], 700, PATIENCE + 1)) == ["a"]


def test_it_asks_only_every_few_seconds() -> None:
    standstill = Standstill(PATIENCE)
    asked = []

    def orders() -> dict[str, int]:
        asked.append(True)
        return {}

    for tenth in range(101):
        find(standstill, orders, [], tenth / 10)
    assert len(asked) == 3
