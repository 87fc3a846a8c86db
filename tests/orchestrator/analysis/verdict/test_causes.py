"""Reasons are grouped by what somebody would have to change."""

from __future__ import annotations

from orchestrator.analysis.verdict.causes import Cause, causes
from orchestrator.rulebooks.model import BenchmarkVerdict, Figure, RuleResult, Verdict

SENTENCES = {"parameters": "Keep them.", "data": "Use the suite's.", "alone": "Run alone."}


def judged(name: str, **broken: str) -> BenchmarkVerdict:
    rules = tuple(RuleResult(False, reason, name=rule) for rule, reason in broken.items())
    passed = RuleResult(True, "all are there", name="complete")
    return BenchmarkVerdict(
        benchmark=name, workload=name, run_class="base", headline=Figure("fom", 1.0), rules=(passed, *rules)
    )


def verdict(*benchmarks: BenchmarkVerdict, others: tuple[str, ...] = ()) -> Verdict:
    reasons = [f"{one.benchmark}: {reason}" for one in benchmarks for reason in one.reasons]
    return Verdict(
        rulebook="toy", headline=Figure("fom", 1.0), benchmarks=benchmarks, reasons=(*reasons, *others)
    )


def test_sizes_of_a_trial_are_one_cause() -> None:
    found = causes(
        verdict(judged("a", parameters="epochs is 1", data="made"), judged("b", data="made")), SENTENCES
    )
    assert found == [Cause("sizes", ("Keep them.", "Use the suite's."), ("a", "b"), ("epochs is 1", "made"))]


def test_what_concerns_most_benchmarks_comes_first_and_the_campaign_last() -> None:
    mixed = "base and optimized runs are mixed"
    one, two = judged("a", alone="b ran", ledger="a row is gone"), judged("b", ledger="a row is gone")
    found = causes(verdict(one, two, others=(mixed,)), SENTENCES)
    assert [cause.name for cause in found] == ["ledger", "alone", "campaign"]
    assert found[0].sentences == ("ledger",)  # which no rulebook lists
    assert found[-1].reasons == (mixed,)


def test_a_reportable_campaign_has_none() -> None:
    assert causes(verdict(judged("a")), SENTENCES) == []
