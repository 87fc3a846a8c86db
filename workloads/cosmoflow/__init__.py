"""CosmoFlow: four parameters of a universe from the 3-D images of its matter."""
