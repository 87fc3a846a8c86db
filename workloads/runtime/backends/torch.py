"""PyTorch: every step runs operation by operation, as it is called, and is not compiled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workloads.context import Context
from workloads.runtime.backends import Step

TITLE = "PyTorch"
JIT_COMPILE = False


def environment(context: Context, threads: int) -> dict[str, str]:  # noqa: ARG001
    """Return the variables that PyTorch and Keras read as they are imported."""
    return {"KERAS_TORCH_DEVICE": "cuda" if context.devices else "cpu"}


def version() -> str:
    import torch

    return str(torch.__version__)


def gpu_names() -> list[str]:
    import torch

    return [torch.cuda.get_device_name(ordinal) for ordinal in range(torch.cuda.device_count())]


def configure(context: Context, threads: int, precision: str) -> dict[str, Any]:
    """Set threads, memory, arithmetic and determinism, and return what is in force.

    PyTorch's use of TensorFloat-32 in convolutions is off unless it is asked for. A GPU's memory
    is taken as it is needed, up to the share that `context` names.
    """
    import torch

    torch.set_num_threads(threads)
    if torch.get_num_interop_threads() != 1:  # can be set once only
        torch.set_num_interop_threads(1)
    limit = _limit_memory(context.device_memory_bytes)
    torch.backends.fp32_precision = "tf32" if precision == "tensor_float32" else "ieee"
    torch.use_deterministic_algorithms(not context.devices)
    # A deterministic run would also write to all new memory before it is used.
    torch.utils.deterministic.fill_uninitialized_memory = False
    used = (torch.backends.cuda.matmul, torch.backends.cudnn.conv)
    return {
        "devices": [f"cuda:{ordinal}" for ordinal in range(torch.cuda.device_count())] or ["cpu"],
        "device_memory_bytes": limit,
        "intra_op_threads": torch.get_num_threads(),
        "inter_op_threads": torch.get_num_interop_threads(),
        "tensor_float32": all(setting.fp32_precision == "tf32" for setting in used),
        "deterministic": torch.are_deterministic_algorithms_enabled(),
    }


def _limit_memory(most_bytes: int | None) -> int | None:
    """Cap what this process takes of every GPU where a share is named; return the share."""
    import torch

    limits = []
    for ordinal in range(torch.cuda.device_count() if most_bytes else 0):
        total = torch.cuda.get_device_properties(ordinal).total_memory
        torch.cuda.set_per_process_memory_fraction(min(1.0, most_bytes / total), ordinal)
        limits.append(int(torch.cuda.get_per_process_memory_fraction(ordinal) * total))
    return max(limits, default=None)


def synchronise(results: Any = None) -> None:  # noqa: ARG001
    import torch

    if torch.cuda.is_available():
        torch.cuda.synchronize()


def to_device(array: Any) -> Any:
    import torch

    return torch.tensor(array, device=chosen_device())


def fetch(value: Any) -> Any:
    return value.detach().cpu().numpy()


def global_norm(gradients: Sequence[Any]) -> float:
    import torch

    return float(torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(one) for one in gradients])))


def forward(function: Step, variables: Sequence[Any]) -> Step:  # noqa: ARG001
    """Return `function` without the record that gradients need."""
    import torch

    def step(*inputs: Any) -> Any:
        with torch.no_grad():
            return function(*_moved(inputs))

    return step


def gradients(loss: Step, variables: Sequence[Any]) -> Step:
    """Return the gradients of `loss`, computed from the record of its forward pass."""
    import torch

    def step(*inputs: Any) -> tuple[Any, ...]:
        slopes: tuple[Any, ...] = torch.autograd.grad(
            loss(*_moved(inputs)), [variable.value for variable in variables]
        )
        return slopes

    return step


def descent(loss: Step, variables: Sequence[Any], rate: float) -> Step:
    """Return a step of gradient descent that updates the variables in place."""
    import torch

    def step(*inputs: Any) -> Any:
        values = [variable.value for variable in variables]
        value = loss(*_moved(inputs))
        slopes = torch.autograd.grad(value, values)
        with torch.no_grad():
            for one, slope in zip(values, slopes, strict=True):
                one.sub_(slope, alpha=rate)
        return value.detach()

    return step


def assigning(function: Step, variables: Sequence[Any]) -> Step:  # noqa: ARG001
    """Return `function` without the record that gradients need, but for its `slopes`."""
    import torch

    def step(*inputs: Any) -> Any:
        with torch.no_grad():
            return function(*_moved(inputs))

    return step


def slopes(loss: Step, weights: Sequence[Any], others: Sequence[Any]) -> Step:  # noqa: ARG001
    import torch

    def differentiated(*inputs: Any) -> tuple[Any, tuple[Any, ...]]:
        with torch.enable_grad():
            value, result = loss(*inputs)
            return result, torch.autograd.grad(value, [variable.value for variable in weights])

    return differentiated


def _moved(inputs: Sequence[Any]) -> list[Any]:
    import torch

    return [torch.as_tensor(one, device=chosen_device()) for one in inputs]


def chosen_device() -> str:
    """Return the kind of device that computes: the GPU if there is one."""
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"
