"""Parameters of an operator's measurement."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from workloads.deep500.operators.own_file import check_file
from workloads.deep500.operators.sizes import SIZES
from workloads.description import WorkloadError
from workloads.parameters import parameter
from workloads.runtime import backends

if TYPE_CHECKING:
    from workloads.deep500.operators.definition import Operator, Size

NATIVE, OWN = "native", "own"
_ITEM_BYTES = {"float32": 4, "bfloat16": 2, "float16": 2}
_PROCESS_BYTES = 2**30
"""Memory of a process that has imported a framework, before it makes any array."""


@dataclass(frozen=True, slots=True)
class OperatorParameters:
    """Parameters of an operator's measurement."""

    operator: str = parameter("matmul", "what is computed", choices=tuple(SIZES))
    size: str = parameter("demo-a", "a named size of the operator, or its dimensions, such as m=64,n=64,k=64")
    direction: str = parameter(
        "forward",
        "forward; gradient: forward and the gradients by all inputs",
        choices=("forward", "gradient"),
    )
    precision: str = parameter("float32", "type of all arrays", choices=tuple(_ITEM_BYTES))
    framework: str = parameter(
        "tensorflow", f"whose operator; {OWN}: that of `implementation`", choices=(*backends.NAMES, OWN)
    )
    implementation: str = parameter(
        NATIVE, f"{NATIVE}: the framework's; or a .py or .cpp file, from the directory of the launch"
    )
    budget_seconds: float = parameter(1.0, "repeat for so long at most", unit="s", minimum=0)
    relative_width: float = parameter(
        0.02, "stop earlier once the interval is no wider than this share of the median", minimum=0
    )
    warm_up: int = parameter(1, "calls before them, after the one that compiles", minimum=0)
    input_scale: float = parameter(
        1.0, "standard deviation of the random inputs, relative to usual ones", minimum=0
    )
    heatmap: bool = parameter(False, "keep the relative differences of all results as arrays and pictures")

    def packages(self) -> tuple[str, ...]:
        """Return the packages that these parameters need."""
        return () if self.framework == OWN else ("keras", self.framework)

    def problem(self) -> tuple[Operator, Size]:
        """Return the operator and its size.

        Raises
        ------
        WorkloadError
            If there is no such size.
        """
        from workloads.deep500.operators.catalogue import OPERATORS

        operator = OPERATORS[self.operator]
        return operator, operator.size(self.size, SIZES[self.operator])

    def check_ranks(self, ranks: int) -> None:  # noqa: ARG002
        """Raise `WorkloadError` if there is no such size or file, or the framework does not fit the file."""
        if (self.framework == OWN) == (self.implementation == NATIVE):
            other = f"framework: {OWN}" if self.implementation != NATIVE else "implementation: FILE"
            raise WorkloadError(
                f"framework is {self.framework} and implementation {self.implementation}: write {other}"
            )
        if self.framework == OWN:
            check_file(Path(self.implementation))
        self.problem()

    @property
    def memory_bytes(self) -> int:
        """Estimate of the host memory: arrays in this precision, as made, and as fetched for comparison."""
        operator, size = self.problem()
        copies = 2 * 4 + _ITEM_BYTES[self.precision]
        return operator.elements(size, self.direction) * copies + _PROCESS_BYTES
