"""Learning curves and metrics of a campaign's runs, for files that other programs read."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from db.queries.attempts import curve_points
from db.states import AttemptState

if TYPE_CHECKING:
    from db.reader import Reader

Points = list[tuple[int, float]]
_Key = tuple[str, int, int]
_KEY = ["benchmark", "benchmark_index", "attempt_number"]
_NO_NAME = re.compile(r"[^\w.-]|^\.+$", re.ASCII)
_NO_FOLDER = re.compile(r"[^\w.=,+\[\]-]|^\.+$", re.ASCII)
_FIGURES = ("fom_seconds", "accuracy")


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """A run that succeeded.

    Parameters
    ----------
    token
        Identifies the attempt in the ledger.
    parameters
        Those of its benchmark, with the seed of the run.
    curves
        Epochs or steps with values, by the curve's name.
    metrics
        By name; its FOM time and accuracy are among them.
    """

    benchmark: str
    number: int
    attempt: int
    token: str
    node: str
    start_us: int
    stop_us: int
    parameters: Mapping[str, Any]
    curves: Mapping[str, Points]
    metrics: Mapping[str, float]

    @property
    def values(self) -> dict[str, Points]:
        """Curves, and each metric as ``result/NAME`` with a single value at 0."""
        curves, metrics = _distinct(self.curves), _distinct(self.metrics)
        return {
            **{curves[name]: points for name, points in self.curves.items()},
            **{f"result/{metrics[name]}": [(0, value)] for name, value in self.metrics.items()},
        }


def recorded_runs(reader: Reader, name: str) -> Iterator[RecordedRun]:
    """Yield the runs of a campaign that succeeded; of a value that was not finite there is NaN."""
    campaign = reader.campaign(name).campaign_id
    parameters = {
        one.benchmark: json.loads(one.parameters) if isinstance(one.parameters, str) else one.parameters
        for one in reader.benchmarks(campaign)
    }
    curves: dict[tuple[Any, ...], dict[str, Points]] = {}
    points: Any = curve_points(reader, campaign)
    for (*key, curve), rows in points.groupby([*_KEY, "name"], sort=False):
        curves.setdefault(tuple(key), {})[curve] = list(zip(rows.place, rows.value.map(_number), strict=True))
    metrics: dict[_Key, dict[str, float]] = {}
    for row in _rows(reader.metrics(name)):
        metrics.setdefault(_key(row), {})[row.name] = _number(row.value)
    for row in _rows(reader.attempts(name)):
        if row.state != AttemptState.SUCCEEDED:
            continue
        stated = {figure: getattr(row, figure) for figure in _FIGURES}
        yield RecordedRun(
            *_key(row),
            token=row.token,
            node=row.node or "",
            start_us=_microseconds(row.run_start),
            stop_us=_microseconds(row.run_stop),
            parameters={**parameters[row.benchmark], "seed": int(row.seed)},
            curves=curves.get(_key(row), {}),
            metrics=metrics.get(_key(row), {})
            | {figure: float(value) for figure, value in stated.items() if pd.notna(value)},
        )


def _rows(frame: pd.DataFrame) -> Iterator[Any]:
    return frame.itertuples()


def _key(row: Any) -> _Key:
    return row.benchmark, int(row.benchmark_index), int(row.attempt_number)


def safe(name: str, *, folder: bool = False) -> str:
    """Return a name for a tag, a metric or a file; one for a folder keeps the marks of points of sweeps."""
    return (_NO_FOLDER if folder else _NO_NAME).sub("_", name)


def _distinct(names: Iterable[str]) -> dict[str, str]:
    """Return safe names by name; of those that would be the same, the changed ones end with a hash."""
    made = {name: safe(name) for name in names}
    often = Counter(made.values())
    return {
        name: new
        if new == name or often[new] == 1
        else f"{new}_{hashlib.sha256(name.encode()).hexdigest()[:8]}"
        for name, new in made.items()
    }


def _number(value: Any) -> float:
    return math.nan if pd.isna(value) else float(value)


def _microseconds(time: Any) -> int:
    return 0 if pd.isna(time) else int(time.value // 1000)
