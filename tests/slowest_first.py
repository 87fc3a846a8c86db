"""Slow tests begin first, on all of pytest-xdist's workers, so that none is left alone at the end.

`--dist worksteal` cuts the list of tests into one share of equal length for each worker; a worker that has
done its share takes the last half of the longest rest. So each share begins with slow tests and ends with
quick ones.
"""

from __future__ import annotations

from itertools import groupby

import pytest

LONGEST = ("tests/campaigns/", "tests/faults/", "tests/containers/")
"""Folders whose slow tests take the longest."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    workers = getattr(config, "workerinput", {}).get("workercount", 1)
    if workers > 1:
        items[:] = in_shares(items, workers)


def in_shares(items: list[pytest.Item], workers: int) -> list[pytest.Item]:
    """Return the tests in an order that gives each worker its part of the slow tests first.

    Tests of one file stay together as far as possible, for the sake of fixtures that they share.
    """
    slow = [item for item in items if item.get_closest_marker("slow")]
    quick = [item for item in items if not item.get_closest_marker("slow")]
    files = [list(tests) for _, tests in groupby(slow, key=lambda item: item.path)]
    files.sort(key=lambda tests: (not tests[0].nodeid.startswith(LONGEST), -len(tests)))
    shares: list[list[pytest.Item]] = [[] for _ in range(workers)]
    for tests in files:
        min(shares, key=len).extend(tests)
    ordered: list[pytest.Item] = []
    for number, share in enumerate(shares):
        length = (len(items) - len(ordered)) // (workers - number)
        room = max(length - len(share), 0)
        ordered += share + quick[:room]
        del quick[:room]
    return ordered + quick
