"""Questions that may end a campaign, as its ledger registers them, and their answers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from orchestrator.analysis.base.ended_values import Values, values_of
from orchestrator.analysis.base.metric_names import TIME, better_of
from orchestrator.analysis.base.statistics import Estimate
from orchestrator.analysis.sequential.decisions import Decide, Decisions, Design, Until, evaluate, path
from orchestrator.analysis.sequential.differences import naive
from orchestrator.analysis.sequential.forecast import fixed_design
from orchestrator.analysis.sequential.intervals import Look, quantile_path
from orchestrator.analysis.sequential.observations import Observation, series
from orchestrator.analysis.sequential.sentences import pair_sentence, point_sentence

if TYPE_CHECKING:
    from db.plain import RowReader


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
            "points": [list(pair) for pair in self.points.items()],
            "until": asdict(self.until) if self.until else None,
            "decide": asdict(self.decide) if self.decide else None,
        }


def question_of(facts: Mapping[str, Any]) -> Question:
    """Return the question that an event registered."""
    until, decide = facts["until"], facts["decide"]
    return Question(
        facts["label"],
        facts["metric"],
        dict(facts["points"]),
        Until(**until) if until else None,
        Decide(**decide) if decide else None,
    )


@dataclass(frozen=True, slots=True)
class Answer:
    """Present knowledge about a question.

    Parameters
    ----------
    sentences
        Of each pair and each point: its answer in words, or what is known so far.
    left_out
        Ended instances without a value, or with one that is not above 0, by benchmark.
    """

    question: Question
    decisions: Decisions
    sentences: tuple[str, ...]
    left_out: Mapping[str, int]
    observations: tuple[Observation, ...] = field(repr=False)

    @property
    def certain(self) -> bool:
        """True if every part of the question has its answer."""
        return self.decisions.certain

    @property
    def fixed_runs(self) -> int | None:
        """Runs of a fixed design that knew the spread and the differences; None where that is not known."""
        design, pairs = self.question.design, self.decisions.pairs
        if not pairs or not self.certain:
            return None
        each = [fixed_design(design, self.observations, pair) for pair in pairs]
        known = [number for number in each if number is not None]
        return max(known) * len(design.points) if len(known) == len(each) else None

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
            "runs": len(self.observations),
            "fixed_runs": self.fixed_runs,
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
    absent = sum(left_out.values())
    if absent and absent == len(observations):
        sentences = [
            f"{sentence}: no run of {absent:,} has {question.metric} above 0" for sentence in sentences
        ]
    return Answer(question, found, tuple(sentences), left_out, tuple(observations))


def answers_to(reader: RowReader, campaign_id: int, questions: Sequence[Question]) -> list[Answer]:
    """Return what the ledger says about questions."""
    values = values_of(reader, campaign_id, [one.metric for one in questions])
    return [answer(one, values[one.metric]) for one in questions]


def cost_of(found: Sequence[Answer]) -> tuple[int, int | None]:
    """Return the runs that answers rest on, and those of a fixed design; None where that is unknown."""
    runs = set()
    for one in found:
        benchmarks = {name: benchmark for benchmark, name in one.question.points.items()}
        runs |= {(benchmarks[run.point], run.block) for run in one.observations}
    fixed = [one.fixed_runs for one in found]
    known = [number for number in fixed if number is not None]
    return len(runs), sum(known) if len(known) == len(fixed) else None


@dataclass(frozen=True, slots=True)
class IntervalPath:
    """An interval at every look so far.

    Parameters
    ----------
    subject
        The point, or the two points whose ratio it is of.
    unit
        What a look adds: ``pairs of runs``, ``runs of each point`` or ``runs``.
    looks
        After each of them.
    limits
        Ratios between which points are alike; None for a point.
    """

    subject: str
    unit: str
    looks: tuple[Look, ...]
    limits: tuple[float, float] | None


def paths(found: Answer) -> list[IntervalPath]:
    """Return the interval of each pair and each point of a question over its looks."""
    design, observations = found.question.design, found.observations
    if (decide := design.decide) is not None:
        limits = 1 / (1 + decide.difference), 1 + decide.difference
        unit = "runs of each point" if decide.method == "unpaired" else "pairs of runs"
        return [
            IntervalPath(f"{one} ÷ {two}", unit, tuple(path(design, observations, one, two)), limits)
            for one, two in design.pairs
        ]
    if (until := design.until) is None:
        return []
    runs = series(observations, design.points)
    return [
        IntervalPath(
            point,
            "runs",
            tuple(
                quantile_path(
                    np.exp(runs[point].known), until.at_least, until.at_most, until.confidence, until.quantile
                )
            ),
            None,
        )
        for point in design.points
    ]


def naive_ratios(found: Answer) -> list[Estimate | None]:
    """Return the ratio of medians of each pair, without blocks and earlier looks; None without runs."""
    runs = series(found.observations, found.question.design.points)
    return [
        naive(runs[pair.first], runs[pair.second])
        if runs[pair.first].known.size and runs[pair.second].known.size
        else None
        for pair in found.decisions.pairs
    ]
