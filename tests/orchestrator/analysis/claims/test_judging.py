"""Claims on made runs: they hold, they do not, and they cannot be decided."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from orchestrator.analysis.claims.judging import (
    ERROR,
    Judged,
    claims_named,
    judge,
    least_runs,
    read_claims,
    shipped_claims,
)
from orchestrator.analysis.claims.kinds import KINDS, Claim
from orchestrator.analysis.publications.documents import documents
from orchestrator.analysis.study.sweep_summary import PointRuns
from orchestrator.errors import CampaignError
from sites import FileError
from workloads.modules import BUILT_IN, workload

RUNS = 8


def around(value: float, seed: int = 0, spread: float = 0.01, runs: int = RUNS) -> tuple[float, ...]:
    draw = random.Random(f"{value}/{seed}")
    return tuple(value * draw.lognormvariate(0, spread) for _ in range(runs))


def point(
    ranks: int, seconds: Sequence[float] = (), *, missing: dict[str, int] | None = None, **more: Any
) -> PointRuns:
    """Return runs on some ranks; a pair is an axis, a tuple the values of a metric in seconds."""
    metrics = {name: ("s", values) for name, values in more.items() if isinstance(values, tuple)}
    axes = {name: value for name, value in more.items() if not isinstance(value, tuple)}
    return PointRuns(
        "nt3", {"ranks": ranks} | axes, ranks, 1, RUNS, tuple(seconds), "s", benchmark=f"nt3[{ranks}]",
        workload="nt3", parameters=axes, missing=missing or {}, metrics=metrics,
    )  # fmt: skip


def judged(kind: dict[str, Any], points: Sequence[PointRuns]) -> Judged:
    claim = Claim.model_validate({"says": "so it is", "workload": "nt3", **kind})
    [found] = judge({"it": claim}, points)
    return found


GROWS = [
    point(ranks, around(ranks), load=around(10 + ranks), train=around(100 / ranks)) for ranks in (1, 4, 16)
]
BY_LOADER = [
    point(ranks, around(seconds), loader=loader)
    for ranks in (1, 4)
    for loader, seconds in (("old", 10.0), ("new", 2.0), ("other", 5.0))
]
BROKEN = [point(1, missing={"out of memory": RUNS}, batch=50), point(1, around(1.0), batch=20)]
ACCURATE = [point(1, accuracy=around(0.99)), point(8, accuracy=around(0.98)), point(16, accuracy=around(0.6))]

FASTER = {"metric": "time", "of": {"loader": "old"}, "than": {"loader": "new"}, "over": "ranks"}
BEST = {"metric": "time", "over": "loader", "by": "lowest"}
REACHED = {"metric": "accuracy", "over": "ranks", "reaches": 0.9}
NEAR = {"metric": "time", "percent": 10, "of": {"ranks": 4}}
CASES: list[tuple[dict[str, Any], list[PointRuns], str]] = [
    ({"monotone": {"metric": "time", "over": "ranks", "direction": "increasing"}}, GROWS, "holds"),
    ({"monotone": {"metric": "time", "over": "ranks", "direction": "decreasing"}}, GROWS, "does not hold"),
    ({"crossover": {"metric": "load", "above": "train", "over": "ranks", "at": 16}}, GROWS, "holds"),
    ({"crossover": {"metric": "load", "above": "train", "over": "ranks", "at": 4}}, GROWS, "does not hold"),
    (
        {"at_least": {**FASTER, "factor": 4}},
        BY_LOADER,
        "holds",
    ),
    (
        {"at_least": {**FASTER, "factor": 6}},
        BY_LOADER,
        "does not hold",
    ),
    (
        {"at_least": {**FASTER, "factor": 6, "anywhere": True}},
        [*BY_LOADER, point(8, around(9.0), loader="old"), point(8, around(1.0), loader="new")],
        "holds",
    ),
    (
        {"ranking": {**BEST, "order": ["new", "other", "old"]}, "where": {"ranks": 1}},
        BY_LOADER,
        "holds",
    ),
    (
        {"ranking": {**BEST, "order": ["other", "new", "old"]}, "where": {"ranks": 1}},
        BY_LOADER,
        "does not hold",
    ),
    ({"best": {**BEST, "value": "new"}, "where": {"ranks": 1}}, BY_LOADER, "holds"),
    ({"best": {**BEST, "value": "other"}, "where": {"ranks": 1}}, BY_LOADER, "does not hold"),
    ({"threshold": {**REACHED, "at": 8}}, ACCURATE, "holds"),
    ({"threshold": {**REACHED, "at": 1}}, ACCURATE, "does not hold"),
    ({"reaches": {"metric": "accuracy", "value": 0.5, "of": {"ranks": 16}}}, ACCURATE, "holds"),
    ({"reaches": {"metric": "accuracy", "value": 0.7, "of": {"ranks": 16}}}, ACCURATE, "does not hold"),
    ({"within": {**NEAR, "than": 4.0}}, GROWS, "holds"),
    ({"within": {**NEAR, "than": {"ranks": 1}}}, GROWS, "does not hold"),
    ({"fails": {"reason": "out of memory", "at": {"batch": 50}}}, BROKEN, "holds"),
    ({"fails": {"at": {"batch": 20}}}, BROKEN, "does not hold"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "points", "outcome"), CASES)
def test_every_kind_holds_and_does_not(kind: dict[str, Any], points: list[PointRuns], outcome: str) -> None:
    found = judged(kind, points)
    assert found.outcome == outcome, found
    assert found.reason == ""
    assert found.statements
    assert found.p_if_false is not None
    assert found.p_if_true is not None
    assert min(found.p_if_false, found.p_if_true) <= ERROR < max(found.p_if_false, found.p_if_true)


@pytest.mark.parametrize("kind", {next(iter(kind)): kind for kind, _, _ in CASES}.values())
def test_every_kind_is_undecidable_without_runs(kind: dict[str, Any]) -> None:
    found = judged(kind, [])
    assert (found.outcome, found.p_if_false, found.p_if_true) == ("not decidable here", None, None)
    assert found.reason


def test_every_kind_was_tried() -> None:
    assert {next(iter(kind)) for kind, _, _ in CASES} == set(KINDS)


def test_few_runs_decide_nothing_and_say_how_many_would() -> None:
    few = [point(1, (1.0, 1.1)), point(4, (5.0, 5.1))]
    found = judged({"monotone": {"metric": "time", "over": "ranks", "direction": "increasing"}}, few)
    assert found.outcome == "not decidable here"
    assert "takes 4 runs of each point or more" in found.reason
    assert least_runs(2) == 4
    assert least_runs(46) == 6
    assert least_runs(2, constant=True) == 6
    number = judged({"reaches": {"metric": "time", "value": 2.0, "of": {"ranks": 4}}}, few)
    assert "takes 6 runs of each point or more" in number.reason


def test_values_that_occur_twice_are_tested_exactly() -> None:
    """Of three and three runs in two groups, one division of 20 is as extreme, and 0.05 is too likely."""
    low, high = point(1, accuracy=(0.5,) * 3), point(2, accuracy=(1.0,) * 3)
    kind = {"monotone": {"metric": "accuracy", "over": "ranks", "direction": "increasing"}}
    assert judged(kind, [low, high]).p_if_false == pytest.approx(2 / math.comb(6, 3))
    same = judged(kind, [low, point(2, accuracy=(0.5,) * 3)])
    assert (same.p_if_false, same.p_if_true) == (1, 1)


def test_a_value_at_the_level_reaches_it() -> None:
    whole = [point(1, accuracy=(1.0,) * RUNS)]
    assert judged({"reaches": {"metric": "accuracy", "value": 1.0}}, whole).outcome == "holds"


@pytest.mark.parametrize(
    ("kind", "points"),
    [
        ({"crossover": {"metric": "load", "above": "train", "over": "ranks", "at": 8}}, GROWS),
        ({"threshold": {**REACHED, "at": 12}}, ACCURATE),
    ],
)
def test_a_change_holds_only_where_its_place_was_run(kind: dict[str, Any], points: list[PointRuns]) -> None:
    found = judged(kind, points)
    assert found.outcome == "not decidable here"
    assert "the change may be elsewhere" in found.reason


def test_a_change_whose_place_was_not_run_can_be_refuted() -> None:
    kind = {"crossover": {"metric": "load", "above": "train", "over": "ranks", "at": 2}}
    assert judged(kind, GROWS).outcome == "does not hold"


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        ({"best": {**BEST, "value": "new", "metric": "tme"}},
         "no run of nt3 has a metric tme; did you mean time?"),
        ({"best": {**BEST, "value": "new", "over": "lodaer"}},
         "no run of nt3 has a parameter or axis lodaer; did you mean loader?"),
        ({"at_least": {**FASTER, "factor": 4, "than": {"loadr": "new"}}},
         "no run of nt3 has a parameter or axis loadr; did you mean loader?"),
        ({"best": {**BEST, "value": "new"}, "workload": "nt33"}, "no run of nt33; did you mean nt3?"),
    ],
)  # fmt: skip
def test_names_that_no_run_has_are_named_with_the_nearest(claim: dict[str, Any], reason: str) -> None:
    found = judged(claim, BY_LOADER)
    assert (found.outcome, found.reason) == ("not decidable here", reason)


def test_other_units_and_other_parameters_are_said() -> None:
    kind = {"crossover": {"metric": "time", "above": "accuracy", "over": "ranks", "at": 8}}
    unit = {"accuracy": ("", around(1))}
    mixed = [
        PointRuns("nt3", {"ranks": n}, n, 1, 8, around(n), "s", workload="nt3", metrics=unit) for n in (1, 8)
    ]
    assert "is not in" in judged(kind, mixed).reason
    changed = [
        PointRuns("nt3", {"ranks": 1}, 1, 1, 8, around(1), "s", workload="nt3", changed={"filters": 8})
    ]
    assert judged({"reaches": {"metric": "time", "value": 0.5}}, changed).differs == "filters=8"


def test_the_rate_of_wrong_outcomes_over_families_is_as_stated() -> None:
    """Five claims without a difference: any outcome but undecidable is wrong."""
    claims = {
        str(n): Claim.model_validate(
            {
                "says": "x", "workload": "nt3",
                "at_least": {"metric": f"m{n}", "factor": 1, "of": {"ranks": 1}, "than": {"ranks": 2}},
            }
        )
        for n in range(5)
    }  # fmt: skip
    wrong, families = 0, 300
    for seed in range(families):
        draw = random.Random(seed)
        points = [
            point(ranks, **{f"m{n}": tuple(draw.expovariate(1) for _ in range(10)) for n in range(5)})
            for ranks in (1, 2)
        ]
        wrong += any(one.outcome != "not decidable here" for one in judge(claims, points))
    assert wrong / families <= ERROR + 2 * (ERROR * (1 - ERROR) / families) ** 0.5


def names_of(claim: Claim) -> Iterator[str]:
    """Yield the parameters and axes that a claim names."""
    yield from claim.where
    for kind in (getattr(claim, name) for name in KINDS):
        for field in ("of", "than", "at"):
            if isinstance(conditions := getattr(kind, field, None), dict):
                yield from conditions
        if axis := getattr(kind, "over", ""):
            yield axis


@pytest.mark.parametrize("document", sorted(documents()))
def test_claims_of_the_documents_name_parameters_that_their_workloads_have(document: str) -> None:
    for name, claim in shipped_claims()[document].items():
        known = {one.name for one in workload(claim.workload).parameters} | {"ranks", "nodes"}
        assert set(names_of(claim)) <= known, name


@pytest.mark.parametrize("document", sorted(documents()))
def test_claims_of_the_documents_are_of_workloads_that_exist(document: str) -> None:
    places = {number.place for number in documents()[document].numbers()}
    for name, claim in shipped_claims()[document].items():
        assert claim.workload in BUILT_IN, name
        assert claim.source, name
        assert claim.source in places or claim.source.startswith("Section"), name


def test_a_users_file_is_read_and_a_wrong_one_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "claims.yaml"
    file.write_text("fast: {says: It is fast, workload: nt3, reaches: {metric: time, value: 3}}")
    assert claims_named(str(file))["fast"].says == "It is fast"
    assert claims_named("candle") == shipped_claims()["candle"]
    with pytest.raises(CampaignError, match="no document and no file 'candel'; did you mean candle"):
        claims_named("candel")
    file.write_text("fast: {says: It is fast, workload: nt3, reeches: {metric: time, value: 3}}")
    with pytest.raises(FileError, match="reeches"):
        read_claims(file)


def test_a_claim_is_of_one_kind() -> None:
    with pytest.raises(ValidationError, match="give one of monotone"):
        Claim.model_validate({"says": "x", "workload": "nt3"})


def test_runs_that_differ_in_another_axis_are_not_compared() -> None:
    """Wide runs of a small batch beside narrow ones of a large batch: neither slice decides for the other."""
    best = {"best": {"metric": "time", "over": "loader", "value": "new", "by": "lowest"}}
    assert "several values of ranks fit" in judged(best, BY_LOADER).reason
    apart = [point(1, around(10.0), loader="old"), point(4, around(2.0), loader="new")]
    assert "different values of ranks" in judged(best, apart).reason


@pytest.mark.parametrize(
    "kind",
    [
        {"within": {"metric": "time", "percent": 10, "of": {"ranks": 1}, "than": -10.0}},
        {"at_least": {"metric": "time", "factor": 2, "of": {"ranks": 1}, "than": {"ranks": 2}}},
    ],
)
def test_a_ratio_of_numbers_below_zero_is_not_judged(kind: dict[str, Any]) -> None:
    below = [point(ranks, tuple(-value for value in around(10.0, ranks))) for ranks in (1, 2)]
    assert "a ratio needs positive values" in judged(kind, below).reason


def test_equal_values_of_single_runs_decide_nothing() -> None:
    same = [point(ranks, (5.0,)) for ranks in (1, 2)]
    found = judged({"monotone": {"metric": "time", "over": "ranks", "direction": "increasing"}}, same)
    assert (found.outcome, found.p_if_false) == ("not decidable here", 1.0)
