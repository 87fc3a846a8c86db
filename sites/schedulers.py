"""How a machine's batch system is asked for nodes, as data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, Union

from pydantic import (
    Discriminator,
    Field,
    SerializeAsAny,
    Tag,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    field_validator,
)

from sites.files import Model
from sites.problems import problems
from sites.quantities import Counts, Duration, Durations
from workloads import plugins
from workloads.spelling import near

SCHEDULER_GROUP = "ensemble_throughput_orchestrator.schedulers"
"""Entry points of schedulers, by the ``type`` that site files write."""
LAUNCHER_GROUP = "ensemble_throughput_orchestrator.launchers"
"""Entry points of launchers, by their ``type``."""
LAUNCHERS = ("srun", "jsrun", "mpiexec", "aprun", "flux", "ssh")
"""Types of launchers that come with the project."""
_MOST_PROBLEMS = 3
_OF_THE_DRIVER = {"max_blocks", "poll_interval", "inside_allocation"}
_SHELL_LINES = ("prologue", "node_prologue", "node_teardown")


class Local(Model):
    """The machine the driver runs on, without a batch system."""

    type: Literal["local"] = "local"


class Launcher(Model):
    """Program that starts one worker pool on every node of a block, and ranks on other nodes."""

    type: str = Field(
        description="Command that reaches the nodes of a block from its first one: srun, jsrun, mpiexec "
        "(that of HPE's PALS), aprun, flux (flux run), ssh (works wherever the nodes of a job let its owner "
        "in), or one of an installed package.",
        examples=list(LAUNCHERS),
    )
    options: list[str] = Field(
        default_factory=list, description="Further options of the command, one word each."
    )

    @field_validator("type")
    @classmethod
    def _known(cls, value: str) -> str:
        if value not in LAUNCHERS and value not in (known := [*LAUNCHERS, *plugins.names(LAUNCHER_GROUP)]):
            raise ValueError(f"must be one of {', '.join(known)}, not {value!r}{near(value, known)}")
        return value


class Batch(Model):
    """Settings that all schedulers have; the settings of every scheduler derive from it."""

    type: str
    account: str | None = Field(
        None, description="Project that pays; $VARIABLES are the driver's, so it may come from a login shell."
    )
    walltime: Durations = Field(
        description="How long a block may hold its nodes, such as 2 h or 02:00:00; a range such as "
        "30 min..12 h lets the driver choose."
    )
    nodes_per_block: Counts = Field(
        1,
        validate_default=True,
        description="Nodes of one scheduler job; a range such as 4..64 lets the driver choose.",
    )
    max_blocks: int = Field(1, ge=1, description="Most scheduler jobs at a time, running or queued.")
    extra_directives: list[str] = Field(
        default_factory=list,
        description="Further directives of the submit script, without the leading #SBATCH, #BSUB, #PBS or "
        "#flux:.",
    )
    skip_directives: list[str] = Field(
        default_factory=list,
        description="Directives to leave out of the script: every one that begins with one of these texts.",
    )
    prologue: list[str] = Field(
        default_factory=list,
        description="Shell lines that the submit script begins with, such as module load: they run once, "
        "what they export reaches every node, and the first failing one ends the block.",
    )
    node_prologue: list[str] = Field(
        default_factory=list,
        description="Shell lines that run on every node before anything else does there, such as making a "
        "folder on its disk; a node on which one fails gets no work.",
    )
    node_teardown: list[str] = Field(
        default_factory=list,
        description="Shell lines that run on every node after its last attempt; how they end is an event.",
    )
    launcher: Launcher | None = Field(
        None,
        description="By default the scheduler's own, such as srun on Slurm, jsrun on LSF, or ssh on Torque.",
    )
    poll_interval: Duration = Field(
        20.0, description="Time between two questions about the state of the blocks."
    )
    inside_allocation: Literal["submit", "use"] = Field(
        "submit",
        description="What a launch inside an allocation does, as of salloc or qsub -I: submit blocks as "
        "anywhere else, or use the allocation's nodes, as --here does.",
    )

    @field_validator("*")
    @classmethod
    def _is_one_line(cls, value: object, info: ValidationInfo) -> object:
        """Refuse a line break, which would add a line to the submit script."""
        if info.field_name not in _SHELL_LINES:
            for one in value if isinstance(value, list) else [value]:
                if isinstance(one, str) and not one.replace("\t", " ").isprintable():
                    raise ValueError(f"must be one line without control characters, not {one!r}")
        return value

    @property
    def has_ranges(self) -> bool:
        """True where the driver chooses nodes or walltime of each block."""
        return self.nodes_per_block.varies or self.walltime.varies

    def changed_for_jobs(self, before: Batch) -> set[str]:
        """Return the settings in which a job that is asked for differs from one that was asked for before."""
        names = type(self).model_fields.keys() | type(before).model_fields.keys()
        return {
            name
            for name in names - _OF_THE_DRIVER
            if getattr(self, name, None) != getattr(before, name, None)
        }

    def for_driver(self, changes: Mapping[str, Any]) -> Self:
        """Return the settings of a job of one node that runs a driver; raises `ValidationError`."""
        settings = {
            "node_prologue": [],
            "node_teardown": [],
            **changes,
            "nodes_per_block": 1,
            "max_blocks": 1,
        }
        return type(self).model_validate({**self.model_dump(), **settings})


class Slurm(Batch):
    """Slurm 20 and newer."""

    type: Literal["slurm"] = "slurm"
    partition: str | None = Field(
        None,
        description="Partition; by default the cluster's. Of several, such as short,main, a block takes the "
        "one in which it starts first.",
    )
    qos: str | None = Field(
        None,
        description="Quality of service. Of several, such as debug,regular, a block takes the one in "
        "which it starts first, of those whose limits it keeps.",
    )
    constraint: str | None = Field(None, description="Node features, such as gpu&hbm80g.")
    exclusive: bool = Field(True, description="Whole nodes; false where several jobs share one.")

    @field_validator("partition", "qos")
    @classmethod
    def _has_names(cls, value: str | None) -> str | None:
        if value is not None and not all(name.strip() for name in value.split(",")):
            raise ValueError(f"{value!r} lacks a name; write one, or several as in a,b, or leave the key out")
        return value


class Lsf(Batch):
    """IBM Spectrum LSF 10.1, with jsrun."""

    type: Literal["lsf"] = "lsf"
    queue: str | None = Field(None, description="Queue; by default the cluster's.")


class PbsPro(Batch):
    """PBS Professional and OpenPBS, 2020 and newer."""

    type: Literal["pbspro"] = "pbspro"
    queue: str | None = Field(None, description="Queue; by default the server's.")
    select: list[str] = Field(
        default_factory=list,
        description="Further resources of each chunk of the select statement, such as ngpus=4.",
    )
    place: str | None = Field(
        "scatter:excl",
        description="Where chunks are put: each on a node of its own, which no other job shares.",
    )


class Torque(Batch):
    """Torque, and the Torque commands of Slurm."""

    type: Literal["torque"] = "torque"
    queue: str | None = Field(None, description="Queue; by default the server's.")
    properties: list[str] = Field(
        default_factory=list,
        description="Further properties of each node of the nodes statement, such as ppn=32 or gpus=4.",
    )


class Flux(Batch):
    """Flux, flux-core 0.60 and newer."""

    type: Literal["flux"] = "flux"
    queue: str | None = Field(None, description="Queue; by default the instance's.")
    requires: str | None = Field(None, description="Constraint on nodes, as of flux batch --requires.")


class Psij(Batch):
    """Another scheduler, through PSI/J 0.9, https://exaworks.org/psij."""

    type: Literal["psij"] = "psij"
    executor: str = Field(description="Executor of PSI/J for the scheduler, such as cobalt or nqsv.")
    python: str = Field(
        description="Python of an environment that has psij-python, which needs older packages than this "
        "project."
    )
    queue: str | None = Field(None, description="Queue; by default the scheduler's.")
    attributes: dict[str, str] = Field(
        default_factory=dict,
        description="Custom attributes of PSI/J's jobs, such as slurm.constraint.",
    )


_MODELS = (Local, Slurm, Lsf, PbsPro, Torque, Flux, Psij)
TYPES = tuple(str(model.model_fields["type"].default) for model in _MODELS)
"""Types of schedulers that come with the project, in the order of messages."""


def _type(value: object) -> str | None:
    if isinstance(value, Model):
        return str(getattr(value, "type", None))
    return str(value.get("type", "local")) if isinstance(value, dict) else None


def _installed(value: Any, built_in: ValidatorFunctionWrapHandler, info: ValidationInfo) -> Any:
    """Validate the settings of a scheduler by the model of its type, from this or an installed package."""
    kind = _type(value)
    if kind is None or kind in TYPES or isinstance(value, Batch):
        return value if isinstance(value, Batch) and kind not in TYPES else built_in(value)
    try:
        settings = plugins.load(SCHEDULER_GROUP, kind).settings
    except LookupError:
        known = [*TYPES, *plugins.names(SCHEDULER_GROUP)]
        hint = near(kind, known)
        raise ValueError(f"must have a type, one of {', '.join(known)}, not {kind!r}{hint}") from None
    if not issubclass(settings, Batch) or settings.model_fields["type"].default != kind:
        raise ValueError(f"{settings.__qualname__} is not a model of settings with type {kind!r} by default")
    try:
        return settings.model_validate(value, context=info.context)
    except ValidationError as error:
        lines, _ = problems(error, settings, value, _MOST_PROBLEMS)
        raise ValueError("; ".join(lines)) from None


if TYPE_CHECKING:
    Scheduler = Local | Batch
else:
    Scheduler = SerializeAsAny[
        Annotated[
            Annotated[
                Union[tuple(Annotated[model, Tag(kind)] for model, kind in zip(_MODELS, TYPES, strict=True))],  # noqa: UP007
                Discriminator(
                    _type,
                    custom_error_type="scheduler_type",
                    custom_error_message=f"must have a type, one of {', '.join(TYPES)}",
                ),
            ],
            WrapValidator(_installed),
        ]
    ]
"""Settings of a scheduler: `Local`, or a `Batch`."""
