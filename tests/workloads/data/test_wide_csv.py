from __future__ import annotations

import importlib.util

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from workloads.data.wide_csv import read_matrix, read_table
from workloads.description import DataError

numbers = st.floats(-(2.0**100), 2.0**100, width=32)
matrices = hnp.arrays(np.float32, st.tuples(st.integers(1, 6), st.integers(1, 6)), elements=numbers)
faults = st.sampled_from(["", " ", "x", "1_0", "nan", "inf", "-inf", "1e39", "1.2.3", "é", "0x1"])

PANDAS = ("pandas", "pandas_low_memory_false", "pandas_chunked")
DASK = pytest.mark.skipif(importlib.util.find_spec("dask") is None, reason="Dask is not installed")
READERS = ("numpy", *PANDAS)
readers = pytest.mark.parametrize("reader", [*READERS, pytest.param("dask", marks=DASK)])
TABLE = "case_id,cancer_type,g1,g2,g3\na,LUNG,1,2,3\nb,SKIN,4,5.5,6e-1\n"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "table.csv"


def _message(read, path, text, reader):
    path.write_text(text)
    with pytest.raises(DataError) as caught:
        read(path, reader=reader)
    assert str(caught.value).startswith(f"{path}: ")
    return str(caught.value).removeprefix(f"{path}: ")


@readers
@settings(deadline=None)  # the first example with pandas imports it
@given(matrix=matrices)
def test_what_was_written_is_read(tmp_path_factory, reader, matrix):
    path = tmp_path_factory.mktemp("csv") / "m.csv"
    path.write_text("".join(",".join(map(repr, row)) + "\n" for row in matrix.tolist()))
    read = read_matrix(path, reader=reader)
    assert read.dtype == np.float32
    np.testing.assert_array_equal(read, matrix)


@readers
@given(matrix=matrices, data=st.data(), fault=faults)
def test_the_one_bad_cell_is_named_by_row_and_column(tmp_path_factory, reader, matrix, data, fault):
    cells = [list(map(repr, row)) for row in matrix.tolist()]
    row = data.draw(st.integers(0, len(cells) - 1))
    column = data.draw(st.integers(0, len(cells[0]) - 1))
    if not fault.strip() and len(cells[0]) == 1:
        fault = "x"  # an empty line is another fault
    cells[row][column] = fault
    path = tmp_path_factory.mktemp("csv") / "m.csv"
    path.write_text("".join(",".join(line) + "\n" for line in cells))
    with pytest.raises(DataError, match=f"row {row + 1}, column {column + 1}: "):
        read_matrix(path, reader=reader)


@readers
def test_a_table_has_names_texts_and_numbers(path, reader):
    path.write_text(TABLE)
    table = read_table(path, reader=reader)
    assert table.features == ("g1", "g2", "g3")
    assert table.texts == {"case_id": ["a", "b"], "cancer_type": ["LUNG", "SKIN"]}
    np.testing.assert_array_equal(table.values, np.array([[1, 2, 3], [4, 5.5, 0.6]], np.float32))


@pytest.mark.parametrize(
    "text",
    [
        "case_id,g1\na,1\n",
        '"case_id","g1"\n"a, the first",1\n',
        "case_id,g1\r\na,1\r\n",
        "case_id,g1\na, 1 \n\n\n",
        "case_id,g1\na,1",
    ],
    ids=["plain", "quoted", "carriage returns", "blank lines at the end", "no last newline"],
)
@readers
def test_usual_spellings_are_read(path, text, reader):
    path.write_bytes(text.encode())
    table = read_table(path, reader=reader)
    assert table.features == ("g1",)
    assert table.values.tolist() == [[1.0]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TABLE.replace("5.5", "many"), "row 3, column g2: 'many' is not a number"),
        (TABLE.replace("5.5", ""), "row 3, column g2: the cell is empty, a number is expected"),
        (TABLE.replace("5.5", "NaN"), "row 3, column g2: NaN is not a finite number"),
        (TABLE.replace("1,2,3", "1,2,inf"), "row 2, column g3: inf is not a finite number"),
        (TABLE[:-6], "row 3 has 4 columns, 5 are expected; the file ends there, it was cut short"),
        (TABLE.replace("1,2,3", "1,2"), "row 2 has 4 columns, 5 are expected"),
        (TABLE.replace("1,2,3", "1,2,3,4"), "row 2 has 6 columns, 5 are expected"),
        (TABLE.replace("a,LUNG,1,2,3", "a"), "row 2 has 1 columns, 5 are expected"),
        ("case_id,g1\na,\nb,2\n", "row 2, column g1: the cell is empty"),
        ("case_id,g1,g1\na,1,2\n", "row 1: column 'g1' is named twice"),
        ("case_id,cancer_type\na,b\n", "the header names no feature columns"),
        ("case_id,g1\n", "the file has a header and no rows"),
        ("\na,1\n", "the first line is empty"),
        ("", "the file is empty"),
    ],
)
@readers
def test_what_is_wrong_with_a_table_is_named(path, text, message, reader):
    assert _message(read_table, path, text, reader).startswith(message)


def test_a_blank_line_between_rows_is_named_though_pandas_skips_it(path):
    text = TABLE.replace("\nb", "\n\nb")
    assert _message(read_table, path, text, "numpy").startswith("row 3 is blank, 5 columns are expected")
    pandas = read_table(path, reader="pandas")
    path.write_text(TABLE)
    np.testing.assert_array_equal(pandas.values, read_table(path).values)


@readers
@pytest.mark.parametrize("row", ["a,1", "a,1,2,3"])
def test_every_row_one_off_the_header_is_named(path, row, reader):
    message = _message(read_table, path, f"case_id,g1,g2\n{row}\n{row}\n", reader)
    assert message.startswith(f"row 2 has {row.count(',') + 1} columns, 3 are")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1,2\n3\n", "row 2 has 1 columns, 2 are expected"),
        ("1,2\n3,x\n", "row 2, column 2: 'x' is not a number"),
        ("1,x\n3,4\n", "row 1, column 2: 'x' is not a number"),
    ],
)
@readers
def test_what_is_wrong_with_a_matrix_is_named(path, text, message, reader):
    assert _message(read_matrix, path, text, reader).startswith(message)


def test_a_missing_file_comes_with_advice(path):
    with pytest.raises(DataError) as caught:
        read_matrix(path, "make it")
    assert str(caught.value) == f"{path}: no such file; make it"


def test_a_directory_is_not_a_file(tmp_path):
    with pytest.raises(DataError, match="cannot be read: Is a directory"):
        read_table(tmp_path)


@readers
def test_bytes_that_are_no_text_are_an_error_of_the_data(path, reader):
    path.write_bytes(b"case_id,g1\na,\xff\xfe\n")
    with pytest.raises(DataError, match="row 2, column g1"):
        read_table(path, reader=reader)
