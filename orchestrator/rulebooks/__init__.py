"""Rulebooks: the rules of a benchmark suite as code, and the words they share.

A rulebook is a module of this package with a data file of the same name. Its ``judge`` takes
what the ledger proves about each benchmark of a campaign and returns figures of merit (FOM),
each with every rule it was held against. Judging is pure: no clock, no files but the rulebook's
own reference values, no ledger.
"""
