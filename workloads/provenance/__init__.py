"""Provenance of a training process: the files of its code, and the environment variables it was given."""
