"""Where everything is below a campaign's run directory."""

from __future__ import annotations

import functools
import glob
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

JOURNAL_SUFFIX = ".journal"
_INSTANCES_PER_LOG_FOLDER = 250  # two files for each of their attempts
_JOURNAL_FOLDERS = 256  # of a session: the journals of 14,000 nodes are 55 to a folder


@dataclass(frozen=True, slots=True)
class RunDirectory:
    """The run directory of a campaign."""

    path: Path

    @property
    def journals(self) -> Path:
        """Journals of all sessions."""
        return self.path / "journals"

    @property
    def driver_log(self) -> Path:
        """Log of the campaign's drivers."""
        return self.path / "driver.log"

    @property
    def detached_output(self) -> Path:
        """Output of drivers without a terminal."""
        return self.path / "detached.log"

    @property
    def scratch(self) -> Path:
        """Directories that instances keep between attempts."""
        return self.path / "scratch"

    @property
    def measured(self) -> Path:
        """Directory of the files that measurements of accepted instances left, such as heatmaps."""
        return self.path / "measured"

    @property
    def rungs(self) -> Path:
        """Directory of what instances of a search leave for the next rung of their trial."""
        return self.path / "rungs"

    @property
    def saved_rows(self) -> Path:
        """Folder of the ledger's rows, from which with the journals a lost ledger is rebuilt."""
        return self.path / "rows"

    @property
    def compaction_lock(self) -> Path:
        """Locked while the campaign's files are compacted."""
        return self.path / "packing.lock"

    def session_journals(self, session: int) -> Path:
        """Return the folder of a session's journals."""
        return self.journals / str(session)

    def journal(self, session: int, node: str, name: str) -> Path:
        """Return the journal of a worker process, in a folder that its node shares with some others.

        Parameters
        ----------
        node, name
            The worker's node, and a name that no other worker of the session has.
        """
        folder = f"{zlib.crc32(os.fsencode(node)) % _JOURNAL_FOLDERS:02x}"
        return self.session_journals(session) / folder / f"{name}{JOURNAL_SUFFIX}"

    def block_journals(self, session: int, shape: str, block: str) -> Iterator[Path]:
        """Return the journals of a block's workers, which `journal_name` names."""
        begin = glob.escape(journal_name(shape, block))
        return self.session_journals(session).glob(f"*/{begin}*{JOURNAL_SUFFIX}")

    def session_logs(self, session: int) -> Path:
        """Return the folder of a session's logs."""
        return self.path / "logs" / str(session)

    def instance_logs(self, session: int, instance: int) -> Path:
        """Return the folder for the logs of an instance's attempts."""
        return _log_folder(self.path, session, instance // _INSTANCES_PER_LOG_FOLDER)

    @property
    def timelines(self) -> Path:
        """Folder of the timelines of ranks that communicate."""
        return self.path / "timelines"

    @property
    def slowest_timelines(self) -> Path:
        """Folder of those of which only that of the slowest instance is kept at the end."""
        return self.timelines / "slowest"

    @property
    def profiles(self) -> Path:
        """Folder of the kernels that instances recorded."""
        return self.path / "profiles"

    def parsl(self, session: int) -> Path:
        """Return the folder of the engine's own files."""
        return self.path / "parsl" / str(session)

    def instance_scratch(self, benchmark: str, number: int) -> str:
        """Return the directory that an instance keeps between attempts."""
        return f"{self.path}/scratch/{benchmark}-{number}"

    def rung(self, benchmark: str) -> str:
        """Return the directory that an instance of a search leaves for the next rung of its trial."""
        return f"{self.rungs}/{benchmark}"

    def node_order(self, token: str) -> Path:
        """Return the order that agents on the nodes of an attempt read."""
        return self.path / "orders" / f"{token}.json"

    def stop_file(self, session: int) -> Path:
        """Return the file that keeps a session's queued attempts from starting while it exists."""
        return self.path / f"stop-{session}"

    def excluded_nodes(self, session: int) -> Path:
        """Return the file that lists nodes on which a session starts nothing, one a line."""
        return self.path / f"excluded-nodes-{session}"

    def cancel_file(self, token: str) -> Path:
        """Return the file that ends an attempt while it exists, or keeps it from starting."""
        return Path(f"{self.path}/cancelled/{token}")

    @property
    def cancel_files(self) -> Path:
        """Files of attempts that users cancelled."""
        return self.path / "cancelled"

    def clock_file(self, session: int) -> Path:
        """Return the file to which a session's driver writes its time."""
        return self.path / f"clock-{session}"

    def clock_files(self) -> dict[int, Path]:
        """Return the clock files that are there, by session; a driver that ends by itself removes its own."""
        found = ((file.name.rpartition("-")[2], file) for file in self.path.glob("clock-*"))
        return {int(session): file for session, file in found if session.isdecimal()}

    def node_descriptions(self, session: int) -> Path:
        """Return the folder in which the nodes of a session describe themselves."""
        return self.path / "nodes" / str(session)

    def node_description(self, session: int, node: str) -> Path:
        """Return the file that describes a node."""
        return Path(f"{self.path}/nodes/{session}/{node}.json")

    @property
    def packages(self) -> Path:
        """Folders of links to this project's packages, for trainings of other environments and containers."""
        return self.path / "packages"

    def container_digest(self, key: str) -> Path:
        """Return the file that holds the digest of a container's image."""
        return self.path / "containers" / f"{key}.json"

    def node_hooks(self, session: int) -> Path:
        """Return the folder in which nodes of a session note how the lines for their end ended."""
        return self.parsl(session) / "hooks"

    def all_node_hooks(self) -> list[Path]:
        """Return these folders of all sessions."""
        return [one for one in self.path.glob("parsl/*/hooks") if one.parent.name.isdecimal()]

    def barrier_file(self, session: int, wave: int) -> Path:
        """Return the file that announces when a wave starts, in UTC microseconds."""
        return Path(f"{self.path}/barriers/{session}-{wave}")


@functools.lru_cache(maxsize=256)
def _log_folder(path: Path, session: int, folder: int) -> Path:
    return path / "logs" / str(session) / f"{folder:04d}"


def journal_name(shape: str, block: str) -> str:
    """Return how the names of the journals of a block's workers begin."""
    return f"{shape}-{block}-"


def recorded_instance(name: str) -> str:
    """Return the label of the instance that a recording is of, such as ``nt3[ranks=4]/2``."""
    benchmark, _, number = name.removesuffix(".json.gz").rpartition(".")[0].rpartition("-")
    return f"{benchmark}/{number}"


def recording_name(benchmark: str, number: int, attempt: int) -> str:
    """Return the name of the file of an attempt's timeline or profile."""
    return f"{benchmark}-{number}.{attempt}.json.gz"
