"""Descriptions of workloads as facts that a ledger keeps, and workloads read back from them.

A campaign is judged by the description that was registered with it, so that a file or module that is
changed or removed later changes no verdict.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from workloads.description import DataFormat, ParameterRule, QualityTarget, Workload, WorkloadError
from workloads.expected_steps import EpochSteps, FixedSteps, Rows, StepPlan, WholeSetSteps

_PLAIN = (
    "name", "title", "source", "entry", "fom_time", "timed_units", "accuracy_metric", "requires", "ranks",
)  # fmt: skip
_PLANS: Mapping[str, type[StepPlan]] = {one.__name__: one for one in (EpochSteps, WholeSetSteps, FixedSteps)}


def facts_of(reference: str, workload: Workload) -> dict[str, Any]:
    """Return a description as JSON-ready data.

    Parameters
    ----------
    reference
        Name under which the campaign runs it; the text of a file is kept with its hash.

    Raises
    ------
    WorkloadError
        If the description holds what no JSON text can, or a file is not what it was when it was planned.
    """
    from workloads.external.command import ExternalWorkload  # here: to read facts back needs no schema
    from workloads.external.reference import path_of, read_bytes

    facts: dict[str, Any] = {
        "workload": reference,
        "description": {name: getattr(workload, name) for name in _PLAIN}
        | {
            "own_target": workload.own_target and asdict(workload.own_target),
            "own_rules": {name: asdict(rule) for name, rule in workload.own_rules.items()},
            "data_files": workload.data and workload.data.files,
            "sizes": dict(workload.sizes),
            "optimizer_steps": _plan_facts(workload),
            "parameters": [asdict(one) for one in workload.parameters],
        },
    }
    if isinstance(workload, ExternalWorkload):
        content = read_bytes(path_of(reference))
        if hashlib.sha256(content).hexdigest() != workload.sha256:
            raise WorkloadError(f"workload file {workload.file} has changed since it was planned; try again")
        facts |= {"file": workload.file, "sha256": workload.sha256, "text": content.decode("utf-8")}
    try:
        plain: dict[str, Any] = json.loads(json.dumps(facts, default=_number))
    except (TypeError, ValueError) as error:
        raise WorkloadError(
            f"the description of workload {workload.name} is no plain data: {error}"
        ) from None
    return plain


def workload_of(facts: Mapping[str, Any]) -> Workload:
    """Return the workload that facts describe, as far as judging needs it.

    Raises
    ------
    WorkloadError
        If they are not what `facts_of` returns.
    """
    try:
        known = dict(facts["description"])
        files, target, steps = known["data_files"], known["own_target"], known["optimizer_steps"]
        plain: dict[str, Any] = {name: _tuple(known[name]) for name in _PLAIN}
        return Workload(
            **plain,
            parameters=(),
            own_target=None if target is None else QualityTarget(**target),
            own_rules={
                name: ParameterRule(tuple(rule["values"]), rule["at_least"])
                for name, rule in known["own_rules"].items()
            },
            data=None if files is None else DataFormat(tuple(files), maker="", checker="", sizes=()),
            sizes=known["sizes"],
            optimizer_steps=None if steps is None else _plan(steps),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise WorkloadError(
            f"its registered description cannot be read ({type(error).__name__}: {error})"
        ) from None


def absent(reference: str) -> Workload:
    """Return what stands for a workload of which nothing is known, so that others can be judged."""
    return Workload(
        name=reference,
        title="",
        source="",
        entry="",
        parameters=(),
        fom_time="run",
    )


def _plan_facts(workload: Workload) -> dict[str, Any] | None:
    plan = workload.optimizer_steps
    if plan is None:
        return None
    if _PLANS.get(type(plan).__name__) is not type(plan):
        raise WorkloadError(
            f"workload {workload.name}: optimizer_steps is {type(plan).__name__}, not a StepPlan"
        )
    return {"plan": type(plan).__name__, **asdict(plan)}


def _plan(facts: Mapping[str, Any]) -> StepPlan:
    kind = _PLANS[facts["plan"]]
    values = {one.name: facts[one.name] for one in fields(kind)}
    if isinstance(rows := values.get("rows"), list):
        values["rows"] = tuple(Rows(**one) for one in rows)
    elif rows is not None:
        values["rows"] = Rows(**rows)
    return kind(**{name: _tuple(value) for name, value in values.items()})


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _number(value: Any) -> Any:
    """Return a number of another library, such as NumPy, as Python's own."""
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(f"{value!r} is no plain data")
