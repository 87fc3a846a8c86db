"""Readers of energy, power and load: each takes a file tree or a library, and states why it cannot read."""
