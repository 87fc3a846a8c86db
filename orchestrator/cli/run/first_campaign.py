"""Figures of the shipped campaign `hello` in sentences, for a reader new to its tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orchestrator.wording import count_of

if TYPE_CHECKING:
    from orchestrator.rulebooks.model import BenchmarkVerdict, Verdict

NAME = "hello"
NEXT = "orchestrator launch demo    # deep learning; first: pip install '.[cpu]'"


def in_words(verdict: Verdict) -> list[str]:
    """Return a sentence for each kind of figure that the campaign has; each is a line of 80 columns."""
    accepted = sum(int(one["accepted"] or 0) for one in verdict.benchmarks)
    planned = sum(int(one["planned"] or 0) for one in verdict.benchmarks)
    together = max(int(one["peak_overlap"] or 0) for one in verdict.benchmarks)
    lines = [
        f"{accepted} of {count_of(planned, 'program')} finished, up to {together} at once, "
        "each on cores of its own."
    ]
    for one in verdict.benchmarks:
        lines += _sentences(one)
    return lines


def _sentences(one: BenchmarkVerdict) -> list[str]:
    if rate := one["flop_per_second"]:
        return [f"{one.benchmark}: a slot multiplies matrices at {rate / 1e9:.3g} GFLOP/s."]
    if rate := one["bytes_per_second"]:
        return [f"{one.benchmark}: a slot reads and writes its memory at {rate / 1e9:.3g} GB/s."]
    trainings = count_of(int(one["accepted"] or 0), "training")
    repeats = next((rule.passed for rule in one.rules if rule.name == "repeats"), None)
    if repeats is not None:
        different = "different losses: results do not repeat here"
        end = "the same loss, to the last digit" if repeats else different
        return [f"{one.benchmark}: {trainings} with one seed ended with {end}."]
    lowest, median = one["lowest_accuracy"], one["median_accuracy"]
    if lowest is None or median is None:
        return []
    return [f"{one.benchmark}: accuracy of {trainings}: median {median:.4f}, lowest {lowest:.4f}."]
