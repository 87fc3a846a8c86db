"""Find directives of a site file that repeat or contradict what the submit script says already. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator.schedulers.directives import Option
from orchestrator.schedulers.families import directives, family_of
from orchestrator.schedulers.model import Family
from sites import Site
from sites.quantities import shown
from sites.schedulers import Batch, Local


@dataclass(frozen=True, slots=True)
class DirectiveConflict:
    """A directive that repeats or contradicts what the submit script says already.

    Parameters
    ----------
    is_error
        Whether it contradicts; a repetition does no harm.
    """

    directive: str
    is_error: bool
    message: str


def directive_conflicts(site: Site) -> list[DirectiveConflict]:
    """Return the conflicts of a site's extra directives with those that are made from its other keys."""
    batch = site.scheduler
    if isinstance(batch, Local):
        return []
    family = family_of(batch)
    made = {option.name: option for line in directives(batch) for option in family.requested(line)}
    found = []
    for directive in batch.extra_directives:
        if directive.startswith(tuple(batch.skip_directives)):
            continue
        for option in family.requested(directive):
            conflict = _with_key(batch, family, option) or _with_script(family, option, made.get(option.name))
            if conflict is not None:
                found.append(conflict)
    return found


def _with_key(batch: Batch, family: Family, option: Option) -> DirectiveConflict | None:
    """Return a contradiction with nodes_per_block or walltime, which the orchestrator itself relies on."""
    if option.name == family.nodes_option:
        asked = family.requested_nodes(option.value)
        nodes = batch.nodes_per_block
        if asked is not None and (asked != str(int(nodes)) or nodes.varies):
            says = f"scheduler.nodes_per_block is {nodes.written}, this directive requests {asked}"
            return DirectiveConflict(option.directive, True, f"{says}; change one of them")
    if option.name == family.time_option:
        limit = family.requested_seconds(option.value)
        same = limit is None or -(-limit // 60) == -(-batch.walltime // 60)  # LSF takes whole minutes
        varies = batch.walltime.varies
        if limit is not None and (varies or not same):
            least = f"{shown(batch.walltime.least)}.." if varies else ""
            says = f"scheduler.walltime is {least}{shown(batch.walltime)}"
            says += f", this directive requests {shown(limit)}"
            return DirectiveConflict(option.directive, True, f"{says}; change one of them")
    return None


def _with_script(family: Family, option: Option, made: Option | None) -> DirectiveConflict | None:
    """Return whether the submit script has this option already."""
    if made is None:
        return None
    # Both ask for the same time, or the same nodes and nothing else of them.
    plain = option.name == family.nodes_option and ":" not in option.value + made.value
    if option.value == made.value or plain or option.name == family.time_option:
        return DirectiveConflict(
            option.directive, False, f"the script has {made.directive} already; delete it"
        )
    message = (
        f"the script has {made.directive} already; change the key of the site file that it is made from, "
        "or leave it out with scheduler.skip_directives"
    )
    return DirectiveConflict(option.directive, True, message)
