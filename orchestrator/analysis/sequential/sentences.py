"""Sentences that state decisions, for terminals and pages."""

from __future__ import annotations

from orchestrator.analysis.sequential.decisions import Decide, PairDecision, PointDecision, Until
from orchestrator.wording import count_of, percent_words
from workloads.metrics.definitions import Better


def pair_sentence(one: PairDecision, asked: Decide, better: Better = "lower", *, time: bool = True) -> str:
    """Return the sentence of a pair: *b is certainly faster than a, which takes at least 3.1 % longer*.

    Parameters
    ----------
    better
        Values of the metric that are better.
    time
        Whether the metric is a time, of which lower values are *faster*.
    """
    unpaired = asked.method == "unpaired"
    known = f"{count_of(one.looks, 'run')} of each" if unpaired else f"{count_of(one.looks, 'pair')} of runs"
    if one.low is None or one.high is None:
        return f"undecided between {one.first} and {one.second}: {known} are too few for an interval"
    if one.outcome == "alike":
        most = max(one.high, 1 / one.low) - 1
        return f"{one.first} and {one.second} certainly differ by at most {percent_words(most)} ({known})"
    if one.outcome == "undecided":
        return (
            f"undecided between {one.first} and {one.second}: {one.first} ÷ {one.second} is between "
            f"{one.low:.4g} and {one.high:.4g} after {known}; {_further(one, asked)}"
        )
    lower, higher = (one.first, one.second) if one.outcome == "lower" else (one.second, one.first)
    least = percent_words(1 / one.high - 1 if one.outcome == "lower" else one.low - 1)
    if better == "higher":
        return f"{higher} is certainly better than {lower}, by at least {least} ({known})"
    if better == "none":
        return f"{higher} is certainly higher than {lower}, by at least {least} ({known})"
    adjective, more = ("faster", "takes") if time else ("better", "has")
    longer = f"{more} at least {least} {'longer' if time else 'more'}"
    return f"{lower} is certainly {adjective} than {higher}, which {longer} ({known})"


def _further(one: PairDecision, asked: Decide) -> str:
    if one.further is None:
        asked_words = percent_words(asked.difference)
        return f"the difference may be the asked {asked_words}, which no number of runs decides"
    return f"about {one.further:,} more would decide"


def point_sentence(one: PointDecision, asked: Until) -> str:
    """Return the sentence of a point, such as *a is known within 1.8 %: 101 to 103 after 12 runs*."""
    runs = count_of(one.looks, "run")
    if one.middle is None or one.low is None or one.high is None:
        return f"{one.point} is not known: {runs} are too few for an interval"
    width = percent_words((one.high - one.low) / one.middle)
    within = f"{one.low:.4g} to {one.high:.4g} after {runs}"
    if one.precise:
        return f"{one.point} is known within {width}: {within}"
    return (
        f"{one.point} is known within {width}, not yet {percent_words(asked.width)}: {within}; "
        f"about {one.further or 1:,} more would suffice"
    )


def cost_sentence(runs: int, fixed_runs: int | None, hours_per_run: float | None = None) -> str:
    """Return the cost of an answer beside that of a fixed design, such as *16 runs, 41 node-hours; …*."""

    def cost(number: int) -> str:
        hours = "" if hours_per_run is None else f", {number * hours_per_run:,.3g} node-hours"
        return f"{count_of(number, 'run')}{hours}"

    if fixed_runs is None:
        return cost(runs)
    return f"{cost(runs)}; a fixed design that knew spread and difference takes {cost(fixed_runs)}"
