"""A site: a machine as data."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, field_validator

from sites.files import Model
from sites.quantities import Duration, Memory, memory_bytes

_LAST_CORE = 2**16


def core_numbers(text: str) -> tuple[int, ...]:
    """Return the logical CPU numbers that a list such as ``0-3,8,10-11`` names, in that order.

    Raises
    ------
    ValueError
        If the text is no such list, names a core twice, or a range runs backwards.
    """
    numbers: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise ValueError(f"cores are written like 0-3,8 or auto, not {text!r}")
        start, stop = int(first), int(last if dash else first)
        if not start <= stop < _LAST_CORE:
            raise ValueError(f"cores {text!r}: {part.strip()} is no range from a lower to a higher core")
        numbers.extend(range(start, stop + 1))
    if len(set(numbers)) != len(numbers):
        raise ValueError(f"cores {text!r} must name each core once")
    return tuple(numbers)


class Node(Model):
    """What one node offers to instances."""

    cores: str = Field(
        "auto",
        description="Logical CPUs that instances may use, such as 0-31 or 1-15,17-31 (the rest is left "
        "to the system); auto takes all that this process may use.",
    )
    memory: Annotated[
        int | Literal["auto"],
        BeforeValidator(lambda given: given if given == "auto" else memory_bytes(given)),
    ] = Field(
        "auto", description="Memory that instances may use together, such as 480 GiB; auto asks the node."
    )

    @field_validator("cores", mode="before")
    @classmethod
    def _check_cores(cls, value: object) -> object:
        if isinstance(value, int) and not isinstance(value, bool):  # how many, or which one?
            raise ValueError("cores is a list in quotes, such as '0-31'")  # noqa: TRY004
        if isinstance(value, str) and value != "auto":
            core_numbers(value)
        return value


class Slot(Model):
    """What one instance occupies, unless its benchmark says otherwise."""

    ranks: int = Field(
        1, ge=1, description="Processes of one instance, for workloads that train one model with several."
    )
    cores: int = Field(1, ge=1, description="Logical CPUs of each rank; it is pinned to them.")
    memory: Memory | None = Field(
        None,
        description="Memory of each rank, such as 4 GiB; an instance that exceeds its ranks' together is "
        "ended as out of memory.",
    )


class Paths(Model):
    """Where things live, relative to the directory a campaign is launched from."""

    runs: str = Field("runs", description="Campaign directories: journals and logs. Every node must see it.")
    data: str = Field("data", description="Data sets, one folder per workload. Every node must see it.")
    cache: str = Field(
        "cache",
        description="Parsed data sets, built once and then mapped into memory by every instance; on a path "
        "that all nodes share, or, such as $TMPDIR/cache, on each node's disk. Variables are the node's.",
    )


class Local(Model):
    """The machine the driver runs on, without a batch system."""

    type: Literal["local"] = "local"


class Heartbeat(Model):
    """How soon a dead worker or node is noticed."""

    period: Duration = Field(5.0, description="Time between two signs of life.")
    threshold: Duration = Field(60.0, description="Silence after which a node counts as lost.")


class Site(Model):
    """A machine as data: what runs where, and how it is reached."""

    site: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$", description="Name of the site.")
    description: str = Field("", description="One line for lists.")
    scheduler: Local = Field(default_factory=Local, description="Batch system; local runs on this machine.")
    node: Node = Field(default_factory=Node, description="What one node offers.")
    slot: Slot = Field(default_factory=Slot, description="Default slot of one instance.")
    paths: Paths = Field(default_factory=Paths, description="Where things live.")
    address: str = Field(
        "127.0.0.1", description="Address of the driver that workers connect to; nothing listens wider."
    )
    interpreter: str | None = Field(
        None, description="Python of the training processes; by default the orchestrator's own."
    )
    environment: dict[str, str] = Field(
        default_factory=dict, description="Environment variables of the training processes."
    )
    heartbeat: Heartbeat = Field(default_factory=Heartbeat, description="Failure detection.")
