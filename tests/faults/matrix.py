"""What became of every cell of the kill matrix, and its table."""

from __future__ import annotations

from collections.abc import Iterable

from tests.faults.kill_matrix_cells import CANNOT_BE, PHASES, ROWS

_FIRST, _OTHER = 19, 18
"""Columns of the table; all of it fits into 110."""


class Matrix:
    """Outcomes of cells, as tests play them."""

    def __init__(self) -> None:
        self._outcomes: dict[tuple[str, str], dict[str, bool]] = {}

    def begin(self, row: str, phase: str, kind: str = "") -> None:
        """Note that a kind of fault is played in a cell; unless more is heard, it failed."""
        self._outcomes.setdefault((row, phase), {})[kind] = False

    def passed(self, row: str, phase: str, kind: str = "") -> None:
        """Note that it ended well."""
        self._outcomes[row, phase][kind] = True

    def told(self) -> list[tuple[str, str, str, bool]]:
        """Return row, phase, kind and outcome of all that was played."""
        return [
            (row, phase, kind, good)
            for (row, phase), kinds in self._outcomes.items()
            for kind, good in kinds.items()
        ]

    def add(self, told: Iterable[tuple[str, str, str, bool]]) -> None:
        """Take what another process played."""
        for row, phase, kind, good in told:
            self._outcomes.setdefault((row, phase), {})[kind] = good

    def missing(self) -> list[str]:
        """Return the cells that can be, and were not played."""
        known = self._outcomes.keys() | CANNOT_BE.keys()
        return [f"{row}, {phase}" for row in ROWS for phase in PHASES if (row, phase) not in known]

    def table(self) -> list[str]:
        """Return the table: a row for each victim, a column for each phase, and why cells are not played."""
        reasons = list(dict.fromkeys(CANNOT_BE.values()))
        lines = ["".join(f"{text:<{_OTHER}}" for text in PHASES)]
        lines += [
            "".join(f"{self._shown(row, phase, reasons):<{_OTHER}}" for phase in PHASES) for row in ROWS
        ]
        return [
            *(f"{row:<{_FIRST}}{line}".rstrip() for row, line in zip(("", *ROWS), lines, strict=True)),
            *(f"n/a {k}: {reason}" for k, reason in enumerate(reasons, 1)),
        ]

    def _shown(self, row: str, phase: str, reasons: list[str]) -> str:
        if (reason := CANNOT_BE.get((row, phase))) is not None:
            return f"n/a {reasons.index(reason) + 1}"
        played = self._outcomes.get((row, phase), {})
        if not played:
            return "not played"
        if failed := [kind for kind, good in played.items() if not good]:
            return " ".join(["FAILED", *failed]).strip()
        return ", ".join(f"{kind} ok".strip() for kind in played)
