"""An export: a folder with one file per table, and a manifest that says what must be in them."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from db.column_values import now_us
from db.columns import SCHEMA, TableFacts
from db.errors import LedgerError, SchemaError
from db.plain import Row
from db.transfer import formats
from db.transfer.source import TABLES, CampaignRef, Progress, Source

_MANIFEST = "manifest.json"
_FORMAT = 1


def write(
    source: Source, folder: Path, kind: str, progress: Progress, at_us: int | None = None
) -> dict[str, Any]:
    """Write all that a source holds into a new folder and return its manifest.

    The manifest comes last: a folder without one is not an export.

    Parameters
    ----------
    kind
        ``csv`` or ``parquet``.
    at_us
        When it was exported, as the manifest states it, UTC microseconds; now by default.

    Raises
    ------
    LedgerError
        If the folder holds something already, or pyarrow is needed and not installed.
    OSError
        If it cannot be written; what was begun is removed then.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise LedgerError(f"{folder} exists and is not empty; export into a new folder")
    made = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    tables = {}
    try:
        for table in TABLES:
            file = folder / f"{table.name}.{kind}"
            written.append(file)
            rows = _write_table(source, table, file, kind, progress)
            tables[table.name] = {
                "file": file.name,
                "rows": rows,
                "bytes": file.stat().st_size,
                "sha256": _sha256(file),
            }
        manifest = {
            "format": _FORMAT,
            "schema": source.schema,
            "exported_us": now_us() if at_us is None else at_us,
            "kind": kind,
            "campaigns": [
                {"campaign": one.number, "name": one.name, "uid": one.uid, "running": one.running}
                for one in source.campaigns
            ],
            "tables": tables,
        }
        written.append(folder / _MANIFEST)
        _write_whole(folder / _MANIFEST, json.dumps(manifest, indent=2) + "\n")
    except BaseException:
        for file in written:
            file.unlink(missing_ok=True)
        if made:
            folder.rmdir()
        raise
    return manifest


def _write_table(source: Source, table: TableFacts, file: Path, kind: str, progress: Progress) -> int:
    done = 0
    with formats.writer(kind, file, table) as append:
        for rows in source.chunks(table):
            append(rows)
            done += len(rows)
            progress(table.name, done, source.counts[table.name])
    return done


def _write_whole(file: Path, content: str) -> None:
    with file.open("x", encoding="utf-8") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _manifest_text(file: Path) -> str:
    if file.exists() and not file.is_file():  # the reading of others may never end
        raise LedgerError(f"{file} is not a regular file; export again")
    return file.read_text(encoding="utf-8")


class Export:
    """An export, verified: every file is there, and is what the manifest says.

    Raises
    ------
    LedgerError
        If the folder is no export, or one of its files was changed or cut short.
    SchemaError
        If a program of another schema wrote it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        try:
            content = _manifest_text(folder / _MANIFEST)
        except FileNotFoundError:
            raise LedgerError(
                f"{folder} has no {_MANIFEST}, so it is no export, or one that did not end"
            ) from None
        try:
            self._read_manifest(json.loads(content))
        except KeyError as error:
            raise LedgerError(f"{folder / _MANIFEST} is damaged: it has no {error}; export again") from None
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            raise LedgerError(f"{folder / _MANIFEST} is damaged: {error}; export again") from None
        for name, facts in self._tables.items():
            self._verify(name, facts)

    def _read_manifest(self, manifest: dict[str, Any]) -> None:
        self.schema = str(manifest["schema"])
        if manifest["format"] != _FORMAT or self.schema != SCHEMA:
            raise SchemaError(
                f"{self._folder} was exported from schema {self.schema}, this program reads {SCHEMA}; "
                "import it with the version that wrote it, and upgrade that ledger"
            )
        self._kind = str(manifest["kind"])
        if self._kind not in formats.KINDS:
            raise LedgerError(f"{self._folder} holds {self._kind} files; csv and parquet can be read")
        self._tables = {table.name: dict(manifest["tables"][table.name]) for table in TABLES}
        self.counts = {name: int(facts["rows"]) for name, facts in self._tables.items()}
        self.campaigns = [
            CampaignRef(int(one["campaign"]), str(one["name"]), str(one["uid"]), bool(one["running"]))
            for one in manifest["campaigns"]
        ]

    def _verify(self, name: str, facts: dict[str, Any]) -> None:
        file = self._file(name)
        if not file.is_file():
            raise LedgerError(f"{file} is missing; the export is not whole")
        if file.stat().st_size != facts["bytes"] or _sha256(file) != facts["sha256"]:
            raise LedgerError(f"{file} is not what was exported: its checksum differs; export again")

    def _file(self, name: str) -> Path:
        return self._folder / f"{name}.{self._kind}"

    def __str__(self) -> str:
        return str(self._folder)

    def chunks(self, table: TableFacts) -> Iterator[list[Row]]:
        """Yield all rows of a table."""
        done = 0
        for rows in formats.read(self._kind, self._file(table.name), table):
            done += len(rows)
            yield rows
        if done != self.counts[table.name]:
            raise LedgerError(
                f"{self._file(table.name)} has {done} rows, the manifest says {self.counts[table.name]}"
            )
