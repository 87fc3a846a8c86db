"""The launcher `fanout`."""

from __future__ import annotations

from collections.abc import Sequence


def words(nodes: int, hosts: Sequence[str]) -> list[str]:
    """Return the command without the site's options."""
    return ["fanout", "--nodes", str(nodes), *(["--on", ",".join(hosts)] if hosts else [])]
