"""Parameters of a distributed training."""

from __future__ import annotations

from dataclasses import dataclass

from workloads.deep500.distributed.compression import COMPRESSIONS, NONE, Compression
from workloads.deep500.distributed.problem import Sizes
from workloads.deep500.distributed.schemes import DECENTRALISED, INCONSISTENT, SCHEMES, Rules
from workloads.deep500.user_module import check_file
from workloads.description import WorkloadError
from workloads.parameters import parameter


@dataclass(frozen=True, slots=True)
class DistributedParameters:
    """Parameters of a distributed training."""

    scheme: str = parameter(
        "consistent_decentralised",
        "what ranks exchange: consistent_centralised (gradients to rank 0, parameters back), "
        "consistent_decentralised (all-reduce of gradients), inconsistent_centralised (asynchronous "
        "parameter server), model_averaging (all-reduce of parameters), neighbour_exchange (gradients in a "
        "ring)",
        choices=SCHEMES,
    )
    framework: str = parameter(
        "tensorflow",
        "tensorflow over Horovod, or torch over torch.distributed",
        choices=("tensorflow", "torch"),
    )
    communication: str = parameter(
        "framework",
        "library that joins the ranks: that of the framework, or mpi (mpi4py with MPICH or Intel MPI)",
        choices=("framework", "mpi"),
    )
    precision: str = parameter("float32", "of parameters and gradients", choices=("float32", "float64"))
    scaling: str = parameter(
        "weak",
        "weak: `batch_size` is that of each rank; strong: that of all ranks together, divided among them",
        choices=("weak", "strong"),
    )
    batch_size: int = parameter(64, "rows of a step, see `scaling`", minimum=1)
    steps: int = parameter(500, "steps of every rank that are timed", minimum=1)
    validated_steps: int = parameter(20, "steps before them that are compared with a replay", minimum=1)
    learning_rate: float = parameter(0.1, "of the mean gradient of all ranks", minimum=0)
    local_steps: int = parameter(4, "of model_averaging: steps from one averaging to the next", minimum=1)
    rule: str = parameter(
        "",
        "Python file with your own distributed optimizer, in place of the scheme's; without a function "
        "`reference` it is compared with `scheme`",
    )
    compression: str = parameter(
        NONE,
        "of the gradients of consistent_decentralised: top_k, sparse_all_reduce, one_bit (with error "
        "feedback), terngrad, stochastic_rounding (to 8 bits)",
        choices=COMPRESSIONS,
    )
    density: float = parameter(
        0.01, "of top_k and sparse_all_reduce: share of the gradient's numbers that a rank sends", minimum=0
    )
    staleness: int = parameter(
        2,
        "of inconsistent_centralised: steps by which a rank may be ahead of the slowest one before it waits",
        minimum=0,
    )
    features: int = parameter(784, "width of a row", minimum=1)
    hidden: int = parameter(1024, "units of the hidden layer", minimum=1)
    classes: int = parameter(10, "classes of the rows", minimum=2)
    train_rows: int = parameter(60_000, "rows that are trained on", minimum=1)
    test_rows: int = parameter(10_000, "rows that the accuracy is computed of", minimum=1)

    @property
    def sizes(self) -> Sizes:
        """Sizes of network and data."""
        return Sizes(self.features, self.hidden, self.classes, self.train_rows, self.test_rows)

    @property
    def memory_bytes(self) -> int:
        """Estimate of the host memory of a rank: rows, labels and vectors."""
        return self.sizes.memory_bytes

    @property
    def rules(self) -> Rules:
        """Constants of the updates."""
        return Rules(self.learning_rate, self.local_steps, self.staleness)

    def compression_of(self, seed: int) -> Compression | None:
        """Return the way to compress gradients; None: they are exchanged as they are."""
        if self.compression == NONE:
            return None
        return Compression(self.compression, self.sizes.parameters, self.density, seed)

    def _check_rule(self) -> None:
        check_file(self.rule)
        if self.compression != NONE:
            raise WorkloadError(
                f"compression {self.compression} is not of a rule, which sends what it computes: write "
                f"compression: {NONE}, or leave out rule"
            )
        if self.scheme == INCONSISTENT:
            raise WorkloadError(
                f"a rule is called in the same steps on all ranks, so it cannot be {INCONSISTENT}: write "
                "another scheme"
            )

    def packages_for_ranks(self) -> tuple[str, ...]:
        """Return the packages that several ranks need beside the framework."""
        if self.communication == "mpi":
            return ("mpi4py",)
        return ("horovod",) if self.framework == "tensorflow" else ()

    def rows_of_rank(self, ranks: int) -> int:
        """Return the rows of one rank's step."""
        return self.batch_size if self.scaling == "weak" else self.batch_size // ranks

    def check_ranks(self, ranks: int) -> None:
        """Raise `WorkloadError` where so many ranks cannot train together."""
        if self.scheme == "neighbour_exchange" and ranks < 2:
            raise WorkloadError(
                "scheme neighbour_exchange needs 2 ranks or more: write slot: {ranks: 2}, or more"
            )
        if self.rule:
            self._check_rule()
        if self.compression != NONE and self.scheme != DECENTRALISED:
            raise WorkloadError(
                f"compression {self.compression} is of the gradients of scheme {DECENTRALISED}, not of "
                f"{self.scheme}: write scheme: {DECENTRALISED}, or compression: {NONE}"
            )
        if self.density > 1:
            raise WorkloadError(f"density must be at most 1, a share of all numbers, not {self.density:g}")
        if self.scaling == "strong" and self.batch_size % ranks:
            raise WorkloadError(
                f"batch_size: {self.batch_size} rows cannot be divided among {ranks} ranks; choose a "
                f"multiple of {ranks}, or scaling: weak"
            )
        if self.scheme == "model_averaging" and self.local_steps > self.validated_steps:
            raise WorkloadError(
                f"local_steps: none of the {self.validated_steps} validated steps would average parameters; "
                f"choose {self.validated_steps} or less, or more validated_steps"
            )
        of_step = self.rows_of_rank(ranks) * ranks
        if of_step > self.train_rows:
            raise WorkloadError(
                f"train_rows: {self.train_rows} are fewer than the {of_step} of a step on {ranks} ranks; "
                "choose more of them, or a smaller batch_size"
            )
