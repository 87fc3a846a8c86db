"""Result files of MLPerf HPC: MLLOG lines of the models that count, in the folders of a submission.

Lines are those that the programs printed. What a submission states of the submitter and the system comes from
the system's description file, and what the programs did not say of seed, nodes, accelerators and
hyperparameters from the ledger, in lines whose metadata say so.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from db.queries.attempts import counted_attempts
from orchestrator.analysis.verdict.registered_workloads import registered_workloads
from orchestrator.errors import CampaignError
from orchestrator.report.recorded_runs import safe
from orchestrator.rulebooks.mlperf_hpc.reference import reference
from orchestrator.rulebooks.mlperf_hpc.rulebook import NAME
from orchestrator.rulebooks.reference_model import Frozen
from orchestrator.rulebooks.registry import workload_name
from orchestrator.wording import count_of, few
from sites import parse
from workloads.description import QualityTarget
from workloads.external.mllog import START, Event, events

if TYPE_CHECKING:
    from db.reader import Reader
    from db.records import CampaignRow
    from db.rows import Attempt, BenchmarkRow

_STATED = "submission_"
_CLOCK_US = 1_000_000
_NAMED = 3


class _Where(Frozen):
    benchmark: str
    key: str
    value: str
    keys: list[str]


class _Keys(Frozen):
    """Keys that a submission must have; see the data file."""

    names: dict[str, str]
    log: list[str]
    quality: dict[str, str]
    closed: list[str]
    closed_of: dict[str, list[str]]
    closed_where: list[_Where]
    statuses: list[str]
    system: list[str]

    def needed(self, name: str, division: str, values: Mapping[str, Any]) -> list[str]:
        """Return the keys that a benchmark's log must have, where its keys have these values."""
        keys = [*self.log, self.quality[name]]
        if division == "closed":
            where = [
                one for one in self.closed_where if one.benchmark == name and values.get(one.key) == one.value
            ]
            keys += [*self.closed, *self.closed_of[name], *(key for one in where for key in one.keys)]
        return keys

    def name(self, benchmark: str) -> str:
        """Return the name of a benchmark of the suite in logs and folders."""
        return self.names.get(benchmark, benchmark)


@cache
def _keys() -> _Keys:
    file = Path(__file__).with_name("mllog_keys.yaml")
    return parse(file.read_text(), _Keys, str(file))


@dataclass(frozen=True, slots=True)
class System:
    """The system's description, as a submission has it; `name` is that of its file."""

    name: str
    facts: dict[str, str]

    @classmethod
    def read(cls, file: Path) -> System:
        """Return what a file describes.

        Raises
        ------
        CampaignError
            If it cannot be read, or lacks what a submission must state.
        """
        try:
            facts = json.loads(file.read_bytes())
        except (OSError, ValueError, RecursionError) as error:
            why = getattr(error, "strerror", None) or error
            raise CampaignError(f"{file} is no readable JSON file: {why}") from None
        if not isinstance(facts, dict):
            raise CampaignError(f"{file} must be a JSON object, the description of a system")
        if missing := [key for key in _keys().system if not isinstance(facts.get(key), str)]:
            raise CampaignError(
                f"{file} lacks, as texts, {few(missing, _NAMED)}; `orchestrator schema mllog-system` prints "
                "all keys, to be filled in"
            )
        if facts["status"] not in _keys().statuses:
            raise CampaignError(
                f"{file}: status must be one of {', '.join(_keys().statuses)}, not {facts['status']!r}"
            )
        if empty := [key for key in ("submitter", "system_name") if not facts[key].strip()]:
            raise CampaignError(f"{file}: {' and '.join(empty)} must not be empty")
        return cls(safe(file.stem, folder=True), facts)


@dataclass(frozen=True, slots=True)
class _Benchmark:
    """A benchmark of a campaign: its name in the suite, quality target, and parameters."""

    row: BenchmarkRow
    name: str
    target: QualityTarget
    parameters: dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Result:
    """A result file: benchmark of the campaign and of the suite, lines, and how many the ledger lacks."""

    benchmark: str
    name: str
    lines: Sequence[str]
    lost: int


def system_template() -> dict[str, str]:
    """Return a system's description to fill in: every key that a submission must state."""
    return dict.fromkeys(_keys().system, "") | {"status": "|".join(_keys().statuses)}


def write_results(
    folder: Path, reader: Reader, names: Sequence[str], system: System
) -> tuple[dict[str, int], list[str]]:
    """Write the results of campaigns and the system's description, or nothing where one of them cannot be.

    Returns
    -------
    Number of result files by campaign, and notes.

    Raises
    ------
    CampaignError
        If a campaign has another rulebook or no model that counts, or if a model lacks a line.
    """
    rows = [reader.campaign(name) for name in names]
    division = _division(rows, system)
    places: dict[str, str] = {}
    for row in rows:  # all can be written, or nothing is
        found = {one.benchmark: one.name for one in _results(reader, row, system)}
        if not found:
            raise CampaignError(f"{row.name} has no result: no model of it reached its target")
        for benchmark, name in found.items():
            label = f"{row.name}/{benchmark}"
            if (other := places.setdefault(name, label)) != label:
                raise CampaignError(f"{other} and {label} are both {name}, which has one folder of results")
    submission = folder / safe(system.facts["submitter"], folder=True)
    described = submission / "systems" / f"{system.name}.json"
    described.parent.mkdir(parents=True)
    described.write_text(json.dumps(system.facts | {"division": division}, indent=2) + "\n")
    written: dict[str, int] = {}
    notes: list[str] = []
    for row in rows:
        numbers, lost = _write_campaign(submission / "results" / system.name / "weak", reader, row, system)
        written[row.name] = numbers.total()
        for name, number in numbers.items():
            if number < (least := reference().benchmarks[name].models):
                notes.append(f"{row.name}: {count_of(number, 'model')} of {name}, the rules ask for {least}")
        if lost:
            notes.append(f"{row.name}: the ledger lacks {count_of(lost, 'line')} that programs printed")
    return written, notes


def _division(rows: Sequence[CampaignRow], system: System) -> str:
    """Return the division of all campaigns, which must be one; refuse campaigns of other rulebooks."""
    if other := next((row for row in rows if row.rulebook != NAME), None):
        raise CampaignError(f"{other.name} has the rulebook {other.rulebook}; result files are of {NAME}")
    divisions = {row.run_class: f"campaign {row.name}" for row in rows}
    if "division" in system.facts:
        divisions.setdefault(str(system.facts["division"]), "the system's file")
    if len(divisions) != 1:
        stated = (
            ", ".join(f"{where} says {name}" for name, where in divisions.items()) or "there is no campaign"
        )
        raise CampaignError(f"a submission has one division: {stated}")
    return next(iter(divisions))


def _write_campaign(
    place: Path, reader: Reader, row: CampaignRow, system: System
) -> tuple[Counter[str], int]:
    """Write a campaign's results; returns their number by benchmark of the suite, and that of lost lines."""
    numbers: Counter[str] = Counter()
    lost = 0
    for one in _results(reader, row, system):
        file = place / _keys().name(one.name) / f"result_{numbers[one.name]}.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(f"{START}{line}\n" for line in one.lines), encoding="utf-8")
        numbers[one.name] += 1
        lost += one.lost
    return numbers, lost


def _results(reader: Reader, row: CampaignRow, system: System) -> Iterator[_Result]:
    """Yield the result of each accepted model of a campaign that reached its target."""
    benchmarks = _benchmarks(reader, row)
    for benchmark, number, seed, attempt in counted_attempts(reader, row.campaign_id):
        known = benchmarks[benchmark]
        if attempt.accuracy is not None and known.target.met_by(attempt.accuracy):
            label = f"{row.name}/{benchmark}/{number}"
            yield _result(known, label, seed, attempt, row.run_class, system)


def _benchmarks(reader: Reader, row: CampaignRow) -> dict[str, _Benchmark]:
    rows = reader.benchmarks(row.campaign_id)
    found = {}
    for one, (workload, _) in zip(rows, registered_workloads(reader, row.campaign_id, rows), strict=True):
        name = workload_name(one.workload, workload)
        if (known := reference().benchmarks.get(name)) is None:
            raise CampaignError(f"{row.name}: {name} is not a benchmark of MLPerf HPC")
        parameters = json.loads(one.parameters) if isinstance(one.parameters, str) else one.parameters
        found[one.benchmark] = _Benchmark(one, name, known.target, parameters)
    return found


def _result(
    known: _Benchmark, label: str, seed: int, attempt: Attempt, division: str, system: System
) -> _Result:
    """Return the result of a model; refuse one without all its lines, or with times not of its attempt."""
    mllog = (json.loads(attempt.observed or "{}").get("external") or {}).get("mllog") or {}
    printed = [
        event for text in mllog.get("lines", ()) for event in events(START + text) if event is not None
    ]
    by_key = {event.key: event for event in printed}
    _check_times(by_key, attempt, label)
    ours = {
        "submission_benchmark": _keys().name(known.name),
        "submission_org": system.facts["submitter"],
        "submission_division": division,
        "submission_status": system.facts["status"],
        "submission_platform": system.facts["system_name"],
    }
    of_ledger = known.parameters | {"seed": seed} | _nodes(known.row, attempt)
    needed = _keys().needed(known.name, division, of_ledger | {key: one.value for key, one in by_key.items()})
    settings = {*needed} - {*_keys().log, *_keys().quality.values()} - {*by_key}  # what no program must prove
    ours |= {key: value for key, value in of_ledger.items() if key in settings}
    if missing := [one for one in needed if not {*one.split("|")} & {*by_key, *ours}]:
        texts = ", ".join(one.replace("|", " or ") for one in missing)
        raise CampaignError(
            f"{label} lacks MLLOG lines of {texts}: its program must print them; for a setting, a parameter "
            "of this name will do"
        )
    time_ms = (attempt.process_start_us or 0) // 1000
    lines = [_line(key, value, time_ms, label) for key, value in ours.items()]
    lines += [event.text for event in printed if not event.key.startswith(_STATED)]
    return _Result(
        known.row.benchmark, known.name, lines, mllog.get("left_out", 0) + mllog.get("unreadable", 0)
    )


def _nodes(row: BenchmarkRow, attempt: Attempt) -> dict[str, int]:
    """Return nodes and accelerators of an instance; nothing where they depend on the pool or the node."""
    slot = json.loads(row.slot)
    if slot.get("others"):
        return {}
    found = {"number_of_nodes": int(slot["nodes"])}
    if slot["nodes"] == 1:
        found["accelerators_per_node"] = len(attempt.devices.split(",")) if attempt.devices else 0
    return found


def _check_times(by_key: Mapping[str, Event], attempt: Attempt, label: str) -> None:
    """Refuse a log whose run is not within its attempt, as the ledger has it."""
    start, stop = attempt.process_start_us, attempt.process_stop_us
    times = [by_key[key].time_ms * 1000 for key in ("run_start", "run_stop") if key in by_key]
    if start is None or stop is None or not times:
        return
    if times != sorted(times) or times[0] < start - _CLOCK_US or times[-1] > stop + _CLOCK_US:
        raise CampaignError(
            f"{label}: its MLLOG lines run_start and run_stop are not dated within its attempt: its program "
            "has another clock, or the lines are of another run"
        )


def _line(key: str, value: Any, time_ms: int, label: str) -> str:
    event = {"namespace": "", "time_ms": time_ms, "event_type": "POINT_IN_TIME", "key": key, "value": value}
    return json.dumps(event | {"metadata": {"file": "ledger", "lineno": 0, "instance": label}})
