"""Lines of a YAML text, for messages about what stands there."""

from __future__ import annotations

import io
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ruamel.yaml.nodes import Node

_LARGEST_NUMBERED = 1 << 20  # characters of a text whose lines are looked up, which takes seconds

Place = tuple[str | int, ...]


class Lines:
    """Line numbers in a text that is known to be YAML; a text above 1 MiB has none."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _root(self) -> Node | None:
        from ruamel.yaml import YAML

        if len(self._text) > _LARGEST_NUMBERED:
            return None
        root: Node = YAML(typ="safe", pure=True).compose(io.StringIO(self._text))
        return root

    def of(self, place: Place) -> str:
        """Return ``line 7: `` of what is at a place, or of the nearest thing above it that is found."""
        node = self._root
        for part in place:
            inner = _member(node, part)
            if inner is None:
                break
            node = inner
        return "" if node is None else f"line {node.start_mark.line + 1}: "


def _member(node: Node | None, part: str | int) -> Node | None:
    from ruamel.yaml.nodes import MappingNode, SequenceNode

    if isinstance(node, SequenceNode) and isinstance(part, int):
        return node.value[part] if part < len(node.value) else None
    if isinstance(node, MappingNode):
        return next((value for key, value in node.value if key.value == part), None)
    return None
