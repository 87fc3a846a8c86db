"""Measured ceilings of a machine, and where trainings stand below them."""
