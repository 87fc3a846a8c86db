"""Recordings of a benchmark's instances beside their results: of communication, and of kernels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema

from sites import Duration, Model
from sites.quantities import seconds
from workloads.description import Workload
from workloads.external.command import ExternalWorkload

Timeline = Literal[False, True, "last", "slowest"]
_LONGEST_SECONDS = 366 * 86400.0


def _delay(value: object) -> float:
    """Return a duration in seconds, which may be 0."""
    return 0.0 if not isinstance(value, bool) and value in (0, "0", "0 s") else seconds(value)


_Delay = Annotated[
    float,
    BeforeValidator(_delay),
    WithJsonSchema({"anyOf": [{"type": "number", "minimum": 0}, {"type": "string", "examples": ["2 min"]}]}),
]


class Profile(Model):
    """Part of the run in which the kernels of rank 0 are recorded."""

    delay: _Delay = Field(
        0.0,
        le=_LONGEST_SECONDS,
        description="From the start of the run to the beginning of the profile: longer than loading data and "
        "compiling take.",
    )
    duration: Duration = Field(5.0, le=60, description="Of the profile; it ends with the run at the latest.")
    profiler: Literal["framework", "nsys"] = Field(
        "framework",
        description="framework: that of TensorFlow, JAX or PyTorch, whichever trains; nsys: Nsight Systems, "
        "for GPUs of NVIDIA.",
    )


def _profile(value: object) -> object:
    """Return the defaults for ``true`` and ``nsys``, and None for ``false``."""
    if isinstance(value, bool):
        return {} if value else None
    if value == "nsys":
        return {"profiler": "nsys"}
    if value is None or isinstance(value, Mapping | Profile):
        return value
    raise ValueError(f"must be true, false, nsys, or such as {{delay: 2 min, duration: 5 s}}, not {value!r}")


ProfileOrNone = Annotated[Profile | None, BeforeValidator(_profile)]


def check_recordings(
    workload: Workload,
    parameters: Mapping[str, Any],
    timeline: Timeline,
    profile: Profile | None,
    timeout: float,
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
    if profile is not None and profile.delay >= timeout:
        raise ValueError(f"profile.delay is not shorter than timeout ({timeout:g} s): none would be recorded")
