"""Texts with ``{field}`` in them; ``{{`` and ``}}`` stand for braces."""

from __future__ import annotations

import string
from collections.abc import Collection, Mapping

from workloads.description import Value, WorkloadError
from workloads.spelling import nearest

FIELDS = {
    "python": "interpreter of the trainings",
    "folder": "folder of the workload file",
    "seed": "seed of the instance",
    "data": "directory of the data set",
    "cores": "number of cores of the slot",
    "core_list": "their numbers, such as 0,1",
    "output": "fresh directory of the attempt, removed afterwards",
}
"""What every template may use beside the workload's parameters."""
RANK_FIELDS = {
    "rank": "number of the rank, from 0",
    "ranks": "number of ranks of the instance",
    "local_rank": "number of the rank on its node",
    "local_ranks": "number of ranks on each node",
    "main_address": "address of rank 0",
    "main_port": "free port of rank 0",
}
"""Further fields of templates, of a workload with ``ranks: true``."""
ALL_FIELDS = FIELDS | RANK_FIELDS


def check(text: str, known: Collection[str]) -> set[str]:
    """Return the fields that a template uses.

    Raises
    ------
    WorkloadError
        If a field is unknown (the nearest one is suggested) or not a plain name.
    """
    try:
        parts = list(string.Formatter().parse(text))
    except ValueError as error:
        raise WorkloadError(f"{text!r}: {error}; a brace itself is written {{{{ or }}}}") from None
    used = set()
    for _, name, form, conversion in parts:
        if name is None:
            continue
        if not name.isidentifier() or form or conversion:
            raise WorkloadError(
                f"{text!r}: a field is a plain name such as {{seed}}; a brace itself is {{{{ or }}}}"
            )
        if name not in known:
            close = nearest(name, known)
            hint = f"did you mean {{{close}}}?" if close else f"there are {', '.join(sorted(known))}"
            raise WorkloadError(f"{text!r} has the unknown field {{{name}}}; {hint}")
        used.add(name)
    return used


def fill(text: str, values: Mapping[str, Value]) -> str:
    """Return a checked template with its fields' values in place."""
    return "".join(
        literal + ("" if name is None else str(values[name]))
        for literal, name, _, _ in string.Formatter().parse(text)
    )
