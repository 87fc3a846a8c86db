"""Nodes of a screening: good ones are not named whatever the noise, slow ones and slow slots are."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from db.queries.rates import SlotRate
from orchestrator.analysis.nodes import judging
from orchestrator.analysis.nodes.scores import FALSE_ALARMS
from orchestrator.analysis.nodes.screened import Judged, Screening
from workloads.microbenchmarks.links import link_facts

BENCHMARKS = ("gemm", "triad", "read_bandwidth")
NOISE = {
    "normal": lambda random, size: random.normal(0.0, 0.02, size),
    "heavy": lambda random, size: 0.02 * random.standard_t(2, size),
    "skewed": lambda random, size: random.exponential(0.02, size),
    "stragglers": lambda random, size: (
        random.normal(0.0, 0.02, size)
        + np.where(random.random(size) < 0.02, 0.3 * random.pareto(2.0, size), 0.0)
    ),
}


WAVE_US = 15_000_000


def rate(
    benchmark: str,
    node: str,
    value: float | None = 1.0,
    slot: int | None = 0,
    wave: int = 0,
    **other: Any,
) -> SlotRate:
    given = {"session": 1, "block": "0", "state": "succeeded", "reason": None, "message": None, "unit": "B/s"}
    times = {"submitted_us": wave * WAVE_US, "received_us": (wave + 1) * WAVE_US}
    return SlotRate(benchmark, node, slot, **(given | times | other), rate=value)


def judge(
    found: list[SlotRate],
    died: Collection[int] = (),
    *,
    waves: tuple[int, int] = (3, 12),
    difference: float = 0.05,
) -> Judged:
    slots = len({(one.node, one.slot) for one in found})
    names = len({one.benchmark for one in found})
    return judging.judge(found, Screening(difference, *waves, slots, names), died)


def machine(
    random: np.random.Generator,
    nodes: int,
    slots: int,
    *,
    noise: str = "normal",
    slow: dict[tuple[str, int, int | None], float] | None = None,
    spread: float = 0.01,
    waves: int = 12,
) -> list[SlotRate]:
    """Return waves of rates; slots differ by design, good nodes by a percent, runs by noise."""
    found = []
    for benchmark in BENCHMARKS:
        of_slot = random.normal(0.0, 0.1, slots)
        of_node = random.normal(0.0, spread, (nodes, 1)) + random.normal(0.0, spread / 2, (nodes, slots))
        seconds = of_node[None] + NOISE[noise](random, (waves, nodes, slots)) + of_slot
        for (name, node, slot), share in (slow or {}).items():
            if name == benchmark:
                seconds[:, node, slice(None) if slot is None else slot] -= np.log(share)
        found += [
            rate(benchmark, f"n{node}", 1e9 * float(np.exp(-seconds[wave, node, slot])), slot, wave)
            for wave, node, slot in np.ndindex(seconds.shape)
        ]
    return found


def named(judged: Judged) -> dict[str, tuple[str, ...]]:
    return {one.node: one.slow_in for one in judged.named}


@pytest.mark.parametrize("noise", NOISE)
@pytest.mark.parametrize(("nodes", "slots"), [(5, 1), (16, 2)])
def test_good_nodes_are_not_named_whatever_the_noise(noise: str, nodes: int, slots: int) -> None:
    """One or none of 12 screenings at 1 % is so in 99 % of cases."""
    random = np.random.default_rng([15, len(noise), nodes])
    alarms = sum(bool(judge(machine(random, nodes, slots, noise=noise)).named) for _ in range(12))
    assert FALSE_ALARMS == 0.01
    assert alarms <= 1


def test_a_node_ten_percent_slower_in_one_benchmark_is_found_alone_among_a_thousand() -> None:
    found = judge(machine(np.random.default_rng(1), 1000, 1, slow={("triad", 7, None): 0.9}))
    assert named(found) == {"n7": ("triad",)}
    assert found.nodes[0].relative["triad"] == pytest.approx(0.9, abs=0.04)
    assert found.nodes[0].why == "triad at most 0.943 of the others (3 waves)"
    assert (len(found.nodes), found.no_verdict) == (1000, "")


def test_slow_nodes_and_slow_slots_are_told_apart_on_sixteen_nodes() -> None:
    slow = {("gemm", 3, 1): 0.7, ("read_bandwidth", 5, None): 0.8}
    found = judge(machine(np.random.default_rng(2), 16, 4, slow=slow, spread=0.005))
    seen = named(found)
    assert seen["n3"] == ("gemm slot 1",)
    assert seen["n5"][0] == "read_bandwidth"
    assert seen.keys() == {"n3", "n5"}
    n3 = found.named[0]
    assert (n3.node, n3.worst_slot, n3.worst_benchmark) == ("n3", 1, "gemm")
    assert n3.relative["gemm"] > 0.95  # its other slots are as fast as those of other nodes


def test_a_faster_node_and_a_slot_that_is_slow_everywhere_are_not_named() -> None:
    rows = machine(np.random.default_rng(3), 12, 2, slow={("gemm", 4, None): 1.5})
    rows = [replace(one, rate=(one.rate or 0) * (0.5 if one.slot == 1 else 1.0)) for one in rows]
    assert named(judge(rows)) == {}


def test_later_waves_take_no_verdict_on_a_slot_back() -> None:
    rows = machine(np.random.default_rng(6), 8, 2, slow={("gemm", 3, 1): 0.85})
    known: dict[str, str] = {}
    for wave in range(12):
        found = judge([one for one in rows if one.submitted_us <= wave * WAVE_US])
        for one in found.nodes:
            if one.verdict != "undecided":
                assert known.setdefault(one.node, one.verdict) == one.verdict
        assert all(one.waves == wave + 1 for one in found.benchmarks)
    assert (known.pop("n3"), set(known.values())) == ("slow", {"fine"})


def test_a_benchmark_is_needed_while_a_node_of_the_latest_wave_waits_for_it() -> None:
    rows = machine(np.random.default_rng(7), 8, 1, noise="normal", spread=0.001, waves=7)
    calm = [replace(one, rate=1e9 * ((one.rate or 0) / 1e9) ** 0.1) for one in rows]
    early = [one for one in calm if one.submitted_us <= WAVE_US]
    assert {one.needed for one in judge(early).benchmarks} == {True}  # fewer waves than before the first look
    assert {one.needed for one in judge(calm).benchmarks} == {False}
    later = [replace(one, node=f"{one.node} of job 2", session=2) for one in calm]
    both = judge([*early, *later])
    assert {one.verdict for one in both.nodes if "job 2" in one.node} == {"fine"}
    assert {one.verdict for one in both.nodes if "job 2" not in one.node} == {"undecided"}
    assert {one.needed for one in both.benchmarks} == {False}  # the nodes of job 1 have no more runs


def test_a_node_that_has_not_run_every_benchmark_is_undecided() -> None:
    rows = machine(np.random.default_rng(8), 8, 1, spread=0.001)
    found = judge([one for one in rows if (one.benchmark, one.node) != ("triad", "n2")], difference=0.3)
    assert [(one.node, one.why) for one in found.undecided] == [("n2", "it has not run every benchmark")]
    assert found.to_decide == "1 has not run every benchmark"


def test_a_fixed_design_looks_once_and_says_when_its_waves_are_too_few() -> None:
    rows = machine(np.random.default_rng(1), 16, 1, slow={("triad", 7, None): 0.8}, waves=4)
    assert named(judge(rows, waves=(4, 4))) == {"n7": ("triad",)}
    few = judge(rows[: len(rows)], waves=(2, 2))
    assert few.named == ()
    assert few.no_verdict == "2 waves are too few to be certain of any of 16 nodes; give more with --at-most"


def test_two_stragglers_of_a_slot_prove_nothing() -> None:
    rows = machine(np.random.default_rng(4), 16, 2)
    mine = [k for k, one in enumerate(rows) if (one.benchmark, one.node, one.slot) == ("gemm", "n0", 0)]
    for k in mine[:2]:
        rows[k] = replace(rows[k], rate=(rows[k].rate or 0) / 5)
    assert named(judge(rows)) == {}


def test_a_failure_names_its_node_whatever_its_speed_but_not_that_of_a_driver() -> None:
    rows = machine(np.random.default_rng(5), 8, 1)
    rows += [
        rate("gemm", "n2", None, state="failed", message="exit code 1\nno GPU"),
        rate("gemm", "n2", None, state="timed_out"),
        rate("triad", "n9", None, None, state="lost", reason="ManagerLost"),
        rate("triad", "n4", None, state="lost", reason="driver died"),
        rate("triad", "n5", None, state="cancelled", reason="excluded"),
    ]
    found = judge(rows)
    assert [(one.node, one.verdict, one.failed, one.why) for one in found.named] == [
        ("n9", "failing", 1, "1 attempt failed: triad: ManagerLost"),
        ("n2", "failing", 2, "2 attempts failed: gemm: exit code 1 no GPU"),
    ]
    assert (found.named[0].values, found.named[0].worst_relative) == (0, None)


def test_a_worker_that_ended_with_its_killed_driver_is_no_failure_of_its_node() -> None:
    rows = machine(np.random.default_rng(5), 8, 1)
    rows += [
        rate("gemm", "n2", None, state="lost", reason="worker died", session=1),
        rate("gemm", "n3", None, state="lost", reason="worker died", session=2),
        rate("gemm", "n4", None, state="failed", reason="exit code", session=1),
    ]
    assert {one.node for one in judge(rows, {1}).named} == {"n3", "n4"}
    assert {one.node for one in judge(rows).named} == {"n2", "n3", "n4"}


def test_a_benchmark_that_fails_on_most_nodes_blames_none() -> None:
    rows = [rate("triad", f"n{k}", 1.0 + k / 1000) for k in range(6)]
    rows += [rate("gemm", f"n{k}", None, state="failed", message="no TensorFlow") for k in range(4)]
    rows += [rate("gemm", f"n{k}") for k in (4, 5)]
    found = judge(rows)
    assert found.named == ()
    assert [(one.name, one.failed_nodes, one.message) for one in found.benchmarks] == [
        ("triad", 0, ""),
        ("gemm", 4, "no TensorFlow"),
    ]


@pytest.mark.parametrize("nodes", [0, 1, 4])
def test_few_nodes_are_not_judged(nodes: int) -> None:
    rows = [rate("gemm", f"n{k}", 0.1 if k == 0 else 1.0, slot) for k in range(nodes) for slot in range(8)]
    found = judge(rows)
    assert found.named == ()
    have = "node has rates, and no other to compare it with" if nodes == 1 else "nodes have rates"
    assert found.no_verdict == f"{nodes} {have}; at least 5 are compared"
    assert len(found.nodes) == nodes


def test_equal_rates_and_odd_names_are_judged() -> None:
    rows = [rate("gemm", f"knöten {k}\n", 1.0, None) for k in range(6)] * 4
    found = judge(rows)
    assert (found.named, found.no_verdict) == ((), "")
    assert found.to_dict()["nodes"][0]["relative"] == {"gemm": 1.0}


def test_a_failure_of_several_nodes_names_none() -> None:
    random = np.random.default_rng(5)
    good = [
        rate("links", f"n{node}", 1 + random.normal(0.0, 0.01), None, wave, nodes=8, has_links=True)
        for wave in range(6)
        for node in range(8)
    ]
    failed = rate("links", "n0", None, None, 6, nodes=8, state="failed", message="another rank ended")
    found = judge([*good, failed])
    assert [one.verdict for one in found.nodes] == ["fine"] * 8
    [benchmark] = found.benchmarks
    assert (benchmark.failed_nodes, benchmark.failed_together) == (0, 1)
    assert benchmark.message == "another rank ended"
    alone = judge([failed])
    assert (alone.benchmarks[0].failed_nodes, alone.named) == (8, ())


Pair = Callable[[int, int, int], float]
"""Seconds of a message by block and the numbers of two nodes."""


def linked(random: np.random.Generator, blocks: int, size: int, pair: Pair) -> Judged:
    """Judge 12 waves of blocks whose pairs of nodes take times that a function gives, with noise of 1 %."""
    found = []
    for wave in range(12):
        for block in range(blocks):
            seconds = {
                (a, b): pair(block, a, b) * math.exp(random.normal(0.0, 0.01))
                for a in range(size)
                for b in range(a + 1, size)
            }
            names = [f"{block}-{number}" for number in range(size)]
            rates = link_facts(names, seconds, 1)["bytes_per_second"]
            found += [
                rate(
                    "links",
                    node,
                    one,
                    None,
                    wave,
                    block=str(block),
                    nodes=size,
                    has_links=True,
                    instance=wave * blocks + block,
                )
                for node, one in rates.items()
            ]
    return judge(found)


@pytest.mark.parametrize(
    ("blocks", "size", "pair", "named"),
    [
        (1, 16, lambda block, a, b: 1.25 if a == 0 else 1.0, ["0-0"]),
        (4, 3, lambda block, a, b: 2.0 if (block, a) == (0, 0) else 1.0, ["0-0"]),
        (4, 3, lambda block, a, b: 2.0 if (block, a, b) == (0, 0, 1) else 1.0, []),  # a pair, not a node
        (1, 16, lambda block, a, b: 1.5 if (a < 3) != (b < 3) else 1.0, []),  # three behind another switch
        (8, 4, lambda block, a, b: 1.3 if block == 0 else 1.0, []),  # a block that lies elsewhere
    ],
)
def test_links_name_nodes_and_neither_their_partners_nor_places(
    blocks: int, size: int, pair: Pair, named: list[str]
) -> None:
    found = linked(np.random.default_rng(7), blocks, size, pair)
    assert [one.node for one in found.named] == named
    assert {one.verdict for one in found.nodes if one.node not in named} == {"fine"}


def test_of_two_nodes_that_run_together_neither_is_judged() -> None:
    found = linked(np.random.default_rng(7), 6, 2, lambda block, a, b: 2.0 if block == 0 else 1.0)
    assert found.named == ()
    assert found.no_verdict.startswith(
        "of 2 nodes that run together none can be distinguished from its partner"
    )


def test_other_rates_of_several_nodes_are_compared_as_they_are() -> None:
    random = np.random.default_rng(3)
    found = judge(
        [
            rate("reduce", f"n{k}", (0.3 if k == 0 else 1.0) * math.exp(random.normal(0.0, 0.01)), None, wave,
                 nodes=4, instance=wave * 40 + k)
            for wave in range(12)
            for k in range(40)
        ]
    )  # fmt: skip
    assert [one.node for one in found.named] == ["n0"]
