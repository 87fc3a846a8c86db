"""Microbenchmarks: what a slot computes, moves and reads per second, apart from any training."""
