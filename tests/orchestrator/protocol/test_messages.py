"""Messages are the same after a pickle, and frozen."""

from __future__ import annotations

import copy
import pickle

import msgspec.structs
import pytest

from db.states import AttemptState
from orchestrator.protocol.order import AttemptOrder, Gpus, RankResources
from orchestrator.protocol.report import AttemptReport, Metric, Observed, TrainingResult
from tests.messages import order

OBSERVED = Observed(host="n1", ranks=(Observed(pid=7, facts={"a": [1]}),), cpuset=(0, 1))
MESSAGES = [
    order(gpus=Gpus("nvidia", 4), parameters={"x": 10**100, "y": (1, 2)}),
    AttemptReport(token="t", state=AttemptState.SUCCEEDED, at_us=1),
    AttemptReport(
        token="\udcff",
        state=AttemptState.FAILED,
        at_us=1,
        cores=(0,),
        result=TrainingResult(metrics=(Metric("m", 10**100),), observed=OBSERVED),
    ),
]


@pytest.mark.parametrize("message", MESSAGES)
def test_a_message_is_the_same_after_a_pickle(message: AttemptOrder | AttemptReport) -> None:
    found = pickle.loads(pickle.dumps(message))
    assert found == message
    assert type(found) is type(message)
    assert copy.deepcopy(message) == message
    assert msgspec.structs.replace(found) == message
    with pytest.raises(AttributeError, match="immutable"):
        found.token = "other"


def test_a_number_that_is_none_stays_that() -> None:
    found = pickle.loads(pickle.dumps(TrainingResult(fom_seconds=float("nan"))))
    assert found.fom_seconds != found.fom_seconds
    assert pickle.loads(pickle.dumps(RankResources((1,)))) == RankResources((1,))
