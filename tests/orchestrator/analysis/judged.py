"""The verdict on campaigns of a ledger, from their rows alone."""

from __future__ import annotations

from collections.abc import Sequence

from db.reader import Reader
from orchestrator.analysis.verdict.fom import campaigns_named, judge
from orchestrator.rulebooks.model import Verdict


def fom(name: str | Sequence[str], ledger: str | None = None) -> Verdict:
    with Reader(ledger) as reader:
        return judge(reader, campaigns_named(reader, [name] if isinstance(name, str) else name)).verdict
