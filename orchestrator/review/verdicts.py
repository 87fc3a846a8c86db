"""Verdicts as data: stated from a ledger, and compared figure by figure."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from db.plain import RowReader
from db.records import CampaignRow
from orchestrator.analysis.verdict.fom import Judged
from orchestrator.review.dossier import Dossier

_RELATIVE = 1e-9  # the same formulas on another processor


def stated(reader: RowReader, rows: Sequence[CampaignRow]) -> tuple[Judged, dict[str, Any]]:
    """Return the verdict on campaigns, and what of it a package states: nothing of other campaigns."""
    dossier = Dossier.read(reader, rows, reviews=False)
    makespans = {name: asdict(span) for name, span in dossier.judged.makespans.items()}
    content = {**dossier.verdict.to_dict(), "makespan": makespans, "data": dossier.data}
    if dossier.warnings:
        content["warnings"] = dossier.warnings
    return dossier.judged, json.loads(json.dumps(_plain(content), default=str))


def differences(packaged: Any, found: Any, place: str = "") -> Iterator[str]:
    """Yield where two verdicts differ, a line each."""
    if isinstance(packaged, dict) and isinstance(found, dict):
        for key in dict.fromkeys((*packaged, *found)):
            inner = f"{place}.{key}" if place else str(key)
            yield from differences(packaged.get(key), found.get(key), inner)
    elif isinstance(packaged, list) and isinstance(found, list) and len(packaged) == len(found):
        for number, (one, other) in enumerate(zip(packaged, found, strict=True)):
            yield from differences(one, other, f"{place}[{_label(one, number)}]")
    elif not _equal(packaged, found):
        yield f"{place}: the package states {_short(packaged)}, its evidence gives {_short(found)}"


def _label(one: Any, number: int) -> Any:
    return one.get("benchmark") or one.get("name") or number if isinstance(one, dict) else number


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=_RELATIVE)
    return bool(one == other)


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 200 else f"{text[:200]}…"


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, set | frozenset):
        return sorted(map(str, value))
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
