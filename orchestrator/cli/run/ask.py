"""`plan --ask`: when the batch system would start the blocks of a plan, in its own words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from orchestrator.cli.exit_codes import REFUSED
from orchestrator.cli.terminal.plan_view import block_request
from orchestrator.cli.terminal.tables import print_json, say
from orchestrator.schedulers.client import SchedulerClient
from sites.schedulers import Batch

if TYPE_CHECKING:
    from orchestrator.planning.plan import Plan


def ask(made: Plan, *, as_json: bool) -> None:
    """Print when a block of each stage would start, or why it is refused, and exit with 5 in that case.

    Where the site gives ranges, the batch system is asked for their ends.

    Raises
    ------
    SchedulerError
        If the batch system does not answer.
    """
    if made.whole_blocks:
        raise typer.BadParameter("--here submits no blocks; leave out one of them", param_hint="--ask")
    found, refused = [], False
    for number, stage in enumerate(made.stages, 1):
        batch = stage.site.scheduler
        if not isinstance(batch, Batch):
            continue
        for shape in () if stage.block_range is None else stage.block_range.corners:
            answer = SchedulerClient(stage.site).ask(block_request(made, stage, batch, shape))
            refused |= answer.accepted is False
            found.append(
                {
                    "stage": number,
                    "slot": stage.label,
                    "blocks": stage.blocks,
                    "nodes_per_block": shape.nodes,
                    "walltime_seconds": shape.walltime,
                    "accepted": answer.accepted,
                    "words": answer.words,
                }
            )
            if not as_json:
                word = {True: "", False: "refused: ", None: "not known: "}[answer.accepted]
                which = "the block" if stage.blocks == 1 else f"one of {stage.blocks} blocks"
                say(f"stage {number}, {stage.label}: {which}, {shape}: {word}{answer.words}")
    if as_json:
        print_json({"campaign": made.name, "site": made.site.site, "stages": found})
    elif not found:
        say(f"site {made.site.site} has no batch system: nothing is submitted")
    if refused:
        raise typer.Exit(REFUSED)
