"""Rows for tests: small campaigns, their attempts, and reports about them."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, select

from db.connection.connect import make_engine, parse_url
from db.ledger import Ledger
from db.records import LedgerReport, NewAttempt, NewBenchmark, NewCampaign, NewInstance
from db.states import AttemptState, InstanceState
from db.tables import attempts, instances

_MEMORY = Path("/dev/shm")
T0 = 1_790_000_000_123_456
"""A moment, UTC microseconds."""


def fast_folder(prefix: str) -> Path:
    """Return a new folder, in memory where there is enough: databases write a lot, and wait for disks."""
    roomy = _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free > 2 << 30
    return Path(tempfile.mkdtemp(prefix=prefix, dir=_MEMORY if roomy else None))


def campaign(name: str = "toy", **changes: Any) -> NewCampaign:
    row = NewCampaign(
        name=name,
        uid=f"uid-{name}",
        campaign_yaml=f"campaign: {name}\n",
        site_name="local",
        site_yaml="site: local\n",
        rulebook="coral2",
        run_class="base",
        run_directory=f"/runs/{name}",
        data_path="/data",
    )
    return replace(row, **changes)


def benchmark(name: str = "toy", instances: int = 3, **changes: Any) -> NewBenchmark:
    row = NewBenchmark(
        benchmark=name,
        workload="tests.toys.behave",
        instances=instances,
        parameters=json.dumps({"behaviour": "succeed"}),
        slot=json.dumps({"cores": 1, "memory_bytes": None}),
        timeout_seconds=60.0,
        quality_metric=None,
        quality_target=None,
    )
    return replace(row, **changes)


def planned(count: int, name: str = "toy", first: int = 0) -> list[NewInstance]:
    return [NewInstance(first + k, name, k, 2017 + first + k) for k in range(count)]


def register(ledger: Ledger, name: str = "toy", instances: int = 3) -> int:
    """Register a campaign of one benchmark and return its number."""
    return ledger.register(campaign(name), [benchmark(instances=instances)], planned(instances))


def begin(ledger: Ledger, number: int, owner: str = "me", seconds: float = 60, **options: Any) -> int:
    """Open a session and return its number."""
    facts = {"kind": "launch", "host": "node1", "pid": 1, "version": "0", "slots": 2}
    return ledger.begin_session(number, owner, seconds, **options, **facts)


def attempt(instance: int, number: int = 1, token: str = "", at_us: int = T0) -> NewAttempt:
    return NewAttempt(instance, number, token or f"t{instance}.{number}", "c1", at_us)


def report(
    token: str, state: str, becomes: InstanceState | None = None, at_us: int = T0 + 1, **values: Any
) -> LedgerReport:
    """Return a report; metrics, samples, curves and environment are its own, all else are columns."""
    metrics, samples = values.pop("metrics", ()), values.pop("samples", ())
    environment, curves = values.pop("environment", None), values.pop("curves", ())
    state_now = AttemptState(state)
    return LedgerReport(
        token, state_now, at_us, values, metrics, environment, becomes, samples=samples, curves=curves
    )


def started(ledger: Ledger, instances: int = 3, name: str = "toy") -> int:
    """Register a campaign, open a session, submit a first attempt of each instance; return its number."""
    number = register(ledger, name, instances)
    begin(ledger, number)
    ledger.submit(number, 1, [attempt(k, token=f"{name}-t{k}.1") for k in range(instances)])
    return number


def accepted(ledger: Ledger, number: int, name: str) -> list[Any]:
    """Return the accepted attempts of a benchmark, and their instances' seeds."""
    with raw(str(ledger.url.render_as_string(hide_password=False))) as connection:
        return list(
            connection.execute(
                select(attempts, instances.c.seed)
                .join(instances)
                .where(
                    instances.c.campaign_id == number,
                    instances.c.benchmark == name,
                    instances.c.accepted_attempt == attempts.c.attempt_number,
                )
            )
        )


@contextmanager
def raw(url: str) -> Iterator[Connection]:
    """Open a connection that may do anything, as any database client could."""
    engine = make_engine(parse_url(url), read_only=False)
    try:
        with engine.begin() as connection:
            yield connection
    finally:
        engine.dispose()


def everything(url: str) -> dict[str, list[tuple[Any, ...]]]:
    """Return all rows of all tables, to compare before and after."""
    from db.tables import metadata

    with raw(url) as connection:
        return {
            table.name: sorted((tuple(row) for row in connection.execute(table.select())), key=repr)
            for table in metadata.sorted_tables
        }
