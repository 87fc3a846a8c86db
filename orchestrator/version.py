"""The installed version of the project."""

from __future__ import annotations

from importlib.metadata import version

__version__ = version("ensemble-throughput-orchestrator")
