"""Code that runs on a compute node: worker, supervisor, ranks, probe."""
