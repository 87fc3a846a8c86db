"""The lease: which driver holds a campaign, by the database's clock."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import BigInteger, Connection, bindparam, func, insert, literal_column, select, update

from db.connection.ledger_rows import CLOCK_US, clock_us
from db.errors import LeaseError
from db.events import EventKind
from db.states import UNSEEN_END, RunOutcome
from db.tables import blocks, campaigns, sessions
from db.writing.links import next_link
from db.writing.noting import note

_THIS = campaigns.c.campaign_id == bindparam("campaign")
# Composed once: a driver executes these two every second.
_LEASE = (
    select(campaigns.c.name, campaigns.c.lease_owner, campaigns.c.lease_expires_us, campaigns.c.stop_request)
    .where(_THIS)
    .with_for_update(key_share=True)  # rows that refer to the campaign may be inserted meanwhile
)
_RENEWAL = {
    dialect: update(campaigns)
    .where(_THIS)
    .values(lease_expires_us=literal_column(clock, BigInteger) + bindparam("lease_us"))
    for dialect, clock in CLOCK_US.items()
}


def begin_session(
    connection: Connection,
    campaign_id: int,
    owner: str,
    lease_seconds: float,
    *,
    dead: str | None,
    facts: dict[str, Any],
) -> int:
    """Take the lease and open the next session; see `Ledger.begin_session`."""
    now = clock_us(connection)
    held = require_free(connection, campaign_id, dead)
    connection.execute(
        update(campaigns)
        .where(campaigns.c.campaign_id == campaign_id)
        .values(
            lease_owner=owner,
            lease_expires_us=now + int(lease_seconds * 1e6),
            stop_request=None,
            outcome=None,
        )
    )
    closed = connection.execute(
        update(sessions)
        .where(sessions.c.campaign_id == campaign_id, sessions.c.ended_us.is_(None))
        .values(ended_us=now, outcome=RunOutcome.DRIVER_DIED)
    )
    if closed.rowcount:
        died = f"{held.lease_owner or 'its driver'} died; its session was closed"
        note(connection, campaign_id, EventKind.DRIVER_DIED, died)
    last = connection.execute(
        select(func.max(sessions.c.session_number)).where(sessions.c.campaign_id == campaign_id)
    ).scalar()
    session = (last or 0) + 1
    row = {"campaign_id": campaign_id, "session_number": session, "started_us": now, **facts}
    connection.execute(insert(sessions), row)
    note(
        connection,
        campaign_id,
        EventKind.SESSION_STARTED,
        f"{facts.get('kind')} {session} by {owner}",
        subject=f"session {session}",
    )
    return session


def require_free(connection: Connection, campaign_id: int, dead: str | None) -> Any:
    """Lock a campaign's lease and return it; raises LeaseError if a driver holds it that is not dead."""
    now = clock_us(connection)
    held = _lease(connection, campaign_id)
    if _holds(held, now, dead):
        raise LeaseError(
            f"the campaign is being run by {held.lease_owner.partition(' started ')[0]}; follow it with "
            f"`orchestrator attach {held.name}`, stop it with `orchestrator stop {held.name}`, or wait: the "
            f"lease of a dead driver expires in {(held.lease_expires_us - now) / 1e6:.0f} s"
        )
    return held


def is_free(connection: Connection, campaign_id: int, dead: str | None) -> bool:
    """Lock a campaign's lease and return whether no driver holds it but a dead one."""
    now = clock_us(connection)
    return not _holds(_lease(connection, campaign_id), now, dead)


def _holds(held: Any, now: int, dead: str | None) -> bool:
    return held.lease_owner not in (None, dead) and held.lease_expires_us > now


def renew(connection: Connection, campaign_id: int, owner: str, lease_seconds: float) -> str | None:
    """Prolong the lease and return the stop request; see `Ledger.renew`."""
    held = _lease(connection, campaign_id)
    if held.lease_owner != owner:
        raise LeaseError(f"this driver lost the campaign to {held.lease_owner or 'no driver'}")
    values = {"campaign": campaign_id, "lease_us": int(lease_seconds * 1e6)}
    connection.execute(_RENEWAL[connection.dialect.name], values)
    return str(held.stop_request) if held.stop_request else None


def require_open_session(connection: Connection, campaign_id: int, session: int) -> None:
    """Raise LeaseError if another driver has closed the session: it must not submit any more."""
    statement = select(sessions.c.ended_us).where(
        sessions.c.campaign_id == campaign_id, sessions.c.session_number == session
    )
    if connection.execute(statement.with_for_update(read=True)).scalar() is not None:
        owner = select(campaigns.c.lease_owner).where(campaigns.c.campaign_id == campaign_id)
        raise LeaseError(
            f"this driver lost the campaign to {connection.execute(owner).scalar() or 'no driver'}"
        )


def end_session(
    connection: Connection,
    campaign_id: int,
    session: int,
    owner: str,
    outcome: str,
    hashes: Mapping[str, Any],
) -> None:
    """Close the session and return the lease, if this owner still holds it."""
    _lease(connection, campaign_id)  # locked first: see `db.connection.locks`
    connection.execute(
        update(sessions)
        .where(
            sessions.c.campaign_id == campaign_id,
            sessions.c.session_number == session,
            sessions.c.ended_us.is_(None),
        )
        .values(ended_us=clock_us(connection), outcome=outcome)
    )
    connection.execute(
        update(campaigns)
        .where(campaigns.c.campaign_id == campaign_id, campaigns.c.lease_owner == owner)
        .values(lease_owner=None, lease_expires_us=None, stop_request=None, outcome=outcome)
    )
    note(
        connection,
        campaign_id,
        EventKind.SESSION_ENDED,
        f"session {session} ended: {outcome}",
        subject=f"session {session}",
        data={
            "outcome": outcome,
            "session": session,
            **hashes,
            "events": next_link(connection, campaign_id),
        },
    )


def close_dead_session(connection: Connection, campaign_id: int, owner: str) -> bool:
    """Close a dead driver's session and lease; see `Ledger.close_dead_session`."""
    if _lease(connection, campaign_id).lease_owner != owner:
        return False
    connection.execute(
        update(sessions)
        .where(sessions.c.campaign_id == campaign_id, sessions.c.ended_us.is_(None))
        .values(ended_us=clock_us(connection), outcome=RunOutcome.DRIVER_DIED)
    )
    connection.execute(
        update(campaigns)
        .where(campaigns.c.campaign_id == campaign_id)
        .values(lease_owner=None, lease_expires_us=None, stop_request=None, outcome=RunOutcome.DRIVER_DIED)
    )
    note(connection, campaign_id, EventKind.DRIVER_DIED, f"{owner} died; its session was closed")
    return True


def live_campaign(connection: Connection) -> str | None:
    """Return the name of a campaign that a driver holds now; None if there is none."""
    held = campaigns.c.lease_owner.is_not(None) & (campaigns.c.lease_expires_us > clock_us(connection))
    return connection.execute(select(campaigns.c.name).where(held).limit(1)).scalar()


def _lease(connection: Connection, campaign_id: int) -> Any:
    return connection.execute(_LEASE, {"campaign": campaign_id}).one()


def end_blocks(connection: Connection, campaign_id: int, unseen: Mapping[tuple[int, str, str], int]) -> int:
    """Mark the blocks of ended sessions as released, and return their number; see `Ledger.end_blocks`."""
    over = select(sessions.c.session_number).where(
        sessions.c.campaign_id == campaign_id, sessions.c.ended_us.is_not(None)
    )
    now = clock_us(connection)
    open_ones = update(blocks).where(
        blocks.c.campaign_id == campaign_id,
        blocks.c.ended_us.is_(None),
        blocks.c.session_number.in_(over),
    )
    ended = 0
    for (session, shape, block), at_us in unseen.items():
        one = open_ones.where(
            blocks.c.session_number == session, blocks.c.slot_shape == shape, blocks.c.block_id == block
        )
        values = {"state": "released", "ended_us": min(at_us, now), "message": UNSEEN_END}
        ended += connection.execute(one.values(values)).rowcount
    return ended + connection.execute(open_ones.values(state="released", ended_us=now)).rowcount
