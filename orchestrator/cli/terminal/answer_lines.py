"""Answers to the questions of a campaign, and results of its searches, in lines for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from orchestrator.wording import count_of

if TYPE_CHECKING:
    from db.reader import Reader
    from orchestrator.analysis.search.trials import SearchResult
    from orchestrator.analysis.sequential.questions import Answer

_SHOWN = 12


def answer_lines(
    answers: Sequence[Answer], hours_per_run: float | None = None, shown: int = _SHOWN
) -> list[str]:
    """Return how many questions have answers, and what is known, open ones first; empty without questions."""
    if not answers:
        return []
    from orchestrator.analysis.sequential.questions import cost_of
    from orchestrator.analysis.sequential.sentences import cost_sentence

    certain = sum(one.certain for one in answers)
    cost = cost_sentence(*cost_of(answers), hours_per_run)
    lines = [f"answers: {certain:,} of {count_of(len(answers), 'question')}"]
    ordered = sorted(answers, key=lambda one: one.certain)
    several = len({one.question.label for one in answers}) > 1
    sentences = [
        f"  {one.question.label}: {sentence}" if several and one.question.label else f"  {sentence}"
        for one in ordered
        for sentence in one.sentences
    ]
    more = len(sentences) - shown
    lines += sentences[:shown]
    lines += [f"  and {more:,} more; --json has all"] if more > 0 else []
    return [*lines, f"  cost: {cost}"]


def search_lines(results: Sequence[SearchResult]) -> list[str]:
    """Return the results of searches; empty without any."""
    return [line for one in results for line in one.sentences]


def lines_of_campaign(reader: Reader, campaign_id: int) -> list[str]:
    """Return the answers of a campaign with their cost, and its searches; empty where it has neither."""
    from db.evidence.registered_design import registered_searches
    from orchestrator.analysis.sequential.registered import answers

    lines = []
    if known := answers(reader, campaign_id):
        from db.evidence.node_hours import hours_per_run

        lines += answer_lines(known, hours_per_run(reader, campaign_id))
    if registered_searches(reader, campaign_id):
        from orchestrator.analysis.search.trials import search_results

        lines += search_lines(search_results(reader, campaign_id))
    return lines
