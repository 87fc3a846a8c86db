"""The kill matrix as data: who is hit, when, what the tool must say of it, and which cells cannot be."""

from __future__ import annotations

from dataclasses import dataclass

START, LOAD, TRAIN, JOURNAL, STOP = (
    "before start",
    "loading",
    "training",
    "in journal only",
    "stopping",
)
PHASES = (START, LOAD, TRAIN, JOURNAL, STOP)
KILLED = ("driver", "interchange", "manager", "worker", "supervisor", "training", "database")
FORK_SERVER = "fork server"
DISKS = ("journal disk full", "ledger disk full")
_OTHERS = ("database gone 30 s", "network cut", "journal line torn", "clock 1 h back")
ROWS = (*KILLED, FORK_SERVER, *DISKS, *_OTHERS)
SIGNALS = ("KILL", "TERM")

# Words, as a regular expression, that the driver or the ledger must say after a fault; by signal or for all.
SAID = {
    "driver": {"KILL": r"were lost and will be run again", "TERM": "cancelling: ending what runs"},
    "interchange": {"": r"Parsl's interchange died \(exit code .*\)"},
    "manager": {"": r"ManagerLost: .* \(it ran on node|its supervisor received SIGTERM|blocks failed"},
    "worker": {"": "its worker process died|WorkerLost: "},
    "supervisor": {
        "KILL": "its supervisor died: SIGKILL",
        "TERM": "its supervisor received SIGTERM",
    },
    "training": {"KILL": "sent the training SIGKILL", "TERM": "sent the training SIGTERM"},
    "database": {"": r"nothing new starts until it is back, results wait in the journals"},
}
# Where the results are there, nothing but an adoption is to be told, or nothing at all; and what ends while
# the campaign stops was stopped.
SAID_OTHERWISE = {
    ("worker", STOP): {"": "the campaign was stopped|WorkerLost: "},
    ("supervisor", STOP): {"KILL": "its supervisor died: SIGKILL", "TERM": "the campaign was stopped"},
    ("driver", JOURNAL): {"KILL": r"adopted \d+ results from the journals", "TERM": "cancelling"},
    ("manager", JOURNAL): {"": ""},
    ("worker", JOURNAL): {"": ""},
    ("supervisor", JOURNAL): {"": ""},
}

_NO_LINE = "no final line is there yet"
CANNOT_BE = {
    ("training", JOURNAL): "it has ended by then",
    ("journal disk full", JOURNAL): "the line is there",
    ("journal disk full", STOP): "as training; a drain writes no more",
    ("ledger disk full", STOP): "as database",
    (FORK_SERVER, START): "its workers start another",
    **{(FORK_SERVER, phase): "as training" for phase in (JOURNAL, STOP)},
    **{("database gone 30 s", phase): "as database, longer" for phase in PHASES if phase != TRAIN},
    **{("network cut", phase): "as training" for phase in (START, LOAD, STOP)},
    ("network cut", JOURNAL): "journals are files",
    **{("journal line torn", phase): _NO_LINE for phase in (START, LOAD, TRAIN)},
    ("journal line torn", STOP): "as after any death",
    **{("clock 1 h back", phase): "as training" for phase in (LOAD, STOP)},
    ("clock 1 h back", JOURNAL): "lines hold no driver's time",
}


@dataclass(frozen=True, slots=True)
class Cell:
    """One fault in one phase."""

    row: str
    phase: str

    @property
    def reason(self) -> str | None:
        """Why it cannot be, or is the same as another; None if it is played."""
        return CANNOT_BE.get((self.row, self.phase))

    def words(self, kind: str) -> str:
        """Return what must be said after a signal, as a regular expression."""
        known = SAID_OTHERWISE.get((self.row, self.phase)) or SAID[self.row]
        return known.get(kind, known.get("", ""))
