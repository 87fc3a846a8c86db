"""Orders: everything a worker needs to run one attempt."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import msgspec

LEAD_SECONDS = 3.0
"""Between the announcement of a wave's start and the start, within which all nodes read the file."""
LOCAL_LEAD_SECONDS = 1.0
"""The same on the driver's own machine: attempts look twice a second, and no network delays the file."""
LogPolicy = Literal["all", "failures", "none"]
ProcessStart = Literal["fresh", "warm"]


@dataclass(frozen=True, slots=True)
class RankResources:
    """Resources of one rank on its node: numbers of logical CPUs, and places in the node's list of GPUs."""

    cores: tuple[int, ...]
    gpus: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Gpus:
    """The GPUs of a node as the site file states them.

    Parameters
    ----------
    vendor
        ``nvidia``, ``amd`` or ``intel``.
    sharing
        How several instances share one: ``none``, ``time-slicing``, ``mps`` or ``mig``.
    memory
        Bytes of one GPU; None where the site file states none.
    """

    vendor: str
    count: int
    sharing: str = "none"
    memory: int | None = None


@dataclass(frozen=True, slots=True)
class ContainerOrder:
    """The container that training processes run in, as the site or campaign file states it.

    Parameters
    ----------
    runtime
        ``apptainer``, ``podman``, ``sarus`` or ``shifter``.
    image, command
        Name or path of the image, and the runtime's command.
    options, bind
        Further options of the command, and further paths of the node.
    python
        Python in the container.
    digest
        Of the image, once it was read on a node.
    """

    runtime: str
    image: str
    command: str
    options: tuple[str, ...] = ()
    bind: tuple[str, ...] = ()
    python: str = "python3"
    digest: str | None = None


@dataclass(frozen=True, slots=True)
class ProfileOrder:
    """Part of a run whose kernels rank 0 records.

    Parameters
    ----------
    path
        File for the profile.
    delay_seconds, duration_seconds
        From the start of the run to the beginning of the profile, and from there to its end.
    profiler
        ``framework``: that of the framework that trains; ``nsys``: the training is started below nsys.
    """

    path: str
    delay_seconds: float
    duration_seconds: float
    profiler: str = "framework"


@dataclass(frozen=True, slots=True)
class InstanceHooks:
    """Shell lines before and after an attempt's processes.

    Parameters
    ----------
    timeout_seconds
        Longest time of each.
    charged_to
        Category of an attempt whose setup failed: ``infrastructure`` or ``benchmark``.
    """

    setup: tuple[str, ...]
    teardown: tuple[str, ...]
    timeout_seconds: float
    charged_to: Literal["infrastructure", "benchmark"] = "infrastructure"


# Not `kw_only`: such a struct takes twice as long to unpickle.
class AttemptOrder(msgspec.Struct, frozen=True):
    """One attempt, from the driver to a worker.

    Parameters
    ----------
    token
        Identifies the attempt in every report; the ledger accepts one final report for it.
    label
        ``benchmark/number`` of the instance, for messages.
    campaign, session
        The campaign's unique mark, and the driver's session with it.
    slot_shape
        Label of the slot shape.
    slots
        The slots of a node, from `pack_slots`.
    external
        Description of the workload where it is an external command, else None.
    data, cache, scratch
        Directories: the data set or None, the dataset cache, and the instance's own.
    cache_stage
        Directory on each node's own disk for copies of the dataset cache; None for no copies.
    nodes, ranks_per_node
        Of one instance.
    launcher, launcher_options, prologue
        How ranks are started on other nodes, and the shell lines that prepare a node.
    gpus, gpu_share
        The node's GPUs, and the share of one that a rank has, as a fraction's text.
    memory_bytes
        Memory of the slot; None where the site sets no limit.
    wave
        Number of the wave whose instances start together; None if each starts when it is ready.
    lead_seconds
        How long before the start of a wave the driver announces it.
    expected_seconds
        Expected runtime; the attempt is not started if its block ends earlier. None if unknown.
    timeout_seconds, grace_seconds
        Longest runtime, and time between SIGTERM and SIGKILL.
    longest_seconds
        After which a supervisor without a report has failed.
    working_directory
        Of supervisor and training.
    interpreter, environment
        Python of the training, and variables for it.
    container
        What the training runs in; None for no container.
    hooks
        Shell lines around the attempt; None for none.
    inherit
        Names and globs of variables that it inherits beside those that every training inherits.
    known_documents
        Keys of listings of code that the ledger has, and that no training needs to report.
    outlives_driver
        Whether it goes on when the driver dies, and its worker with it.
    sampling_seconds
        Time between two samples of power and load; None to take none.
    hardware_counters
        Whether counters of CPUs, their memory and GPUs are read with the samples.
    timeline
        File for the timeline of the ranks' communication; None where none is recorded.
    profile
        Which kernels are recorded; None for none.
    processes
        ``fresh``: supervisor and training are new interpreters; ``warm``: they are forked from a process that
        has imported what they need, where that is possible.
    excludes_nodes
        Whether the run directory may list nodes on which the session starts nothing.
    earlier
        Directory that the instance of an earlier rung left, whose checkpoint it goes on from; None for none.
    kept
        Where `scratch` goes after success, for a later rung; None where it is removed.
    """

    token: str
    label: str
    attempt: int
    campaign: str
    session: int
    slot_shape: str
    slots: str
    workload: str
    parameters: dict[str, Any]
    seed: int
    cache: str
    scratch: str
    timeout_seconds: float
    grace_seconds: float
    longest_seconds: float
    stdout_path: str
    stderr_path: str
    directory: str
    working_directory: str
    interpreter: str
    external: dict[str, Any] | None = None
    data: str | None = None
    cache_stage: str | None = None
    nodes: int = 1
    ranks_per_node: int = 1
    launcher: str | None = None
    launcher_options: tuple[str, ...] = ()
    prologue: tuple[str, ...] = ()
    interface: str | None = None
    gpus: Gpus | None = None
    gpu_share: str = "0"
    memory_bytes: int | None = None
    wave: int | None = None
    lead_seconds: float = LEAD_SECONDS
    expected_seconds: float | None = None
    logs: LogPolicy = "failures"
    container: ContainerOrder | None = None
    hooks: InstanceHooks | None = None
    environment: dict[str, str] = msgspec.field(default_factory=dict)
    inherit: tuple[str, ...] = ()
    known_documents: tuple[str, ...] = ()
    outlives_driver: bool = False
    sampling_seconds: float | None = None
    hardware_counters: bool = False
    timeline: str | None = None
    profile: ProfileOrder | None = None
    processes: ProcessStart = "fresh"
    excludes_nodes: bool = False
    earlier: str | None = None
    kept: str | None = None


@dataclass(frozen=True, slots=True)
class RendezvousAddress:
    """Where the ranks of an instance meet: address, ports for Gloo and MPI, and the interface they use."""

    address: str
    port: int
    pmi_port: int
    interface: str


@dataclass(frozen=True, slots=True)
class AgentsAddress:
    """Where agents that are kept for further attempts find their supervisor, and the key of their lines."""

    address: str
    port: int
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotOrder:
    """An order with the slot that a worker has for it, from the worker to its supervisor and agents.

    Parameters
    ----------
    slot
        Number of the worker's slot on its node.
    places
        Places of the ranks on one node.
    window
        When the block began and ends, in seconds since the epoch; None without an end.
    rendezvous
        Where the ranks meet; None for a single one.
    fresh_because
        Why the processes of an attempt are not warm where its campaign asks for that; None where they are.
    agents
        For agents that take further orders; None for those of one attempt.
    """

    order: AttemptOrder
    worker_pid: int
    slot: int
    places: tuple[RankResources, ...]
    hosts: tuple[str, ...] = ()
    block: str = "0"
    pool: str | None = None
    window: tuple[float, float] | None = None
    first: bool = False
    journal: str
    rendezvous: RendezvousAddress | None = None
    fresh_because: str | None = None
    agents: AgentsAddress | None = None

    @property
    def is_warm(self) -> bool:
        """True if the training is forked from what its supervisor was forked with."""
        return self.order.processes == "warm" and self.fresh_because is None


def pack_slots(slots: Sequence[Sequence[RankResources]]) -> str:
    """Return the slots of a node as short text: thousands of waiting orders each carry it."""
    text = json.dumps([[asdict(place) for place in slot] for slot in slots], separators=(",", ":"))
    return base64.b85encode(zlib.compress(text.encode())).decode()


def unpack_slots(text: str) -> list[tuple[RankResources, ...]]:
    """Return what `pack_slots` was given."""
    slots = json.loads(zlib.decompress(base64.b85decode(text)))
    return [tuple(RankResources(tuple(one["cores"]), tuple(one["gpus"])) for one in slot) for slot in slots]
