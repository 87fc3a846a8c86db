/* Functions of an operator in C++, which workload deep500_operator compiles and calls.

   All arrays are float, the last axis contiguous, in the order of `orchestrator workload show
   deep500_operator` and workloads/README.md. With precision bfloat16 or float16 the inputs have values
   of that type, and the results may have the errors of that type. `size` has the operator's dimensions in
   the order of its description, then the lengths that follow from them. A function returns 0, or
   another number if it failed. */
#pragma once
#include <cstdint>

#define DEEP500_VERSION 1

struct deep500_array {
    float *data;
    const std::int64_t *shape;
    std::int64_t axes;
};

extern "C" {
/* Return DEEP500_VERSION. */
std::int64_t deep500_version();

/* Compute the outputs. */
std::int64_t deep500_forward(const std::int64_t *size, const deep500_array *inputs, deep500_array *outputs);

/* Compute the gradient by each input from the gradients of the outputs; needed for direction gradient. */
std::int64_t deep500_backward(const std::int64_t *size, const deep500_array *inputs,
                              const deep500_array *output_gradients, deep500_array *input_gradients);
}
