"""The slot shape with the best figure per node, by runs whose times are known."""

from __future__ import annotations

from fractions import Fraction
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from db.queries.packed_runs import PackedRun
from orchestrator.analysis.base.statistics import Estimate
from orchestrator.report.line_figures import line_svg
from orchestrator.rulebooks.coral2.reference import reference
from orchestrator.rulebooks.coral2.rulebook import node_fom
from orchestrator.tuning.packing import Packing, full_nodes, measured, packing_figure, recommend

S = 1_000_000


def run(
    begin: float, end: float, slot: int = 0, node: str = "a", peak: int | None = None, **timed: float
) -> PackedRun:
    first, last = timed.get("first", begin), timed.get("last", end)
    times = [int(one * S) for one in (begin, end, first, last)]
    return PackedRun(1, node, slot, *times, end - begin, peak)


def shape(instances: int, figure: float | None = None, peak: int | None = None, **facts: object) -> Packing:
    estimate = None if figure is None else Estimate(figure, figure * 0.99, figure * 1.01)
    return Packing(
        benchmark=str(facts.get("name", f"toy[{instances}]")),
        cores=int(str(facts.get("cores", 1))),
        ranks=int(str(facts.get("ranks", 1))),
        gpus=Fraction(0),
        instances=instances,
        nodes=6,
        seconds=estimate,
        figure=estimate,
        peak_bytes=peak,
    )


def test_a_node_is_full_when_all_its_slots_ran_at_once() -> None:
    runs = [run(0, 10, 0), run(0, 12, 1), run(20, 29, 1), run(20, 31, 0)]
    assert full_nodes(runs, 2).longest == (12, 11)
    assert full_nodes(runs, 2).partial == 0
    assert full_nodes(runs, 3).longest == ()
    assert full_nodes(runs, 3).partial == 2
    assert full_nodes([], 2).longest == ()


def test_waves_that_were_not_full_are_left_out_and_counted() -> None:
    late = [run(0, 10, 0), run(9, 19, 1)]  # overlap for 1 s of 10
    short = [run(30, 40, 0)]  # the other one failed
    same = [run(50, 60, 0), run(51, 61, 0)]  # two runs cannot be on one slot at a time
    good = [run(70, 80, 0), run(70, 81, 1)]
    found = full_nodes([*late, *short, *same, *good], 2)
    assert (found.longest, found.partial) == ((11,), 3)


def test_the_timed_steps_must_overlap_where_they_are_what_is_timed() -> None:
    runs = [run(0, 100, 0, first=10, last=20), run(0, 100, 1, first=30, last=40)]
    assert full_nodes(runs, 2).partial == 1


def test_nodes_side_by_side_count_singly() -> None:
    runs = [run(0, 10 + number, slot, node) for number, node in enumerate("ab") for slot in (0, 1)]
    assert sorted(full_nodes(runs, 2).longest) == [10, 11]


def test_a_shape_has_the_figure_of_its_longest_runs() -> None:
    runs = [
        run(20 * wave, 20 * wave + 10 + slot, slot, peak=slot + 5) for wave in range(6) for slot in (0, 1)
    ]
    found = measured(shape(2), runs, lambda instances, seconds: instances / seconds)
    assert found.figure == Estimate(2 / 11, 2 / 11, 2 / 11)
    assert (found.nodes, found.peak_bytes) == (6, 6)


def test_the_figure_of_the_suite_is_that_of_its_formula() -> None:
    known = reference().benchmarks["p1b1"]
    assert node_fom("p1b1", 64, known.seconds) == pytest.approx(64 / 14_000)
    # ResNet-50: 50 instances at once on 50 ÷ 4 nodes
    image = reference().benchmarks["resnet50"]
    assert node_fom("resnet50", 4, image.seconds) == pytest.approx(10 / (50 / 4))


def test_equal_figures_prefer_fewer_instances_then_fewer_ranks() -> None:
    found = recommend([shape(4, 1.0), shape(2, 1.0, ranks=2, name="b"), shape(2, 1.0, name="a")], None)
    assert found.best is not None
    assert found.best.benchmark == "a"
    assert set(found.as_good) == {"toy[4]", "b"}


def test_shapes_that_never_filled_a_node_are_dropped_with_the_reason() -> None:
    gone = Packing("toy[9]", 1, 1, Fraction(0), 9, partial=2, missing={"out of memory": 3})
    found = recommend([gone, shape(2, 1.0)], None)
    assert found.dropped == {
        "toy[9]": "never filled a node: 3 out of memory, 2 times, not all 9 slots were busy at once"
    }
    assert "only one slot shape filled a node, so there is nothing to compare it with" in found.notes
    assert recommend([gone], None).best is None


def test_cores_that_do_not_help_are_named() -> None:
    slow = Estimate(10.0, 9.9, 10.1)
    shapes = [
        Packing(
            "one", 1, 1, Fraction(0), 4, nodes=6, seconds=slow, figure=Estimate(4.0, 3.9, 4.1), peak_bytes=1
        ),
        Packing(
            "four", 4, 1, Fraction(0), 1, nodes=6, seconds=slow, figure=Estimate(1.0, 0.9, 1.1), peak_bytes=1
        ),
    ]
    assert recommend(shapes, 100).notes == (
        "more cores make no instance faster: with 4 it takes 1 times as long as with 1",
    )


def test_the_plot_is_a_curve_for_cores_and_one_for_ranks() -> None:
    svg = line_svg(packing_figure("<lstm>", "FOM", [shape(2, 1.0), shape(4, 2.0), shape(1, 1.5, ranks=4)]))
    text = " ".join(ET.fromstring(svg).itertext())
    assert "cores of one rank" in text
    assert "ranks" in text
    assert "<lstm>" in text


SHAPES = st.lists(
    st.tuples(
        st.integers(1, 64),
        st.one_of(st.none(), st.integers(1, 5).map(float)),
        st.one_of(st.none(), st.integers(1, 100)),
    ),
    max_size=8,
)


@given(SHAPES, st.one_of(st.none(), st.integers(1, 1000)))
def test_the_best_is_measured_fits_and_is_the_smallest_of_equals(
    given_shapes: list[tuple[int, float | None, int | None]], limit: int | None
) -> None:
    shapes = [
        shape(instances, figure, peak, name=str(number))
        for number, (instances, figure, peak) in enumerate(given_shapes)
    ]
    found = recommend(shapes, limit)
    fitting = [
        one
        for one in shapes
        if one.figure and (limit is None or not one.peak_bytes or one.peak_bytes * one.instances <= limit)
    ]
    assert set(found.dropped) == {one.benchmark for one in shapes if one not in fitting}
    if not fitting:
        assert found.best is None
        return
    assert found.best in fitting
    assert found.best is not None
    assert found.best.figure is not None
    for one in fitting:
        assert one.figure is not None
        assert one.figure.value <= found.best.figure.value
        if one.figure.value == found.best.figure.value:
            assert one.instances >= found.best.instances
            assert one is found.best or one.benchmark in found.as_good
