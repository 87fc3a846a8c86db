"""Run attempts in a worker pool of a block, and describe its node."""
