"""`serve`: pages of a ledger for a browser."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from orchestrator.cli.options import LedgerOption


def serve(
    host: Annotated[
        str, typer.Option("--host", help="Name or address to listen on; other than loopback needs a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port; 0 takes a free one.")] = 8600,
    token_file: Annotated[
        Path | None,
        typer.Option(
            "--token-file",
            help="Ask for the token of this file, on loopback too; made with a new one if it does not exist.",
            metavar="FILE"),
    ] = None,
    allow_actions: Annotated[
        bool,
        typer.Option(
            "--allow-actions",
            help="Let who has the token drain a campaign, pause benchmarks, add and retry instances; asks "
            "for a token on loopback too.",
        ),
    ] = False,
    campaigns: Annotated[
        Path | None,
        typer.Option(
            "--campaigns",
            help="With --allow-actions, let programs launch the campaign files (*.yaml) of this folder.",
            metavar="DIR", resolve_path=True),
    ] = None,
    ledger: LedgerOption = None,
) -> None:  # fmt: skip
    """Serve pages of a ledger: campaigns, live progress, instances, reports; /metrics; a JSON API, /api/v1.

    Pages and API only read, unless --allow-actions lets those with the token act. Without a token, every
    user of this machine can read what it serves on loopback. Ctrl-C ends it.

    Example: orchestrator serve --port 8600
    Example: orchestrator serve --allow-actions --token-file ~/.orchestrator-token

    From your own machine: ssh -L 8600:localhost:8600 login-node, then open http://localhost:8600/
    """
    from orchestrator.serve.access import Access, make_token, token_of
    from orchestrator.serve.ledger_source import LedgerSource
    from orchestrator.serve.server import address_of, is_loopback, listening
    from orchestrator.serve.server import serve as run

    if campaigns is not None and not campaigns.is_dir():
        raise typer.BadParameter(f"{campaigns} is no folder", param_hint="--campaigns")
    if campaigns is not None and not allow_actions:
        raise typer.BadParameter("--campaigns needs --allow-actions", param_hint="--campaigns")
    source, loopback = LedgerSource(ledger), is_loopback(host)
    with source.reader():  # a ledger that does not exist is an error now
        pass
    opened = listening(host, port)
    token = token_of(token_file) if token_file else make_token() if allow_actions or not loopback else None
    address = address_of(opened, host)
    access = Access(token, loopback, f"orchestrator-{opened.getsockname()[1]}", allow_actions)
    first, where = address if token is None else f"{address}?token={token}", ""
    if token_file and not sys.stdout.isatty():  # a file of the output may be readable by others
        first, where = address, f"the token is in {token_file}; "
    run(
        source,
        opened,
        access,
        lambda: print(f"{source}: {first}  ({where}Ctrl-C ends it)", flush=True),
        campaigns,
    )
