"""Rulebooks: the rules of a benchmark suite as code, and the model they share.

A rulebook's ``judge`` takes what the ledger proves about each benchmark of a campaign (`model.Measurements`)
and returns a `model.Verdict`: figures, each with its arithmetic, and every rule with its result. Judging is
pure: no clock, no files except the rulebook's own reference values, no ledger. ``README.md`` beside this
file explains the shipped rulebooks and how to write one.
"""
