"""Classes of kernels: the eight of the HPC AI500 V2.0 report, Section 7.3, and ``other``.

A kernel is classified by its name: that of a CUDA or HIP kernel, of an operation of TensorFlow or PyTorch, or
of an instruction of XLA. A fused kernel of XLA is named after operations that it does; with an arithmetic one
among them it is element-wise.
"""

from __future__ import annotations

import re

CLASSES = (
    "convolution",
    "gemm",
    "batch_normalization",
    "element_wise",
    "pooling",
    "memcpy",
    "allreduce",
    "transformation",
    "other",
)
_BY_PART = (
    ("allreduce", r"all[-_]?reduce"),
    ("other", r"nccl|rccl|^c10d::|^gloo:|^Horovod"),  # collectives that are no all-reduce
    ("memcpy", r"memcpy|memset|^(wrapped_)?copy\b|^aten::copy_$|^_(Host)?(Send|Recv)$"),
    # Not `convert`. What cuDNN and CUTLASS call forward, data gradient and filter gradient of a convolution.
    ("convolution", r"conv(?!er)|[fdw]prop|(?<![a-z])[dw]grad|scudnn|winograd|im2col|col2im"),
    ("batch_normalization", r"batch_?norm|\bbn_|bnorm"),
    ("pooling", r"(max|avg|average)_?pool|pooling|reduce[-_]window|select[-_]and[-_]scatter"),
    ("gemm", r"gem[mv]|matmul|cutlass|splitK|einsum|^aten::(mm|addmm|bmm|baddbmm|linear)$|^(wrapped_)?dot\b"),
)
_PATTERNS = [(name, re.compile(pattern, re.IGNORECASE)) for name, pattern in _BY_PART]
_REDUCTIONS = {"argmax", "argmin", "max_reduce", "mean", "norm", "prod", "reduce", "softmax", "sum"}
_ARITHMETIC = {
    *("abs", "adam", "add", "addcdiv", "addcmul", "addn", "and", "apply", "assign", "bias", "cast", "ceil"),
    *("clamp", "clip", "compare", "convert", "cos", "difference", "div", "divide", "dropout", "eigen", "elu"),
    *("elementwise", "equal", "erf", "exp", "exponential", "fill", "floor", "ge", "gelu", "greater", "gt"),
    *("less", "lerp", "log", "log1p", "lt", "maximum", "minimum", "mod", "mul", "multiply", "ne", "neg"),
    *("negate", "not", "or", "pointwise", "pow", "power", "reciprocal", "relu", "remainder", "round"),
    *("rsqrt", "select", "sgd", "sigmoid", "sign", "silu", "sin", "softplus", "sqrt", "square", "squared"),
    *("sub", "subtract", "tanh", "threshold", "where", "zero", "zeros"),
}
_MOVEMENTS = {
    *("as", "bitcast", "broadcast", "cat", "concat", "concatenate", "expand", "gather", "index", "iota"),
    *("nchw", "nhwc", "pack", "pad", "permute", "repeat", "reorder", "reshape", "reverse", "roll", "scatter"),
    *("shuffle", "slice", "split", "stack", "strided", "tile", "transpose", "unpack", "unstack"),
}
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_IN_BATCH_NORMALIZATION = re.compile(r"batch_?norm", re.IGNORECASE)


def kernel_class(name: str, scope: str = "") -> str:
    """Return the class of a kernel.

    Parameters
    ----------
    name
        Such as ``aten::addmm``, ``Conv2DBackpropFilter``, ``ncclDevKernel_AllReduce_Sum_f32_RING_LL`` or
        ``broadcast_add_fusion.3``.
    scope
        Names of the layers that an operation of TensorFlow belongs to, such as
        ``model/batch_normalization_1/batchnorm``: what a framework composes of simple operations has their
        names.
    """
    found = next((kind for kind, pattern in _PATTERNS if pattern.search(name)), None)
    found = found or _by_words({word.lower() for word in _WORD.findall(name)})
    if found in ("element_wise", "transformation", "other") and _IN_BATCH_NORMALIZATION.search(scope):
        return "batch_normalization"
    return found


def _by_words(words: set[str]) -> str:
    if words & _REDUCTIONS:
        return "other"
    if words & _ARITHMETIC:
        return "element_wise"
    return "transformation" if words & _MOVEMENTS else "other"
