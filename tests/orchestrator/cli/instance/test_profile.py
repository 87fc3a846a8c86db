"""`instance show NAME INSTANCE --profile`: classes and kernels, and what is missing in a line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from orchestrator.rundir.layout import RunDirectory, recording_name
from workloads.runtime.profiling.kernels import Span, profile_of

S = 1_000_000_000


def test_kernels_are_shown_by_class(shown: Callable[..., str], tmp_path: Path) -> None:
    directory = RunDirectory(tmp_path)

    def show(*words: str) -> str:
        return shown("toy/0", "--profile", *words)

    assert f"no profile of toy/0, attempt 1, is in {directory.profiles}; `profile: true`" in show()
    file = directory.profiles / recording_name("toy", 0, 1)
    spans = [Span(0, 3 * S, "Conv2D"), *(Span((3 + n) * S, (4 + n) * S, f"k{n}") for n in range(16))]
    profile_of("tensorflow", 40.0, "device", [spans]).write(file)
    lines = show().splitlines()
    assert lines[0] == "kernels of toy/0, attempt 1, on the GPUs"
    assert lines[2].split() == ["convolution", "3", "15.79"]
    assert "that is little" not in lines[-1]
    assert ["Conv2D", "convolution", "1", "3", "15.79"] in [line.split() for line in lines]
    assert lines[-2:] == [
        "and 2 kernels more, with --json",
        "recorded for 40 s by tensorflow; a kernel ran in 47.5 % of it",
    ]
    assert max(map(len, lines)) <= 80
    facts = json.loads(show("--json"))
    assert (facts["classes"]["other"], facts["kernel_seconds"], len(facts["kernels"])) == (16.0, 19.0, 17)
    assert "Invalid value for --timeline: give either it or --profile" in show("--timeline")
    assert "name an instance, such as p1b1/3" in shown("--profile")
    profile_of("tensorflow", 400.0, "device", [spans]).write(file)
    assert show().splitlines()[-1].startswith("that is little: it may not have trained yet")
    file.write_bytes(b"not a gzip file")
    assert f"error: {file} cannot be read as a profile" in show()
