"""The registered order and questions of a campaign, against what was handed out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from db.events import EventKind
from db.evidence.registered_design import (
    deviations,
    handed_out,
    raised_disk,
    raised_memory,
    raised_timeouts,
    registered_order,
    registered_questions,
    registered_searches,
    times_asked,
)
from db.states import InstanceState
from orchestrator.analysis.search.suggested import samplers_of, suggestion_problems
from orchestrator.analysis.sequential.registered import answers
from orchestrator.rulebooks.measurements import DesignFacts

_Value = TypeVar("_Value")

if TYPE_CHECKING:
    from collections.abc import Mapping

    from db.plain import RowReader
    from db.rows import BenchmarkRow


def design_facts(reader: RowReader, campaign_id: int, rows: Sequence[BenchmarkRow]) -> dict[str, DesignFacts]:
    """Return the facts of each benchmark; those of the defaults where nothing is registered."""
    benchmarks = [row.benchmark for row in rows]
    sharing = Counter(row.slot for row in rows)
    shared = {row.benchmark for row in rows if sharing[row.slot] > 1}
    order, questions = registered_order(reader, campaign_id), registered_questions(reader, campaign_id)
    raised, counts = _raised(reader, campaign_id, benchmarks), reader.counts(campaign_id)
    searched = _searched(reader, campaign_id, counts)
    not_needed = {name: counts.get(name, {}).get(InstanceState.NOT_NEEDED, 0) for name in benchmarks}
    if order is None and questions is None:
        return {
            name: DesignFacts(not_needed=not_needed[name], **raised[name], **searched.get(name, {}))
            for name in benchmarks
        }
    known = deviations(reader, campaign_id)
    late = _late(order, handed_out(reader, campaign_id)) if order else set()
    named, unnamed = (Counter(label.rpartition("/")[0] for label in one) for one in (known, late - known))
    looks, left_out = _looks(reader, campaign_id)
    asked = times_asked(reader, campaign_id)
    return {
        name: DesignFacts(
            order=order["order"] if order else "file",
            takes_turns=order is not None and order["order"] != "file" and name in shared,
            deviations=named[name],
            contradictions=unnamed[name],
            looks=looks.get(name),
            left_out=left_out[name],
            not_needed=not_needed[name],
            times_asked=asked,
            **raised[name],
            **searched.get(name, {}),
        )
        for name in benchmarks
    }


def _looks(reader: RowReader, campaign_id: int) -> tuple[dict[str, int], Counter[str]]:
    """Return, by benchmark, the runs at the last look, and the ended instances that looks left out."""
    looks: dict[str, int] = {}
    left_out: Counter[str] = Counter()
    for one in answers(reader, campaign_id):
        by_name = {name: benchmark for benchmark, name in one.question.points.items()}
        seen = [(name, pair.looks) for pair in one.decisions.pairs for name in (pair.first, pair.second)]
        for name, number in [*seen, *((point.point, point.looks) for point in one.decisions.points)]:
            looks[by_name[name]] = max(number, looks.get(by_name[name], 0))
        left_out |= Counter(one.left_out)
    return looks, left_out


def _raised(reader: RowReader, campaign_id: int, benchmarks: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return the facts of each benchmark's retries that had more time, memory or disk."""
    timeouts = _by_benchmark(raised_timeouts(reader, campaign_id))
    sizes = _by_benchmark(raised_memory(reader, campaign_id))
    disks = _by_benchmark(raised_disk(reader, campaign_id))
    largest = {name: max(found) for name, found in disks.items()}
    return {
        name: {
            "raised": len(timeouts.get(name, ())),
            "longest_timeout": max(timeouts.get(name, ()), default=None),
            "larger": len(sizes.get(name, ())),
            "largest_memory_bytes": max(sizes.get(name, ()), default=None),
            "more_disk": len(disks.get(name, ())),
            "largest_disk_share": largest[name][1] if name in largest else None,
            "largest_disk_bytes": largest[name][0] or None if name in largest else None,
        }
        for name in benchmarks
    }


def _by_benchmark(values: Mapping[str, _Value]) -> dict[str, list[_Value]]:
    """Return the values of instances by benchmark."""
    found: dict[str, list[_Value]] = {}
    for label, value in values.items():
        found.setdefault(label.rpartition("/")[0], []).append(value)
    return found


def _searched(
    reader: RowReader, campaign_id: int, counts: Mapping[str, Mapping[str, int]]
) -> dict[str, dict[str, Any]]:
    """Return the facts of searches, by benchmark."""
    times = len(list(reader.events(campaign_id, kinds=[EventKind.SEARCH_REGISTERED])))
    samplers, problems = samplers_of(reader, campaign_id), suggestion_problems(reader, campaign_id)
    found: dict[str, dict[str, Any]] = {}
    for one in registered_searches(reader, campaign_id):
        names = [name for trial in one["trials"] for name in trial]
        pruned = sum(counts.get(name, {}).get(InstanceState.PRUNED, 0) for name in names)
        facts = {"search": one["method"], "pruned": pruned, "times_searched": times}
        found |= {
            name: facts | {"sampler": samplers.get(name, ""), "suggestion_problem": problems.get(name, "")}
            for name in names
        }
    return found


def _late(order: Mapping[str, Any], first: Sequence[Any]) -> set[str]:
    """Return labels of instances that were handed out after one of a later block, in a session's queue.

    Attempts of one moment were handed out together.
    """
    if order["order"] == "shuffled":  # one block
        return set()
    widths, late = order["widths"], set()
    reached: dict[tuple[int, str], tuple[int, int, int]] = {}
    for row in first:
        queue = row.session_number, row.slot_shape
        block = row.benchmark_index // widths[row.benchmark] + 1
        before, latest, moment = reached.get(queue, (0, 0, -1))
        if row.submitted_us != moment:
            before, moment = max(before, latest), row.submitted_us
        if block < before:
            late.add(f"{row.benchmark}/{row.benchmark_index}")
        reached[queue] = before, max(latest, block), moment
    return late
