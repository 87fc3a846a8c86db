"""The CORAL-2 Deep Learning Suite."""
