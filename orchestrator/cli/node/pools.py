"""`node add`, `node set`, `node pause`, `node unpause` and `node remove`."""

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
    """Ask for further blocks of a pool with another account, partition, size, walltime or limit.

    Blocks that have nodes keep them; those that wait take the settings where the batch system lets them, and
    else are given back and asked for anew. Later sessions go on with it, and the verdict declares it.

    Example: orchestrator node set friday short walltime=30min max_blocks=4
    """
    from orchestrator.lifecycle.requests.pools import change_pool

    show_asked([change_pool(name, pool, settings, ledger=ledger)], as_json)


def add(
    name: CampaignArgument,
    pool: Annotated[str, typer.Argument(help="Pool of the site file, such as large.", metavar="POOL")],
    site: Annotated[
        str | None,
        typer.Option(
            "--site",
            "-s",
            help="Name or path of the site file that has the pool; by default that of the campaign's site "
            "on the search path, and for a removed pool what the campaign had.",
            metavar="NAME or FILE",
        ),
    ] = None,
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Let a campaign use one more pool of nodes from now on: benchmarks that are spread run there too.

    The pool is checked as a plan is, and the batch system is asked whether it takes the blocks. Later
    sessions use the pool too, and the verdict declares it.

    Example: orchestrator node add friday large --site ours.yaml
    """
    from orchestrator.lifecycle.site_pools import add_pool

    show_asked([add_pool(name, pool, site=site, ledger=ledger)], as_json)


def remove(
    name: CampaignArgument,
    pool: Annotated[str, typer.Argument(help="Pool of the site, such as short.", metavar="POOL")],
    now: Annotated[
        bool, typer.Option("--now", help="End what runs there; it runs again elsewhere, and costs no retry.")
    ] = False,
    mixed: Annotated[
        bool,
        typer.Option(
            "--mixed",
            help="Let benchmarks with accepted instances go on on another pool; their figure is not "
            "reportable then.",
        ),
    ] = False,
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Let a campaign use a pool no more: what runs there finishes, and its blocks are given back.

    What waits goes on on other pools. Later sessions leave the pool out too, and the verdict declares it.

    Example: orchestrator node remove friday short
    """
    from orchestrator.lifecycle.site_pools import remove_pool

    show_asked([remove_pool(name, pool, now=now, mixed=mixed, ledger=ledger)], as_json)


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
