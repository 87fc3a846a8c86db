"""Resources of a machine's node, and those that one instance takes of it, as data."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, PlainSerializer, WithJsonSchema, field_validator, model_validator

from sites.files import Model
from sites.quantities import Memory, memory_bytes

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


def core_list(numbers: Iterable[int]) -> str:
    """Return logical CPU numbers as a list such as ``0-3,8,10-11``, which `core_numbers` reads."""
    runs: list[list[int]] = []
    for core in numbers:
        if runs and core == runs[-1][1] + 1:
            runs[-1][1] = core
        else:
            runs.append([core, core])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def gpu_share(value: object) -> Fraction:
    """Return a number of whole GPUs, or one over a whole number such as ``1/4``.

    Raises
    ------
    ValueError
        If it is neither.
    """
    try:
        share = None if isinstance(value, bool) else Fraction(str(value)).limit_denominator(1000)
    except (ValueError, ZeroDivisionError):
        share = None
    if share is None or share < 0 or (share.denominator > 1 and share.numerator != 1):
        raise ValueError(f"gpus is a whole number, or a share of one such as 1/4, not {value!r}")
    return share


GpuShare = Annotated[
    Fraction,
    BeforeValidator(gpu_share),
    PlainSerializer(str),
    WithJsonSchema(
        {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "string", "pattern": "^1/[0-9]+$"}]}
    ),
]


def _core_lists(lists: list[Any]) -> list[Any]:
    for text in lists:
        if not isinstance(text, str):
            raise ValueError("must be lists of cores in quotes, such as '0-15'")  # noqa: TRY004
        core_numbers(text)
    return lists


class Gpus(Model):
    """The GPUs of one node."""

    count: int = Field(ge=1, description="GPUs of a node, MIG instances where they are cut so.")
    vendor: Literal["nvidia", "amd", "intel"] = Field(
        "nvidia", description="Says how a process is shown its own GPUs, and no others."
    )
    kind: str = Field("", description="Model, for readers.")
    memory: Memory | None = Field(
        None, description="Memory of one GPU; instances that share one are each held to their part of it."
    )
    sharing: Literal["none", "time-slicing", "mps", "mig"] = Field(
        "none",
        description="How instances may share a GPU. mps: the site's node_prologue starts its daemon. mig: "
        "the GPUs are cut beforehand, and every instance gets whole MIG instances.",
    )
    instances_per_gpu: int = Field(
        1, ge=1, description="Most instances on one GPU, with time-slicing or mps."
    )
    gpu_cores: list[str] = Field(
        default_factory=list, description="Cores nearest to each GPU, in the GPUs' order, such as '48-63'."
    )

    @model_validator(mode="after")
    def _consistent(self) -> Gpus:
        shares = self.sharing in ("time-slicing", "mps")
        if self.instances_per_gpu > 1 and not shares:
            raise ValueError("instances_per_gpu above 1 needs sharing: time-slicing or mps")
        if shares and self.instances_per_gpu > 1 and self.memory is None:
            raise ValueError("memory is needed where instances share a GPU, so that each is held to its part")
        if self.gpu_cores and len(self.gpu_cores) != self.count:
            raise ValueError(f"gpu_cores has {len(self.gpu_cores)} lists for {self.count} GPUs")
        _core_lists(self.gpu_cores)
        return self


class Node(Model):
    """Resources that one node offers to instances."""

    cores: str = Field(
        "auto",
        description="Logical CPUs that instances may use, such as 0-31 or 1-15,17-31 (the rest is left "
        "to the system); auto, on the local site only, takes all that this process may use.",
    )
    numa_domains: list[str] = Field(
        default_factory=list,
        description="Cores of each NUMA domain, such as ['0-15', '16-31']; instances do not cross them where "
        "that can be helped. The local site asks the machine if none are written.",
    )
    memory: Annotated[
        int | Literal["auto"],
        BeforeValidator(lambda given: given if given == "auto" else memory_bytes(given)),
        WithJsonSchema({"anyOf": [{"type": "integer"}, {"type": "string", "examples": ["auto", "4 GiB"]}]}),
    ] = Field(
        "auto",
        description="Memory that instances may use together, such as 480 GiB; auto, on the local site only, "
        "asks the node.",
    )
    disk: Memory | None = Field(
        None,
        description="Size of the node's own disk, where $TMPDIR lies, such as 1.6 TB; retries with more disk "
        "compare pools by it.",
    )
    gpus: Gpus | None = Field(None, description="GPUs of a node, where it has any.")

    @field_validator("cores", mode="before")
    @classmethod
    def _check_cores(cls, value: object) -> object:
        if isinstance(value, int) and not isinstance(value, bool):  # how many, or which one?
            raise ValueError("cores is a list in quotes, such as '0-31'")  # noqa: TRY004
        if isinstance(value, str) and value != "auto":
            core_numbers(value)
        return value

    @field_validator("numa_domains", mode="after")
    @classmethod
    def _check_domains(cls, value: list[str]) -> list[str]:
        _core_lists(value)
        if value:
            core_numbers(",".join(value))  # no core in two domains
        return value


class SiteSlot(Model):
    """Resources that one instance occupies."""

    nodes: int = Field(
        1,
        ge=1,
        description="Nodes of one instance, by default as few as its ranks need; more than one has them to "
        "itself.",
    )
    ranks: int = Field(
        1,
        ge=1,
        description="Processes of one instance, for workloads that train one model with several; spread "
        "evenly over its nodes.",
    )
    cores: int = Field(1, ge=1, description="Logical CPUs of each rank; it is pinned to them.")
    gpus: GpuShare = Field(
        Fraction(0),
        description="GPUs of each rank, or a share of one such as 1/4 where the site lets them share.",
    )
    memory: Memory | None = Field(
        None,
        description="Memory of each rank, such as 4 GiB; an instance that exceeds its ranks' together is "
        "ended as out of memory.",
    )

    @model_validator(mode="after")
    def _even(self) -> SiteSlot:
        if self.ranks % self.nodes:
            raise ValueError(f"{self.ranks} ranks cannot be spread evenly over {self.nodes} nodes")
        return self
