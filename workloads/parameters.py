"""Parameters as typed fields: one frozen dataclass for each workload, from which its table is made."""

from __future__ import annotations

from dataclasses import asdict, field, fields
from typing import Any

from workloads.description import Parameter, Value


def parameter(default: Value, description: str, **facts: Any) -> Any:
    """Return a dataclass field that is a parameter of a workload.

    Parameters
    ----------
    default, description, facts
        As of `workloads.description.Parameter`, which has the field's name.
    """
    return field(default=default, metadata={"description": description, **facts})


def common(parameter_of_several: Parameter) -> Any:
    """Return a dataclass field for a parameter that several workloads have; it needs the same name."""
    facts = asdict(parameter_of_several)
    facts.pop("name")
    return parameter(**facts)


def table(parameters: type[Any], **changes: dict[str, Any]) -> tuple[Parameter, ...]:
    """Return the parameters of a dataclass.

    Parameters
    ----------
    changes
        What is different of a parameter, by its name, such as ``batch_size={"default": 64}``.
    """
    return tuple(
        Parameter(**{"name": one.name, "default": one.default, **one.metadata, **changes.get(one.name, {})})
        for one in fields(parameters)
    )
