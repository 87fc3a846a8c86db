"""Learning curves of a command, from lines of its output."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from workloads.context import Context
from workloads.external.readings import printed_number


class CurveLines:
    """Adds a point to a learning curve for each match of its expression.

    Parameters
    ----------
    patterns
        Expression of each curve, with a group ``value`` and perhaps a group ``epoch`` or ``step``; without
        them the matches are counted as steps.
    """

    def __init__(self, patterns: Mapping[str, str], context: Context) -> None:
        self._patterns = {name: re.compile(pattern) for name, pattern in patterns.items()}
        self._context = context
        self._matches: Counter[str] = Counter()

    def see(self, line: str) -> None:
        """Take a line of the output; what is no number is no point."""
        for name, pattern in self._patterns.items():
            for match in pattern.finditer(line):
                groups = match.groupdict()
                self._matches[name] += 1
                axis = next((one for one in ("epoch", "step") if one in groups), "step")
                place = groups.get(axis, self._matches[name])
                try:
                    point = printed_number(groups["value"]), int(place)
                except (TypeError, ValueError):
                    continue
                self._context.curve(name, point[0], **{axis: point[1]})
