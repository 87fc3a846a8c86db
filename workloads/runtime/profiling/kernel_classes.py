"""Classes of kernels: the eight of the HPC AI500 V2.0 report, Section 7.3, and ``other``.

A kernel is classified by its name: that of a CUDA or HIP kernel, of an operation of TensorFlow or PyTorch, or
of an instruction of XLA. A fused kernel of XLA is named after operations that it does; with an arithmetic one
among them it is element-wise.
"""

from __future__ import annotations

import re
from typing import Literal, get_args

KernelClass = Literal[
    "convolution", "gemm", "batch_normalization", "element_wise", "pooling", "memcpy", "allreduce",
    "transformation", "other",
]  # fmt: skip
CLASSES: tuple[KernelClass, ...] = get_args(KernelClass)
_XLA = r"^(wrapped_|loop_|input_)?"  # what XLA puts before the name of an operation
_END = r"(?=[._\d]|$)"
_BY_PART: tuple[tuple[KernelClass | Literal["collective"], str], ...] = (
    ("other", r"^aten::(empty|resize_|new_empty)"),  # allocations
    ("other", r"^BiasAddGrad$"),  # a reduction
    ("allreduce", r"(?i:all[-_]?reduce)|CollectiveReduce"),
    # Collectives that are no all-reduce, or do not say which they are.
    ("collective", r"(?i:nccl|rccl)|^(c10d::|gloo:|mpi:|Horovod|Collective|(all|collective|reduce)-)"),
    ("memcpy", r"(?i:memcpy|memset)|copyBuffer|fillBuffer|^Copy(HostTo|DeviceTo)|^_(Host)?(Send|Recv)$"),
    ("memcpy", r"^aten::(copy_|_to_copy|to|clone|contiguous|_foreach_copy_)$"),
    ("memcpy", rf"{_XLA}copy(_bitcast)?(_fusion)?{_END}"),
    ("pooling", r"(?i:(max|avg|average)_?pool|pooling|reduce[-_]window|select[-_]and[-_]scatter)"),
    ("batch_normalization", r"(?i:batch[-_]?norm|bnorm)|(?<![a-z])bn_|(?<![A-Za-z])bn[FB]w"),
    # Not `convert`. Names of cuDNN and CUTLASS for forward, data gradient, filter gradient; those of FFTs.
    ("convolution", r"(?i:conv(?!er)|fprop|scudnn|winograd|im2col|col2im)|Im2d2Col|(?<![A-Za-z])[dw]grad"),
    ("convolution", r"igemm_(fwd|bwd|wrw)|fft2d_|regular_fft|flip_filter|gcgemm|gemm::computeOffsets"),
    ("other", r"(?i:fmha|flash)"),  # attention
    ("gemm", r"(?i:gem[mv]|matmul|cutlass|splitk|einsum)|nvjet|^Cijk_|EigenContraction"),
    ("gemm", r"^aten::(_?addmm(_activation)?|b?mm|baddbmm|addbmm|(add)?mv|dot|ger|_scaled_mm)$"),
    ("gemm", r"^aten::(mkldnn_)?linear$"),
    ("gemm", rf"{_XLA}dot(_general)?{_END}"),
    ("transformation", r"^aten::(view|t|(un)?squeeze|flip|unfold|narrow|(masked_)?select|select_backward)$"),
    ("transformation", r"^(SpaceTo|DepthTo|BatchTo|_?MklToTf)"),
    ("element_wise", r"op_(generic_)?tensor|Op\dd?Tensor|MIOpen(Neuron|Active)|^Logical"),
    ("element_wise", rf"{_XLA}(and|or|xor|not|is-finite){_END}"),
)  # fmt: skip
_PATTERNS = [(name, re.compile(pattern)) for name, pattern in _BY_PART]
_REDUCTIONS = {"argmax", "argmin", "mean", "norm", "prod", "reduce", "reduction", "soft", "softmax", "sum"}
_ARITHMETIC = {
    "abs", "activation", "adam", "add", "addcdiv", "addcmul", "addn", "apply", "assign", "atan",
    "bernoulli", "bias", "cast", "ceil", "clamp", "clip", "compare", "convert", "cos", "cosine",
    "difference", "div", "divide", "dropout", "eigen", "elementwise", "elu", "eq", "equal", "erf", "exp",
    "expm", "exponential", "fill", "finite", "floor", "ge", "gelu", "greater", "gt", "hardswish",
    "hardtanh", "isnan", "le", "lerp", "less", "log", "logistic", "lt", "maximum", "minimum", "mish", "mod",
    "mul", "multiply", "ne", "neg", "negate", "normal", "ones", "pointwise", "pow", "power", "reciprocal",
    "relu", "remainder", "round", "rsqrt", "rsub", "scale", "select", "selu", "sgd", "sigmoid", "sign",
    "silu", "sin", "sine", "softplus", "sqrt", "square", "squared", "sub", "subtract", "swish", "tanh",
    "threshold", "unary", "where", "xdivy", "zero", "zeros",
}  # fmt: skip
_MOVEMENTS = {
    *("as", "bitcast", "broadcast", "cat", "concat", "concatenate", "expand", "iota", "pack", "pad"),
    *("permute", "repeat", "reorder", "reshape", "reverse", "roll", "shuffle", "slice", "split", "stack"),
    *("strided", "tile", "transpose", "unpack", "unstack"),
}
_MOVEMENTS_ALONE = {"gather", "index", "nchw", "nhwc", "padding", "scatter", "shuffling", "swap"}
"""Words that decide, whatever else is in the name of a kernel that is not fused."""
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_IN_BATCH_NORMALIZATION = re.compile(r"batch_?norm", re.IGNORECASE)


def kernel_class(name: str, scope: str = "") -> KernelClass:
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
    if found == "collective":
        return "other"
    found = found or _by_words({word.lower() for word in _WORD.findall(name)})
    if found in ("element_wise", "transformation", "other") and _IN_BATCH_NORMALIZATION.search(scope):
        return "batch_normalization"
    return found


def _by_words(words: set[str]) -> KernelClass:
    if words & _MOVEMENTS_ALONE and "fusion" not in words:
        return "transformation"
    if words & _REDUCTIONS:
        return "other"
    if words & _ARITHMETIC:
        return "element_wise"
    return "transformation" if words & (_MOVEMENTS | _MOVEMENTS_ALONE) else "other"
