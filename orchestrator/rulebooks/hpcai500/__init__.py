"""The training benchmarks of HPC AI500 V2.0."""
