"""How a plan is shown to people."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from orchestrator.cli.terminal.slot_picture import draw_slots
from orchestrator.cli.terminal.sweep_table import reasons_by_sweep, rows_of, show_points, span
from orchestrator.cli.terminal.tables import print_table, say
from orchestrator.driver.queue.order_design import instance_counts, order_design
from orchestrator.lifecycle.data.files import missing_words
from orchestrator.planning.plan import Plan
from orchestrator.planning.plan_facts import plan_bill
from orchestrator.planning.site_facts import node_facts
from orchestrator.planning.slots import NodeFacts
from orchestrator.planning.stage import PlannedBenchmark, Stage
from orchestrator.rulebooks import registry
from orchestrator.rulebooks.model import PlannedRun
from orchestrator.schedulers.block_shape import BlockShape
from orchestrator.schedulers.client import SchedulerClient, job_name
from orchestrator.schedulers.model import JobRequest
from orchestrator.wording import count_of, disk_words, gibibytes, short_hashes
from sites.nodes import core_list
from sites.quantities import shown
from sites.schedulers import Batch, Local
from workloads.data.synthetic import MARKER
from workloads.description import broken_rules
from workloads.external.reference import is_file
from workloads.runtime.gpu_identity import unprovable

_PICTURED_SLOTS = 2
_LISTED_BENCHMARKS = 200  # of a stage; the table of 100,000 takes minutes
_LISTED_RULES = 200


def show_plan(made: Plan) -> None:
    """Print everything a launch would do, stage by stage, and what will not count."""
    pools = made.site.pooled()
    rules = f"rulebook {made.campaign.rulebook}, {made.campaign.run_class}"
    say(f"campaign {made.name} on site {made.site.site}: {count_of(made.size, 'instance')}, {rules}")
    for name, site in pools.items():
        if not site.local:
            whole = f"pool {name}" if name else "the whole machine"
            if site.nodes is None:
                say(f"the site file states no `nodes` of {whole}: shares of it are not known")
            else:
                say(f"shares of {whole} are of {count_of(site.nodes, 'node')}, as the site file states")
    if len(made.lanes) > 1:
        say("stages of different pools run side by side, and those of one pool one after another")
    if (design := order_design(made)) is not None:
        say(design.sentence(instance_counts(made)))
    _show_retries(made)
    for number, stage in enumerate(made.stages, 1):
        _show_stage(stage, number, node_facts(stage.site))
    show_points(made)
    total = made.node_hours
    if total is not None and not made.site.local:
        say(f"\nin all about {_node_hours(total)}, if all take what is expected and no block ends early")
    elif not made.site.local:
        most = made.node_hours_at_most
        say(f"\nin all at most {_node_hours(most)}, if every instance runs until its timeout once")
    _show_cost(made)
    if made.campaign.start == "synchronized":
        say(
            "\nA wave that starts together ends with its slowest; --simulate draws stragglers, this does not."
        )
    for name, site in pools.items():
        idle = [
            one
            for stage in made.stages
            if stage.site.pool == site.pool and not stage.shape.gpus
            for one, _ in rows_of(stage.benchmarks)
        ]
        if site.node.gpus and idle:
            where = f"nodes of pool {name}" if name else "nodes"
            say(f"\nThese run without a GPU on {where} that have {site.node.gpus.count}: {', '.join(idle)}")
    _show_preflight(made)


def _node_hours(hours: float) -> str:
    """Return node-hours in words; few of them with two digits, as 0.0 would say nothing."""
    return f"{hours:,.1f} node-hours" if hours >= 10 else f"{hours:.2g} node-hours"


def _show_retries(made: Plan) -> None:
    """Print how much more time, memory and disk retries get."""
    retries = made.campaign.retries
    if retries.walltime is not None:
        longest = shown(max(retries.longest(one.timeout_seconds) for one in made.benchmarks))
        say(
            f"after a timeout an instance is tried again with {retries.walltime:g} times as long a timeout, "
            f"up to {longest}"
        )
    for stage in made.retry_stages:
        shape = stage.shape
        sizes = [f"{gibibytes(shape.memory_bytes or 0)} a rank"] * bool(stage.level.memory)
        sizes += [disk_words(float(shape.disk), stage.disk_bytes)] * bool(stage.level.disk)
        ends = [
            resource if number == 1 else f"{resource} {number} times"
            for resource, number in stage.level.ends.items()
        ]
        where = f" of pool {stage.site.pool}" if stage.site.pool else ""
        say(
            f"{_named(stage.benchmarks)}: an instance that ran out of {' and of '.join(ends)} is tried again "
            f"with {' and '.join(sizes)}, {count_of(len(stage.slots), 'slot')} on a node{where}"
        )
    for key in retries.enlarged:
        if full := [one for one in made.benchmarks if not any(getattr(it, key) for it in one.larger)]:
            say(f"{_named(full)}: no node has a slot with more {key}; a retry has the same")


def _named(benchmarks: Sequence[PlannedBenchmark]) -> str:
    """Return the names of benchmarks, points of a sweep as that sweep."""
    return ", ".join(dict.fromkeys(one.sweep or one.name for one in benchmarks))


def _show_cost(made: Plan) -> None:
    """Print money and CO2 of a plan's node-hours, where its site file has prices."""
    if (bill := plan_bill(made)) is not None:
        for line in bill.lines(at_most=made.node_hours is None):
            say(line)


def _show_preflight(made: Plan) -> None:
    """Print what in the plan breaks rules of the campaign's rulebook."""
    book = made.rulebook
    if book.headline and not book.needs_runs:  # others count the runs themselves
        say("\nOnly instances that run at once count, and of these only as many as there are slots.")
        _show_whole_machine(made)
    trials = {one.name for one in made.campaign.benchmarks if one.recipe and one.recipe.synthetic_data}
    spread = [one for one in made.benchmarks if one.others and "slots" in book.sentences]
    with_profile = {
        one.name for one in made.campaign.benchmarks if one.profile is not None and "slots" in book.sentences
    }
    profiled = [one for one in made.benchmarks if one.name in with_profile]
    broken = reasons_by_sweep(
        (b, reason)
        for stage in made.stages
        for b in stage.benchmarks
        for reason in book.preflight(
            PlannedRun(
                workload=registry.workload_name(b.module, b.workload),
                run_class=made.campaign.run_class,
                parameters=b.parameters,
                broken_parameters=tuple(broken_rules(b.workload.own_rules, b.parameters)),
                at_once=min(stage.width, b.instances),
                instances=b.instances,
                share_of_system=b.share_of_system,
                gpus_unprovable=_gpus_unprovable(made, b),
                synthetic_data=b.name not in trials
                and (b.make is not None or (b.data is not None and (b.data / MARKER).exists())),
                sweep=b.sweep,
            )
        )
    )
    broken += reasons_by_sweep((one, f"runs on nodes of different pools: {_pools(one)}") for one in spread)
    broken += reasons_by_sweep((one, "its kernels are recorded, which takes time") for one in profiled)
    if broken:
        say(
            "\nThe figure of merit will not be reportable:"
            if book.headline
            else "\nRules that this plan breaks:"
        )
        say("\n".join(f"  {rule}" for rule in broken[:_LISTED_RULES]))
        if len(broken) > _LISTED_RULES:
            say(f"  and {len(broken) - _LISTED_RULES:,} more")
    if made.misfit:
        say(f"\n{made.misfit}")


def _show_whole_machine(made: Plan) -> None:
    """Print what would use all nodes of a site whose blocks hold few of them."""
    site = made.site
    batch = site.scheduler
    if site.pools or site.nodes is None or isinstance(batch, Local):
        return
    held = max(stage.blocks * stage.nodes_per_block for stage in made.stages)
    each = site.nodes // batch.max_blocks
    if each <= batch.nodes_per_block:
        return
    blocks = f"{count_of(batch.max_blocks, 'block')} of {count_of(batch.nodes_per_block, 'node')}"
    say(
        f"It would hold {held:,} of {count_of(site.nodes, 'node')} at a time, as the site file allows "
        f"{blocks}; "
        "for the whole machine add"
    )
    print(f"  --set site.scheduler.nodes_per_block={each}")
    say("  and `instances: fill` to the benchmarks that are to fill it")


def _pools(benchmark: PlannedBenchmark) -> str:
    return ", ".join(one.pool for one in benchmark.places)


def _gpus_unprovable(made: Plan, benchmark: PlannedBenchmark) -> str | None:
    """Return why GPUs cannot be proven here; nodes of a batch system are asked by `site check --probe`."""
    if benchmark.shape.gpus and is_file(benchmark.module):
        return "an external command names none that it opened"
    if not benchmark.shape.gpus or benchmark.pool not in made.site.local_pools:
        return None
    gpus = made.site.pooled()[benchmark.pool].node.gpus
    return None if gpus is None else unprovable(gpus.vendor)


_TEARDOWN = ("python", "-P", "-m", "orchestrator.node.worker.teardown", "...")


def show_scripts(made: Plan) -> None:
    """Print the submit script of each stage's blocks, without the campaign's own name and Parsl's command."""
    if made.site.local:
        say(f"site {made.site.site} has no batch system: nothing is submitted")
        return
    for number, stage in enumerate(made.stages, 1):
        batch, shapes = stage.site.scheduler, stage.block_range
        if isinstance(batch, Local) or shapes is None:
            say(f"# stage {number}: {stage.label} runs on this machine: nothing is submitted")
            continue
        request = block_request(made, stage, batch, shapes.most)
        print(f"# stage {number}: {stage.label}\n{SchedulerClient(stage.site).preview(request)}")


def block_request(made: Plan, stage: Stage, batch: Batch, shape: BlockShape) -> JobRequest:
    """Return the request for a block of a stage, without the campaign's own name and Parsl's command."""
    return JobRequest(
        name=job_name("0" * 10),
        nodes=shape.nodes,
        walltime_seconds=shape.walltime,
        output=Path(made.site.paths.runs).expanduser().absolute() / made.name / "block.out",
        command="process_worker_pool.py ...",
        on_every_node=stage.shape.nodes == 1,
        teardown=_TEARDOWN * bool(batch.node_teardown),
    )


def _show_stage(stage: Stage, number: int, node: NodeFacts) -> None:
    shape = stage.shape
    memory = f", {shape.memory_bytes / 2**30:.1f} GiB" if shape.memory_bytes else ""
    gpus = f", {shape.gpus} GPU" if shape.gpus else ""
    ranks = f"{shape.ranks} ranks of " if shape.ranks > 1 else ""
    over = f" over {shape.nodes} nodes" if shape.nodes > 1 else ""
    expected = stage.expected_seconds
    pool = f" on pool {stage.site.pool}" if stage.site.pool else ""
    say(
        f"\nstage {number}{pool}: slots of {ranks}{count_of(shape.cores, 'core')}{gpus}{memory}{over}, "
        f"{len(stage.slots)} a node, {stage.width:,} at once; {count_of(stage.instances, 'instance')} in "
        f"{count_of(stage.waves, 'wave')}" + (f", about {shown(expected)}" if expected else "")
    )
    if (last := stage.mostly_idle_wave) is not None:
        say(
            f"the last wave fills {last:,} of {count_of(stage.width, 'slot')}: `instances: fill` takes as "
            "many as there are, `fill x2` twice as many"
        )
    if not isinstance(stage.site.scheduler, Local):
        hours = "" if stage.node_hours is None else f", about {_node_hours(stage.node_hours)}"
        if (shapes := stage.block_range) is None or not shapes.varies:
            walltime = shown(stage.site.scheduler.walltime)
            nodes = count_of(stage.nodes_per_block, "node")
            say(f"blocks: {stage.blocks} of {nodes}, walltime {walltime}{hours}")
        else:
            least, most = shapes.least, shapes.most
            nodes = f"{least.nodes} to " * (least.nodes < most.nodes) + count_of(most.nodes, "node")
            walltime = f"{shown(least.walltime)} to " * (least.walltime < most.walltime) + shown(
                most.walltime
            )
            say(
                f"blocks: up to {shapes.max_blocks} of {nodes}, walltime {walltime}, as what is left and "
                f"free nodes ask for{hours}"
            )
    cores = ("|".join(core_list(place.cores) for place in slot) for slot in stage.slots)
    if len(stage.slots) <= _PICTURED_SLOTS and not node.gpus:
        say("slots (cores): " + "  ".join(f"{k}:{mine}" for k, mine in enumerate(cores)))
    else:
        say("a node, each core and GPU with the slot that holds it:")
        say("\n".join(f"  {line}" for line in draw_slots(node, stage.slots)))
    if stage.spread:
        names = ", ".join(
            name for name, _ in rows_of([b for b in stage.benchmarks if b.name in stage.spread])
        )
        say(f"other pools serve these too, and each instance goes to the first free slot: {names}")
    rows = list(rows_of(stage.benchmarks))
    print_table(
        ["benchmark", "workload", "instances", "timeout", "expected", "data"],
        [
            [
                name,
                _near(members[0].module) if is_file(members[0].module) else members[0].module,
                sum(b.instances for b in members),
                span(b.timeout_seconds for b in members),
                span(b.expected_seconds for b in members),
                _data_state(members[0]),
            ]
            for name, members in rows[:_LISTED_BENCHMARKS]
        ],
        leave=("workload", "timeout", "data"),
    )
    absent = {b.data: b.workload.name for b in stage.benchmarks if b.data and _is_missing(b)}
    for folder, workload in absent.items():
        say(missing_words(workload, _near(folder)))
    if (rest := len(rows) - _LISTED_BENCHMARKS) > 0:
        say(f"and {rest:,} more benchmarks; --json lists all")


def _near(place: str | Path) -> str:
    """Return a path from here if it is below, its hash shortened."""
    path, here = Path(place), Path.cwd()
    return short_hashes(str(path.relative_to(here) if path.is_relative_to(here) else path))


def _data_state(benchmark: PlannedBenchmark) -> str | None:
    """Return where the data are, from here if they are below, and whether they are there."""
    if benchmark.data is None:
        return None
    folder = _near(benchmark.data)
    if benchmark.data.is_dir():
        return folder
    return f"{folder} ({'MISSING' if _is_missing(benchmark) else 'will be made'})"


def _is_missing(benchmark: PlannedBenchmark) -> bool:
    return benchmark.data is not None and not benchmark.data.is_dir() and benchmark.make is None
