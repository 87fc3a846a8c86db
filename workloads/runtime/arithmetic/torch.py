"""PyTorch's arithmetic: the operations of a forward pass as they are dispatched, after any autocast."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

_PRODUCTS = frozenset({
    "mm", "addmm", "bmm", "baddbmm", "convolution", "_convolution", "mkldnn_convolution", "cudnn_convolution",
    "linear", "mv", "dot", "_scaled_dot_product_flash_attention", "_thnn_fused_lstm_cell", "_cudnn_rnn",
})  # fmt: skip
_NAMES = {"ieee": "float32", "tf32": "tensorfloat32", "bf16": "bfloat16"}


def product_dtypes(function: Callable[..., Any], inputs: Sequence[Any]) -> set[str]:
    """Return the types that the products of `function` multiply; it is run once, without gradients."""
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode

    found: set[str] = set()

    class Recorder(TorchDispatchMode):  # type: ignore[misc]
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if func.overloadpacket.__name__ in _PRODUCTS:
                found.update(str(one.dtype) for one in args if isinstance(one, torch.Tensor))
            return func(*args, **(kwargs or {}))

    if inputs:
        with torch.no_grad(), Recorder():
            function(*inputs)
    return {one.removeprefix("torch.") for one in found}


def switches() -> dict[str, Any]:
    """Return the settings in force."""
    import torch

    kinds = ("cpu", *(("cuda",) if torch.cuda.is_available() else ()))
    return {
        "matmul_precision": _matmul_precision(),
        "cuda_matmul": torch.backends.cuda.matmul.fp32_precision,
        "cudnn_conv": torch.backends.cudnn.conv.fp32_precision,
        "mkldnn_matmul": torch.backends.mkldnn.matmul.fp32_precision,
        "mkldnn_conv": torch.backends.mkldnn.conv.fp32_precision,
        "autocast": {
            kind: str(torch.get_autocast_dtype(kind)).removeprefix("torch.")
            for kind in kinds
            if torch.is_autocast_enabled(kind)
        },
        "gpu": torch.cuda.is_available(),
    }


def _matmul_precision() -> str | None:
    """Return the older setting; PyTorch does not state it where newer ones, read beside it, are in force."""
    import torch

    try:
        return str(torch.get_float32_matmul_precision())
    except RuntimeError:
        return None


def float32_products(switches: Mapping[str, Any]) -> str:
    """Return the type that products of float32 are computed in."""
    if switches["autocast"]:
        return str(next(iter(switches["autocast"].values())))
    names = ("cuda_matmul", "cudnn_conv") if switches["gpu"] else ("mkldnn_matmul", "mkldnn_conv")
    # `torch.set_float32_matmul_precision` governs "high" and "medium"; cuDNN's own default is TF32.
    rounded = {_NAMES.get(switches[name], "float32") for name in (*names, "cuda_matmul")}
    rounded.add({"medium": "bfloat16", "high": "tensorfloat32"}.get(switches["matmul_precision"], "float32"))
    if switches["gpu"] and switches["cudnn_conv"] == "none":
        rounded.add("tensorfloat32")
    return min(rounded, key=("bfloat16", "tensorfloat32", "float32").index)
