"""Changes of a registered campaign: parameters that an optimizer chooses for trials are written once."""

from __future__ import annotations

import json

import pytest

from db.errors import LeaseError, LedgerError
from db.evidence.registered_design import suggested_trials
from db.ledger import Ledger
from db.records import NewPoint, SuggestedTrial
from tests.db import rows


def chosen(benchmark: str, size: int) -> SuggestedTrial:
    parameters = {"size": size}
    point = NewPoint(benchmark, "size", 1, "toys", str(size), float(size))
    return SuggestedTrial(benchmark, parameters, (point,), "chosen", {"parameters": parameters}, rows.T0)


def test_parameters_of_a_trial_are_written_once(ledger_url: str) -> None:
    with Ledger(ledger_url) as ledger:
        number = rows.register(ledger)
        session = rows.begin(ledger, number, "first")
        [before] = ledger.benchmarks(number)
        ledger.suggest(number, session, [chosen(before.benchmark, 8)])
        ledger.suggest(number, session, [chosen(before.benchmark, 8)])  # as after a lost answer
        ledger.suggest(number, session, [chosen(before.benchmark, 9)])
        [after] = ledger.benchmarks(number)
        assert json.loads(after.parameters) == json.loads(before.parameters) | {"size": 8}
        assert suggested_trials(ledger, number) == [(before.benchmark, {"parameters": {"size": 8}})]
        assert [(one.axis, one.value) for one in ledger.axes(number)] == [("size", "8")]


def test_one_refused_trial_writes_none(ledger_url: str) -> None:
    with Ledger(ledger_url) as ledger:
        number = rows.register(ledger)
        session = rows.begin(ledger, number, "first")
        [before] = ledger.benchmarks(number)
        with pytest.raises(LedgerError, match="no benchmark other is registered"):
            ledger.suggest(number, session, [chosen(before.benchmark, 8), chosen("other", 8)])
        assert suggested_trials(ledger, number) == []
        rows.begin(ledger, number, "second", dead="first")
        with pytest.raises(LeaseError):
            ledger.suggest(number, session, [chosen(before.benchmark, 8)])
