"""PyTorch's operators, called one by one; images are stored channel by channel, as PyTorch has them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.nn import functional

from workloads.deep500.operators.definition import Size
from workloads.deep500.operators.dense import EPSILON
from workloads.deep500.operators.native import Function, Step
from workloads.runtime.backends import torch as backend

UNSUPPORTED = (NotImplementedError,)
_IMAGES = {"x": "n c h w", "y": "n c p q"}
LAYOUTS = {
    "conv2d": {"x": "n c h w", "kernel": "k c r s", "y": "n k p q"},
    "batch_norm": {"x": "n c h w", "y": "n c h w"},
    "max_pool": _IMAGES,
    "average_pool": _IMAGES,
    "lstm_cell": {"kernel": "g d", "recurrent": "g u"},
}


def place(array: Any, precision: str) -> Any:
    return backend.to_device(array).to(getattr(torch, precision))


def fetch(result: Any) -> Any:
    return result.detach().float().cpu().numpy()


def compiled(operator: str, size: Size, inputs: Sequence[Any], slopes: Sequence[Any]) -> Step:
    function = _FUNCTIONS[operator](size)
    for one in inputs if slopes else ():
        one.requires_grad_(True)

    def forward() -> Sequence[Any]:
        with torch.no_grad():
            return list(function(*inputs))

    def gradient() -> Sequence[Any]:
        outputs = function(*inputs)
        return [*outputs, *torch.autograd.grad(outputs, inputs, slopes)]

    return gradient if slopes else forward


def _conv2d(size: Size) -> Function:
    return lambda x, kernel: (functional.conv2d(x, kernel, stride=size["stride"], padding=size["pad"]),)


def _batch_norm(size: Size) -> Function:  # noqa: ARG001
    return lambda x, scale, offset: (
        functional.batch_norm(x, None, None, scale, offset, training=True, eps=EPSILON),
    )


def _max_pool(size: Size) -> Function:
    window = (size["r"], size["s"])
    return lambda x: (functional.max_pool2d(x, window, size["stride"], size["pad"]),)


def _average_pool(size: Size) -> Function:
    return lambda x: (functional.avg_pool2d(x, (size["r"], size["s"]), size["stride"]),)


def _lstm_cell(size: Size) -> Function:  # noqa: ARG001
    def cell(x: Any, h: Any, c: Any, kernel: Any, recurrent: Any, bias: Any) -> Sequence[Any]:
        return list(torch.lstm_cell(x, (h, c), kernel, recurrent, bias, torch.zeros_like(bias)))

    return cell


_FUNCTIONS: dict[str, Callable[[Size], Function]] = {
    "conv2d": _conv2d,
    "matmul": lambda _: lambda a, b: (torch.matmul(a, b),),
    "batch_norm": _batch_norm,
    "max_pool": _max_pool,
    "average_pool": _average_pool,
    "softmax": lambda _: lambda x: (functional.softmax(x, dim=-1),),
    "lstm_cell": _lstm_cell,
    "attention": lambda _: lambda q, k, v: (functional.scaled_dot_product_attention(q, k, v),),
    "add": lambda _: lambda a, b: (torch.add(a, b),),
    "relu": lambda _: lambda x: (functional.relu(x),),
    "gelu": lambda _: lambda x: (functional.gelu(x, approximate="tanh"),),
    "tanh": lambda _: lambda x: (torch.tanh(x),),
}
