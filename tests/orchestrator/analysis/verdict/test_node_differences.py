"""Nodes that differ from the majority are named, fact by fact."""

from __future__ import annotations

from typing import Any

from db.queries.node_descriptions import NodeDescription
from orchestrator.analysis.verdict.node_differences import differing, node_differences

OLD = {"cpu": {"model": "EPYC 7763"}, "frameworks": {"tensorflow": "2.18.1"}}
NEW = {"cpu": {"model": "EPYC 7763"}, "frameworks": {"tensorflow": "2.19.0"}}
DOCUMENTS: dict[str, Any] = {"old": OLD, "new": NEW}


def described(**nodes: str) -> list[NodeDescription]:
    return [NodeDescription(1, node, document) for node, document in nodes.items()]


def test_a_ledger_without_descriptions_says_nothing() -> None:
    assert node_differences([], {}, [(1, "n1")], several_nodes=False) is None


def test_the_minority_is_named() -> None:
    places = [(1, f"n{k}") for k in range(1, 5)]
    found = node_differences(described(n1="old", n2="new", n3="old"), DOCUMENTS, places, several_nodes=False)
    assert found is not None
    assert (found.described, found.undescribed) == (3, 1)
    assert found.differing == {"frameworks.tensorflow": ("n2",)}


def test_only_nodes_of_accepted_attempts_count_unless_instances_span_nodes() -> None:
    nodes = described(n1="old", n2="new")
    one = node_differences(nodes, DOCUMENTS, [(1, "n1")], several_nodes=False)
    both = node_differences(nodes, DOCUMENTS, [(1, "n1")], several_nodes=True)
    assert one is not None
    assert both is not None
    assert (dict(one.differing), list(both.differing)) == ({}, ["frameworks.tensorflow"])


def test_a_node_that_was_changed_between_two_sessions_differs_from_itself() -> None:
    nodes = [NodeDescription(1, "n1", "old"), NodeDescription(2, "n1", "new")]
    found = node_differences(nodes, DOCUMENTS, [(1, "n1"), (2, "n1")], several_nodes=False)
    assert found is not None
    assert found.described == 1
    [names] = found.differing.values()
    assert len(names) == 1
    assert names[0].startswith("n1 (session ")


def test_a_missing_fact_differs_and_lists_of_packages_are_compared_by_digest() -> None:
    documents: dict[str, Any] = {
        "a": {"gpu": {"rocm": "6.0"}, "packages": {"sha256": "1", "list": ["x==1"]}},
        "b": {"gpu": {}, "packages": {"sha256": "2", "list": ["x==2"]}},
    }
    found = differing(documents, {"a": ["n1", "n2"], "b": ["n3"]})
    assert found == {"gpu.rocm": ("n3",), "packages.sha256": ("n3",)}


def test_installed_files_are_compared_among_the_descriptions_that_have_them() -> None:
    documents: dict[str, Any] = {
        "former": {"cpu": {"model": "x"}},
        "a": {"cpu": {"model": "x"}, "installed": {"keras/RECORD": "1"}},
        "b": {"cpu": {"model": "x"}, "installed": {"keras/RECORD": "2", "hook.pth": "3"}},
    }
    found = differing(documents, {"former": ["n0"], "a": ["n1", "n2"], "b": ["n3"]})
    assert found == {"installed.hook.pth": ("n3",), "installed.keras/RECORD": ("n3",)}
