"""Reading a ledger: frames, questions in SQL, and that reading never writes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from db.errors import LedgerError, UnknownCampaignError
from db.evidence.seeds import distinct_seeds
from db.ledger import Ledger
from db.queries.attempts import curve_points
from db.reader import Reader
from db.records import CampaignRow, NewCurve, NewSample
from db.rows import Attempt, BenchmarkRow, Block, Curve, Instance, Metric, Point, Sample, Session
from db.states import InstanceState
from db.tables import columns_of, metadata
from tests.db import rows
from tests.db.rows import T0, attempt, report


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def filled_url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A ledger that several tests read, and none can change."""
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path_factory.mktemp('reader')}/ledger.sqlite"
    else:
        url = request.getfixturevalue("postgres").database(ledger=True)
    with Ledger.open(url) as ledger:
        number = rows.started(ledger, instances=3)
        ledger.record(
            number,
            [
                report(
                    "toy-t0.1",
                    "succeeded",
                    run_start_us=T0 + 1,
                    run_stop_us=T0 + 2_000_002,
                    fom_seconds=2.000001,
                    accuracy=0.5,
                    peak_memory_bytes=2**33,
                    slot_index=1,
                    metrics=(("loss", 0.25, ""), ("train_seconds", 1.5, "s")),
                ),
                report(
                    "toy-t1.1", "failed", InstanceState.PLANNED, failure_reason="exit code 3", exit_code=3
                ),
            ],
        )
        ledger.submit(number, 1, [attempt(1, 2)])
    return url


@pytest.fixture
def reader(filled_url: str) -> Iterator[Reader]:
    with Reader(filled_url) as opened:
        yield opened


# -- frames ----------------------------------------------------------------------------------


def test_attempts_have_utc_timestamps_to_the_microsecond(reader: Reader) -> None:
    frame = reader.attempts("toy")
    assert list(zip(frame.benchmark, frame.benchmark_index, frame.attempt_number, strict=True)) == [
        ("toy", 0, 1),
        ("toy", 1, 1),
        ("toy", 1, 2),
        ("toy", 2, 1),
    ]
    times = [c for c in frame.columns if isinstance(frame[c].dtype, pd.DatetimeTZDtype)]
    assert {str(frame[c].dtype.tz) for c in times} == {"UTC"}  # type: ignore[union-attr]
    assert len(times) == 13  # as many as the table has columns of moments
    no_moments = ["clock_offset_max_us", "clock_offset_min_us"]
    assert [c for c in frame.columns if c.endswith("_us")] == no_moments
    first = frame.iloc[0]
    assert first.run_start == pd.Timestamp(T0 + 1, unit="us", tz="UTC")
    assert (first.run_stop - first.run_start) == pd.Timedelta(2_000_001, unit="us")
    assert frame.run_start.isna().tolist() == [False, True, True, True]
    assert frame.fom_seconds[0] == 2.000001


def test_instances_have_the_figures_of_the_accepted_else_the_last_attempt(reader: Reader) -> None:
    frame = reader.instances("toy")
    assert frame.state.tolist() == ["done", "in_flight", "in_flight"]
    assert frame.attempts.tolist() == [1, 2, 1]
    assert frame.attempt_state.tolist() == ["succeeded", "submitted", "submitted"]
    assert frame.seed.tolist() == [2017, 2018, 2019]
    assert frame.fom_seconds[0] == 2.000001
    assert frame.run_stop[0] == pd.Timestamp(T0 + 2_000_002, unit="us", tz="UTC")
    assert reader.instances("toy", "done").benchmark_index.tolist() == [0]
    assert reader.instances("toy", "exhausted").empty


def test_the_accepted_attempt_is_shown_even_if_a_later_one_exists(ledger_url: str) -> None:
    with Ledger(ledger_url) as ledger:
        number = rows.started(ledger, instances=1)
        ledger.submit(number, 1, [attempt(0, 2)])
        ledger.record(number, [report("toy-t0.1", "succeeded", fom_seconds=1.0)])
        ledger.record(number, [report("t0.2", "failed", fom_seconds=9.0)])
        row = ledger.instances("toy").iloc[0]
    assert (row.attempts, row.attempt_state, row.fom_seconds) == (2, "succeeded", 1.0)


def test_metrics_are_long_form(reader: Reader) -> None:
    frame = reader.metrics("toy")
    assert frame.to_dict("records") == [
        {
            "benchmark": "toy",
            "benchmark_index": 0,
            "attempt_number": 1,
            "name": "loss",
            "value": 0.25,
            "unit": "",
        },
        {
            "benchmark": "toy",
            "benchmark_index": 0,
            "attempt_number": 1,
            "name": "train_seconds",
            "value": 1.5,
            "unit": "s",
        },
    ]


def test_frames_of_a_campaign_without_attempts_have_their_columns(ledger_url: str) -> None:
    with Ledger(ledger_url) as ledger:
        rows.register(ledger)
        assert ledger.attempts("toy").empty
        assert ledger.metrics("toy").empty
        assert {"run_start", "received", "fom_seconds"} <= set(ledger.attempts("toy").columns)
        assert isinstance(ledger.attempts("toy").run_start.dtype, pd.DatetimeTZDtype)
        assert ledger.instances("toy").attempts.tolist() == [0, 0, 0]


# -- names -----------------------------------------------------------------------------------


def test_an_unknown_campaign_is_answered_with_the_nearest(reader: Reader) -> None:
    with pytest.raises(UnknownCampaignError, match="did you mean toy"):
        reader.campaign("toyy")
    with pytest.raises(UnknownCampaignError, match="it has toy"):
        reader.instances("something else")


def test_an_empty_ledger_says_that_it_has_no_campaigns(ledger_url: str) -> None:
    with Reader(ledger_url) as reader, pytest.raises(UnknownCampaignError, match="none yet"):
        reader.campaign("toy")


@pytest.mark.parametrize(
    "label", ["toy/3", "toy", "toy/", "/1", "toy/-1", "other/0", "toy/1.0", "", f"toy/{10**30}"]
)
def test_an_unknown_instance_is_answered_with_an_example(reader: Reader, label: str) -> None:
    with pytest.raises(LedgerError, match=r"benchmark/number.*toy/0|ledger "):
        reader.find_instance(1, label)


def test_find_instance(reader: Reader) -> None:
    row = reader.find_instance(1, "toy/0")
    assert (row.instance_id, row.seed, row.accepted_attempt) == (0, 2017, 1)


# -- questions -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sql", "columns", "answer"),
    [
        ("SELECT 1 AS one", ["one"], [(1,)]),
        ("SELECT count(*) AS n FROM attempts WHERE token LIKE 'toy%'", ["n"], [(3,)]),
        ("SELECT '10:20:30' AS t, 'a: b' AS u, ':n' AS v", ["t", "u", "v"], [("10:20:30", "a: b", ":n")]),
        ("SELECT 7 % 4 AS rest", ["rest"], [(3,)]),
        ("SELECT token FROM attempts WHERE 1 = 0", ["token"], []),
        ("WITH a AS (SELECT 1 AS x UNION ALL SELECT 2) SELECT sum(x) AS s FROM a", ["s"], [(3,)]),
        ("SELECT state, count(*) AS n FROM attempts GROUP BY state ORDER BY state", ["state", "n"],
         [("failed", 1), ("submitted", 2), ("succeeded", 1)]),
        ("SELECT benchmark_index, fom_seconds FROM attempts JOIN instances USING (campaign_id, instance_id) "
         "WHERE accepted_attempt = attempt_number",
         ["benchmark_index", "fom_seconds"], [(0, 2.000001)]),
        ("-- why\nSELECT 1 AS a, NULL AS b;", ["a", "b"], [(1, None)]),
        ("VALUES (1), (2)", None, [(1,), (2,)]),
    ],
)  # fmt: skip
def test_questions_of_any_shape(
    reader: Reader, sql: str, columns: list[str] | None, answer: list[tuple[object, ...]]
) -> None:
    found, values = reader.query(sql)
    assert values == answer
    assert columns is None or found == columns


def test_seeds_are_compared_where_the_table_has_lost_its_constraint(postgres_url: str) -> None:
    with Ledger.open(postgres_url) as ledger:
        number = rows.register(ledger, "friday")
        other = rows.register(ledger, "monday")
    with rows.raw(postgres_url) as connection:
        connection.exec_driver_sql("ALTER TABLE instances DROP CONSTRAINT uq_instances_campaign_seed")
        connection.exec_driver_sql("ALTER TABLE instances DISABLE TRIGGER USER")
        connection.exec_driver_sql(f"UPDATE instances SET seed = 2017 WHERE campaign_id = {number}")
    with Reader(postgres_url) as reader:
        assert not distinct_seeds(reader, number)
        assert distinct_seeds(reader, other)


def test_a_quoted_name_that_does_not_exist_is_no_text(ledger_url: str) -> None:
    with Ledger.open(ledger_url) as ledger:
        rows.register(ledger, "friday")
    with Reader(ledger_url) as reader:
        for sql, hint in (
            ('SELECT "sessoin_number" FROM sessions', "sessoin_number"),
            (
                "SELECT \"directory\" FROM campaigns WHERE name = 'friday'",
                'no such column: directory|column "directory" does not exist',
            ),
        ):
            with pytest.raises(LedgerError, match=hint):
                reader.query(sql)
        names, found = reader.query(
            'SELECT "name", \'it\'\'s "so"\' /* "x" */ AS "a ""b`" FROM "campaigns" -- "y"'
        )
    assert (names, found) == (["name", 'a "b`'], [("friday", 'it\'s "so"')])


def test_the_view_of_accepted_attempts_holds_those_that_count(ledger_url: str) -> None:
    with Ledger(ledger_url) as ledger:
        for name in ("one", "two"):
            number = rows.started(ledger, 2, name)
            ledger.submit(number, 1, [attempt(0, 2, f"{name}-t0.2")])
            ledger.record(number, [report(f"{name}-t0.2", "succeeded", fom_seconds=2.0)])
            ledger.record(number, [report(f"{name}-t0.1", "succeeded", fom_seconds=1.0)])
            ledger.record(number, [report(f"{name}-t1.1", "failed", fom_seconds=9.0)])
        asked = (
            "SELECT campaign_name, benchmark, benchmark_index, seed, token, fom_seconds "
            "FROM accepted ORDER BY 1"
        )
        assert ledger.query(asked)[1] == [
            ("one", "toy", 0, 2017, "one-t0.2", 2.0),
            ("two", "toy", 0, 2017, "two-t0.2", 2.0),
        ]


def test_a_cast_can_be_written_the_postgresql_way(postgres_url: str) -> None:
    with Reader(postgres_url) as reader:
        assert reader.query("SELECT '12'::int + 1, now()::date = now()::date")[1] == [(13, True)]


WRITES = [
    "DELETE FROM attempts",
    "DELETE FROM metrics",
    "DELETE FROM metrics RETURNING name",
    "UPDATE attempts SET fom_seconds = 0.001 WHERE state = 'submitted'",
    "UPDATE campaigns SET name = 'x' RETURNING name",
    "INSERT INTO documents VALUES ('a', 'b')",
    "DROP TABLE metrics",
    "DROP TRIGGER attempts_kept",
    "CREATE TABLE mine (x int)",
    "ALTER TABLE metrics ADD COLUMN x int",
]


def attempted(reader: Reader, sql: str) -> bool:
    """Ask, and tell whether it was refused."""
    try:
        reader.query(sql)
    except LedgerError:
        return True
    return False


@pytest.mark.parametrize("sql", WRITES)
@pytest.mark.parametrize("opened_as", [Reader, Ledger])
def test_questions_cannot_write(filled_url: str, sql: str, opened_as: type[Reader]) -> None:
    """Not even through a ledger that is open for writing."""
    before = rows.everything(filled_url)
    with opened_as(filled_url) as reader:
        refused = attempted(reader, sql)
        assert refused or opened_as is Ledger  # else it was answered, and rolled back
        assert len(reader.query("SELECT * FROM attempts")[1]) == 4
    assert rows.everything(filled_url) == before


@pytest.mark.parametrize("sql", WRITES)
def test_a_reader_refuses_to_write_in_one_line(reader: Reader, sql: str) -> None:
    with pytest.raises(LedgerError) as caught:
        reader.query(sql)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "key", ["PRAGMA query_only = OFF", "COMMIT", "END", "PRAGMA writable_schema = ON", "ROLLBACK"]
)
def test_no_statement_opens_an_sqlite_reader_for_writing(sqlite_url: str, key: str) -> None:
    with Ledger(sqlite_url) as ledger:
        rows.started(ledger)
    before = rows.everything(sqlite_url)
    with Reader(sqlite_url) as reader:
        for sql in (
            key,
            "DELETE FROM campaigns RETURNING name",
            "UPDATE benchmarks SET instances = 9",
            "COMMIT",
        ):
            attempted(reader, sql)
    assert rows.everything(sqlite_url) == before


@pytest.mark.parametrize("sql", ["ATTACH '{}' AS x", "DETACH main", "VACUUM INTO '{}'"])
def test_a_question_makes_no_file(sqlite_url: str, tmp_path: Path, sql: str) -> None:
    with Reader(sqlite_url) as reader, pytest.raises(LedgerError) as caught:
        reader.query(sql.format(tmp_path / "new.db"))
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "new.db").exists()


@pytest.mark.parametrize(
    "key",
    [
        "COMMIT",
        "SET TRANSACTION READ WRITE",
        "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE",
        "SELECT set_config('default_transaction_read_only', 'off', false)",
        "SELECT set_config('transaction_read_only', 'off', false)",
        "COMMIT; SET default_transaction_read_only = off; UPDATE benchmarks SET instances = 8; COMMIT",
        "SELECT 1; COMMIT; BEGIN READ WRITE; UPDATE benchmarks SET instances = 8; COMMIT; SELECT 1",
    ],
)
def test_no_statement_opens_a_postgresql_reader_for_writing(postgres_url: str, key: str) -> None:
    with Ledger(postgres_url) as ledger:
        rows.started(ledger)
    before = rows.everything(postgres_url)
    with Reader(postgres_url) as reader:
        for sql in (
            key,
            "UPDATE benchmarks SET instances = 9 RETURNING 1",
            "DELETE FROM benchmarks",
            "COMMIT",
        ):
            attempted(reader, sql)
    assert rows.everything(postgres_url) == before


@pytest.mark.parametrize(
    "sql",
    [
        "",
        " ",
        "nonsense",
        "SELECT * FROM nowhere",
        "SELECT 1; SELECT 2",
        "SELECT 'a",
        "SELECT '\0'",
        "SELECT \udcff",
    ],
)
def test_a_wrong_question_is_answered_in_one_line(reader: Reader, sql: str) -> None:
    with pytest.raises(LedgerError) as caught:
        reader.query(sql)
    assert "\n" not in str(caught.value)
    assert reader.query("SELECT 1")[1] == [(1,)]


# -- beside the driver -----------------------------------------------------------------------


def test_a_reader_sees_what_is_committed_and_never_waits_for_the_writer(ledger_url: str) -> None:
    with Ledger(ledger_url) as ledger, Reader(ledger_url) as reader:
        number = rows.started(ledger)
        with rows.raw(ledger_url) as writing:
            writing.exec_driver_sql("UPDATE attempts SET node = 'held'")
            assert reader.attempt_counts(number) == {"submitted": 3}
            assert reader.query("SELECT count(*) FROM attempts WHERE node = 'held'")[1] == [(0,)]
        assert reader.query("SELECT count(*) FROM attempts WHERE node = 'held'")[1] == [(3,)]


def test_a_writer_never_waits_for_a_reader(ledger_url: str) -> None:
    with Ledger(ledger_url) as ledger, Reader(ledger_url) as reader:
        number = rows.started(ledger)
        with reader._engine.begin() as reading:
            assert reading.exec_driver_sql("SELECT count(*) FROM attempts").scalar() == 3
            assert ledger.record(number, [report("toy-t0.1", "succeeded")]) == []
        assert reader.attempt_counts(number) == {"submitted": 2, "succeeded": 1}


def test_there_is_no_ledger_until_one_is_made(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match=r"no ledger at .*/missing.sqlite; launch"):
        Reader(f"sqlite:///{tmp_path}/missing.sqlite")
    assert list(tmp_path.iterdir()) == []


def test_samples_are_a_frame_of_one_row_per_point(ledger_url: str) -> None:
    points = "[[0.0,250.5,200,301.2],[2.5,90]]"
    samples = (
        NewSample("cpu_power", "n1", "package-0", "W", "rapl", rows.T0, "[]"),
        NewSample("gpu_power", "n1", "GPU-a", "W", "nvml", rows.T0, points),
    )
    with Ledger(ledger_url) as ledger:
        number = rows.started(ledger, instances=2)
        ledger.record(number, [rows.report("toy-t1.1", "succeeded", samples=samples)])
        frame = ledger.samples("toy", "gpu_power")
        assert frame[["benchmark_index", "mean", "lowest", "highest"]].to_numpy().tolist() == [
            [1, 250.5, 200, 301.2],
            [1, 90, 90, 90],
        ]
        first, second = frame["at"]
        assert (second - first).total_seconds() == 2.5
        assert first.value == rows.T0 * 1000
        assert len(ledger.samples("toy")) == 3  # a series without points is a row without values
        assert list(ledger.samples("toy", "none")) == list(frame)


def test_curves_are_a_frame_of_one_row_per_point(ledger_url: str) -> None:
    curves = (NewCurve("loss", "epoch", "[[1, 0.5], [2, null]]"), NewCurve("rate", "step", "[[7, 3]]"))
    with Ledger(ledger_url) as ledger:
        number = rows.started(ledger, instances=2)
        ledger.record(number, [rows.report("toy-t1.1", "succeeded", curves=curves)])
        frame = curve_points(ledger, number)
        assert frame.drop(columns="value").to_numpy().tolist() == [
            ["toy", 1, 1, "loss", "epoch", 1],
            ["toy", 1, 1, "loss", "epoch", 2],
            ["toy", 1, 1, "rate", "step", 7],
        ]
        assert frame["value"].dropna().tolist() == [0.5, 3]
        assert len(curve_points(ledger, number, "rate")) == 1
        assert list(curve_points(ledger, number, "none")) == list(frame)


def test_every_table_has_a_row_class_with_its_columns() -> None:
    kinds = {CampaignRow, Session, BenchmarkRow, Point, Instance, Attempt, Metric, Sample, Curve, Block}
    for kind in kinds:
        columns = columns_of(kind)
        assert {column.name for column in columns} == set(columns[0].table.columns.keys())
    assert {columns_of(kind)[0].table.name for kind in kinds} == set(metadata.tables) - {
        "events",
        "documents",
    }


# Queries that were methods of Reader when the rule was made; a name may be taken out, and none is added.
OF_READER = {
    "refresh", "hold_file", "go_on_in", "file", "close", "connection", "moment", "damage", "campaigns",
    "campaign", "campaigns_of_workloads", "benchmarks", "axes", "sweeps", "select_benchmarks", "points",
    "events", "events_of", "applied_requests", "sessions_of", "instances", "attempts", "metrics",
    "samples", "query", "counts", "instance_counts", "instance_labels", "find_instance", "pending",
    "attempt_counts", "failure_counts", "attempt_states", "open_attempts", "attempts_of",
}  # fmt: skip
RULE = "every other query is a function name(reader, campaign_id) in the module of db for its subject"


def test_reader_gets_no_further_methods() -> None:
    public = {name for name in dir(Reader) if not name.startswith("_")}
    assert public == OF_READER, RULE
    page = " ".join((Path(__file__).parents[2] / "CONTRIBUTING.md").read_text().replace("`", "").split())
    assert RULE in page
