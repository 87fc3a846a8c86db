"""Metrics of a measured part of a run, each defined once: `definitions.METRICS`.

`workloads.context.Context.measure` runs a function as often as its metrics need;
`Context.record` and `Context.timed` take what a run states while it goes on.
"""

FOLDER = "measured"
"""Directory of the files in the scratch directory of the instance."""
