"""Site files: what is wrong is named with its place; what is right is taken as written."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sites
from orchestrator.planning.overrides import site_settings
from sites import FileError, Site, core_numbers, find, load, names, parse
from sites.schedulers import Slurm

BATCH = "site: a\nscheduler: {type: slurm, walltime: 1 h"
NODE = "node: {cores: '0-3', memory: 4 GiB}"


def error_of(text: str) -> str:
    """Return the one line that a wrong site file is answered with."""
    with pytest.raises(FileError) as caught:
        parse(text, Site, "here.yaml")
    said = str(caught.value)
    assert said.startswith("here.yaml:")
    assert "\n" not in said
    return re.sub(r"^here.yaml: (line \d+: )?", "", said)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("site: a\nheartbeet: {period: 5 s}", "unknown key heartbeet; did you mean heartbeat?"),
        ("site: a\nheartbeat: {treshold: 5 s}", "unknown key heartbeat.treshold; did you mean threshold?"),
        ("site: a\nnode: {core: 0-3}", "unknown key node.core; did you mean cores?"),
        ('site: a\nnetwork: "HDR\\e[31m"', "network: must be one line of printable characters, not 'HDR"),
        ("site: a\nslot: {zzz: 1}", "unknown key slot.zzz; known keys: nodes, ranks, cores, gpus, memory"),
        ("description: x", "site is missing"),
        ("site: a\nslot: {cores: many}", "slot.cores: must be a whole number, not 'many'"),
        ("site: a\nslot: {cores: 0}", "slot.cores: must be at least 1, not 0"),
        ("site: a\nslot: {cores: -2}", "slot.cores: must be at least 1, not -2"),
        ("site: a\nslot: {cores: 2.5}", "slot.cores: .*not 2.5"),
        ("site: a\nslot: {cores: yes}", "slot.cores: must be a whole number, not 'yes'"),
        ("site: a\nslot: {memory: 4}", "slot.memory: must be a text with a unit.*not 4$"),
        ("site: a\nslot: {memory: -1 GiB}", "slot.memory: .*not '-1 GiB'"),
        ("site: a\nnode: {memory: -5}", "node.memory: must be a text.*not -5$"),
        ("site: a\nnode: {disk: 2}", "node.disk: must be a text with a unit, such as 4 GiB.*not 2$"),
        ("site: a\nnode: {memory: lots}", "node.memory: must be a text.*not 'lots'"),
        ("site: a\nnode: {cores: 0-x}", "node.cores: cores are written like"),
        ("site: a\nnode: {cores: 3-1}", "node.cores: .* no range"),
        ("site: a\nnode: {cores: true}", "node.cores: .*not True"),
        ("site: a\nnode: [1, 2]", "^node: must be a mapping of keys to values"),
        ("site: a\nscheduler: slurm", "scheduler: .*not 'slurm'"),
        ("site: a\nscheduler: {type: slurm}", "scheduler.walltime is missing: how long a block"),
        ("site: a\nscheduler: {type: slrm}", "scheduler: must have a type, one of local, slurm, lsf, "),
        (f"{BATCH}, partiton: x}}\n{NODE}", "unknown key scheduler.partiton; did you mean partition"),
        (f"{BATCH}, launcher: {{tpe: x}}}}\n{NODE}", "unknown key scheduler.launcher.tpe; did you mean type"),
        (f"{BATCH}, nodes_per_block: 4}}\n{NODE}\nnodes: 2", "a block has 4 nodes, and the whole machine 2"),
        (f"{BATCH}}}\n{NODE}", "interface .* or address is needed"),
        (f"{BATCH}}}\ninterface: ib0", "node.cores and node.memory must be written out"),
        ("site: a\nslots: {resnet50: {rnks: 3}}", "unknown key slots.resnet50.rnks; did you mean ranks"),
        ("site: a\nslots: {resnet50: {nodes: 2, ranks: 2}}", "a slot of several nodes needs a batch system"),
        ("site: a\nslot: {ranks: 3, nodes: 2}", "slot: 3 ranks cannot be spread evenly over 2 nodes"),
        ("site: a\nslot: {gpus: 0.3}", "slot.gpus: .* a share of one such as 1/4, not 0.3"),
        ("site: a\nslot: {gpus: -1}", "slot.gpus: .*not -1"),
        ("site: a\nnode: {gpus: {count: 4, gpu_cores: ['1']}}", "gpus: gpu_cores has 1 lists for 4 GPUs"),
        ("site: a\nnode: {gpus: {count: 4, instances_per_gpu: 2}}", "needs sharing: time-slicing or mps"),
        ("site: a\nnode: {numa_domains: [0-3, 3-5]}", "node.numa_domains: cores .* must name each core once"),
        ("site: a\nheartbeat: {period: 5 parsecs}", "heartbeat.period: must be a number .*not '5 parsecs'"),
        ("site: a\nheartbeat: {period: -5}", "heartbeat.period: must be a number of seconds .*not -5"),
        ("site: a\npaths: {cache: {stage: c}}", "paths.cache.path is missing: path of the cache"),
        ("site: a\npaths: {cache: {path: c, stag: d}}", "unknown key paths.cache.stag; did you mean stage?"),
        ("site: a\npaths: {cache: 3}", "paths.cache: must be a path, or a mapping such as {path: "),
        ("site: a\nenvironment: {THREADS: 1}", "environment.THREADS: must be a text, in quotes, not 1"),
        ("site: false", "site: must be a text, in quotes, not False"),
        ("site: ../a", "site: must be of letters, .* and begin with a letter or digit, not '../a'"),
        ("1: 2\nsite: a", "."),
    ],
)  # fmt: skip
def test_what_does_not_follow_the_schema_is_named(text: str, said: str) -> None:
    assert re.search(said, error_of(text))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("site: a\nnode:\n  cores: 0-3\n cores: 4\n", "line 4, column 2 "),
        ("site: a: b", "line 1, column 8 mapping values are not allowed here"),
        ("site: a\n\tnode: {}", "line 2, column 1 .*'\\\\t'"),
        ("site: [a", "line 1, column "),
        ("site: a\nnode: *other", "line 2, column 7 found undefined alias 'other'"),
        ("site: a\nsite: b", "line 2, column 1 key 'site' is given twice"),
        (
            "site: a\nslot: {cores: 1, memory: 1 GiB, cores: 2}",
            "line 2, column 33 key 'cores' is given twice",
        ),
        ("site: a\nslot:\n  cores: 1\n  cores: 1", "line 4, column 3 key 'cores' is given twice"),
        ("? [1, 2]\n: 3", "line 1, column 3 a key is a list or a mapping"),
        ("{a: b}: 3", "line 1, column 1 a key is a list or a mapping"),
        ("site: !!python/object/apply:os.getpid []", "line 1, column 7 .*python/object"),
        ("- site: a", "must be a mapping of keys to values"),
        ("", "must be a mapping"),
        ("just a text", "must be a mapping"),
        ("site: a\nx: \x00", "x0000"),
    ],
)
def test_what_is_no_yaml_is_named_with_line_and_column(text: str, said: str) -> None:
    assert re.search(said, error_of(text))


def test_the_same_key_in_two_places_is_fine() -> None:
    site = parse("site: a\nnode: {memory: 8 GiB}\nslot: {memory: 4 GiB}", Site, "x")
    assert (site.node.memory, site.slot.memory) == (8 << 30, 4 << 30)


def test_a_whole_site() -> None:
    site = parse(
        "site: big\nnode: {cores: '1-3,8', memory: 64 GiB}\nslot: {cores: 2, memory: 2 GiB}\n"
        "heartbeat: {period: 2 s, threshold: 1 min}\nenvironment: {A: b}\ninterpreter: /opt/bin/python\n",
        Site,
        "x",
    )
    assert core_numbers(site.node.cores) == (1, 2, 3, 8)
    assert (site.node.memory, site.slot.cores, site.slot.memory) == (64 << 30, 2, 2 << 30)
    assert (site.heartbeat.period, site.heartbeat.threshold) == (2.0, 60.0)
    assert (site.environment, site.interpreter) == ({"A": "b"}, "/opt/bin/python")


def test_a_site_does_not_change() -> None:
    site = parse("site: a", Site, "x")
    with pytest.raises(ValueError, match="frozen"):
        site.slot.cores = 4  # type: ignore[misc]


# -- cores -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "cores"),
    [("0", (0,)), ("0-3", (0, 1, 2, 3)), ("0-1,8,10-11", (0, 1, 8, 10, 11)), ("8,0", (8, 0)),
     (" 1 , 2 ", (1, 2)), ("5-5", (5,)), ("007", (7,))],
)  # fmt: skip
def test_core_lists(text: str, cores: tuple[int, ...]) -> None:
    assert core_numbers(text) == cores


@pytest.mark.parametrize(
    "bad",
    [
        *("", ",", "0,", "a", "0-", "-3", "0--3", "0-3-5", "1 - 3", "0x1", "1.5", "auto", "0;1"),
        *("3-1", "0,3-1", "0,0", "0-2,2", "1-3,2-4", "0-1000000000", "99999999"),
    ],
)
def test_what_is_no_core_list_is_refused(bad: str) -> None:
    with pytest.raises(ValueError, match="cores"):
        core_numbers(bad)


@given(st.lists(st.integers(0, 500), min_size=1, max_size=60, unique=True))
def test_core_lists_round_trip(cores: list[int]) -> None:
    assert core_numbers(",".join(map(str, cores))) == tuple(cores)


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 9)), min_size=1, max_size=5))
def test_ranges_name_each_core_once_or_are_refused(ranges: list[tuple[int, int]]) -> None:
    wanted = [core for start, length in ranges for core in range(start, start + length + 1)]
    text = ",".join(f"{start}-{start + length}" for start, length in ranges)
    if len(set(wanted)) == len(wanted):
        assert core_numbers(text) == tuple(wanted)
    else:
        with pytest.raises(ValueError, match="each core once"):
            core_numbers(text)


# -- finding ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", names())
def test_every_shipped_site_loads(name: str) -> None:
    site, text = load(name)
    assert site.site == name  # the name it is found by is the name the ledger will keep
    assert site.description
    written = find(name).read_text()
    assert text == written or "\ninclude: " in written
    assert site.local is (site.address is None and site.interface is None)
    assert site.local or site.source


def test_a_site_for_this_machine_is_shipped() -> None:
    assert "local" in names()


def test_an_unknown_site_is_answered_with_the_nearest() -> None:
    with pytest.raises(FileError, match="no site 'locl'; did you mean local"):
        load("locl")
    with pytest.raises(FileError, match=r"known sites: .*local"):
        load("summit-of-everest")


@pytest.mark.parametrize("name", ["missing.yaml", "./missing", "/nowhere/site.yml"])
def test_a_missing_file_is_named(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileError, match=rf"site file {name.removeprefix('./')} does not exist"):
        load(name)


def test_a_named_pipe_is_refused_before_it_is_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "site.yaml")
    with pytest.raises(FileError, match=r"site file .*site\.yaml is not a regular file"):
        load(str(tmp_path / "site.yaml"))


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "folder.yaml").mkdir()
    (tmp_path / "binary.yaml").write_bytes(b"site: \xff\xfe")
    for name in ("folder.yaml", "binary.yaml"):
        with pytest.raises(FileError, match=f"{name} cannot be read") as caught:
            load(str(tmp_path / name))
        assert "\n" not in str(caught.value)


def test_a_site_is_found_by_path(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("site: mine\n")
    site, text = load(str(tmp_path / "mine.yaml"))
    assert (site.site, text) == ("mine", "site: mine\n")
    assert sites.find("local").is_file()


POOLS = """site: ours
interface: hsn0
scheduler: {type: slurm, walltime: 2 h, account: abc}
slot: {cores: 4}
pools:
  gpu:
    scheduler: {partition: gpu, walltime: 1 h}
    node: {cores: 0-63, memory: 100 GiB, gpus: {count: 4, memory: 40 GB, sharing: mps, instances_per_gpu: 4}}
    slot: {gpus: 1/4}
  cpu:
    scheduler: {partition: cpu}
    node: {cores: 0-127, memory: 200 GiB}
    environment: {A: b}
"""


def test_a_pool_is_the_site_with_what_it_writes() -> None:
    site = parse(POOLS, Site, "f.yaml")
    gpu, cpu = site.pooled().values()
    assert [gpu.pool, cpu.pool] == ["gpu", "cpu"]
    assert isinstance(gpu.scheduler, Slurm)
    assert isinstance(cpu.scheduler, Slurm)
    assert (gpu.scheduler.partition, gpu.scheduler.walltime, gpu.scheduler.account) == ("gpu", 3600.0, "abc")
    assert (cpu.scheduler.partition, cpu.scheduler.walltime) == ("cpu", 7200.0)
    assert (gpu.slot.cores, float(gpu.slot.gpus), cpu.slot.gpus) == (4, 0.25, 0)
    assert "nodes" not in gpu.slot.model_fields_set  # left open, as in the file
    assert (gpu.environment, cpu.environment) == ({}, {"A": "b"})
    assert list(parse(POOLS + "pool: cpu\n", Site, "f.yaml").pooled()) == ["cpu"]
    alone = parse("site: here\n", Site, "f.yaml")
    assert alone.pooled() == {"": alone}


def test_a_pool_of_another_scheduler_is_another_machine() -> None:
    text = "nodes: 9\ncost: {node_hour: 1, currency: EUR}\ninterpreter: /opt/python\n"
    text += "driver_job: {exclusive: false}\nslots: {nt3: {cores: 8}}\n"
    text += POOLS
    text += "  own: {scheduler: {type: local}, environment: {B: c}}\n"
    text += "  other:\n    scheduler: {type: lsf, walltime: 3 h}\n    address: 10.0.0.1\n"
    text += "    node: {cores: 0-7, memory: 8 GiB}\n    removed: true\n"
    site = parse(text, Site, "f.yaml")
    own = site.pooled()["own"]
    assert own.local
    assert not own.outlives_driver
    assert (own.interpreter, own.environment) == ("/opt/python", {"B": "c"})
    assert (own.interface, own.nodes, own.cost, own.slots, own.slot.cores) == (None, None, None, {}, 1)
    assert own.node.cores == "auto"
    assert site.pooled()["gpu"].slot.cores == 4
    assert (site.local, site.outlives_driver) == (False, True)
    assert (site.local_pools, site.scheduler_types) == (["own"], ["slurm", "local"])
    assert site.main_pool == "gpu"
    assert [site.scheduler_type(name) for name in ("gpu", "own", "other", "")] == [
        "slurm", "local", "lsf", "slurm",
    ]  # fmt: skip
    machines = site.by_scheduler()
    assert {kind: one.pool for kind, one in machines.items()} == {
        "slurm": "gpu", "local": "own", "lsf": "other",
    }  # fmt: skip
    alone = parse(text + "pool: own\n", Site, "f.yaml")
    assert (alone.local, alone.local_pools, alone.outlives_driver) == (True, ["own"], False)
    plain = parse("site: here\n", Site, "f.yaml")
    assert (plain.local_pools, plain.by_scheduler()) == ([""], {"local": plain})


@pytest.mark.parametrize("key", ["partition", "qos"])
@pytest.mark.parametrize("value", ["", ",", "debug,", "debug,,regular"])
def test_a_list_of_names_without_a_name_is_refused(key: str, value: str) -> None:
    text = f"site: a\nscheduler:\n  type: slurm\n  walltime: 1 h\n  {key}: '{value}'\n"
    assert error_of(text).endswith(
        f"{value!r} lacks a name; write one, or several as in a,b, or leave the key out"
    )


def test_a_local_site_may_have_pools_of_batch_systems_but_no_driver_job() -> None:
    text = "site: a\npools:\n  own: {}\n  far:\n    scheduler: {type: slurm, walltime: 1 h}\n"
    text += "    address: 10.0.0.1\n    node: {cores: 0-3, memory: 4 GiB}\n"
    site = parse(text, Site, "f.yaml")
    assert (site.local, site.local_pools, site.scheduler_types) == (False, ["own"], ["local", "slurm"])
    assert (site.main_pool, parse("site: a\n", Site, "f.yaml").main_pool) == ("far", "")
    assert error_of(text.replace("site: a", "site: a\ndriver_job: {qos: x}")).endswith(
        "driver_job needs a batch system; scheduler.type is local"
    )


def test_a_removed_pool_is_described_and_not_used() -> None:
    site = parse(POOLS.replace("environment:", "removed: true\n    environment:"), Site, "f.yaml")
    assert list(site.pooled()) == ["gpu"]
    assert site.all_pools() == parse(POOLS, Site, "f.yaml").pooled()
    assert list(parse(POOLS + "pool: cpu\n", Site, "f.yaml").all_pools()) == ["gpu", "cpu"]


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        (
            "walltime: 1 h",
            "walltim: 1 h",
            "line 7: pools.gpu.scheduler.walltim: unknown key scheduler.walltim; did",
        ),
        (
            "walltime: 1 h",
            "walltime: 0 h",
            "line 7: pools.gpu.scheduler.walltime: must be a number of seconds",
        ),
        (
            "partition: gpu, walltime: 1 h",
            "type: lsf",
            "line 7: pools.gpu.scheduler.walltime: scheduler.walltime is missing",
        ),
        ("partition: gpu, walltime: 1 h", "type: lfs", "line 7: pools.gpu.scheduler: must have a type"),
        (
            "scheduler: {partition: gpu, walltime: 1 h}\n    node: {cores: 0-63",
            "scheduler: {type: lsf, walltime: 1 h}\n    node: {cores: 0-63",
            "pools.gpu: interface (such as hsn0 or ib0) or address is needed",
        ),
        (
            "  cpu:\n    scheduler: {partition: cpu}",
            "  own: {scheduler: {type: local}}\n  cpu:\n    scheduler: {type: local}",
            "pools.cpu.scheduler.type: pools own and cpu are both the driver's own machine",
        ),
        (
            "    scheduler: {partition: cpu}",
            "    scheduler: {type: local, partition: cpu}",
            "pools.cpu.scheduler.partition: unknown key scheduler.partition",
        ),
        ("environment", "enviroment", "pools.cpu.enviroment; did you mean environment?"),
        ("  cpu:", "  c pu:", "pools.c pu: a pool's name must be of letters"),
        (
            "node: {cores: 0-127, memory: 200 GiB}",
            "node: {}",
            "pools.cpu: node.cores and node.memory must be",
        ),
        ("interface: hsn0", "pool: gpo\ninterface: hsn0", "pool: there is no pool gpo; did you mean gpu?"),
        ("environment: {A: b}", "removed: true\npool: cpu", "pools: no pool is left: all to use are removed"),
        ("type: slurm, walltime: 2 h, account: abc", "type: local", "pools: pools need a batch system"),
        ("  gpu:\n", "  gpu: 3\n  gpv:\n", "pools.gpu: must be a mapping"),
    ],
)
def test_what_is_wrong_with_a_pool_has_its_place(before: str, after: str, problem: str) -> None:
    assert before in POOLS
    with pytest.raises(FileError) as caught:
        parse(POOLS.replace(before, after, 1), Site, "f.yaml")
    assert problem in str(caught.value)


def test_a_pool_alone_is_refused_without_pools() -> None:
    with pytest.raises(FileError, match="line 2: pool: there is no pool to choose from"):
        parse("site: ours\npool: gpu\n", Site, "f.yaml")


def test_values_of_the_command_line_and_included_files_reach_pools(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text(POOLS)
    (tmp_path / "ours.yaml").write_text("include: base.yaml\npools:\n  cpu: {nodes: 9}\n")
    written = "site.pools.gpu.scheduler.walltime=3h"
    site, text = load(str(tmp_path / "ours.yaml"), site_settings([written]))
    gpu, cpu = site.pooled().values()
    assert isinstance(gpu.scheduler, Slurm)
    assert (gpu.scheduler.walltime, cpu.nodes) == (3 * 3600.0, 9)
    assert parse(text, Site, "stored") == site
    with pytest.raises(FileError, match=r"--set site.pools.gpu.scheduler.wall=3h"):
        load(str(tmp_path / "ours.yaml"), site_settings(["site.pools.gpu.scheduler.wall=3h"]))


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("", 1.0), ("sampling: off", None), ("sampling: 500 s", 500.0), ("sampling: 0.1", 0.1)],
)
def test_sampling_is_on_unless_it_is_off(text: str, seconds: float | None) -> None:
    site = parse(f"site: a\n{text}\n", Site, "a.yaml")
    assert site.sampling_seconds == seconds


def test_hardware_counters_are_off_unless_they_are_on() -> None:
    assert not parse("site: a", Site, "a.yaml").hardware_counters
    assert parse("site: a\nhardware_counters: true", Site, "a.yaml").hardware_counters
    with pytest.raises(FileError, match="hardware_counters"):
        parse("site: a\nhardware_counters: 7", Site, "a.yaml")
    with pytest.raises(FileError, match="counters are read with samples; remove sampling: off"):
        parse("site: a\nsampling: off\nhardware_counters: true", Site, "a.yaml")


@pytest.mark.parametrize(
    ("text", "found"),
    [("", ("cache", None)), ("a", ("a", None)), ("{path: a, stage: $T/b}", ("a", "$T/b"))],
)
def test_a_dataset_cache_is_a_path_alone_or_with_a_stage(text: str, found: tuple[str, str | None]) -> None:
    cache = parse(f"site: a\npaths: {{{'cache: ' if text else ''}{text}}}", Site, "here.yaml").paths.cache
    assert (cache.path, cache.stage) == found


@pytest.mark.parametrize(
    "line",
    [
        'extra_directives: ["--mem=0\\n#SBATCH --account=other"]',
        'account: "mine\\nrm -r ."',
        'skip_directives: ["a\\u0085b"]',
        'partition: "batch\\e[2J"',
    ],
)
def test_a_value_of_the_submit_script_is_one_line(line: str) -> None:
    text = f"site: a\nscheduler: {{type: slurm, walltime: 1 h, {line}}}\n"
    with pytest.raises(FileError, match="must be one line without control characters"):
        parse(text, Site, "a.yaml")


def test_a_shell_line_may_have_breaks() -> None:
    batch = Slurm(walltime=3600.0, prologue=["if true\nthen true\nfi"])
    assert batch.prologue == ["if true\nthen true\nfi"]
