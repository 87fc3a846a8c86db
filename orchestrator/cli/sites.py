"""Commands about sites."""

from __future__ import annotations

from typing import Annotated

import typer

from orchestrator.cli.output import JsonOption, print_json, print_table

app = typer.Typer(no_args_is_help=True, help="The machines campaigns run on.")


@app.command("list")
def list_sites(as_json: JsonOption = False) -> None:
    """List the sites that come with the project.

    Example: orchestrator site list
    """
    import sites

    found = [sites.load(name)[0] for name in sites.names()]
    if as_json:
        print_json([{"site": one.site, "description": one.description} for one in found])
    else:
        print_table(
            ["site", "scheduler", "what"], [[one.site, one.scheduler.type, one.description] for one in found]
        )


@app.command()
def show(
    site: Annotated[str, typer.Argument(help="Name or .yaml file of a site.", metavar="SITE")],
    as_json: JsonOption = False,
) -> None:
    """Show a site's file, and what its node offers as seen from here.

    Example: orchestrator site show local
    """
    import sites
    from orchestrator.node import node_facts

    found, text = sites.load(site)
    node = node_facts(found)
    if as_json:
        print_json(
            {
                **found.model_dump(mode="json"),
                "found": {"cores": node.cores, "memory_bytes": node.memory_bytes},
            }
        )
    else:
        print(f"# {sites.find(site)}\n{text.rstrip()}\n")
        print(f"this node: cores {','.join(map(str, node.cores))}; {node.memory_bytes / 2**30:.1f} GiB")
