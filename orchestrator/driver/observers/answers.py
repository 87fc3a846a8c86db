"""Watches which points have runs enough for the campaign's questions."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from db.records import Pending
from db.states import InstanceState
from orchestrator.analysis.base.ended_values import Values
from orchestrator.analysis.sequential.questions import Answer, Question, answer
from orchestrator.driver.observers.observer import DriverObserver
from orchestrator.driver.queue.in_flight import InFlightAttempt
from orchestrator.driver.records.attempt_records import metric_names, value_of
from orchestrator.protocol.report import AttemptReport
from workloads.spelling import near

_log = logging.getLogger(__name__)
_SENTENCES = 3


@dataclass(frozen=True, slots=True)
class SettledPoint:
    """A benchmark of which no further run is needed, and the answers that say so."""

    benchmark: str
    sentences: tuple[str, ...]

    @property
    def message(self) -> str:
        """The first answers in words."""
        more = len(self.sentences) - _SENTENCES
        shown = "; ".join(self.sentences[:_SENTENCES])
        return f"{shown}; and {more:,} more" if more > 0 else shown


class AnswerWatch(DriverObserver):
    """Answers questions anew as instances end.

    Answers depend on the values and on the registered order alone, so that a resume finds the same ones.

    Parameters
    ----------
    values
        By metric: values of instances that ended in earlier sessions; changed in place.
    """

    def __init__(self, questions: Sequence[Question], values: Mapping[str, Values]) -> None:
        self._questions = questions
        self._values = values
        self._of: dict[str, list[int]] = {}
        for number, question in enumerate(questions):
            for benchmark in question.points:
                self._of.setdefault(benchmark, []).append(number)
        self._answers: dict[int, Answer] = {}
        self._changed = set(range(len(questions)))
        self._settled: set[str] = set()
        self._absent: set[str] = set()

    def attempt_ended(self, attempt: InFlightAttempt, report: AttemptReport, instance: InstanceState) -> None:
        """Take the value of an instance that ended for good."""
        if instance in (InstanceState.PLANNED, InstanceState.NOT_NEEDED):
            return
        if instance is InstanceState.DONE:
            self._warn_of_absent(attempt, report)
        node = attempt.node or report.node or ""
        for number, values in self._values_of(attempt.pending):
            metric = self._questions[number].metric
            value = value_of(report, metric) if instance is InstanceState.DONE else None
            values[attempt.pending.benchmark_index] = value, node

    def cancelled(self, instances: Iterable[Pending]) -> None:
        """Wait for no value of instances that a user cancelled before they ran."""
        for one in instances:
            for _, values in self._values_of(one):
                values[one.benchmark_index] = None, ""

    def planned_again(self, instances: Iterable[Pending]) -> None:
        """Wait for the values of instances that a user lets run again."""
        for one in instances:
            for _, values in self._values_of(one):
                values.pop(one.benchmark_index, None)

    def _values_of(self, one: Pending) -> Iterator[tuple[int, dict[int, tuple[float | None, str]]]]:
        """Yield the questions about an instance, which are answered anew, with the values of its point."""
        for number in self._of.get(one.benchmark, ()):
            self._changed.add(number)
            yield number, self._values[self._questions[number].metric].setdefault(one.benchmark, {})

    def _warn_of_absent(self, attempt: InFlightAttempt, report: AttemptReport) -> None:
        """Say once of each metric that a run does not have it: no number of such runs answers anything."""
        for number in self._of.get(attempt.pending.benchmark, ()):
            metric = self._questions[number].metric
            if metric in self._absent or value_of(report, metric) is not None:
                continue
            self._absent.add(metric)
            names = metric_names(report)
            hint = near(metric, names, f"it has {', '.join(names)}") if names else ""
            _log.warning(
                "%s has no %s%s; runs without it answer no question. If that is a mistake, stop the "
                "campaign, and resume it with another metric, such as by --set campaign.decide.metric=time",
                attempt.label,
                metric,
                hint,
            )

    def newly_settled(self) -> list[SettledPoint]:
        """Return the benchmarks that need no further run since the last call."""
        found = []
        for benchmark in self._answer_anew():
            if benchmark in self._settled or self._needs(benchmark):
                continue
            self._settled.add(benchmark)
            sentences = tuple(
                sentence for one, name in self._about(benchmark) for sentence in one.sentences_of(name)
            )
            found.append(SettledPoint(benchmark, sentences))
        return found

    def needed(self) -> list[str]:
        """Return the benchmarks that need further runs; `newly_settled` still returns the others."""
        self._answer_anew()
        self._changed.update(range(len(self._questions)))
        return [benchmark for benchmark in self._of if self._needs(benchmark)]

    def _answer_anew(self) -> list[str]:
        """Answer the questions whose values changed, and return their benchmarks."""
        touched: dict[str, None] = {}
        for number in sorted(self._changed):
            question = self._questions[number]
            self._answers[number] = answer(question, self._values[question.metric])
            touched |= dict.fromkeys(question.points)
        self._changed.clear()
        return list(touched)

    def _about(self, benchmark: str) -> list[tuple[Answer, str]]:
        """Return the answers about a benchmark, with its name in each."""
        mine = [self._answers[number] for number in self._of[benchmark]]
        return [(one, one.question.points[benchmark]) for one in mine]

    def _needs(self, benchmark: str) -> bool:
        return any(name in one.decisions.needed for one, name in self._about(benchmark))
