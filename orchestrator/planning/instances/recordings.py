"""Recordings of a benchmark's instances beside their results: of communication, and of kernels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from sites import Duration, Model
from workloads.description import Workload
from workloads.external.command import ExternalWorkload

Timeline = Literal[False, True, "last", "slowest"]


class Profile(Model):
    """Part of the run in which the kernels of rank 0 are recorded."""

    delay: Duration = Field(
        0.0,
        description="From the start of the run to the beginning of the profile: longer than loading data and "
        "compiling take.",
    )
    duration: Duration = Field(
        10.0, gt=0, le=600, description="Of the profile; it ends with the run at the latest."
    )


def _profile(value: object) -> object:
    """Return the defaults for ``true``, and None for ``false``."""
    if isinstance(value, bool):
        return {} if value else None
    return value


ProfileOrNone = Annotated[Profile | None, BeforeValidator(_profile)]


def check_recordings(
    workload: Workload, parameters: Mapping[str, Any], timeline: Timeline, profile: Profile | None
) -> None:
    """Raise `ValueError` if a workload cannot be recorded as asked."""
    if timeline and not workload.ranks:
        raise ValueError(
            f"workload {workload.name} trains on one rank, which communicates with none; remove timeline"
        )
    if timeline and parameters.get("communication", "horovod") != "horovod":
        raise ValueError("timeline is recorded by Horovod; remove it, or choose communication: horovod")
    if profile is not None and isinstance(workload, ExternalWorkload):
        raise ValueError(
            f"workload {workload.name} is a command, whose process a profile does not reach; remove profile"
        )
