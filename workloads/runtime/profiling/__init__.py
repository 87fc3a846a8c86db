"""Profile part of a training: the time of kernels by class, from the framework's own profiler."""

PROFILE_SECONDS = "profile_seconds"
"""Metric of all runs that a profiler slowed, and of no other: how long it recorded."""
