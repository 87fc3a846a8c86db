"""Questions that may end a campaign, as its ledger registers them, and their answers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from db.evidence.registered_design import registered_questions
from db.evidence.runs_of_campaign import instance_values
from db.states import InstanceState
from orchestrator.analysis.base.metric_names import TIME, better_of
from orchestrator.analysis.sequential.decisions import Decide, Decisions, Design, Until, evaluate
from orchestrator.analysis.sequential.observations import Observation
from orchestrator.analysis.sequential.sentences import pair_sentence, point_sentence

if TYPE_CHECKING:
    from db.reader import Reader

WAITING = (InstanceState.PLANNED, InstanceState.IN_FLIGHT, InstanceState.NOT_NEEDED)
"""States of instances that have no outcome."""

Values = dict[str, dict[int, tuple[float | None, str]]]
"""Value and node of each ended instance, by benchmark and number in the benchmark."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question about points of a campaign.

    Parameters
    ----------
    label
        Sweep and other axes of the points that are compared; empty where that says nothing.
    metric
        Name of the metric; `TIME` for the FOM time.
    points
        Names of the points in sentences, by benchmark.
    until, decide
        The wanted precision of each point, or the wanted decisions between points.
    """

    label: str
    metric: str
    points: Mapping[str, str]
    until: Until | None = None
    decide: Decide | None = None

    @property
    def design(self) -> Design:
        """The points with the question."""
        return Design(tuple(self.points.values()), self.until, self.decide)

    def facts(self) -> dict[str, Any]:
        """Return the question as data of the event that registers it."""
        return {
            "label": self.label,
            "metric": self.metric,
            "points": dict(self.points),
            "until": asdict(self.until) if self.until else None,
            "decide": asdict(self.decide) if self.decide else None,
        }


def question_of(facts: Mapping[str, Any]) -> Question:
    """Return the question that an event registered."""
    until, decide = facts["until"], facts["decide"]
    return Question(
        facts["label"],
        facts["metric"],
        facts["points"],
        Until(**until) if until else None,
        Decide(**decide) if decide else None,
    )


@dataclass(frozen=True, slots=True)
class Answer:
    """Present knowledge about a question.

    Parameters
    ----------
    decisions
        Of its pairs and points.
    sentences
        Of each pair and each point: its answer in words, or what is known so far.
    left_out
        Ended instances without a value, or with one that is not above 0, by benchmark.
    """

    question: Question
    decisions: Decisions
    sentences: tuple[str, ...]
    left_out: Mapping[str, int]

    @property
    def certain(self) -> bool:
        """True if every part of the question has its answer."""
        return self.decisions.certain

    def sentences_of(self, name: str) -> list[str]:
        """Return the sentences about a point."""
        about = [(pair.first, pair.second) for pair in self.decisions.pairs]
        about += [(point.point, point.point) for point in self.decisions.points]
        return [sentence for names, sentence in zip(about, self.sentences, strict=True) if name in names]

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        return {
            **self.question.facts(),
            "certain": self.certain,
            "pairs": [asdict(pair) for pair in self.decisions.pairs],
            "precision": [asdict(point) for point in self.decisions.points],
            "sentences": list(self.sentences),
            "left_out": dict(self.left_out),
        }


def answer(question: Question, values: Values) -> Answer:
    """Return what some values say about a question; a function of them in their order alone."""
    observations: list[Observation] = []
    left_out: dict[str, int] = {}
    for benchmark, name in question.points.items():
        for index, (value, node) in values.get(benchmark, {}).items():
            known = value if value is not None and 0 < value < math.inf else None
            if known is None:
                left_out[benchmark] = left_out.get(benchmark, 0) + 1
            observations.append(Observation(name, index, node, known))
    found = evaluate(question.design, observations)
    better = better_of(question.metric)
    time = question.metric == TIME or question.metric.endswith("_seconds")
    sentences = []
    if question.decide is not None:
        sentences += [pair_sentence(pair, question.decide, better, time=time) for pair in found.pairs]
    if question.until is not None:
        sentences += [point_sentence(point, question.until) for point in found.points]
    return Answer(question, found, tuple(sentences), left_out)


def values_of(reader: Reader, campaign_id: int, metrics: Iterable[str]) -> dict[str, Values]:
    """Return the values of a campaign's ended instances, by metric."""
    found: dict[str, Values] = {}
    for metric in dict.fromkeys(metrics):
        values: Values = {}
        for run in instance_values(reader, campaign_id, None if metric == TIME else metric):
            if run.state not in WAITING:
                values.setdefault(run.benchmark, {})[run.benchmark_index] = run.value, run.node or ""
        found[metric] = values
    return found


def answers(reader: Reader, campaign_id: int) -> list[Answer]:
    """Return what is known of each registered question of a campaign; empty where it has none."""
    facts = registered_questions(reader, campaign_id)
    questions = [question_of(one) for one in facts["questions"]] if facts else []
    return answers_to(reader, campaign_id, questions)


def answers_to(reader: Reader, campaign_id: int, questions: Sequence[Question]) -> list[Answer]:
    """Return what the ledger says about questions."""
    values = values_of(reader, campaign_id, [one.metric for one in questions])
    return [answer(one, values[one.metric]) for one in questions]
