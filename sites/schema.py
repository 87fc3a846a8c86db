"""A site: a machine as data."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, StringConstraints, ValidationError, model_validator
from pydantic.config import JsonDict

from sites.containers import ContainerOrNone
from sites.cost import Cost
from sites.files import NAME, NAME_WORDS, Model
from sites.nodes import Node, SiteSlot
from sites.placed import placed
from sites.places import Place
from sites.problems import problems
from sites.quantities import Duration
from sites.resolved import merged
from sites.schedulers import Batch, Local, Scheduler
from workloads.spelling import near


def _check_name(name: str) -> str:
    if not name or "=" in name or "\0" in name:
        raise ValueError("a variable's name must have a character, no =, and no zero byte")
    return name


def _check_value(value: str) -> str:
    if "\0" in value:
        raise ValueError("a variable cannot have a zero byte")
    return value


VariableName = Annotated[str, AfterValidator(_check_name)]
VariableValue = Annotated[str, AfterValidator(_check_value)]
VariablePattern = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_*?\[\]!-]+$")]
Label = Annotated[
    str,
    StringConstraints(strip_whitespace=True, max_length=200, pattern=r"^[ -~\u00a0-\U0010ffff]*$"),
    Field(json_schema_extra={"patternErrorMessage": "must be one line of printable characters"}),
]
HostPattern = Annotated[
    str,
    Field(
        pattern=r"^(\$[A-Za-z_][A-Za-z0-9_]*=\S+|[A-Za-z0-9_.*?\[\]!-]+)$",
        json_schema_extra={
            "patternErrorMessage": "must be a glob of host names, such as login*.ours.org, or $VARIABLE=glob"
        },
    ),
]


class DatasetCache(Model):
    """Where parsed data sets are kept: a path, or a shared one with a directory of each node's own disk."""

    path: str = Field(description="Path of the cache; one that all nodes share where there is a stage.")
    stage: str | None = Field(
        None,
        description="Directory of each node's own disk, such as $TMPDIR/cache, to which each node copies "
        "once what it uses. Variables are the node's.",
    )

    @model_validator(mode="before")
    @classmethod
    def _take_a_path(cls, value: Any) -> Any:
        if isinstance(value, str):
            return {"path": value}
        if not isinstance(value, dict | cls):
            example = "{path: cache, stage: $TMPDIR/cache}"
            raise ValueError(f"must be a path, or a mapping such as {example}")  # noqa: TRY004  pydantic's
        return value


def _or_text(schema: JsonDict) -> None:
    """Let editors accept a text beside the mapping."""
    schema["anyOf"] = [{"type": "string"}, {"$ref": schema.pop("$ref")}]


class Paths(Model):
    """Where things live, relative to the directory a campaign is launched from."""

    runs: str = Field("runs", description="Campaign directories: journals and logs. Every node must see it.")
    data: str = Field("data", description="Data sets, one folder per workload. Every node must see it.")
    cache: DatasetCache = Field(
        "cache",
        validate_default=True,
        json_schema_extra=_or_text,
        description="Parsed data sets, built once and then mapped into memory by every instance; on a path "
        "that all nodes share, or, such as $TMPDIR/cache, on each node's disk. Variables are the node's. "
        "A mapping {path, stage} has each node copy what it uses of a shared one to its own disk.",
    )


class Heartbeat(Model):
    """How soon a dead worker or node is noticed."""

    period: Duration = Field(5.0, ge=1, description="Time between two signs of life.")
    threshold: Duration = Field(60.0, description="Silence after which a node counts as lost.")
    stall_timeout: Duration = Field(
        300.0,
        description="How long a node that has run something may hold work and start none of it. Then it is "
        "given up.",
    )

    @model_validator(mode="after")
    def _can_be_silent(self) -> Heartbeat:
        if self.threshold < 2 * self.period:
            text = f"must be at least twice the period of {self.period:g} s, not {self.threshold:g} s"
            raise placed(text, ("threshold",))
        return self


_OF_A_MACHINE = {
    *("scheduler", "driver_job", "script_hook", "address", "interface", "network"),
    *("nodes", "node", "slot", "slots", "cost"),
}
"""Keys of a site that a pool of another type of scheduler does not inherit: it is another machine."""


class Pool(Model):
    """Nodes of one kind of a site: what differs from the site's own keys, merged with them key by key.

    A pool of another type of scheduler is another machine, and inherits no key that describes the first.
    """

    description: str = Field("", description="One line for lists.")
    scheduler: dict[str, Any] = Field(
        default_factory=dict,
        description="Settings of the scheduler that differ, such as partition, queue, account or walltime; "
        "with another type, all of them.",
    )
    nodes: int | None = Field(None, ge=1, description="Nodes of the pool.")
    node: dict[str, Any] = Field(default_factory=dict, description="What one of its nodes offers.")
    slot: dict[str, Any] = Field(default_factory=dict, description="Slot of one instance.")
    slots: dict[str, Any] = Field(default_factory=dict, description="Slots by the workload's name.")
    address: str | None = Field(None, description="Address of the driver that its workers connect to.")
    interface: str | None = Field(None, description="Its network interface.")
    network: str | None = Field(None, description="Network between its nodes, for people.")
    interpreter: str | None = Field(None, description="Python of its training processes.")
    container: dict[str, Any] | Literal["none"] | None = Field(
        None, description="Container of its training processes; none for no container."
    )
    environment: dict[str, Any] = Field(
        default_factory=dict, description="Further environment variables of its training processes."
    )
    cost: dict[str, Any] = Field(default_factory=dict, description="Price and CO2 of its node-hours.")
    script_hook: str | None = Field(None, description="Its function that changes submit scripts.")
    removed: bool = Field(
        False,
        description="Nothing runs on it any more; `node remove` writes this, and what ran stays described.",
    )


class Site(Model):
    """A machine as data: what runs where, and how it is reached."""

    site: str = Field(pattern=NAME, json_schema_extra=NAME_WORDS, description="Name of the site.")
    description: str = Field("", description="One line for lists.")
    source: str = Field("", description="Where these facts come from, and of what date.")
    scheduler: Scheduler = Field(
        default_factory=Local, description="Batch system; local runs on this machine."
    )
    hosts: list[HostPattern] = Field(
        default_factory=list,
        description="Machines on which this site is the default: globs of host names, such as "
        "login*.ours.org or ours-login*, or $VARIABLE=glob.",
    )
    nodes: int | None = Field(
        None,
        ge=1,
        description="Nodes of the whole machine; the suite limits the share that an instance may hold.",
    )
    node: Node = Field(default_factory=Node, description="What one node offers.")
    slot: SiteSlot = Field(default_factory=SiteSlot, description="Slot of one instance.")
    slots: dict[str, SiteSlot] = Field(
        default_factory=dict, description="Slots of workloads that need another one, by the workload's name."
    )
    paths: Paths = Field(default_factory=Paths, description="Where things live.")
    address: str | None = Field(
        None,
        description="Address of the driver that workers connect to; nothing listens wider. By default that "
        "of the interface, on the local site the loopback address.",
    )
    interface: str | None = Field(
        None, description="Network interface, such as hsn0, over which nodes reach the driver and each other."
    )
    network: Label = Field(
        "",
        description="Network between the nodes, for people: such as Slingshot 11, dragonfly, 4 NICs a node.",
    )
    interpreter: str | None = Field(
        None, description="Python of the training processes; by default the orchestrator's own."
    )
    container: ContainerOrNone = Field(
        None, description="Container that the training processes run in; a benchmark's replaces it."
    )
    environment: dict[VariableName, VariableValue] = Field(
        default_factory=dict, description="Environment variables of the training processes."
    )
    inherit: Literal["all"] | list[VariablePattern] = Field(
        default_factory=list,
        description="Further variables that training processes inherit, by name or glob such as MYAPP_*; "
        "all: every one.",
    )
    sampling: Literal["off"] | Duration = Field(
        1.0,
        description="Time between two samples of power and load while an attempt runs, longer where they "
        "take more than 0.5 % of one core of the node; off: none.",
    )
    hardware_counters: bool = Field(
        False,
        description="Whether instructions, floating-point operations and bytes of DRAM of each run are "
        "counted, where CPU and GPU let this user count.",
    )
    heartbeat: Heartbeat = Field(default_factory=Heartbeat, description="Failure detection.")
    on_driver_loss: Literal["finish", "stop"] | None = Field(
        None,
        description="What running attempts do when the driver dies: finish, at most until their block ends, "
        "which resume waits for; or stop. By default finish, and stop on the local site.",
    )
    campaign_end: list[str] = Field(
        default_factory=list,
        description="Shell lines that run on the driver's host when every instance has ended, with a JSON "
        "object on standard input; events of the ledger say how they ended.",
    )
    instance_setup: list[str] = Field(
        default_factory=list,
        description="Shell lines that run on the node before each attempt's processes start; an attempt of "
        "which one fails does not start.",
    )
    instance_teardown: list[str] = Field(
        default_factory=list,
        description="Shell lines that run on the node after each attempt's processes have ended; a failure "
        "is recorded and changes no result.",
    )
    instance_setup_failure: Literal["infrastructure", "benchmark"] = Field(
        "infrastructure", description="Which retries an attempt is charged to whose instance_setup failed."
    )
    driver_job: dict[str, Any] = Field(
        default_factory=dict,
        description="Settings of the scheduler that differ for a driver's own job (`launch --as-job`), such "
        "as queue, walltime, exclusive or extra_directives.",
    )
    cost: Cost | None = Field(
        None, description="Price of node-hours, and CO2 of their energy, to state beside node-hours."
    )
    hook_timeout: Duration = Field(
        60.0,
        description="Longest time of campaign_end, instance_setup, instance_teardown, node_teardown, and of "
        "a command given by --notify; then it is ended.",
    )
    script_hook: str | None = Field(
        None,
        pattern=r"^[\w.]+:\w+$",
        json_schema_extra={"patternErrorMessage": "must have the form module:function"},
        description="module:function, from the directory of the launch, that is given each submit script and "
        "this site and returns the script to submit: for what this file cannot say.",
    )

    pools: dict[str, Pool] = Field(
        default_factory=dict,
        description="Nodes of several kinds that one campaign may use at a time, by name: each has what it "
        "writes here, and else the keys of the site. No node may be in two of them. One with another "
        "scheduler.type is another machine, such as the driver's own with type local.",
    )
    pool: str | None = Field(
        None, description="The only one of the pools to use, in all sessions; --here has --pool for its own."
    )

    @property
    def local(self) -> bool:
        """True if it is the machine the driver runs on, and no other."""
        return self.scheduler_types == ["local"]

    @property
    def scheduler_types(self) -> list[str]:
        """Types of the schedulers that give the pools to use their nodes, each once."""
        if not self.pools:
            return [self.scheduler.type]
        return list(dict.fromkeys(map(self.scheduler_type, self._used_pools())))

    @property
    def outlives_driver(self) -> bool:
        """True if running attempts go on when the driver dies."""
        return (self.on_driver_loss or ("stop" if self.local else "finish")) == "finish"

    @property
    def local_pools(self) -> list[str]:
        """Names of the pools to use that are the driver's own machine; an empty name is the site itself."""
        used = self._used_pools() if self.pools else [self.pool or ""]
        return [name for name in used if self.scheduler_type(name) == "local"]

    @property
    def main_pool(self) -> str:
        """Name of the first pool to use of a batch system, or else of the first; empty without pools."""
        used = self._used_pools() if self.pools else [self.pool or ""]
        return next((name for name in used if self.scheduler_type(name) != "local"), used[0])

    def pooled(self) -> dict[str, Site]:
        """Return the site as each pool to use has it, by the pool's name; itself where it has none."""
        return self._of_pools(self._used_pools()) if self.pools else {self.pool or "": self}

    def _used_pools(self) -> list[str]:
        return [self.pool] if self.pool else [name for name, one in self.pools.items() if not one.removed]

    def scheduler_type(self, pool: str) -> str:
        """Return the type of the scheduler that gives a pool its nodes; the site's own outside of pools."""
        written = self.pools[pool].scheduler if pool in self.pools else {}
        return str(written.get("type", self.scheduler.type))

    def all_pools(self) -> dict[str, Site]:
        """Return the site as each pool has it, those included that are not used any more."""
        return self._of_pools(self.pools) if self.pools else {"": self}

    def by_scheduler(self, had: Collection[str] | None = None) -> dict[str, Site]:
        """Return the site as the first pool of each type of scheduler has it, by type.

        Parameters
        ----------
        had
            Pools to count beside those to use; None: all.
        """
        if not self.pools:
            return {self.scheduler.type: self}
        used = self._used_pools()
        first: dict[str, str] = {}
        for name in self.pools:
            if had is None or name in used or name in had:
                first.setdefault(self.scheduler_type(name), name)
        return dict(zip(first, self._of_pools(first.values()).values(), strict=True))

    def _of_pools(self, names: Iterable[str]) -> dict[str, Site]:
        own = self._without_pools()
        return {name: self._of_pool(name, own) for name in names}

    def _without_pools(self) -> dict[str, Any]:
        return self.model_dump(exclude_unset=True, exclude={"pools", "pool"})

    def _of_pool(self, name: str, own: dict[str, Any]) -> Site:
        return Site.model_validate(self._data_of(name, own)).model_copy(update={"pool": name})

    def _data_of(self, name: str, own: dict[str, Any]) -> dict[str, Any]:
        """Return what a pool writes, with what it inherits of the site's own keys."""
        if self.scheduler_type(name) != self.scheduler.type:
            own = {key: value for key, value in own.items() if key not in _OF_A_MACHINE}
        found: dict[str, Any] = merged(
            own, self.pools[name].model_dump(exclude_unset=True, exclude={"removed"})
        )
        return found

    def _check_pools(self) -> None:
        """Raise what is wrong with a pool, at its place."""
        local = [name for name in self.pools if self.scheduler_type(name) == "local"]
        if len(local) == len(self.pools):
            raise placed("pools need a batch system; these are the driver's own machine alone", ("pools",))
        if len(local) > 1:
            raise placed(
                f"pools {local[0]} and {local[1]} are both the driver's own machine, by type local; keep one",
                ("pools", local[1], "scheduler", "type"),
            )
        if self.pool is not None and self.pool not in self.pools:
            hint = near(self.pool, self.pools, f"the site has {', '.join(self.pools)}")
            raise placed(f"there is no pool {self.pool}{hint}", ("pool",))
        if all(one.removed for name, one in self.pools.items() if self.pool in (None, name)):
            raise placed("no pool is left: all to use are removed", ("pools",))
        own = self._without_pools()
        for name in self.pools:
            if not re.fullmatch(NAME, name):
                raise placed(f"a pool's name {NAME_WORDS['patternErrorMessage']}", ("pools", name))
            try:
                self._of_pool(name, own)
            except ValidationError as error:
                line, place = _first_problem(error, self._data_of(name, own))
                raise placed(line, ("pools", name, *place)) from None
        pooled = [one.cost for one in self.all_pools().values() if one.cost is not None]
        if len(currencies := sorted({one.currency for one in pooled if one.currency})) > 1:
            raise placed(
                f"all pools have prices in one currency, not {' and '.join(currencies)}; convert them",
                ("pools",),
            )

    @property
    def sampling_seconds(self) -> float | None:
        """Time between two samples of an attempt; None if none are taken."""
        return None if self.sampling == "off" else self.sampling

    @model_validator(mode="after")
    def _whole(self) -> Site:
        if self.pool is not None and not self.pools:
            raise placed("there is no pool to choose from; write pools, or no pool", ("pool",))
        if self.hardware_counters and self.sampling == "off" and not self.pools:
            raise placed("counters are read with samples; remove sampling: off", ("hardware_counters",))
        if self.driver_job:
            if isinstance(self.scheduler, Local):
                raise ValueError("driver_job needs a batch system; scheduler.type is local")
            _check_driver_job(self.scheduler, self.driver_job)
        if self.pools:
            self._check_pools()
        else:
            self._check_alone()
        return self

    def _check_alone(self) -> None:
        """Raise what is wrong with a site without pools, or with what one of its pools is."""
        slots = {"slot": self.slot, **{f"slots.{name}": slot for name, slot in self.slots.items()}}
        if isinstance(self.scheduler, Local):
            if any(slot.nodes > 1 for slot in slots.values()):
                raise ValueError("a slot of several nodes needs a batch system")
            return
        if self.nodes is not None and self.scheduler.nodes_per_block > self.nodes:
            raise ValueError(
                f"a block has {self.scheduler.nodes_per_block} nodes, and the whole machine {self.nodes}; "
                "correct scheduler.nodes_per_block or nodes"
            )
        several = any(slot.nodes > 1 for slot in slots.values())
        if several and self.interface is None:
            raise ValueError("interface (such as hsn0) is needed, so that ranks on several nodes can meet")
        if self.node.cores == "auto" or self.node.memory == "auto":
            raise ValueError(
                "node.cores and node.memory must be written out: the driver cannot see the nodes "
                "(`orchestrator site check --probe` tells whether they are true)"
            )
        if self.address is None and self.interface is None:
            raise ValueError(
                "interface (such as hsn0 or ib0) or address is needed, so that nodes find the driver"
            )


def _check_driver_job(scheduler: Batch, changes: Mapping[str, Any]) -> None:
    try:
        scheduler.for_driver(changes)
    except ValidationError as error:
        lines, _ = problems(error, type(scheduler), dict(changes), 3)
        raise ValueError("; ".join(f"driver_job.{line}" for line in lines)) from None


def _first_problem(error: ValidationError, data: object) -> tuple[str, Place]:
    """Return what is wrong with a site, and its place."""
    places: list[Place] = []

    def note(place: Place) -> str:
        places.append(place)
        return ""

    (line, *_), _ = problems(error, Site, data, 1, note)
    return line.removeprefix(": ").removeprefix(f"{'.'.join(map(str, places[0]))}: "), places[0]
