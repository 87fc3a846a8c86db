"""The page with a list of instances."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from db.queries.instance_pages import Wanted, instance_page
from db.states import InstanceState
from orchestrator.analysis.verdict.registered_workloads import fom_units
from orchestrator.errors import CampaignError
from orchestrator.serve.pages.addresses import of_campaign, of_instances
from orchestrator.serve.pages.instance_sections import listing
from orchestrator.serve.pages.page import Page, beside

if TYPE_CHECKING:
    from db.reader import Reader
    from db.records import CampaignRow

_OFFERED = 300
_FILTERS = ("state", "benchmark", "node", "reason")


def instance_list(reader: Reader, row: CampaignRow, given: Mapping[str, str]) -> Page:
    """Return a page of the list of a campaign's instances.

    Parameters
    ----------
    given
        Filters, and ``after`` or ``before`` with the label of an instance; what is empty does not count.

    Raises
    ------
    CampaignError
        If there is no state of that name.
    UnknownCampaignError
        If there is no instance of that label.
    """
    chosen = {key: given.get(key, "").strip() or None for key in (*_FILTERS, "after", "before")}
    wanted = Wanted(**{key: chosen[key] for key in _FILTERS})
    if wanted.state is not None and wanted.state not in set(InstanceState):
        raise CampaignError(f"state {wanted.state!r} is none of {', '.join(InstanceState)}")
    found = instance_page(reader, row.campaign_id, wanted, after=chosen["after"], before=chosen["before"])
    units = fom_units(reader, row.campaign_id, reader.benchmarks(row.campaign_id))
    filters = {key: chosen[key] for key in _FILTERS}
    onward = []
    if found.has_earlier:
        onward.append(("First", of_instances(row.name, **filters)))
        if found.lines:
            onward.append(("Earlier", of_instances(row.name, **filters, before=found.lines[0].label)))
    if found.has_later and found.lines:
        onward.append(("Later", of_instances(row.name, **filters, after=found.lines[-1].label)))
    return Page(
        "Instances",
        [listing(row.name, found.lines, units)],
        above=[("Campaigns", "/"), (row.name, of_campaign(row.name))],
        beside=beside(row.name),
        form=_form(reader, row, filters),
        onward=onward,
    )


def _form(reader: Reader, row: CampaignRow, filters: Mapping[str, str | None]) -> dict[str, object]:
    """Return what the form of filters shows: chosen values, and those that can be chosen."""
    counts = reader.counts(row.campaign_id)
    sweeps = reader.sweeps(row.campaign_id)
    names = list(dict.fromkeys([sweeps.get(name, name) for name in counts]))
    totals = {state.value: sum(one.get(state, 0) for one in counts.values()) for state in InstanceState}
    return {
        "address": of_campaign(row.name, "instances"),
        "chosen": filters,
        "states": totals,
        "benchmarks": names[:_OFFERED],
        "reasons": [reason for reason, _ in reader.failure_counts(row.campaign_id, _OFFERED)],
    }
