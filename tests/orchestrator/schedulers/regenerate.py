"""Submit scripts of all shipped sites, as reference texts that are read like documents.

``python -m tests.orchestrator.schedulers.regenerate`` writes them anew; read the difference before it
is committed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from unittest import mock

import sites
from orchestrator.planning.placement import shape_of
from orchestrator.planning.site_facts import node_facts
from orchestrator.planning.slots import SlotShape, partition
from orchestrator.schedulers.families import family_of
from orchestrator.schedulers.model import JobRequest
from orchestrator.schedulers.submit_script import render
from sites import Site
from sites.schedulers import Local

FOLDER = Path(__file__).parent / "golden"
ACCOUNTS = {"SBATCH_ACCOUNT": "abc123", "PROJECT": "ABC123", "BANK": "abc123"}
POOL = (
    "/home/me/.venv/bin/process_worker_pool.py --max_workers_per_node={workers} -a 10.1.2.3 -p 0 -c 1e-06 "
    "-m None --poll 10 --port=54321 --cert_dir /scratch/me/runs/friday/parsl/c1-g1/certificates "
    "--logdir=/scratch/me/runs/friday/parsl/c1-g1 --block_id=0 --hb_period=5 --hb_threshold=60 "
    "--drain_period=None --cpu-affinity none --mpi-launcher=mpiexec --available-accelerators"
)


def shapes(site: Site) -> dict[str, SlotShape]:
    """Return the slot shapes that the suite's benchmarks have on a site."""
    return {"throughput": shape_of(site.slot), "resnet50": shape_of(site.slots["resnet50"])}


def script(site: Site, name: str, shape: SlotShape) -> str:
    """Return the submit script of a block of one shape's slots."""
    assert not isinstance(site.scheduler, Local)
    nodes = site.scheduler.nodes_per_block
    workers = len(partition(node_facts(site), shape)) if shape.nodes == 1 else nodes // shape.nodes
    request = JobRequest(
        name="eto-0123456789",
        nodes=nodes,
        walltime_seconds=site.scheduler.walltime,
        output=PurePosixPath(f"/scratch/me/runs/friday/parsl/{name}/block-0.out"),  # type: ignore[arg-type]
        command=POOL.format(workers=workers),
        on_every_node=shape.nodes == 1,
        variables=(("ORCHESTRATOR_CAMPAIGN", "friday"),),
    )
    with mock.patch.dict(os.environ, ACCOUNTS):
        return render(family_of(site.scheduler), site.scheduler, request)


def scripts() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each reference."""
    for name in sites.names():
        site, _ = sites.load(name)
        for pool, pooled in site.pooled().items() if not site.local else ():
            for shape_name, shape in shapes(pooled).items():
                yield (
                    f"{'-'.join(filter(None, (name, pool, shape_name)))}.sh",
                    script(pooled, shape_name, shape),
                )


def main() -> None:
    """Write all references, and remove those of sites that are no more."""
    FOLDER.mkdir(exist_ok=True)
    wanted = dict(scripts())
    for file in FOLDER.iterdir():
        if file.name not in wanted:
            file.unlink()
    for name, text in wanted.items():
        (FOLDER / name).write_text(text, encoding="utf-8")
    print(f"{len(wanted)} scripts in {FOLDER}")


if __name__ == "__main__":
    main()
