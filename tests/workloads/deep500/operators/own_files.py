"""Operators in files, right and wrong, as a user writes them: tanh, and the matrix product."""

from __future__ import annotations

PYTHON = """
import numpy as np


def forward(inputs, size):
    return {"y": np.tanh(inputs["x"])}


def backward(inputs, output_gradients, size):
    return {"x": output_gradients["y"] * (1 - np.tanh(inputs["x"]) ** 2)}
"""

CPP = """
#include "deep500_operator.h"

std::int64_t deep500_version() { return DEEP500_VERSION; }

std::int64_t deep500_forward(const std::int64_t *size, const deep500_array *in, deep500_array *out) {
    const std::int64_t m = size[0], n = size[1], k = size[2];
    for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t j = 0; j < n; ++j) {
            float sum = 0;
            for (std::int64_t l = 0; l < k; ++l) sum += in[0].data[i * k + l] * in[1].data[l * n + j];
            out[0].data[i * n + j] = sum;
        }
    return 0;
}

std::int64_t deep500_backward(const std::int64_t *size, const deep500_array *in, const deep500_array *slopes,
                              deep500_array *out) {
    const std::int64_t m = size[0], n = size[1], k = size[2];
    const float *a = in[0].data, *b = in[1].data, *y = slopes[0].data;
    for (std::int64_t i = 0; i < m * k; ++i) out[0].data[i] = 0;
    for (std::int64_t i = 0; i < k * n; ++i) out[1].data[i] = 0;
    for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t j = 0; j < n; ++j)
            for (std::int64_t l = 0; l < k; ++l) {
                out[0].data[i * k + l] += y[i * n + j] * b[l * n + j];
                out[1].data[l * n + j] += y[i * n + j] * a[i * k + l];
            }
    return 0;
}
"""
