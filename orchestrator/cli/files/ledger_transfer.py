"""Commands that carry whole campaigns from one ledger to another place: export, import, copy, rebuild."""

from __future__ import annotations

import sys
import time
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Self

import typer

from orchestrator.cli.options import CampaignsArgument, JsonOption, LedgerOption, no_password
from orchestrator.cli.terminal.plain_output import console_of
from orchestrator.cli.terminal.tables import print_json
from orchestrator.wording import count_of, printable

if TYPE_CHECKING:
    from types import TracebackType

    from db.transfer.importer import ImportResult

_PLAIN_SECONDS = 10.0


class Kind(StrEnum):
    """The files of an export."""

    CSV = "csv"
    PARQUET = "parquet"
    TENSORBOARD = "tensorboard"
    MLFLOW = "mlflow"
    MLLOG = "mllog"


class _Meter:
    """Shows how many rows of which table were done: a bar on a terminal, now and then a line elsewhere."""

    def __init__(self) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self._console = console_of(stderr=True)
        self._bar = Progress(
            TextColumn("{task.description:<12}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=self._console,
            transient=True,
            disable=not self._console.is_terminal,
        )
        self._task = self._bar.add_task("")
        self._next_line = time.monotonic() + _PLAIN_SECONDS

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def __call__(self, table: str, done: int, total: int) -> None:
        self._bar.update(self._task, description=table, completed=done, total=total)
        if not self._console.is_terminal and time.monotonic() >= self._next_line:
            self._next_line = time.monotonic() + _PLAIN_SECONDS
            self._console.print(f"{table}: {done:,} of {total:,} rows", highlight=False)


def export(
    to: Annotated[
        Path,
        typer.Option("--output", "-o", help="New folder for the files.", metavar="FOLDER"),
    ],
    campaigns: CampaignsArgument = None,
    form: Annotated[
        Kind,
        typer.Option(
            "--format",
            help="Tables as CSV or Parquet, which needs pyarrow: pip install pyarrow; or learning curves "
            "and metrics alone, as event files of TensorBoard or a file store of MLflow; or result files of "
            "MLPerf HPC, with --system.",
        ),
    ] = Kind.CSV,
    system: Annotated[
        Path | None,
        typer.Option(
            "--system",
            help="With --format mllog: the system's description as a submission has it, a JSON file.",
            metavar="FILE",
        ),
    ] = None,
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write campaigns (by default all) into a folder: one file per table, and a manifest with checksums.

    What a running campaign has at this moment is taken, and its driver is not held up.

    Example: orchestrator ledger export friday --output friday-export --format parquet

    Learning curves: orchestrator ledger export friday --output friday-curves --format tensorboard
    """
    if form is Kind.MLLOG and system is None:
        raise typer.BadParameter(
            "mllog needs --system, the system's JSON file; `orchestrator schema mllog-system > system.json` "
            "writes one to fill in",
            param_hint="--format",
        )
    if form is not Kind.MLLOG and system is not None:
        raise typer.BadParameter("is for --format mllog alone; leave it out", param_hint="--system")
    if form in (Kind.TENSORBOARD, Kind.MLFLOW, Kind.MLLOG):
        _export_runs(ledger, campaigns, to, form, system, as_json=as_json)
        return
    from db.evidence.superseded import superseded_counts
    from db.reader import Reader
    from db.transfer.export import write
    from db.transfer.snapshot import Snapshot

    with Reader(ledger) as reader, Snapshot(reader, campaigns or ()) as source, _Meter() as meter:
        manifest = write(source, to, form, meter)
        superseded = sum(sum(superseded_counts(reader, one.number).values()) for one in source.campaigns)
    if as_json:
        print_json({"folder": str(to), **manifest, **({"superseded": superseded} if superseded else {})})
        return
    rows = sum(one["rows"] for one in manifest["tables"].values())
    size = sum(one["bytes"] for one in manifest["tables"].values())
    print(
        f"{to}: {count_of(len(manifest['campaigns']), 'campaign')}, {count_of(rows, 'row')}, "
        f"{size / 2**20:.1f} MiB"
    )
    if superseded:
        print(
            f"{superseded:,} of the done instances are superseded: their instance_superseded events are in "
            "the events file, and no verdict counts them"
        )


def _export_runs(
    ledger: str | None,
    campaigns: list[str] | None,
    to: Path,
    form: Kind,
    system: Path | None,
    *,
    as_json: bool,
) -> None:
    """Write learning curves and metrics of runs that succeeded, or result files of those that count."""
    from db.reader import Reader
    from orchestrator.report.mllog_files import System, write_results
    from orchestrator.report.recorded_runs import recorded_runs
    from orchestrator.report.run_files import WRITERS

    if to.exists() and (not to.is_dir() or any(to.iterdir())):
        raise typer.BadParameter(f"{to} exists and is not empty; name a new folder", param_hint="--output")
    with Reader(ledger) as reader:
        names = [reader.campaign(name).name for name in campaigns or ()]
        names = list(dict.fromkeys(names)) or [row.name for row in reader.campaigns()]
        if system is not None:
            runs, notes = write_results(to, reader, names, System.read(system))
            for note in notes:
                print(f"note: {printable(note)}", file=sys.stderr)
        else:
            to.mkdir(parents=True, exist_ok=True)
            runs = {name: WRITERS[form](to, name, recorded_runs(reader, name)) for name in names}
    if as_json:
        print_json({"folder": str(to), "runs": runs})
    else:
        print(
            f"{to}: {count_of(len(runs), 'campaign')}, {count_of(sum(runs.values()), 'run')} that "
            f"{'succeeded' if system is None else 'reached the target'}"
        )


def import_export(
    folder: Annotated[Path, typer.Argument(help="An export.", metavar="FOLDER")],
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take the campaigns of an export into a ledger: all of them, or none.

    A campaign that is there row for row is skipped; another one of its name is refused. An SQLite
    ledger is made if it is not there.

    Example: orchestrator ledger import friday-export --ledger postgresql://me@db.example/ledger
    """
    from db.transfer.export import Export
    from db.transfer.importer import import_campaigns

    with _Meter() as meter:
        taken = import_campaigns(ledger, Export(folder), meter)
    _tell(taken, as_json=as_json)


def copy(
    origin: Annotated[
        str,
        typer.Option("--from", callback=no_password, help="The ledger to copy from.", metavar="URL"),
    ],
    campaigns: CampaignsArgument = None,
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Copy campaigns (by default all) into another ledger, such as from SQLite to PostgreSQL.

    Refused while a driver runs one of them. Go on in the new ledger only.

    Example: orchestrator ledger copy --from ledger.sqlite --ledger postgresql://me@db.example/ledger
    """
    from db.transfer.importer import copy as carry

    with _Meter() as meter:
        taken = carry(origin, ledger, campaigns or (), meter)
    _tell(taken, as_json=as_json)


def rebuild(
    directory: Annotated[Path, typer.Argument(help="Run directory of a campaign.", metavar="DIRECTORY")],
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make the lost ledger of a campaign again, from its run directory: saved rows and journals.

    The ledger is a new SQLite file, or one that lacks the campaign. `fom`, reports and packages state that
    it was rebuilt. A campaign that had not ended goes on with `resume`.

    Example: orchestrator ledger rebuild runs/friday --ledger rebuilt.sqlite
    """
    from dataclasses import asdict

    from orchestrator.diagnostics.ledger_rebuild import rebuild as make

    with _Meter() as meter:
        done = make(directory, ledger, meter)
    if as_json:
        print_json(asdict(done))
    else:
        print(printable(f"{done.campaign}: {done.message}"))


def _tell(taken: ImportResult, *, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "campaigns": taken.campaigns,
                "skipped": taken.skipped,
                "running": taken.running,
                "rows": taken.rows,
            }
        )
        return
    for name in taken.skipped:
        print(f"{name}: already there, row for row")
    for name in taken.running:
        print(
            f"{name}: a driver ran it when it was exported, and what came since is not here; resume it there"
        )
    rows = sum(taken.rows.values())
    imported = count_of(len(taken.campaigns), "campaign")
    print(f"{imported} imported, {count_of(rows, 'row')}: {', '.join(taken.campaigns) or 'none'}")
