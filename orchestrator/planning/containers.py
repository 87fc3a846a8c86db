"""Which container the trainings of a benchmark run in."""

from __future__ import annotations

from orchestrator.planning.campaign_file import Benchmark
from orchestrator.protocol.order import ContainerOrder
from sites import Site
from sites.containers import Container


def container_of(benchmark: Benchmark, site: Site) -> ContainerOrder | None:
    """Return the container of a benchmark, else that of the site; None for none."""
    return container_order(site.container if benchmark.container is None else benchmark.container)


def container_order(container: Container | str | None) -> ContainerOrder | None:
    """Return a file's container as an order carries it; None for none."""
    if container is None or isinstance(container, str):
        return None
    return ContainerOrder(
        runtime=container.runtime,
        image=container.image,
        command=container.command or container.runtime,
        options=tuple(container.options),
        bind=tuple(container.bind),
        python=container.python,
    )
