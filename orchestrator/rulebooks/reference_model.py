"""Fields that the data files of rulebooks share, checked as they are read."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict

from workloads.description import ParameterRule


class Frozen(BaseModel):
    """A part of a data file: no unknown keys, no infinite numbers."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def _rule(value: Any) -> ParameterRule:
    """Return the rule that a data file states: one value, a list of values, or ``{at_least: number}``.

    ``{if_stated: RULE}`` binds workloads that have the parameter.
    """
    if isinstance(value, ParameterRule):
        return value
    if isinstance(value, dict):
        if set(value) == {"if_stated"}:
            return replace(_rule(value["if_stated"]), if_stated=True)
        if set(value) != {"at_least"} or type(value["at_least"]) not in (int, float):
            raise ValueError("a rule is a value, a list of values, {at_least: number} or {if_stated: rule}")
        return ParameterRule(at_least=value["at_least"])
    values = tuple(value) if isinstance(value, list) else (value,)
    if any(type(one) not in (int, float, str, bool) for one in values):
        raise ValueError(f"a rule's values are numbers, texts, true or false, not {value!r}")
    return ParameterRule(values)


Rules = dict[str, Annotated[ParameterRule, BeforeValidator(_rule)]]
"""Rules by the name of the parameter, or of the size of the data."""
