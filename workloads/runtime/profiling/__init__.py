"""Profile part of a training: the time of kernels by class, from the framework's own profiler."""
