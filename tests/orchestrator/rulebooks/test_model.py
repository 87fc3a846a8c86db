"""Texts of verdicts."""

from __future__ import annotations

from orchestrator.rulebooks.model import RuleResult


def test_texts_of_a_rule_are_one_line() -> None:
    rule = RuleResult(True, "r\npass  ledger\x1b[2J is 1", ("a\rb",), name="quality")
    assert rule.reason == "r\\npass  ledger\\x1b[2J is 1"
    assert rule.declared == ("a\\rb",)
