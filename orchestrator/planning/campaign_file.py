"""The campaign file: which benchmarks, how many instances of each, under which rules."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import (
    BeforeValidator,
    Field,
    PrivateAttr,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from orchestrator.catalog.credits import AuthorOrNone, License, PublisherOrNone
from orchestrator.catalog.registry import describe
from orchestrator.planning.axes.matrix import MOST_POINTS, MatrixError
from orchestrator.planning.instances.counts import InstanceCount
from orchestrator.planning.instances.recordings import ProfileOrNone, Timeline, check_recordings
from orchestrator.planning.instances.retries import Retries
from orchestrator.planning.questions import (
    Asked,
    Budget,
    Decide,
    Screen,
    Until,
    check_blocks,
    check_screening,
    compared_rows,
    looks_of,
    with_instances,
)
from orchestrator.planning.search.settings import Search, check_campaign
from orchestrator.planning.search.trials import trial_points
from orchestrator.planning.sweeps import Point, points_of
from orchestrator.protocol.order import ProcessStart
from orchestrator.rulebooks import registry
from orchestrator.rulebooks.recipe_file import Recipe, expanded
from orchestrator.wording import count_of
from sites import Duration, Model
from sites.containers import ContainerOrNone
from sites.files import NAME, NAME_WORDS, true_is_no_number
from sites.nodes import SiteSlot
from sites.placed import placed
from workloads import modules
from workloads.description import WorkloadError
from workloads.external.reference import is_file, path_of
from workloads.import_guard import guarded_import
from workloads.spelling import near

WholeNumber = Annotated[int, BeforeValidator(true_is_no_number), Field(ge=1)]
_WHOLE_NUMBER: TypeAdapter[int] = TypeAdapter(WholeNumber)
Alone = Literal[False, True, "pool", "node"]
"""Instances beside which an instance does not run: none, or those of its campaign, pool or node."""
ALONE = (True, "pool")
"""Values by which instances run one at a time."""
_LOG = logging.getLogger(__name__)


class Data(Model):
    """Where a benchmark's files are, below the site's data path."""

    directory: str | None = Field(None, description="Directory of the files; by default the workload's name.")
    generate: dict[str, Any] | None = Field(
        None,
        description="Sizes of synthetic files to generate where the directory is missing. For trying things "
        "out: a figure of merit from synthetic data is not reportable.",
    )


class Benchmark(Model):
    """One workload, run as many instances."""

    workload: str = Field(
        description="Name of a workload, a dotted module that holds one, or the path of a .yaml file that "
        "describes an external command, from the directory of the file that names it, else from the one a "
        "campaign is launched from."
    )
    recipe: Recipe | None = Field(
        None,
        description="Name of a recipe, or the path of its .yaml file, in place of a workload; `parameters` "
        "may change its mutable keys. With `rulebook: recipe`.",
    )
    name: str = Field("", description="Name in this campaign; by default the workload's, or the recipe's.")
    instances: InstanceCount = Field(
        description="How many instances to run; fill: as many as run at once on the site, fill x2: twice as "
        "many."
    )
    parameters: dict[str, Any] = Field(
        default_factory=dict, description="Changes to the workload's defaults."
    )
    slot: SiteSlot | None = Field(None, description="Slot of one instance; by default the site's.")
    container: ContainerOrNone = Field(
        None, description="Container of its training processes, by default the site's; none: no container."
    )
    pools: list[str] = Field(
        default_factory=list,
        description="Pools of the site that may serve it: the first one that its slot fits does; by default "
        "all of the site, in their order. Without a meaning on sites that have no pools.",
    )
    spread: bool = Field(
        False,
        description="Run its instances on all of these pools that its slot fits, side by side: each goes to "
        "the first pool with a free slot.",
    )
    timeout: Duration = Field(description="An instance that takes longer is ended and counts as failed.")
    expected_runtime: Duration | None = Field(
        None, description="Expected duration of one instance; longer ones are started first."
    )
    optional: bool = Field(
        False, description="Leave the benchmark out where packages that it needs are not installed."
    )
    data: Data = Field(default_factory=Data, description="The files it reads.")
    matrix: dict[str, Any] | None = Field(
        None,
        description="Sweep: axes over parameters and slot keys, each with a list of values or a range; "
        "every combination is a benchmark of its own, a point.",
    )
    search: Search | None = Field(
        None,
        description="Search for the best values of parameters, in place of `matrix`: each trial is a point, "
        "or with asha a point for each rung.",
    )
    repeat: int = Field(1, ge=1, description="Instances of each point, in place of `instances`.")
    instances_at: dict[str, WholeNumber] = Field(
        default_factory=dict,
        description="Instances of single points, by names such as nt3[ranks=4], in place of `instances`.",
    )
    share: bool = Field(
        False, description="Let points with slots of one shape run side by side; otherwise each runs alone."
    )
    alone: Alone = Field(
        False,
        description="Run its instances one at a time, beside no other instance: of the campaign, such as "
        "repeats that would read the same files together, of its pool, or of its node.",
    )
    timeline: Timeline = Field(
        False,
        description="Record when the ranks communicate: of every instance, of the last one, or of the "
        "slowest. Recording takes time, and the environment that the ledger keeps names it.",
    )
    profile: ProfileOrNone = Field(
        None,
        description="Record the time of kernels by class, with the profiler of the framework: `true`, or "
        "`delay`, `duration` and `profiler`; with Nsight Systems: `nsys`. It takes time, so that the "
        "instances break the rule `slots`.",
    )
    processes: ProcessStart | None = Field(
        None, description="How its processes are started; by default as the campaign's."
    )
    _points: tuple[Benchmark, ...] | None = PrivateAttr(None)
    _point: Point | None = PrivateAttr(None)

    @property
    def point(self) -> Point | None:
        """The combination of a sweep that it is, if it is one."""
        return self._point

    @property
    def sweep(self) -> str | None:
        """Name of the sweep that it is a point of, if it is one."""
        return self._point.sweep if self._point else None

    @property
    def points(self) -> tuple[Benchmark, ...]:
        """Its points where it has a matrix, else itself."""
        return (self,) if self._points is None else self._points

    @model_validator(mode="before")
    @classmethod
    def _count_repeats(cls, value: Any) -> Any:
        if not isinstance(value, dict) or not {"matrix", "search", "repeat"} & set(value):
            return value
        others = {"matrix", "instances", "repeat", "recipe"} & set(value)
        if value.get("search") is not None and others:
            raise ValueError(f"search and {min(others)} exclude each other: a trial is one run of a workload")
        if value.get("matrix", {}) is None:
            raise placed("must be a mapping of axes to values, and nothing is written there", ("matrix",))
        if "instances" not in value:
            try:
                repeat = _WHOLE_NUMBER.validate_python(value.get("repeat", 1))
            except ValidationError:
                repeat = 1  # refused as `repeat`, with its place
            return {**value, "instances": repeat}
        if "repeat" in value:
            raise ValueError(
                "repeat and instances both say how many instances a point has; write one of them"
            )
        return value

    @field_validator("data", mode="before")
    @classmethod
    def _directory_alone(cls, value: object) -> object:
        return {"directory": value} if isinstance(value, str) else value

    @model_validator(mode="before")
    @classmethod
    def _name_it(cls, value: Any) -> Any:
        if isinstance(value, dict) and not value.get("name") and isinstance(value.get("workload"), str):
            return {**value, "name": default_name(value["workload"])}
        return value

    @model_validator(mode="before")
    @classmethod
    def _take_recipe(cls, value: Any) -> Any:
        if not isinstance(value, dict) or isinstance(value.get("recipe"), Recipe | None):
            return value
        try:
            return expanded(value)[0]
        except ValueError as error:
            raise placed("; ".join(str(error).splitlines()), ("recipe",)) from None

    @model_validator(mode="after")
    def _fits_its_workload(self) -> Benchmark:
        try:
            workload = describe(self.workload)
            if self.recipe is not None:
                self.recipe.check_workload(workload)
            parameters = workload.resolve(self.parameters)
            with guarded_import(f"workload {self.workload}"):
                modules.load(workload.entry)
            if workload.data is not None:
                workload.data.resolve_sizes(self.data.generate or {})
        except WorkloadError as error:
            raise ValueError(str(error)) from None
        if self.expected_runtime is not None and self.expected_runtime > self.timeout:
            raise ValueError(f"expected_runtime is longer than timeout ({self.timeout:g} s): all would fail")
        if self.alone in ALONE and (self.spread or self.share):
            other = "spread" if self.spread else "share"
            raise ValueError(
                f"alone runs one instance at a time, {other} several; remove one, or write alone: node"
            )
        check_recordings(workload, parameters, self.timeline, self.profile, self.timeout)
        if workload.data is None and self.data != Data():
            raise ValueError(
                f"workload {workload.name} reads no data; remove data.generate and data.directory"
            )
        return self

    @model_validator(mode="after")
    def _has_points(self) -> Benchmark:
        if self.search is not None and self._point is None:
            self.search.fit(describe(self.workload), self.parameters)
        if self.matrix is None:
            for key in ("share", "instances_at"):
                if getattr(self, key) and self._point is None:
                    raise ValueError(f"{key} is for the points of a matrix; write a matrix, or no {key}")
            return self
        workload = describe(self.workload)
        try:
            points = points_of(self.name, self.matrix, workload, workload.resolve(self.parameters))
            if self.recipe is not None:
                for point in points:
                    self.recipe.check_parameters(point.parameters)
            self._points = tuple(map(self._at, points))
        except MatrixError as error:
            raise placed(str(error), error.place) from None
        labels = [one.label for one in points]
        if absent := min(self.instances_at.keys() - set(labels), default=None):
            hint = near(absent, labels, f"the first is {labels[0]}")
            raise placed(f"{self.name} has no point {absent}{hint}", ("instances_at", absent))
        return self

    def with_trials(self, seed: int) -> tuple[Benchmark, ...]:
        """Return its points, where it is a search those that are drawn from a seed."""
        if self.search is None:
            return self.points
        found, share = [], self.alone not in ALONE and not self.spread
        for point in trial_points(self.name, self.search, describe(self.workload), seed):
            seconds = self.search.part_of(self.expected_runtime, point.place.rung)
            found.append(self._at(point).model_copy(update={"share": share, "expected_runtime": seconds}))
        return tuple(found)

    def _at(self, point: Point) -> Benchmark:
        """Return the benchmark that is one of its points."""
        changes: dict[str, Any] = {"name": point.label, "matrix": None, "instances_at": {}, **point.durations}
        if point.label in self.instances_at:
            changes["instances"] = self.instances_at[point.label]
        if point.parameters:
            changes["parameters"] = {**self.parameters, **point.parameters}
        slot = (self.slot or SiteSlot()).model_copy(update=dict(point.slot))
        if slot.ranks % slot.nodes and (self.slot or {"nodes", "ranks"} <= set(point.slot)):
            ranks = count_of(slot.ranks, "rank")
            raise MatrixError(f"{point.label}: {ranks} cannot be spread evenly over {slot.nodes} nodes")
        found = self.model_copy(update=changes)
        if found.expected_runtime is not None and found.expected_runtime > found.timeout:
            longer = f"expected_runtime is longer than timeout ({found.timeout:g} s)"
            raise MatrixError(f"{point.label}: {longer}: all would fail")
        found._point = point
        return found


def default_name(workload: str) -> str:
    """Return the name of a benchmark that has none of its own: its workload's last part."""
    return path_of(workload).stem if is_file(workload) else workload.rsplit(".", 1)[-1]


class CampaignFile(Model):
    """A campaign file."""

    campaign: str = Field(
        pattern=NAME,
        json_schema_extra=NAME_WORDS,
        description="Name; launching it again needs another name.",
    )
    description: str = Field("", description="One line for lists.")
    license: License = None
    author: AuthorOrNone = None
    publisher: PublisherOrNone = None
    purpose: Literal["measurement", "screening"] = Field(
        "measurement", description="screening: `node screen` made the campaign, and names slow nodes by it."
    )
    rulebook: str = Field(
        "coral2",
        description="Rules the figure of merit follows; `orchestrator rulebook list` shows those installed. "
        "none: no suite, the ensemble's own counts, times and throughput.",
    )
    run_class: str = Field(
        "",
        alias="class",
        description="Run class of the rulebook, by default its first. Of coral2: base, the suite's own "
        "settings; optimized, with the parameters that the rules leave free.",
        validate_default=True,
    )
    seed: int = Field(2017, ge=0, lt=2**32, description="Instance number k runs with seed + k.")
    order: Literal["file", "shuffled", "interleaved"] = Field(
        "file",
        description="In which order instances start. file: those that take longest first, benchmark by "
        "benchmark; shuffled: one random order; interleaved: blocks in which every benchmark and point "
        "occurs once, in random order, so that a drift of the machine meets all alike. Points that may "
        "not run side by side occur in a block with a wave each. With `until` or `decide`: interleaved.",
    )
    until: Until | None = Field(
        None, description="Precision at which a point gets no more instances: the rest are not needed."
    )
    decide: Decide | None = Field(
        None,
        description="Comparison whose points get no more instances once it is certain which are better, or "
        "that they are alike.",
    )
    screen: Screen | None = Field(
        None, description="With `purpose: screening`: when a benchmark needs no further wave."
    )
    budget: Budget | None = Field(
        None,
        description="Cost after which no further instance starts; ranges of blocks ask for no more of it "
        "than is left.",
    )
    benchmarks: list[Benchmark] = Field(min_length=1, description="What runs.")
    retries: Retries = Field(default_factory=Retries, description="How often an instance is tried again.")
    start: Literal["independent", "synchronized"] = Field(
        "independent",
        description="synchronized: instances wait until all slots are ready, and start their timed part at "
        "one instant, so that all of them count as running at once; slots then idle between waves.",
    )
    start_timeout: Duration = Field(
        600.0, description="With start: synchronized, how long instances that are ready wait for the others."
    )
    processes: ProcessStart = Field(
        "fresh",
        description="fresh: each attempt starts new interpreters; warm: it is forked from a process of its "
        "node that has imported the framework; an attempt that cannot be says why.",
    )
    abort_after_failures: int = Field(
        20,
        ge=1,
        description="End the campaign when its first attempts, this many and half as many as run at once, "
        "all failed.",
    )
    instance_setup: list[str] = Field(
        default_factory=list, description="Shell lines before each attempt, after those of the site."
    )
    instance_teardown: list[str] = Field(
        default_factory=list, description="Shell lines after each attempt, before those of the site."
    )
    grace_period: Duration = Field(
        10.0, description="Time between SIGTERM and SIGKILL when an instance is ended."
    )
    logs: Literal["failures", "all", "none"] = Field(
        "failures", description="Whose stdout and stderr are kept once an attempt has ended."
    )

    @model_validator(mode="before")
    @classmethod
    def _count_looks(cls, value: Any) -> Any:
        return with_instances(value) if isinstance(value, dict) else value

    @field_validator("rulebook")
    @classmethod
    def _is_installed(cls, value: str) -> str:
        registry.load(value)
        return value

    @field_validator("run_class")
    @classmethod
    def _is_of_the_rulebook(cls, value: str, info: ValidationInfo) -> str:
        if "rulebook" not in info.data:  # it is wrong itself, and reported
            return value
        return registry.run_class_of(registry.load(info.data["rulebook"]), value)

    @field_validator("benchmarks")
    @classmethod
    def _take_points(cls, value: list[Benchmark], info: ValidationInfo) -> list[Benchmark]:
        seed = info.data.get("seed", 0)
        points = [point for benchmark in value for point in benchmark.with_trials(seed)]
        if len(points) > max(MOST_POINTS, len(value)):
            raise ValueError(f"have {len(points):,} points in all; write at most {MOST_POINTS:,}")
        return points

    @model_validator(mode="after")
    def _names_differ(self) -> CampaignFile:
        names: set[str] = {one.sweep for one in self.benchmarks if one.sweep}
        for benchmark in self.benchmarks:
            if benchmark.name in names:
                raise ValueError(f"two benchmarks are named {benchmark.name}; give one of them another name")
            names.add(benchmark.name)
        if any("/" in name for name in names):
            raise ValueError("a benchmark's name must not contain /")
        return self

    @model_validator(mode="after")
    def _fits_its_class(self) -> CampaignFile:
        rulebook = registry.load(self.rulebook)
        for benchmark in self.benchmarks:
            if (benchmark.recipe is None) == (self.rulebook == "recipe"):
                wrong = "has no recipe" if benchmark.recipe is None else "has a recipe"
                raise ValueError(f"benchmark {benchmark.name} {wrong}; rulebook recipe is for recipes alone")
            parameters = describe(benchmark.workload).resolve(benchmark.parameters)
            reason = rulebook.reject_reason(benchmark.workload, self.run_class, parameters)
            if reason:
                raise ValueError(f"benchmark {benchmark.name}: {reason}")
        return self

    @model_validator(mode="after")
    def _may_get_longer(self) -> CampaignFile:
        fixed = registry.load(self.rulebook).fixed_runs
        for one in self.benchmarks:
            for problem in self.retries.problems(one.name, one.timeout, fixed):
                raise ValueError(problem)
        for key in self.retries.enlarged:
            if self.start == "synchronized":
                raise ValueError(f"retries.{key}: a synchronized wave has equal slots; write no {key}")
            if self.until is not None or self.decide is not None:
                raise ValueError(
                    f"retries.{key}: looks at a campaign with until or decide would wait for larger slots; "
                    f"write no {key}"
                )
        return self

    @property
    def asked(self) -> list[Asked]:
        """Its benchmarks and points, as questions see them."""
        return [
            Asked(one.name, one.point, one.instances)
            for one in self.benchmarks
            if isinstance(one.instances, int)
        ]

    @model_validator(mode="after")
    def _searches_fit(self) -> CampaignFile:
        if any(one.search for one in self.benchmarks):
            fixed, asked = registry.load(self.rulebook).fixed_runs, self.until or self.decide
            check_campaign(fixed, asks=asked is not None, together=self.start == "synchronized")
        return self

    @model_validator(mode="after")
    def _questions_fit(self) -> CampaignFile:
        if self.screen is not None:
            check_screening(self.purpose, self.start, asks=bool(self.until or self.decide))
        if self.until is None and self.decide is None:
            return self
        if reason := registry.load(self.rulebook).fixed_runs:
            key = "until" if self.until else "decide"
            raise ValueError(f"{key}: {reason}; write a number of instances, or `rulebook: none`")
        check_blocks(self.order, [one.name for one in self.benchmarks if not isinstance(one.instances, int)])
        if self.decide is not None:
            compared_rows(self.decide, self.asked)
        if self.until is not None:
            looks_of(self.until, "until", self.asked)
        return self


def benchmark_names(data: Mapping[Any, Any]) -> list[str]:
    """Return the names of the benchmarks of a campaign's mapping, which need not be right in all."""
    benchmarks = data.get("benchmarks")
    return [_name_of(one) for one in benchmarks] if isinstance(benchmarks, list) else []


def _name_of(benchmark: object) -> str:
    given = benchmark if isinstance(benchmark, dict) else {}
    return str(given.get("name") or default_name(str(given.get("workload", ""))))
