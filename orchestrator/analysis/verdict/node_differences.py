"""Compare the descriptions of the nodes that ran accepted attempts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from orchestrator.rulebooks.measured_work import NodeDifferences

if TYPE_CHECKING:
    from db.evidence.clocks import Place
    from db.queries.node_descriptions import NodeDescription

_LEFT_OUT = frozenset({"packages.list"})  # its digest says the same in one line
_ADDED_LATER = frozenset({"installed"})  # groups that descriptions of former versions lack
_UNKNOWN_IF_ABSENT = ("interconnect.", "cpu.caches", "gpu.memory_gibibytes")
"""Facts that a command may fail to state for once, and that former versions did not ask for."""


def node_differences(
    described: Sequence[NodeDescription],
    documents: Mapping[str, Mapping[str, Any]],
    places: Collection[Place],
    *,
    several_nodes: bool,
) -> NodeDifferences | None:
    """Return how the nodes of accepted attempts differ; None if no node of the campaign was described.

    Parameters
    ----------
    described, documents
        Descriptions of the campaign's nodes, and their contents by key.
    places
        Session and node of the accepted attempts.
    several_nodes
        Whether an instance spans nodes beside the one that its place names; then all described nodes count.
    """
    if not described:
        return None
    known = {(one.session, one.node): one.document for one in described if one.document in documents}
    used = set(known) if several_nodes else {place for place in places if place in known}
    missing = 0 if several_nodes else len({place for place in places if place not in known})
    sessions = Counter(node for _, node in used)
    nodes: dict[str, list[str]] = {}
    for session, node in used:
        label = node if sessions[node] == 1 else f"{node} (session {session})"
        nodes.setdefault(known[session, node], []).append(str(label))
    return NodeDifferences(
        described=len({node for _, node in used}),
        undescribed=missing,
        differing=differing({key: documents[key] for key in nodes}, nodes),
    )


def differing(
    documents: Mapping[str, Mapping[str, Any]], nodes: Mapping[str, Sequence[str]]
) -> dict[str, tuple[str, ...]]:
    """Return by fact, such as ``cpu.model``, the nodes that differ from what most nodes state.

    Parameters
    ----------
    documents, nodes
        Contents, and the names of the nodes that each describes, by key.
    """
    flat = {key: _flat(content) for key, content in documents.items()}
    found = {}
    for fact in sorted({name for facts in flat.values() for name in facts} - _LEFT_OUT):
        stated: dict[str, list[str]] = {}
        group = fact.partition(".")[0]
        for key, facts in flat.items():
            if group in _ADDED_LATER and group not in documents[key]:
                continue
            if fact not in facts and fact.startswith(_UNKNOWN_IF_ABSENT):
                continue
            stated.setdefault(facts.get(fact, ""), []).extend(nodes[key])
        if len(stated) > 1:
            majority = max(sorted(stated), key=lambda text: len(stated[text]))
            others = [node for text, names in stated.items() if text != majority for node in names]
            found[fact] = tuple(sorted(others))
    return found


def stated_facts(
    described: Sequence[NodeDescription],
    documents: Mapping[str, Mapping[str, Any]],
    places: Collection[Place],
    groups: Sequence[str],
) -> dict[str, tuple[str, ...]]:
    """Return the distinct values of facts, such as ``cpu.model``, of the nodes of accepted attempts.

    Parameters
    ----------
    places
        Session and node of the accepted attempts; descriptions of other nodes are left out, unless none of
        these is described.
    groups
        Facts, or groups of facts, to return.
    """
    if not groups:
        return {}
    used = [one for one in described if (one.session, one.node) in places] or list(described)
    found: dict[str, set[str]] = {}
    for key in sorted({one.document for one in used if one.document in documents}):
        for fact, value in _flat(documents[key]).items():
            if fact.startswith(tuple(groups)) and fact not in _LEFT_OUT:
                found.setdefault(fact, set()).add(value)
    return {fact: tuple(sorted(values)) for fact, values in sorted(found.items())}


def _flat(content: Mapping[str, Any]) -> dict[str, str]:
    """Return facts of groups as texts by ``group.fact``; a list or mapping within a group is one fact."""
    return {
        f"{group}.{name}": str(value)
        for group, facts in content.items()
        for name, value in (facts.items() if isinstance(facts, dict) else [("", facts)])
    }
