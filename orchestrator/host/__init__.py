"""Facts of the machine: processes, GPUs, network, Python interpreters."""
