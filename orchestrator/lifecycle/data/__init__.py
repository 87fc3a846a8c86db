"""Files that benchmarks read: existence, sizes, hashes, changes."""
