"""`node set`, `node pause` and `node unpause`."""

from __future__ import annotations

from typing import Annotated

import typer

from orchestrator.cli.instance.requests import show_asked
from orchestrator.cli.options import CampaignArgument, JsonOption, LedgerOption

PoolsArgument = Annotated[
    list[str], typer.Argument(help="Names of pools of the site, such as short.", metavar="POOL...")
]


def set_pool(
    name: CampaignArgument,
    pool: Annotated[
        str, typer.Argument(help="Pool of the site, or the name of a site without pools.", metavar="POOL")
    ],
    settings: Annotated[
        list[str],
        typer.Argument(help="Keys of the pool's scheduler, such as walltime=4h.", metavar="KEY=VALUE..."),
    ],
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Ask for further blocks of a pool with another account, partition, walltime or limit.

    Blocks that have nodes keep them; those that wait are given back and asked for anew. Later sessions go on
    with it, and the verdict declares it.

    Example: orchestrator node set friday short walltime=30min max_blocks=4
    """
    from orchestrator.lifecycle.requests.pools import change_pool

    show_asked([change_pool(name, pool, settings, ledger=ledger)], as_json)


def pause(
    name: CampaignArgument,
    pools: PoolsArgument,
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Start nothing more on a pool: attempts that run there finish, and its blocks are given back.

    What waits for its slots runs on other pools, where it may.

    Example: orchestrator node pause friday short
    """
    from orchestrator.lifecycle.requests.pools import pause_pools

    show_asked(pause_pools(name, pools, ledger=ledger), as_json)


def unpause(
    name: CampaignArgument,
    pools: PoolsArgument,
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Start instances on a paused pool again.

    Example: orchestrator node unpause friday short
    """
    from orchestrator.lifecycle.requests.pools import pause_pools

    show_asked(pause_pools(name, pools, ledger=ledger, paused=False), as_json)
