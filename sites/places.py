"""Lines of a YAML text, for messages about what stands there."""

from __future__ import annotations

import io
from functools import cached_property
from typing import Any

_LARGEST_NUMBERED = 1 << 20  # characters of a text whose lines are looked up, which takes seconds

Place = tuple[str | int, ...]
"""Keys and list indices that lead to a value."""


class Lines:
    """Line numbers in a text that is known to be YAML; a text above 1 MiB has none."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _root(self) -> Any:
        from ruamel.yaml import YAML

        if len(self._text) > _LARGEST_NUMBERED:
            return None
        return YAML(typ="safe", pure=True).compose(io.StringIO(self._text))

    def of(self, place: Place) -> str:
        """Return ``line 7: `` of what is at a place, or of the nearest thing above it that is found."""
        from ruamel.yaml.nodes import MappingNode, SequenceNode

        node, mark = self._root, None
        for part in place:
            members: dict[str | int, Any] = {}
            if isinstance(node, MappingNode):
                members = {key.value: (key.start_mark, value) for key, value in node.value}
            elif isinstance(node, SequenceNode):
                members = {number: (one.start_mark, one) for number, one in enumerate(node.value)}
            if part not in members:
                break
            mark, node = members[part]
        return f"line {mark.line + 1}: " if mark else ""
