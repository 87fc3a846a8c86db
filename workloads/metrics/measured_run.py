"""The members of `workloads.context.Context` that measuring a part of its run needs."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

from workloads.result import Metric


class MeasuredRun(Protocol):
    """A run, parts of which are measured; see `workloads.context.Context`."""

    size: int
    scratch: Path | None
    metrics: list[Metric]
    observed: dict[str, Any]
    recorded: dict[str, list[Any]]
    is_recording: bool
    has_window: bool

    def window(self) -> AbstractContextManager[None]:
        """Mark the timed window."""

    def claim(self, names: Iterable[str]) -> None:
        """Raise `ValueError` if a metric was measured before."""
