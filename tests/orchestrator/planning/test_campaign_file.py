"""Campaign files: what is wrong is named in one line, with file and place."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from orchestrator.errors import CampaignError
from orchestrator.planning.campaign_file import CampaignFile
from orchestrator.planning.campaign_reading import load_campaign, parse_campaign
from orchestrator.planning.campaign_source import campaign_names
from orchestrator.planning.left_out import left_out

ONE = "{workload: tests.toys.behave, instances: 2, timeout: 60}"


def text(benchmark: str = ONE, more: str = "") -> str:
    return f"campaign: toy\n{more}\nbenchmarks:\n  - {benchmark}\n"


def benchmark(changes: str, workload: str = "tests.toys.behave") -> str:
    """Return a campaign of one benchmark, instances and timeout given unless changed."""
    given = {"workload": workload, "instances": "2", "timeout": "60"}
    for change in filter(None, changes.split("; ")):
        key, _, value = change.partition(": ")
        given[key] = value
    return text("{" + ", ".join(f"{key}: {value}" for key, value in given.items() if value != "-") + "}")


def error_of(content: str) -> str:
    with pytest.raises(CampaignError) as caught:
        parse_campaign(content, "toy.yaml")
    said = str(caught.value)
    assert said.startswith("toy.yaml:")
    assert "\n" not in said
    return said.removeprefix("toy.yaml:").strip()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (benchmark("", workload="lsmt"), "benchmarks.0: no workload 'lsmt'; did you mean lstm"),
        (benchmark("", workload="tests.toys.nothing"), "benchmarks.0: no module 'tests.toys.nothing'"),
        (benchmark("", workload="tests.harness"), "benchmarks.0: module 'tests.harness' has no 'WORKLOAD'"),
        (benchmark("", workload=".."), "benchmarks.0: "),
        (benchmark("workload: -"), "benchmarks.0.workload is missing"),
        (benchmark("workload: 5"), "benchmarks.0.workload: must be a text, in quotes, not 5"),
        (
            benchmark("parameters: {behavior: exit}"),
            "benchmarks.0: workload behave has no parameter 'behavior'; did you mean behaviour?",
        ),
        (
            benchmark("parameters: {zzz: 1}"),
            "no parameter 'zzz'; it has behaviour, seconds, folder, megabytes",
        ),
        (benchmark("parameters: {seconds: long}"), "seconds must be a number, not 'long'"),
        (benchmark("parameters: {seconds: yes}"), "seconds must be a number, not 'yes'"),
        (benchmark("parameters: {seconds: .nan}"), "seconds must be a finite number"),
        (benchmark("parameters: {megabytes: 1.5}"), "megabytes must be a whole number, not 1.5"),
        (benchmark("parameters: {megabytes: -1}"), "megabytes must be at least 0, not -1"),
        (benchmark("parameters: {behaviour: sing}"), "behaviour must be one of succeed, .*, not 'sing'"),
        (benchmark("parameters: [1]"), "benchmarks.0.parameters: "),
        (benchmark("instances: -1"), "benchmarks.0.instances: must be at least 1, not -1"),
        (benchmark("instances: 0"), "benchmarks.0.instances: .*not 0"),
        (benchmark("instances: many"), "benchmarks.0.instances: must be a whole number, not 'many'"),
        (benchmark("instances: 2.5"), "benchmarks.0.instances: .*not 2.5"),
        (
            benchmark("instances: fill x0"),
            "benchmarks.0.instances: must be a whole number, not 'fill x0'; `fill`",
        ),
        (benchmark("instances: ''"), "benchmarks.0.instances: must be a whole number, not ''"),
        (
            benchmark("instances: null"),
            "instances: must be a whole number, and nothing is written there; `fill`",
        ),
        (benchmark("instances: true"), "instances: must be a whole number, not True"),
        (benchmark("instances: yes"), "benchmarks.0.instances: must be a whole number, not 'yes'"),
        (benchmark("instances: -"), "benchmarks.0.instances is missing"),
        (benchmark("timeout: -"), "benchmarks.0.timeout is missing"),
        (benchmark("timeout: soon"), "benchmarks.0.timeout: must be a number of seconds .*'soon'"),
        (benchmark("timeout: 0"), "benchmarks.0.timeout: must be a number of seconds .*0"),
        (benchmark("timeout: -5"), "benchmarks.0.timeout: must be a number of seconds .*-5"),
        (benchmark("expected_runtime: never"), "benchmarks.0.expected_runtime: must be a number of seconds"),
        (benchmark("slot: {cores: 0}"), "benchmarks.0.slot.cores: .*not 0"),
        (benchmark("slot: {core: 1}"), "unknown key benchmarks.0.slot.core; did you mean cores?"),
        (benchmark("instancs: 2"), "unknown key benchmarks.0.instancs; did you mean instances?"),
        (benchmark("name: a/b"), "must not contain /"),
        (benchmark("data: {generate: {}}"), "workload behave reads no data; remove data.generate"),
        (
            benchmark("data: {generate: {train_row: 3}}", "p1b1"),
            "no parameter 'train_row'; did you mean train_rows?",
        ),
        (benchmark("data: {generate: {train_rows: lots}}", "p1b1"), "train_rows must be a whole number"),
        (benchmark("data: {generate: {train_rows: -3}}", "p1b1"), "train_rows must be at least"),
        (
            benchmark("data: {directry: x}", "p1b1"),
            "unknown key benchmarks.0.data.directry; did you mean directory?",
        ),
        (f"campaign: toy\nbenchmarks: [{ONE}, {ONE}]", "two benchmarks are named behave; give one"),
        ("campaign: toy\nbenchmarks: []", "benchmarks: must have at least 1 entry"),
        ("campaign: toy", "benchmarks is missing"),
        ("campaign: toy\nbenchmarks: p1b1", "benchmarks: must be a list, such as .*, not 'p1b1'"),
        (text(more="campain: x"), "unknown key campain; did you mean campaign?"),
        (text(more="run_class: base"), "unknown key run_class"),
        (text(more="class: fast"), "class: rulebook coral2 has 'base' or 'optimized', not 'fast'"),
        (text(more="rulebook: coral3"), "rulebook: no rulebook 'coral3'; did you mean coral2?"),
        (text(more="rulebook: none\nclass: base"), "class: rulebook none has 'ensemble', not 'base'"),
        (text(more="seed: -1"), "seed: .*not -1"),
        (text(more="seed: 4294967296"), "seed: must be below 4294967296$"),
        (text(more="seed: yes"), "seed: must be a whole number"),
        (text(more="abort_after_failures: 0"), "abort_after_failures: .*not 0"),
        (text(more="retries: {benchmark: -1}"), "retries.benchmark: .*not -1"),
        (
            text(more="retries: {infrastructur: 1}"),
            "unknown key retries.infrastructur; did you mean infrastructure?",
        ),
        (text(more="retries: {walltime: 2}"), "retries.walltime: must be a factor above 1, .*, not 2"),
        (text(more="retries: {walltime: x1}"), "retries.walltime: must be a factor above 1"),
        (text(more="retries: {up_to: 1 h}"), "retries: up_to is the longest timeout by walltime"),
        (text(more="retries: {walltime: x2, benchmark: 0}"), "retries: walltime is for retries"),
        (text(more="retries: {walltime: x2}"), "retries.walltime: CORAL-2 fixes the number"),
        (text(more="rulebook: hpcai500\nretries: {walltime: x2}"), "retries.walltime: HPC AI500 fixes"),
        (text(more="rulebook: mlperf_hpc\nretries: {walltime: x2}"), "retries.walltime: MLPerf HPC fixes"),
        (
            text(more="rulebook: none\nretries: {walltime: x2, up_to: 1 s}"),
            "retries.up_to \\(1 s\\) is not above the timeout of benchmark behave",
        ),
        (text(more="retries: {memory: x1.5}"), "retries.memory: CORAL-2 fixes the number"),
        (text(more="retries: {disk: x2}"), "retries.disk: CORAL-2 fixes the number"),
        (
            text(more="retries: {memory: 1.5 GiB}"),
            "retries.memory: must be a factor above 1, .*, not '1.5 GiB'",
        ),
        (text(more="retries: {memory: x2, benchmark: 0}"), "retries: memory is for retries"),
        (
            text(more="rulebook: none\nstart: synchronized\nretries: {memory: x2}"),
            "retries.memory: a synchronized wave has equal slots",
        ),
        (text(more="grace_period: 0"), "grace_period: must be a number of seconds"),
        (text(more="processes: hot"), "processes: .*'fresh' or 'warm', not 'hot'"),
        (text(more="processes: reused"), "processes: .*'fresh' or 'warm', not 'reused'"),
        (benchmark("processes: yes"), "benchmarks.0.processes: .*not 'yes'"),
        (text(more="logs: some"), "logs: .*'failures', 'all' or 'none', not 'some'"),
        (
            text().replace("campaign: toy", "campaign: a/b"),
            "campaign: must be of letters, digits, .*, not 'a/b'",
        ),
        (text().replace("campaign: toy", "campaign: ../up"), "campaign: .*not '../up'"),
        (text().replace("campaign: toy", "campaign: ''"), "campaign: .*not ''"),
        (text(more="seed: 1\nseed: 2"), "line 3, column 1 key 'seed' is given twice"),
        (text(more="seed: [1"), "line [0-9]+, column [0-9]+ "),
    ],
)
def test_what_is_wrong_is_named_in_one_line(content: str, said: str) -> None:
    assert re.search(said, error_of(content))


def test_a_whole_campaign() -> None:
    spec = parse_campaign(
        text(
            "{workload: p1b1, name: small, instances: 3, timeout: 10 min, expected_runtime: 90 s, "
            "parameters: {epochs: 5}, slot: {cores: 2, memory: 4 GiB}, "
            "data: {directory: x/y, generate: {train_rows: 240}}, processes: fresh}",
            "processes: warm\n"
            "class: optimized\nseed: 7\nabort_after_failures: 3\ngrace_period: 2 s\nlogs: all\n"
            "retries: {benchmark: 0}",
        ),
        "toy.yaml",
    )
    one = spec.benchmarks[0]
    assert (spec.run_class, spec.seed, spec.abort_after_failures, spec.grace_period, spec.logs) == (
        "optimized",
        7,
        3,
        2.0,
        "all",
    )
    assert (spec.retries.benchmark, spec.retries.infrastructure) == (0, 5)
    assert (spec.processes, one.processes) == ("warm", "fresh")
    assert (one.name, one.instances, one.timeout, one.expected_runtime) == ("small", 3, 600.0, 90.0)
    assert (one.parameters, one.data.directory, one.data.generate) == (
        {"epochs": 5},
        "x/y",
        {"train_rows": 240},
    )


def test_a_benchmark_is_named_after_its_workload() -> None:
    assert parse_campaign(text(), "x").benchmarks[0].name == "behave"
    named = ONE.replace("{", "{name: own, ")
    assert parse_campaign(text(named), "x").benchmarks[0].name == "own"


def test_the_default_class_is_the_strict_one() -> None:
    assert parse_campaign(text(), "x").run_class == "base"


@pytest.mark.parametrize(("rulebook", "first"), [("none", "ensemble"), ("mlperf_hpc", "closed")])
def test_the_class_is_by_default_the_rulebooks_first(rulebook: str, first: str) -> None:
    assert parse_campaign(text(more=f"rulebook: {rulebook}"), "x").run_class == first


def test_a_base_run_of_no_suite_may_use_what_it_likes() -> None:
    one = benchmark("parameters: {framework: jax}", "alexnet")
    assert parse_campaign(f"rulebook: none\n{one}", "x").rulebook == "none"


@pytest.mark.parametrize(
    ("workload", "parameters", "said"),
    [
        ("alexnet", "framework: jax", "framework is jax, a base run allows tensorflow only"),
        ("p1b1", "framework: torch", "framework is torch, a base run allows tensorflow only"),
        ("lstm", "precision: mixed_float16", "precision is mixed_float16, a base run allows"),
        ("vgg", "precision: tensor_float32", "precision is tensor_float32, a base run allows"),
    ],
)
def test_a_base_run_of_the_suite_is_refused_what_an_optimized_run_may(
    workload: str, parameters: str, said: str
) -> None:
    one = benchmark(f"parameters: {{{parameters}}}", workload)
    error = error_of(one)
    assert f"benchmark {workload}: {said}" in error
    assert error.endswith("; write `class: optimized`")
    assert parse_campaign(f"class: optimized\n{one}", "x").run_class == "optimized"


def test_a_base_run_may_name_what_it_uses_anyway() -> None:
    named = benchmark("parameters: {framework: tensorflow, precision: float32}", "p3b1")
    assert parse_campaign(named, "x").run_class == "base"


def test_no_class_is_asked_of_workloads_outside_the_suite(tmp_path: Path) -> None:
    assert parse_campaign(benchmark("", "tests.toys.faster"), "x").run_class == "base"
    script = tmp_path / "vgg.yaml"
    script.write_text(
        "name: vgg\ntitle: t\nsource: s\nfom_time: run\nparameters: {framework: {default: jax}}\n"
        "command: {arguments: ['true'], seconds: run}\n"
    )
    assert parse_campaign(benchmark("", str(script)), "x").benchmarks[0].name == "vgg"


def test_an_error_after_yaml_was_read_still_names_the_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(benchmark("instances: 0"))
    with pytest.raises(CampaignError, match=rf"^{file}: line 4: benchmarks.0.instances"):
        load_campaign(file)


@pytest.mark.parametrize("name", campaign_names())
def test_every_shipped_campaign_loads(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    spec, source = load_campaign(name)
    assert isinstance(spec, CampaignFile)
    assert spec.campaign == name
    assert spec.description
    assert parse_campaign(source, "again") == spec


def test_a_demo_is_shipped() -> None:
    assert "demo" in campaign_names()


def test_an_unknown_campaign_is_answered_with_the_nearest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CampaignError, match=r"no campaign file demoo; did you mean demo\?"):
        load_campaign("demoo")
    with pytest.raises(CampaignError, match=r"shipped campaigns: .*demo"):
        load_campaign("quite-another")
    with pytest.raises(CampaignError, match=r"campaign file demo\.yaml does not exist"):
        load_campaign("demo.yaml")


def test_a_file_comes_before_a_shipped_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("demo").write_text(text())
    assert load_campaign("demo")[0].campaign == "toy"


def test_a_folder_of_that_name_does_not_hide_a_shipped_campaign(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`make demo` makes a folder named demo."""
    monkeypatch.chdir(tmp_path)
    Path("demo").mkdir()
    assert load_campaign("demo")[0].campaign == "demo"


def test_a_folder_is_no_campaign(tmp_path: Path) -> None:
    with pytest.raises(CampaignError) as caught:
        load_campaign(tmp_path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "ours.yaml",
            "site: ours\nnode: {cores: 0-3}\n",
            "is a site file; give it with a campaign: --site ",
        ),
        ("mine.yaml", "name: mine\ncommand: {run: [python, t.py]}\n", "[{workload: mine.yaml, instances: 4"),
        (
            "t.py",
            "print(1)\n",
            "t.py is a program, not a campaign file: write a workload file that calls it",
        ),
    ],
)
def test_a_file_of_another_kind_is_named(tmp_path: Path, name: str, content: str, message: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(CampaignError, match=re.escape(message)) as error:
        load_campaign(tmp_path / name)
    assert "\n" not in str(error.value)


def test_an_optional_benchmark_that_was_not_registered_was_left_out() -> None:
    rows = "{workload: lstm, instances: 1, timeout: 9, optional: true}", "{workload: p1b1, optional: true}"
    content = "campaign: toy\nbenchmarks: [" + ", ".join((*rows, "{workload: vgg}")) + "]"
    assert left_out(content, ["p1b1", "vgg"]) == ["lstm"]
    assert left_out(content, ["lstm", "p1b1"]) == []


def test_a_timeline_is_for_workloads_of_several_ranks():
    def spec(workload, timeline):
        return (
            f"campaign: c\nbenchmarks:\n"
            f"  - {{workload: {workload}, instances: 1, timeline: {timeline}, timeout: 1 h}}\n"
        )

    for timeline in (True, "last", "slowest"):
        [benchmark] = parse_campaign(spec("nt3", timeline), "file").benchmarks
        assert benchmark.timeline == timeline
    for workload, timeline, message in (
        ("lstm", True, "trains on one rank, which communicates with none; remove timeline"),
        ("nt3", "first", "timeline"),
    ):
        with pytest.raises(CampaignError, match=message):
            parse_campaign(spec(workload, timeline), "file")
