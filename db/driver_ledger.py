"""Interface of a ledger for the driver, with the promises that the driver may rely on."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol

from db.records import BlockRecord, LedgerReport, NewAttempt, Pending, SettledBenchmark, SuggestedTrial
from db.writing.requests import AppliedRequest


class DriverLedger(Protocol):
    """The ledger as the driver of one campaign writes it; `db.ledger.Ledger` implements it.

    Ownership
        One driver writes a campaign at a time: the one that holds its lease. The lease is measured by the
        database's clock, so drivers on several hosts agree on it. `submit` and `renew` of a driver that
        lost the lease raise `LeaseError` and change nothing.
    Threads
        One thread at a time uses a ledger. Any number of other processes may read and write other
        campaigns of the same ledger meanwhile.
    Durability
        Each call is one transaction. When it returns, the database has written it to disk; when it
        raises, nothing of it counts, unless the answer of a successful commit was lost. Every call may
        therefore be repeated: `submit` skips attempts that are there, and the first final state of an
        attempt wins, so that a report recorded twice counts once.
    Errors
        `LedgerError` if the database cannot be reached, refuses, or gives no answer within 150 s. The
        driver keeps what it could not write, and repeats it later.
    """

    def submit(self, campaign_id: int, session: int, new: Sequence[NewAttempt]) -> None:
        """Record attempts before they are handed to the engine."""

    def record(self, campaign_id: int, reports: Sequence[LedgerReport]) -> list[LedgerReport]:
        """Record changes of attempts' states and return the reports that came too late."""

    def record_blocks(self, campaign_id: int, session: int, rows: Sequence[BlockRecord]) -> None:
        """Insert or update blocks of a session."""

    def renew(self, campaign_id: int, owner: str, lease_seconds: float) -> str | None:
        """Prolong the lease and return the stop request (``drain`` or ``cancel``), if there is one.

        ``requests`` says that users asked something of instances; see `apply_requests`.
        """

    def apply_requests(self, campaign_id: int, session: int) -> None:
        """Apply what users asked of instances since."""

    def applied_requests(self, campaign_id: int, after: int = 0) -> list[AppliedRequest]:
        """Return the requests that were applied, those after an event."""

    def settle(self, campaign_id: int, session: int, settled: SettledBenchmark) -> None:
        """Let no waiting instance of a benchmark run, as the campaign does not need it, and note why."""

    def reopen_settled(self, campaign_id: int, benchmarks: Collection[str], *, session: int) -> None:
        """Plan the instances again, of some benchmarks, that were not needed or pruned."""

    def suggest(self, campaign_id: int, session: int, chosen: Sequence[SuggestedTrial]) -> None:
        """Write the parameters of trials that an optimizer chose; a trial that has some keeps them."""

    def pending(self, campaign_id: int) -> list[Pending]:
        """Return the instances that still need an accepted attempt."""

    def describe_node(self, campaign_id: int, session: int, node: str, facts: Mapping[str, Any]) -> None:
        """Store what a node is, once for all nodes that are the same, and note that it describes this one."""

    def note(
        self,
        campaign_id: int,
        kind: str,
        message: str,
        *,
        subject: str = "",
        data: Mapping[str, Any] | None = None,
        at_us: int | None = None,
    ) -> None:
        """Append an event that is no transition."""
