"""Operators as plain loops over single numbers, to compare the vectorised references with."""

from __future__ import annotations

import math
from itertools import product

import numpy as np


def conv2d(arrays, size):
    x, kernel = arrays["x"], arrays["kernel"]
    y = np.zeros([size[axis] for axis in "npqk"])
    for n, p, q, k in np.ndindex(*y.shape):
        for r, s in product(range(size["r"]), range(size["s"])):
            row, column = p * size["stride"] + r - size["pad"], q * size["stride"] + s - size["pad"]
            if 0 <= row < size["h"] and 0 <= column < size["w"]:
                for c in range(size["c"]):
                    y[n, p, q, k] += x[n, row, column, c] * kernel[r, s, c, k]
    return {"y": y}


def matmul(arrays, size):
    a, b = arrays["a"], arrays["b"]
    y = [
        [sum(a[i, j] * b[j, k] for j in range(size["k"])) for k in range(size["n"])] for i in range(size["m"])
    ]
    return {"y": np.array(y)}


def batch_norm(arrays, size):
    x, y = arrays["x"], np.empty(arrays["x"].shape)
    for c in range(size["c"]):
        numbers = [float(one) for one in x[..., c].ravel()]
        mean = sum(numbers) / len(numbers)
        variance = sum((one - mean) ** 2 for one in numbers) / len(numbers)
        for place in np.ndindex(*x.shape[:3]):
            normal = (x[(*place, c)] - mean) / math.sqrt(variance + 1e-3)
            y[(*place, c)] = normal * arrays["scale"][c] + arrays["offset"][c]
    return {"y": y}


def _pool(arrays, size, of_window):
    x = arrays["x"]
    y = np.empty([size[axis] for axis in "npqc"])
    for n, p, q, c in np.ndindex(*y.shape):
        seen = []
        for r, s in product(range(size["r"]), range(size["s"])):
            row = p * size["stride"] + r - size.get("pad", 0)
            column = q * size["stride"] + s - size.get("pad", 0)
            if 0 <= row < size["h"] and 0 <= column < size["w"]:
                seen.append(float(x[n, row, column, c]))
        y[n, p, q, c] = of_window(seen)
    return {"y": y}


def max_pool(arrays, size):
    return _pool(arrays, size, max)


def average_pool(arrays, size):
    return _pool(arrays, size, lambda seen: sum(seen) / len(seen))


def _softmax(row):
    shares = [math.exp(one) for one in row]
    return [one / sum(shares) for one in shares]


def softmax(arrays, size):
    return {"y": np.array([_softmax(row) for row in arrays["x"]])}


def attention(arrays, size):
    q, k, v = (arrays[name] for name in "qkv")
    y = np.zeros(q.shape)
    for b, a, t in np.ndindex(*q.shape[:3]):
        scores = [
            sum(q[b, a, t, e] * k[b, a, s, e] for e in range(size["e"])) / math.sqrt(size["e"])
            for s in range(size["s"])
        ]
        for s, weight in enumerate(_softmax(scores)):
            y[b, a, t] += weight * v[b, a, s]
    return {"y": y}


def lstm_cell(arrays, size):
    units = size["u"]
    h_next, c_next = np.empty((size["n"], units)), np.empty((size["n"], units))

    def sigmoid(one):
        return 1 / (1 + math.exp(-one))

    for n, u in np.ndindex(size["n"], units):
        gates = []
        for gate in range(4):
            column = gate * units + u
            total = arrays["bias"][column]
            total += sum(arrays["x"][n, d] * arrays["kernel"][d, column] for d in range(size["d"]))
            total += sum(arrays["h"][n, d] * arrays["recurrent"][d, column] for d in range(units))
            gates.append(total)
        c_next[n, u] = sigmoid(gates[1]) * arrays["c"][n, u] + sigmoid(gates[0]) * math.tanh(gates[2])
        h_next[n, u] = sigmoid(gates[3]) * math.tanh(c_next[n, u])
    return {"h_next": h_next, "c_next": c_next}


def add(arrays, size):
    return {"y": np.array([one + other for one, other in zip(arrays["a"], arrays["b"], strict=True)])}


def relu(arrays, size):
    return {"y": np.array([max(one, 0.0) for one in arrays["x"]])}


def tanh(arrays, size):
    return {"y": np.array([math.tanh(one) for one in arrays["x"]])}


def gelu(arrays, size):
    inner = [math.sqrt(2 / math.pi) * (one + 0.044715 * one**3) for one in arrays["x"]]
    y = [0.5 * one * (1 + math.tanh(bent)) for one, bent in zip(arrays["x"], inner, strict=True)]
    return {"y": np.array(y)}
