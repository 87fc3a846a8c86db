"""Recorded facts of two campaigns that differ: the names that values have, and the parts that are shown."""

from __future__ import annotations

from orchestrator.analysis.comparison.recorded_differences import _add, differences


def test_entries_of_a_list_are_named_by_their_names() -> None:
    found: dict[str, set[str]] = {}
    entries = [{"workload": "p1b1", "instances": 4}, {"workload": "p1b1", "name": "x"}, {"cores": [0, 1]}, {}]
    _add(found, "file", {"benchmarks": entries, "tags": ["a", "b"], "none": []})
    assert found == {
        "file.benchmarks[p1b1].workload": {"p1b1"},
        "file.benchmarks[p1b1].instances": {"4"},
        "file.benchmarks[x].workload": {"p1b1"},
        "file.benchmarks[x].name": {"x"},
        "file.benchmarks[3].cores": {"[0, 1]"},
        "file.benchmarks[4]": {"{}"},
        "file.tags": {"['a', 'b']"},
        "file.none": {"[]"},
    }


def test_entries_of_one_name_have_the_names_of_their_places() -> None:
    found: dict[str, set[str]] = {}
    _add(found, "file", {"pools": [{"name": "a", "cores": 1}, {"name": "a", "cores": 2}]})
    assert (found["file.pools[1].cores"], found["file.pools[2].cores"]) == ({"1"}, {"2"})


def test_of_long_values_the_parts_are_shown_that_differ() -> None:
    same = "v" * 1_000
    [(one, other)] = differences({"a": f"{same}1{same}"}, {"a": f"{same}2{same}"}).values()
    assert one != other
    assert one.startswith("...v")
    assert (one.strip("v."), other.strip("v."), len(one), len(other)) == ("1", "2", 200, 200)
    assert differences({"a": same}, {"a": same}) == {}
    assert differences({"a": same}, {}) == {"a": (f"{same[:197]}...", "-")}
    found = differences({"a": "1", "same": "0"}, {"a": "2", "same": "0", "c": "3"})
    assert found == {"a": ("1", "2"), "c": ("-", "3")}
