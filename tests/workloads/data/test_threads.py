from __future__ import annotations

import pytest

from workloads.data.threads import ahead, in_threads


def test_results_come_in_order():
    assert list(in_threads(abs, range(-5, 5))) == list(map(abs, range(-5, 5)))
    assert list(ahead(abs, range(-5, 5), threads=3, most=4)) == list(map(abs, range(-5, 5)))


def test_no_more_are_made_ahead_than_was_said():
    begun = []
    results = ahead(begun.append, range(20), most=3)
    next(results)
    results.close()
    assert begun == sorted(begun)
    assert len(begun) <= 4


def test_an_error_arrives_in_its_place():
    results = ahead(lambda number: 1 // number, [1, 1, 0, 1])
    assert [next(results), next(results)] == [1, 1]
    with pytest.raises(ZeroDivisionError):
        next(results)
