"""ImageNet: file layout, generator, input pipeline, and what trains on it."""
