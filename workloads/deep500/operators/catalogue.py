"""The operators, by name."""

from __future__ import annotations

import math
from collections.abc import Callable

from workloads.deep500.operators import dense, windows
from workloads.deep500.operators.definition import Operator, Part, Size
from workloads.description import WorkloadError


def _windows(size: Size) -> dict[str, int]:
    """Return the output's height and width."""
    length = {"p": (size["h"], size["r"]), "q": (size["w"], size["s"])}
    return {
        axis: (image + 2 * size["pad"] - window) // size["stride"] + 1
        for axis, (image, window) in length.items()
    }


def _pooled(size: Size) -> dict[str, int]:
    if 2 * size["pad"] >= min(size["r"], size["s"]):
        raise WorkloadError(f"pad={size['pad']} must be less than half of the window, r and s")
    return _windows(size)


def _rows_of(count: int) -> Callable[[Size], int]:
    """Return operations of an elementwise operator: so many for each number."""
    return lambda size: count * size["n"]


def _convolution(size: Size) -> int:
    return 2 * math.prod(size[axis] for axis in "npqkrsc")


def _pooling(size: Size) -> int:
    return math.prod(size[axis] for axis in "npqcrs")


def _numbers(size: Size) -> int:
    return math.prod(size[axis] for axis in "nhwc")


def _attention(size: Size, products: int, softmax: int) -> int:
    return math.prod(size[axis] for axis in "bats") * (products * size["e"] + softmax)


def _lstm(size: Size) -> int:
    return 2 * size["n"] * size["g"] * (size["d"] + size["u"])


def _elementwise(name: str, title: str, flop: int, slope: int, roundings: int) -> Operator:
    reference = {"relu": dense.relu, "tanh": dense.tanh, "gelu": dense.gelu}[name]
    return Operator(
        name, title, {"n": None}, {"x": "n"}, {"y": "n"},
        _rows_of(flop), _rows_of(flop + slope), (Part(("y", "d_x"), "n"),), reference, roundings=roundings,
    )  # fmt: skip


_IMAGES: dict[str, int | str | None] = {"n": 1, "h": None, "w": "h", "c": None}
_WINDOW: dict[str, int | str | None] = {"r": None, "s": "r", "stride": 1, "pad": 0}
_POOL: dict[str, int | str | None] = _IMAGES | {"r": None, "s": "r", "stride": "r", "pad": 0}

_ALL = (
    Operator(
        "conv2d", "2-D convolution, zeros around the images",
        _IMAGES | {"k": None} | _WINDOW,
        {"x": "n h w c", "kernel": "r s c k"}, {"y": "n p q k"},
        _convolution, lambda size: 3 * _convolution(size),
        (Part(("y",), "n k"), Part(("d_x",), "n c"), Part(("d_kernel",), "c k")),
        windows.conv2d, _windows,
        terms={
            "y": lambda size: size["r"] * size["s"] * size["c"],
            "d_x": lambda size: size["r"] * size["s"] * size["k"],
            "d_kernel": lambda size: size["n"] * size["p"] * size["q"],
        },
    ),
    Operator(
        "matmul", "matrix product",
        {"m": None, "n": "m", "k": "m"}, {"a": "m k", "b": "k n"}, {"y": "m n"},
        lambda size: 2 * math.prod(size[axis] for axis in "mnk"),
        lambda size: 6 * math.prod(size[axis] for axis in "mnk"),
        (Part(("y",), "m n"), Part(("d_a",), "m k"), Part(("d_b",), "k n")),
        dense.matmul,
        terms={"y": lambda size: size["k"], "d_a": lambda size: size["n"], "d_b": lambda size: size["m"]},
    ),
    Operator(
        "batch_norm", "batch norm by mean and variance of the batch",
        {"n": None, "h": 1, "w": "h", "c": None},
        {"x": "n h w c", "scale": "c", "offset": "c"}, {"y": "n h w c"},
        lambda size: 8 * _numbers(size), lambda size: 19 * _numbers(size),
        (Part(("y", "d_x", "d_scale", "d_offset"), "c"),),
        dense.batch_norm,
        terms={
            name: lambda size: size["n"] * size["h"] * size["w"] for name in ("d_x", "d_scale", "d_offset")
        },
        roundings=6,
    ),
    Operator(
        "max_pool", "largest of each window", _POOL, {"x": "n h w c"}, {"y": "n p q c"},
        _pooling, lambda size: 2 * _pooling(size), (Part(("y", "d_x"), "n c"),),
        windows.max_pool, _pooled,
        terms={"d_x": lambda size: size["r"] * size["s"]}, roundings=2,
    ),
    Operator(
        "average_pool", "mean of each window",
        {name: default for name, default in _POOL.items() if name != "pad"},
        {"x": "n h w c"}, {"y": "n p q c"},
        _pooling, lambda size: 2 * _pooling(size), (Part(("y", "d_x"), "n c"),),
        windows.average_pool, lambda size: _windows({**size, "pad": 0}),
        terms={name: lambda size: size["r"] * size["s"] for name in ("y", "d_x")}, roundings=3,
    ),
    Operator(
        "softmax", "softmax of each row", {"n": None, "c": None}, {"x": "n c"}, {"y": "n c"},
        lambda size: 5 * size["n"] * size["c"], lambda size: 9 * size["n"] * size["c"],
        (Part(("y", "d_x"), "n"),),
        dense.softmax, terms={name: lambda size: size["c"] for name in ("y", "d_x")}, roundings=5,
    ),
    Operator(
        "lstm_cell", "one step of an LSTM: gates input, forget, cell, output",
        {"n": None, "d": None, "u": "d"},
        {"x": "n d", "h": "n u", "c": "n u", "kernel": "d g", "recurrent": "u g", "bias": "g"},
        {"h_next": "n u", "c_next": "n u"},
        _lstm, lambda size: 3 * _lstm(size),
        (
            Part(("h_next", "c_next", "d_x", "d_h", "d_c"), "n"),
            Part(("d_kernel", "d_recurrent", "d_bias"), ""),
        ),
        dense.lstm_cell, lambda size: {"g": 4 * size["u"]},
        terms={
            **dict.fromkeys(("h_next", "c_next", "d_c"), lambda size: size["d"] + size["u"]),
            **dict.fromkeys(("d_x", "d_h"), lambda size: size["g"]),
            **dict.fromkeys(("d_kernel", "d_recurrent", "d_bias"), lambda size: size["n"]),
        },
        roundings=10,
        deviation={
            "kernel": lambda size: (size["d"] + size["u"]) ** -0.5,
            "recurrent": lambda size: (size["d"] + size["u"]) ** -0.5,
        },
    ),
    Operator(
        "attention", "scaled dot product attention: batch, heads a, queries t, keys s, width e",
        {"b": 1, "a": 1, "t": None, "s": "t", "e": None},
        {"q": "b a t e", "k": "b a s e", "v": "b a s e"}, {"y": "b a t e"},
        lambda size: _attention(size, 4, 5), lambda size: _attention(size, 12, 9),
        (Part(("y", "d_q"), "b a t"), Part(("d_k", "d_v"), "b a")),
        dense.attention,
        terms={
            **dict.fromkeys(("y", "d_q"), lambda size: size["s"] + size["e"]),
            **dict.fromkeys(("d_k", "d_v"), lambda size: size["t"] + size["e"]),
        },
        roundings=8,
    ),
    Operator(
        "add", "sum of two arrays", {"n": None}, {"a": "n", "b": "n"}, {"y": "n"},
        _rows_of(1), _rows_of(1), (Part(("y", "d_a", "d_b"), "n"),), dense.add,
    ),
    _elementwise("relu", "max(x, 0)", 1, 1, 1),
    _elementwise("gelu", "GELU in its tanh form", 9, 12, 8),
    _elementwise("tanh", "hyperbolic tangent", 1, 3, 4),
)  # fmt: skip

OPERATORS = {one.name: one for one in _ALL}
