from __future__ import annotations

import re

import numpy as np
import pytest

from workloads.candle.data import nt3 as nt3_data
from workloads.candle.data import p1b1 as p1b1_data
from workloads.candle.data import p1b2 as p1b2_data
from workloads.candle.data import p1b3 as p1b3_data
from workloads.candle.data import p3b1 as p3b1_data
from workloads.data.generator_seeds import SEEDS, generator_seed

P1B1 = {"train_rows": 60, "test_rows": 10, "features": 400, "cancer_types": 6}
P3B1 = {
    f"{task}_{part}": rows
    for task in p3b1_data.TASKS
    for part, rows in (("train_rows", 60), ("test_rows", 20), ("classes", 2))
}


def without_marks(directory):
    (directory / "SYNTHETIC.json").unlink()
    for file in [*directory.glob("*.csv"), *directory.glob("*.tsv")]:
        text = file.read_text().replace("SYNTHETIC", "case")
        file.write_text(re.sub(r"00000000838978847269847367", "", text))


@pytest.mark.parametrize("seed", [0, 2017, SEEDS - 1])
def test_p1b1_without_marks_is_recognised_by_its_seed(tmp_path, seed):
    p1b1_data.make(tmp_path, seed, **P1B1)
    without_marks(tmp_path)
    facts = p1b1_data.check(tmp_path)
    assert facts["synthetic"] is False
    assert facts["generator_seed"] == seed


def test_p3b1_without_marks_is_recognised_by_its_seed(tmp_path):
    p3b1_data.make(tmp_path, 2017, **P3B1, features=200)
    without_marks(tmp_path)
    facts = p3b1_data.check(tmp_path)
    assert facts["synthetic"] is False
    assert facts["generator_seed"] == 2017


P1B2 = {"train_rows": 60, "test_rows": 10, "features": 400}
P1B3 = {"cell_lines": 50, "drugs": 30, "genes": 300, "descriptors": 20, "test_drugs": 5}
NT3 = {"train_rows": 40, "test_rows": 10, "features": 400}


@pytest.mark.parametrize("seed", [0, 2017, SEEDS - 1])
@pytest.mark.parametrize(("data", "sizes"), [(p1b2_data, P1B2), (p1b3_data, P1B3), (nt3_data, NT3)])
def test_the_other_tables_are_recognised_too(tmp_path, data, sizes, seed):
    """An external command's data are checked by the same function at launch."""
    data.make(tmp_path, seed, **sizes)
    assert data.check(tmp_path)["synthetic"] is True
    without_marks(tmp_path)
    facts = data.check(tmp_path)
    assert facts["synthetic"] is False
    assert facts["generator_seed"] == seed


@pytest.mark.parametrize(("data", "sizes"), [(p1b2_data, P1B2), (p1b3_data, P1B3), (nt3_data, NT3)])
def test_a_seed_that_is_not_tried_is_no_other_one(tmp_path, data, sizes):
    data.make(tmp_path, SEEDS + 1, **sizes)
    assert "generator_seed" not in data.check(tmp_path)


def test_tables_with_few_factors_are_not_recognised_by_chance():
    """Expressions of real cell lines: a large common level, and one factor that most genes follow."""
    for number in range(5):
        random = np.random.default_rng([123456789, number])
        factor = np.outer(random.normal(size=60), random.normal(size=500))
        assert p1b3_data._generator_seed(5 + factor + random.normal(size=500)) is None


def test_numbers_of_another_origin_are_not_recognised():
    random = np.random.default_rng(123456789)
    for columns in (50, 200, 2000, 10_000):
        values = random.gamma(0.7, 2.0, columns)
        assert generator_seed(values, lambda seed, n: np.random.default_rng([seed, 0]).normal(size=n)) is None
    assert generator_seed(np.ones(500), lambda seed, n: np.random.default_rng(seed).normal(size=n)) is None


def test_a_part_of_the_columns_and_noise_do_not_hide_a_seed(tmp_path):
    p1b1_data.make(tmp_path, 7, **P1B1)
    levels = p1b1_data.read(p1b1_data.DATA.source(tmp_path)).train.mean(axis=0)
    levels = levels[:200] + np.random.default_rng(1).normal(0, 1, 200)
    assert generator_seed(levels, lambda seed, n: p1b1_data._first_levels(6, seed, n)) == 7
