"""Data are there and whole before anything is launched, and made data never pass for real ones."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from orchestrator.catalog.registry import describe
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.data.files import cache_data, check_data, make_data, prepare
from orchestrator.planning.campaign_file import CampaignFile
from orchestrator.planning.plan import NodeFacts, Plan, make_plan
from sites import Site
from workloads.description import DataError, WorkloadError

SIZES = {"train_rows": 6, "test_rows": 4, "features": 6, "cancer_types": 2}


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("user-cache")))


def plan(folder: Path, *benchmarks: dict[str, Any]) -> Plan:
    complete = [{"workload": "p1b1", "instances": 1, "timeout": 60} | one for one in benchmarks]
    spec = CampaignFile.model_validate({"campaign": "toy", "benchmarks": complete})
    return make_plan(spec, Site(site="test"), NodeFacts((0, 1), 1 << 32), folder)


def files(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_making_and_checking(tmp_path: Path) -> None:
    made = make_data(describe("p1b1"), tmp_path / "p1b1", SIZES)
    assert all(file.is_file() for file in made)
    facts = check_data(describe("p1b1"), tmp_path / "p1b1")
    assert (facts["train_rows"], facts["test_rows"], facts["features"]) == (6, 4, 6)
    assert facts["synthetic"] is True


@pytest.mark.parametrize(("name", "sizes"), [("p1b1", SIZES), ("p3b1", {"features": 5})])
def test_caching_ahead(tmp_path: Path, name: str, sizes: dict[str, Any]) -> None:
    folder, cache = tmp_path / "data", tmp_path / "cache"
    make_data(describe(name), folder, sizes)
    facts = check_data(describe(name), folder) | {"loader": "cache"}
    assert cache_data(describe(name), folder, cache) == facts | {"cache": "built"}
    assert cache_data(describe(name), folder, cache) == facts | {"cache": "hit"}


def test_the_same_seed_makes_the_same_files(tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        make_data(describe("p1b1"), tmp_path / name, SIZES, seed)
    assert files(tmp_path / "a") == files(tmp_path / "b")
    assert files(tmp_path / "a") != files(tmp_path / "c")


@pytest.mark.parametrize("sizes", [{"train_row": 3}, {"train_rows": -1}, {"train_rows": "many"}])
def test_wrong_sizes_make_nothing(tmp_path: Path, sizes: dict[str, Any]) -> None:
    with pytest.raises(WorkloadError, match="the data maker"):
        make_data(describe("p1b1"), tmp_path / "p1b1", sizes)
    assert list(tmp_path.iterdir()) == []


HUGE = 99999999999999999999


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("p1b1", {"features": HUGE}),
        ("p1b1", {"train_rows": HUGE}),
        ("p1b1", SIZES | {"cancer_types": HUGE}),
        ("p3b1", {"features": HUGE}),
        ("p3b1", {"site_train_rows": HUGE}),
        ("resnet50", {"train_images": HUGE, "validation_images": 2, "classes": 2}),
        ("resnet50", {"train_images": 2, "validation_images": 2, "classes": 2, "image_edge": HUGE}),
    ],
)
def test_sizes_that_no_machine_holds_are_refused_in_one_line_and_make_nothing(
    tmp_path: Path, name: str, sizes: dict[str, Any]
) -> None:
    with pytest.raises(DataError, match=r"data of these sizes .*; name smaller sizes"):
        make_data(describe(name), tmp_path / "new" / "data", sizes)
    assert list(tmp_path.iterdir()) == []


def test_data_that_cannot_be_cached_leave_nothing_in_the_cache(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        cache_data(describe("p1b1"), tmp_path / "nosuch", tmp_path / "new" / "cache")
    assert list(tmp_path.iterdir()) == []


def test_a_workload_without_data_has_none_to_make_or_check(tmp_path: Path) -> None:
    for act in (
        lambda w: make_data(w, tmp_path / "x", {}),
        lambda w: check_data(w, tmp_path / "x"),
        lambda w: cache_data(w, tmp_path / "x", tmp_path / "y"),
    ):
        with pytest.raises(WorkloadError, match="lstm reads no data"):
            act(describe("lstm"))
    assert list(tmp_path.iterdir()) == []


def test_a_missing_folder_says_how_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(CampaignError) as caught:
        prepare(plan(tmp_path, {"name": "b"}))
    message = str(caught.value)
    assert message.startswith(
        f"benchmark b: data folder {tmp_path}/p1b1 is missing: `orchestrator data fetch "
    )
    assert f"`orchestrator data fetch p1b1 --output {tmp_path}/p1b1` gets the published files" in message
    assert f"orchestrator data generate p1b1 --output {tmp_path}/p1b1" in message
    assert list(tmp_path.iterdir()) == []


def test_weights_that_start_dead_on_the_data_are_named_before_anything_runs(
    tmp_path: Path, info_log: pytest.LogCaptureFixture
) -> None:
    make_data(describe("p1b1"), tmp_path / "p1b1", SIZES)
    for stream in ("keras", "tensorflow1"):
        for seed in range(1, 9):
            given = {"outer_width": 2, "inner_width": 2, "weights_seed": seed, "weights_stream": stream}
            prepare(plan(tmp_path, {"parameters": given}))
    warnings = [text for text in info_log.messages if "bottleneck units are 0" in text]
    assert 0 < len(warnings) < 16
    assert all(text.startswith(f"{tmp_path}/p1b1: with weights_seed ") for text in warnings)


def test_synthetic_files_are_made_where_the_campaign_says_so(
    tmp_path: Path, info_log: pytest.LogCaptureFixture
) -> None:
    prepare(plan(tmp_path, {"data": {"directory": "made", "generate": SIZES}}))
    assert check_data(describe("p1b1"), tmp_path / "made")["synthetic"] is True
    assert info_log.messages == [
        f"generating synthetic p1b1 data in {tmp_path}/made",
        f"checking {tmp_path}/made",
    ]
    before = files(tmp_path)
    prepare(plan(tmp_path, {"data": {"directory": "made", "generate": SIZES}}))
    assert files(tmp_path) == before
    assert info_log.messages[2:] == [f"checking {tmp_path}/made"]


def test_a_folder_that_two_benchmarks_read_is_checked_once(
    tmp_path: Path, info_log: pytest.LogCaptureFixture
) -> None:
    make_data(describe("p1b1"), tmp_path / "p1b1", SIZES)
    prepare(plan(tmp_path, {"name": "a"}, {"name": "b"}, {"name": "c", "workload": "lstm"}))
    assert info_log.messages == [f"checking {tmp_path}/p1b1"]


def test_an_external_command_may_read_data_whose_check_takes_parameters(tmp_path: Path) -> None:
    file = tmp_path / "ours.yaml"
    file.write_text(
        "name: ours\ntitle: ours\nsource: here\ndata: p1b1\nfom_time: run\n"
        "command: {arguments: [cat, '{data}'], seconds: run}\n"
        "parameters: {epochs: {default: 1, description: passes}}\n"
    )
    workload = describe(str(file))
    make_data(workload, tmp_path / "p1b1", SIZES)
    assert check_data(workload, tmp_path / "p1b1", {"epochs": 1})["features"] == SIZES["features"]


def test_the_hashes_of_every_benchmarks_data_come_back(tmp_path: Path) -> None:
    make_data(describe("p1b1"), tmp_path / "p1b1", SIZES)
    toy = plan(tmp_path, {"name": "a"}, {"name": "b"}, {"name": "c", "workload": "lstm"})
    found = prepare(toy)
    assert found.keys() == {"a", "b"}
    assert found["a"] == found["b"]
    train = tmp_path / "p1b1" / "P1B1.dev.train.csv"
    assert found["a"]["files_sha256"][train.name] == hashlib.sha256(train.read_bytes()).hexdigest()
    unread = prepare(toy, check=False)["a"]
    assert (unread["path"], unread["hashed"]) == (str(tmp_path / "p1b1"), "nothing")
    assert "sha256" not in unread


def test_made_files_of_other_sizes_are_refused(tmp_path: Path) -> None:
    make_data(describe("p1b1"), tmp_path / "p1b1", SIZES)
    before = files(tmp_path)
    with pytest.raises(CampaignError, match="other sizes"):
        prepare(plan(tmp_path, {"data": {"generate": SIZES | {"train_rows": 7}}}))
    assert files(tmp_path) == before


def test_a_size_that_made_files_do_not_state_has_its_default(tmp_path: Path) -> None:
    """CIFAR-10 was made for both workloads before one of them could read other images."""
    sizes = {"train_images": 10, "test_images": 1}
    make_data(describe("cifar10_resnet44"), tmp_path / "images", sizes)
    training = {"workload": "deep500_training", "data": {"directory": "images", "generate": sizes}}
    assert prepare(plan(tmp_path, training))
    other = training | {"data": {"directory": "images", "generate": sizes | {"dataset": "mnist"}}}
    with pytest.raises(CampaignError, match="other sizes"):
        prepare(plan(tmp_path, other))


def test_two_workloads_share_made_files_that_both_read(tmp_path: Path) -> None:
    shared = {"data": {"directory": "images", "generate": {"train_images": 10, "test_images": 1}}}
    names = ("cifar10_resnet44", "deep500_training", "cifar10_resnet44")
    benchmarks = [{"workload": name, "name": f"b{n}"} | shared for n, name in enumerate(names)]
    assert len(prepare(plan(tmp_path, *benchmarks))) == 3


def test_files_are_made_as_the_parameters_name_them(tmp_path: Path) -> None:
    sizes = {"train_images": 10, "test_images": 1}
    mnist = {
        "workload": "deep500_training", "name": "one", "parameters": {"dataset": "mnist"},
        "data": {"directory": "m", "generate": sizes},
    }  # fmt: skip
    assert prepare(plan(tmp_path, mnist))
    assert (tmp_path / "m" / "train-images-idx3-ubyte").is_file()
    other = {"workload": "deep500_training", "name": "two", "data": {"directory": "m"}}
    fashion = other | {"parameters": {"dataset": "fashion_mnist"}}
    with pytest.raises(CampaignError, match="another benchmark asks for other files"):
        prepare(plan(tmp_path, mnist, fashion))
    with pytest.raises(DataError, match="made files of MNIST, not of Fashion-MNIST"):
        prepare(plan(tmp_path, other | {"parameters": {"dataset": "mnist"}}, fashion | {"name": "three"}))


def test_the_files_are_those_that_the_parameters_name(tmp_path: Path) -> None:
    make_data(
        describe("deep500_training"),
        tmp_path / "m",
        {"dataset": "mnist", "train_images": 10, "test_images": 1},
    )
    training = {"workload": "deep500_training", "data": {"directory": "m"}}
    assert prepare(plan(tmp_path, training | {"parameters": {"dataset": "mnist"}}))
    with pytest.raises(DataError, match=r"data_batch_1\.bin: No such file .* or name another dataset"):
        prepare(plan(tmp_path, training))


def test_two_benchmarks_that_ask_for_other_sizes_in_one_folder_are_refused(tmp_path: Path) -> None:
    """The second would read files of the first one's sizes without anybody saying so."""
    other = SIZES | {"train_rows": 7}
    with pytest.raises(CampaignError):
        prepare(
            plan(
                tmp_path,
                {"name": "a", "data": {"generate": SIZES}},
                {"name": "b", "data": {"generate": other}},
            )
        )


def test_a_making_that_was_interrupted_is_done_again(tmp_path: Path) -> None:
    from workloads.data.synthetic import MARKER, read_marker

    make_data(describe("p1b1"), tmp_path / "p1b1", SIZES)
    marker = tmp_path / "p1b1" / MARKER
    marker.write_text(marker.read_text().replace("true", "false"))
    with pytest.raises(DataError, match="interrupted"):
        check_data(describe("p1b1"), tmp_path / "p1b1")
    prepare(plan(tmp_path, {"data": {"generate": SIZES}}))
    facts = read_marker(tmp_path / "p1b1")
    assert facts is not None
    assert facts["complete"] is True


def test_real_files_are_never_overwritten(tmp_path: Path) -> None:
    make_data(describe("p1b1"), tmp_path / "p1b1", SIZES)
    for file in (tmp_path / "p1b1").glob("*.json"):
        file.unlink()  # without the marker they may be a user's data
    before = files(tmp_path)
    prepare(plan(tmp_path, {"data": {"generate": SIZES | {"train_rows": 9}}}))
    assert files(tmp_path) == before
    assert check_data(describe("p1b1"), tmp_path / "p1b1")["synthetic"] is True  # each file carries a mark


def test_a_broken_file_is_named_with_row_and_column_before_anything_runs(
    tmp_path: Path, info_log: pytest.LogCaptureFixture
) -> None:
    made = make_data(describe("p1b1"), tmp_path / "p1b1", SIZES)
    file = next(path for path in made if "test" in path.name)
    lines = file.read_text().splitlines()
    cells = lines[2].split(",")
    lines[2] = ",".join([*cells[:-1], "oops"])
    file.write_text("\n".join(lines) + "\n")
    with pytest.raises(DataError) as caught:
        prepare(plan(tmp_path, {}))
    said = str(caught.value)
    assert file.name in said
    assert "oops" in said
    assert "3" in said  # the line, as an editor counts it
    info_log.clear()
    prepare(plan(tmp_path, {}), check=False)
    assert info_log.messages == []
