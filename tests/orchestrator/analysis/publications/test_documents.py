"""The published numbers are complete, and agree with what their documents compute from them themselves."""

from __future__ import annotations

from collections import Counter

import pytest
from pydantic import ValidationError

from orchestrator.analysis.publications.documents import Document, Statement, Table, documents
from orchestrator.rulebooks.coral2.reference import reference
from workloads.modules import BUILT_IN

# Numbers of each table and of the text.
NUMBERS = {
    "candle": {
        "Table 1": 27, "Table 2": 32, "Table 3": 16, "Table 4": 16, "Table 5(a)": 24,
        "Table 5(b)": 24, "Table 6": 48, "text": 74,
    },
    "coral2": {
        "Reference timings, CANDLE": 4, "Reference timings, convnets": 8, "Reference timings, LSTM": 2,
        "Reference timings, ResNet-50": 2, "text": 13,
    },
    "deep500": {"SparCML": 13, "text": 8},
    "hpcai500": {
        "Table 2": 30, "Table 4": 8, "Table 5": 6, "Table 6": 4, "Table 8": 9, "Table 9": 9, "Table 10": 6,
        "Table 11": 11, "Table 12": 14, "Section 7.4.1, parallel efficiency": 6,
        "Section 7.4.1, communication compression": 4, "Section 7.4.2, parallel efficiency": 3,
        "Section 7.4.2, communication compression": 4, "Figure 9(a)": 5, "Figure 9(b)": 5, "text": 45,
    },
}  # fmt: skip


def row(document: str, table: str, label: str) -> list[float]:
    """Return a row without gaps."""
    return [one for one in documents()[document].tables[table].rows[label].values if one is not None]


def text(document: str, place: str, says: str, machine: str = "") -> float:
    """Return the number of the text of which the words begin so."""
    [found] = [
        one.value
        for one in documents()[document].statements
        if one.place == place and one.says.startswith(says) and machine in ("", one.machine)
    ]
    assert found is not None
    return found


def half_unit(value: float) -> float:
    """Return the largest error of rounding to the digits of a number."""
    return 0.5 * 10.0 ** -len(f"{value!r}".partition(".")[2].removesuffix("0"))


def check_change(before: float, after: float, percent: float) -> None:
    """Check a stated change in percent, all three numbers rounded."""
    low = 100 * ((after - half_unit(after)) / (before + half_unit(before)) - 1)
    high = 100 * ((after + half_unit(after)) / (before - half_unit(before)) - 1)
    assert low - 0.0051 <= percent <= high + 0.0051


def test_numbers_of_each_table_are_complete() -> None:
    counted = {}
    for name, document in documents().items():
        numbers = Counter(one.place if one.place in document.tables else "text" for one in document.numbers())
        counted[name] = dict(numbers)
    assert counted == NUMBERS


def test_every_number_is_named_once() -> None:
    for document in documents().values():
        named = Counter((one.place, one.row, one.column, one.machine) for one in document.numbers())
        assert [name for name, number in named.items() if number > 1] == []
        assert {one.obtained for one in document.numbers()} == {"read"}


def test_machines_and_workloads_exist() -> None:
    for document in documents().values():
        numbers = list(document.numbers())
        assert {one.machine for one in numbers} - {""} == set(document.machines)
        assert {one.workload for one in numbers} - {""} <= set(BUILT_IN)


def test_candle_steps_are_samples_over_batch() -> None:
    samples, batch = (
        row("candle", "Table 1", "Total training samples"),
        row("candle", "Table 1", "Batch size"),
    )
    steps = [
        text("candle", f"Section 2.1.{number}", name)
        for number, name in enumerate(("NT3", "P1B1", "P1B2", "P1B3"), 1)
    ]
    assert [one / size for one, size in zip(samples, batch, strict=True)] == steps


def test_candle_loading_is_as_much_faster_as_its_text_says() -> None:
    for table, machine in (("Table 3", "summit"), ("Table 4", "theta")):
        original, improved = row("candle", table, "NT3, training")
        stated = text("candle", "Section 5", "NT3", machine)
        assert original / improved == pytest.approx(stated, rel=0.15)
        original, improved = row("candle", table, "P1B1, training")
        assert original / improved > text("candle", "Section 5", "P1B1", machine)


def test_candle_power_and_energy_change_as_stated() -> None:
    assert row("candle", "Table 5(a)", "Power") == row("candle", "Table 2", "Power per GPU")
    for table, label in (("Table 5(a)", "Power"), ("Table 5(b)", "Energy")):
        before, after = row("candle", table, label), row("candle", table, f"{label} (optimized)")
        for one in zip(before, after, row("candle", table, "% Increase"), strict=True):
            check_change(*one)
    assert max(row("candle", "Table 5(a)", "% Increase")) == text("candle", "Section 5.1", "NT3, increase")
    assert -min(row("candle", "Table 5(b)", "% Increase")) == text("candle", "Section 5.1", "NT3, energy")


@pytest.mark.parametrize(
    ("place", "run"), [("Figure 12", "NT3 on 384 GPUs"), ("Figure 19", "NT3 on 768 GPUs, weak scaling")]
)
def test_candle_broadcast_falls_as_stated(place: str, run: str) -> None:
    original, optimized, percent = (
        text("candle", place, f"{run}, broadcast, {which}")
        for which in ("original", "optimized", "improvement")
    )
    check_change(original, optimized, -percent)


def test_candle_batches_grow_as_stated() -> None:
    base = row("candle", "Table 1", "Batch size")[-1]
    for gpus in (192, 384):
        assert (
            text("candle", "Section 4.2.4", f"P1B3, linear scaling, failing batch size on {gpus}")
            == base * gpus
        )
    assert text("candle", "Section 4.2.4", "P1B3, cubic root scaling, batch") == int(base * 48 ** (1 / 3))


def test_coral2_table_is_what_the_rulebook_judges_by() -> None:
    known = reference().benchmarks
    seen = set()
    for one in documents()["coral2"].numbers():
        if one.column:
            benchmark = known[one.column]
            seen.add(one.column)
            expected = {
                "time": benchmark.seconds,
                "forward": benchmark.forward_seconds,
                "forward-backward": benchmark.seconds,
                "accuracy": benchmark.accuracy and benchmark.accuracy.minimum,
            }[one.row]
            assert one.value == expected, (one.column, one.row)
    assert seen == set(known)


def test_hpcai500_ratios_are_those_of_its_columns() -> None:
    def column(table: str, label: str) -> list[float]:
        return row("hpcai500", table, label)

    ratios = [
        top / bottom for top, bottom in zip(column("Table 5", "Comp"), column("Table 5", "Comm"), strict=True)
    ]
    assert ratios == pytest.approx(column("Table 5", "Comp/Comm"), abs=0.005)
    peak = text("hpcai500", "Section 7.3.1", "peak of a node")
    shares = [100 * one / peak for one in column("Table 11", "Attainable Performance")]
    assert shares == pytest.approx(column("Table 11", "Achieved Performance Ratio"), abs=0.5)
    of_image = 1e3 * column("Table 10", "Total FLOPs")[0] / column("Table 10", "Image Sample Size")[0]
    assert of_image == pytest.approx(column("Table 10", "FLOPs Per Image")[0], abs=0.5)
    assert peak == 8 * text("hpcai500", "Section 7.3.1", "peak of a GPU")


def test_hpcai500_system_is_the_sum_of_its_nodes() -> None:
    [nodes], [each], [gpus] = (
        row("hpcai500", "Table 9", label) for label in ("Num of Nodes", "GPUs per Node", "Total num of GPUs")
    )
    assert nodes * each == gpus
    [peak] = row("hpcai500", "Table 9", "Peak Theoretical performance (FP32)")
    assert peak == gpus * text("hpcai500", "Section 7.3.1", "peak of a GPU")
    assert row("hpcai500", "Figure 9(b)", "Mixed")[0] == nodes * row("hpcai500", "Figure 9(a)", "Mixed")[0]
    batches = row("hpcai500", "Table 8", "Batchsize")
    assert [one / scale for one, scale in zip(batches, (16, 32, 64), strict=True)] == [128] * 3


def test_hpcai500_steps_add_up_to_the_stated_shares() -> None:
    steps = documents()["hpcai500"].tables["Table 12"].rows
    ewa, images = zip(*(one.values for one in steps.values()), strict=True)
    assert len(ewa) == 7
    assert 100 * ewa[0] / sum(ewa) == pytest.approx(
        text("hpcai500", "Section 7.3.2", "EWA, share of neg"), abs=0.1
    )
    assert images[1] + images[2] == pytest.approx(
        text("hpcai500", "Section 7.3.2", "Image Classification, wait"), abs=0.06
    )
    without, compressed = (
        text("hpcai500", "Figure 15", f"EWA on 16 GPUs, {how}") for how in ("without", "with c")
    )
    speed_up = row("hpcai500", "Section 7.4.2, communication compression", "FP32")[1]
    assert compressed / without == pytest.approx(speed_up, abs=0.05)


def test_what_a_file_may_not_say() -> None:
    with pytest.raises(ValidationError, match="has 1 values for 2 columns"):
        Table.model_validate({"title": "t", "axis": "a", "columns": [1, 2], "rows": {"r": {"values": [1]}}})
    with pytest.raises(ValidationError, match="together, or none"):
        Table.model_validate(
            {"title": "t", "axis": "a", "columns": [1], "rows": {"r": {"values": [1], "metric": "time"}}}
        )
    with pytest.raises(ValidationError, match="give value or failure"):
        Statement.model_validate({"place": "p", "says": "s"})
    with pytest.raises(ValidationError, match="a metric needs"):
        Statement.model_validate({"place": "p", "says": "s", "value": 1, "metric": "time"})


def test_a_gap_is_no_number_and_a_column_is_a_condition() -> None:
    given = {
        "title": "t", "machine": "m", "axis": "ranks", "columns": [1, 6], "obtained": "plot",
        "rows": {"r": {"unit": "s", "workload": "nt3", "metric": "time", "values": [None, 2]}},
    }  # fmt: skip
    document = Document.model_validate({"title": "t", "source": "s", "tables": {"Figure 1": given}})
    [one] = document.numbers()
    assert (one.place, one.row, one.column, one.value, one.unit) == ("Figure 1", "r", "6", 2, "s")
    assert (one.obtained, one.where) == ("plot", {"ranks": 6})
