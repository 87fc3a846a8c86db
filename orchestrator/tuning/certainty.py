"""Finds slot shapes that are certainly not the best, by the figures of the nodes that they filled. Pure."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from orchestrator.analysis.sequential.decisions import (
    Decide,
    Decisions,
    Design,
    PairDecision,
    evaluate,
)
from orchestrator.analysis.sequential.observations import Observation
from orchestrator.wording import count_of, percent_words

ERROR = 0.05
"""Probability of any wrong decision, over all pairs of shapes and all looks."""
AT_LEAST = 5
"""Fills of each of two shapes at the first look; with fewer, no two shapes are certainly different."""
_LEAST_ADDED = 3


def decisions_of(figures: Mapping[str, Sequence[float]], difference: float, at_most: int) -> Decisions | None:
    """Return the decisions between shapes by the figures of their fills; None without two shapes.

    A fill of a node is a run. Shapes are measured one after another, so that fills are no pairs.
    """
    if len(figures) < 2:
        return None
    most = max(at_most, *map(len, figures.values()), AT_LEAST)
    asked = Decide(difference, ERROR, None, AT_LEAST, most, "unpaired", best="higher")
    fills = [
        Observation(label, number, "", figure)
        for label, mine in figures.items()
        for number, figure in enumerate(mine)
    ]
    return evaluate(Design(tuple(figures), decide=asked), fills)


def sentences_beside(best: str, found: Decisions | None) -> dict[str, str]:
    """Return what is known of each shape but the best: beside that, or beside one that it is worse than."""
    sentences: dict[str, str] = {}
    if found is None:
        return sentences
    for label in found.design.points:
        mine = [pair for pair in found.pairs if label in (pair.first, pair.second)]
        lost = [pair for pair in mine if _loser(pair) == label]
        beside_best = [pair for pair in mine if best in (pair.first, pair.second)]
        if label != best:
            shown = next((pair for pair in lost if pair in beside_best), (lost or beside_best)[0])
            sentences[label] = _sentence(label, shown)
    return sentences


def more_fills(planned: Mapping[str, int], among: Container[str], at_most: int) -> dict[str, int]:
    """Return the further fills of a node by shape: half as many as it began with, up to `at_most` in all.

    Parameters
    ----------
    planned
        Fills of each shape so far.
    among
        Shapes that may be the best.
    """
    began = min(planned.values(), default=0)
    wanted = {
        label: min(max(began // 2, _LEAST_ADDED, AT_LEAST - number), at_most - number)
        for label, number in planned.items()
        if label in among
    }
    return {label: number for label, number in wanted.items() if number > 0}


def _loser(pair: PairDecision) -> str | None:
    return {"lower": pair.first, "higher": pair.second}.get(pair.outcome)


def _sentence(label: str, pair: PairDecision) -> str:
    other = pair.second if pair.first == label else pair.first
    fills = f"{count_of(pair.looks, 'fill')} of each"
    if pair.low is None or pair.high is None:
        return f"undecided beside {other}, as {fills} {'is' if pair.looks == 1 else 'are'} too few"
    low, high = (pair.low, pair.high) if pair.first == label else (1 / pair.high, 1 / pair.low)
    if pair.outcome == "alike":
        return f"certainly within {percent_words(max(high, 1 / low) - 1)} of {other} ({fills})"
    if pair.outcome == "undecided":
        return f"undecided, {low:.4g} to {high:.4g} of {other} ({fills})"
    if _loser(pair) == label:
        return (
            f"certainly worse than {other}, which is at least {percent_words(1 / high - 1)} better ({fills})"
        )
    return f"certainly better than {other}, by at least {percent_words(low - 1)} ({fills})"
