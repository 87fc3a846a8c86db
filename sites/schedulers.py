"""How a machine's batch system is asked for nodes, as data."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Discriminator, Field, Tag

from sites.files import Model
from sites.quantities import Duration

LauncherType = Literal["srun", "jsrun", "mpiexec", "aprun", "ssh"]


class Local(Model):
    """The machine the driver runs on, without a batch system."""

    type: Literal["local"] = "local"


class Launcher(Model):
    """What starts one worker pool on every node of a block, and ranks on other nodes."""

    type: LauncherType = Field(
        description="Command that reaches the nodes of a block from its first one; mpiexec is that of HPE's "
        "PALS, ssh works wherever the nodes of a job let its owner in."
    )
    options: list[str] = Field(
        default_factory=list, description="Further options of the command, one word each."
    )


class Batch(Model):
    """What all batch systems are asked for."""

    account: str | None = Field(
        None, description="Project that pays; $VARIABLES are the driver's, so it may come from a login shell."
    )
    walltime: Duration = Field(description="How long a block may hold its nodes, such as 2 h or 02:00:00.")
    nodes_per_block: int = Field(1, ge=1, description="Nodes of one scheduler job.")
    blocks: int = Field(1, ge=1, description="Most scheduler jobs at a time, running or queued.")
    directives: list[str] = Field(
        default_factory=list,
        description="Further directives of the submit script, without the leading #SBATCH, #BSUB or #PBS.",
    )
    skip: list[str] = Field(
        default_factory=list,
        description="Directives to leave out of the script: every one that begins with one of these texts.",
    )
    setup: list[str] = Field(
        default_factory=list,
        description="Shell lines that the submit script begins with, such as module load: they run once, "
        "what they export reaches every node, and the first failing one ends the block.",
    )
    node_setup: list[str] = Field(
        default_factory=list,
        description="Shell lines that run on every node before anything else does there, such as making a "
        "folder on its disk; a node on which one fails gets no work.",
    )
    launcher: Launcher | None = Field(
        None, description="By default srun on Slurm, jsrun on LSF, mpiexec on PBS Pro, ssh on Torque."
    )
    poll: Duration = Field(20.0, description="Time between two questions about the state of the blocks.")


class Slurm(Batch):
    """Slurm 20 and newer."""

    type: Literal["slurm"] = "slurm"
    partition: str | None = Field(None, description="Partition; by default the cluster's.")
    qos: str | None = Field(None, description="Quality of service.")
    constraint: str | None = Field(None, description="Node features, such as gpu&hbm80g.")
    exclusive: bool = Field(True, description="Whole nodes; false where several jobs share one.")


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
        "scatter:excl", description="Where chunks are put: each on a node of its own, which nobody shares."
    )


class Torque(Batch):
    """Torque, and the Torque commands of Slurm."""

    type: Literal["torque"] = "torque"
    queue: str | None = Field(None, description="Queue; by default the server's.")
    properties: list[str] = Field(
        default_factory=list,
        description="Further properties of each node of the nodes statement, such as ppn=32 or gpus=4.",
    )


BatchScheduler = Slurm | Lsf | PbsPro | Torque
TYPES = tuple(str(model.model_fields["type"].default) for model in (Local, Slurm, Lsf, PbsPro, Torque))


def _type(value: object) -> str | None:
    if isinstance(value, Model):
        return str(getattr(value, "type", None))
    return str(value.get("type", "local")) if isinstance(value, dict) else None


Scheduler = Annotated[
    Annotated[Local, Tag("local")]
    | Annotated[Slurm, Tag("slurm")]
    | Annotated[Lsf, Tag("lsf")]
    | Annotated[PbsPro, Tag("pbspro")]
    | Annotated[Torque, Tag("torque")],
    Discriminator(
        _type,
        custom_error_type="scheduler_type",
        custom_error_message=f"must have a type, one of {', '.join(TYPES)}",
    ),
]
