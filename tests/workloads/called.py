"""A workload that calls a function of the tests in a process that has imported a framework."""

from __future__ import annotations

import importlib
import json

from workloads.context import Context, Result
from workloads.description import Parameter, Value, Workload
from workloads.runtime.framework import FRAMEWORK

WORKLOAD = Workload(
    name="called",
    title="calls a function",
    source="this project's tests",
    entry="tests.workloads.called:run",
    parameters=(
        FRAMEWORK,
        Parameter("function", "", "module:name of the function"),
        Parameter("arguments", "[]", "its arguments, in JSON"),
    ),
    fom_time="run",
)


def run(parameters: dict[str, Value], context: Context) -> Result:
    """Call the function."""
    context.start()
    module, _, name = str(parameters["function"]).partition(":")
    getattr(importlib.import_module(module), name)(*json.loads(str(parameters["arguments"])))
    return Result()
