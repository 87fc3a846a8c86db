"""What a container's entry in a site or campaign file may be."""

from __future__ import annotations

import pytest

from orchestrator.planning.campaign_file import Benchmark
from orchestrator.planning.containers import container_of
from sites import FileError, Site, parse

PODMAN = "{runtime: podman, image: docker.io/me/train:1}"


def site(container: str) -> Site:
    return parse(f"site: x\ncontainer: {container}\n", Site, "x")


def benchmark(**changes: object) -> Benchmark:
    given = {"workload": "p1b1", "instances": 1, "timeout": 60, **changes}
    return Benchmark.model_validate(given)


def test_a_benchmark_has_the_sites_container_unless_it_says_otherwise() -> None:
    ours = site(PODMAN)
    inherited = container_of(benchmark(), ours)
    assert inherited is not None
    assert (inherited.runtime, inherited.command, inherited.python) == ("podman", "podman", "python3")
    own = {
        "runtime": "apptainer",
        "image": "$IMAGES/a.sif",
        "command": "singularity",
        "python": "/opt/bin/python",
    }
    replaced = container_of(benchmark(container=own), ours)
    assert replaced is not None
    assert (replaced.runtime, replaced.command, replaced.image) == (
        "apptainer",
        "singularity",
        "$IMAGES/a.sif",
    )
    assert container_of(benchmark(container="none"), ours) is None
    assert container_of(benchmark(), site("none")) is None
    assert container_of(benchmark(), parse("site: x\n", Site, "x")) is None


@pytest.mark.parametrize(
    ("container", "message"),
    [
        ("podman", "must be none, or a mapping such as {runtime: podman, image: NAME}"),
        ("[podman]", "container"),
        ("{runtime: docker, image: a}", "'apptainer', 'podman', 'sarus' or 'shifter'"),
        ("{runtime: podman}", "image"),
        ("{runtime: podman, image: ''}", "image"),
        ("{runtime: podman, image: 'two words'}", "must be a name or a path without spaces"),
        ("{runtime: podman, image: --privileged}", "must be a name or a path without spaces"),
        ("{runtime: podman, image: \"a\\u0007\"}", "must be a name or a path without spaces"),
        ("{runtime: podman, image: a, bind: [relative]}", "with absolute paths: relative"),
        ("{runtime: podman, image: a, bind: ['/a:/b:rx']}", "SOURCE:TARGET:ro"),
        ("{runtime: podman, image: a, bind: ['/a,b']}", "must have no comma"),
        ("{runtime: podman, image: a, binds: [/a]}", "bind"),
        ("{runtime: podman, image: a, options: --rm}", "must be a list"),
    ],
)  # fmt: skip
def test_bad_containers_are_refused_with_a_line(container: str, message: str) -> None:
    with pytest.raises(FileError) as caught:
        site(container)
    assert message in str(caught.value)
    assert "line 2" in str(caught.value)
    assert len(str(caught.value).splitlines()) <= 3


def test_hooks_of_a_benchmark_are_no_key() -> None:
    with pytest.raises(FileError, match="instance_setup"):
        parse("site: x\ninstance_setup: echo\n", Site, "x")
