"""The convnet benchmarks: forward and gradient time of four networks."""
