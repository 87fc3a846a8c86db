"""Answers to the questions that a campaign registered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from db.evidence.registered_design import registered_questions

if TYPE_CHECKING:
    from db.plain import RowReader
    from orchestrator.analysis.sequential.questions import Answer


def answers(reader: RowReader, campaign_id: int) -> list[Answer]:
    """Return what is known of each registered question of a campaign; empty where it has none."""
    facts = registered_questions(reader, campaign_id)
    if not facts:
        return []
    # NumPy, which they need, is not installed everywhere that a campaign without questions is judged.
    from orchestrator.analysis.sequential.questions import answers_to, question_of

    return answers_to(reader, campaign_id, [question_of(one) for one in facts["questions"]])
