"""Sessions, blocks and attempts of a campaign as spans of one trace.

The trace and its spans have identifiers that follow from the campaign's, so that a span that is sent twice is
the same span. Times are those of the ledger.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import SpanContext, Status, StatusCode, TraceFlags

from db.states import AttemptState
from orchestrator.version import __version__

if TYPE_CHECKING:
    from db.records import CampaignRow
    from db.rows import Block, LabelledAttempt, Session

SCOPE = InstrumentationScope("orchestrator", __version__)
_PREFIX = "orchestrator."
_MOMENTS = ("ready", "run_start", "timed_window_start", "timed_window_stop", "run_stop")
_FACTS = (
    "attempt_number",
    "state",
    "failure_category",
    "failure_reason",
    "slot_shape",
    "block_id",
    "node",
    "slot_index",
    "cores",
    "devices",
    "fom_seconds",
    "accuracy",
    "exit_code",
    "signal",
    "peak_memory_bytes",
    "cpu_seconds",
)


def resource_of(row: CampaignRow) -> Resource:
    """Return the source of all spans and metrics of a campaign."""
    return Resource(
        {
            "service.name": "orchestrator",
            "service.version": __version__,
            "service.instance.id": row.uid,
            **_attributes(
                {
                    "campaign": row.name,
                    "site": row.site_name,
                    "rulebook": row.rulebook,
                    "run_class": row.run_class,
                }
            ),
        }
    )


class CampaignTrace:
    """Makes the spans of a campaign.

    Parameters
    ----------
    row
        The campaign.
    """

    def __init__(self, row: CampaignRow) -> None:
        self._row = row
        self._resource = resource_of(row)

    def campaign(self, end_us: int) -> ReadableSpan:
        """Return the root span, from the registration of the campaign to the end of its last session."""
        row = self._row
        return self._span(
            f"campaign {row.name}", (), None, (row.created_us, end_us), {"outcome": row.outcome}
        )

    def session(self, session: Session) -> ReadableSpan:
        """Return the span of a session that has ended."""
        end_us = session.started_us if session.ended_us is None else session.ended_us
        return self._span(
            f"session {session.session_number}",
            ("session", session.session_number),
            (),
            (session.started_us, end_us),
            {name: getattr(session, name) for name in ("kind", "host", "pid", "version", "slots", "outcome")},
        )

    def block(self, block: Block) -> ReadableSpan:
        """Return the span of a block that has ended, from its request; its start is an event."""
        end_us = block.requested_us if block.ended_us is None else block.ended_us
        return self._span(
            f"block {block.block_id}",
            _block_key(block.session_number, block.slot_shape, block.block_id),
            ("session", block.session_number),
            (block.requested_us, end_us),
            {
                name: getattr(block, name)
                for name in ("session_number", "slot_shape", "job_id", "state", "nodes", "pool", "message")
            },
            {"started": block.started_us},
        )

    def attempt(self, labelled: LabelledAttempt) -> ReadableSpan:
        """Return the span of an attempt that has ended.

        It begins and ends with its processes; where none is known to have run, with its submission and the
        moment in which the driver learnt of its end.
        """
        attempt = labelled.attempt
        begin_us = attempt.process_start_us or attempt.submitted_us
        end_us = attempt.process_stop_us or attempt.received_us or begin_us
        failed = attempt.state != AttemptState.SUCCEEDED
        inside = attempt.block_id is not None and attempt.slot_shape is not None
        return self._span(
            labelled.label,
            ("attempt", attempt.instance_id, attempt.attempt_number),
            _block_key(attempt.session_number, attempt.slot_shape, attempt.block_id)
            if inside
            else ("session", attempt.session_number),
            (begin_us, max(begin_us, end_us)),
            {"benchmark": labelled.benchmark, **{name: getattr(attempt, name) for name in _FACTS}},
            {name: getattr(attempt, f"{name}_us") for name in _MOMENTS},
            Status(StatusCode.ERROR, attempt.failure_message or attempt.state)
            if failed
            else Status(StatusCode.OK),
        )

    def _span(
        self,
        name: str,
        key: tuple[object, ...],
        parent: tuple[object, ...] | None,
        times_us: tuple[int, int],
        attributes: Mapping[str, Any],
        moments: Mapping[str, int | None] | None = None,
        status: Status | None = None,
    ) -> ReadableSpan:
        return ReadableSpan(
            name,
            context=self._context(key),
            parent=None if parent is None else self._context(parent),
            resource=self._resource,
            attributes=_attributes(attributes),
            events=[
                Event(word, timestamp=at_us * 1000)
                for word, at_us in (moments or {}).items()
                if at_us is not None
            ],
            status=status or Status(StatusCode.UNSET),
            start_time=times_us[0] * 1000,
            end_time=times_us[1] * 1000,
            instrumentation_scope=SCOPE,
        )

    def _context(self, key: tuple[object, ...]) -> SpanContext:
        trace = _digest(self._row.uid)
        span = _digest(self._row.uid, *key)
        return SpanContext(
            int.from_bytes(trace[:16]), int.from_bytes(span[:8]), False, TraceFlags(TraceFlags.SAMPLED)
        )


def _block_key(session: int, shape: str | None, block: str | None) -> tuple[object, ...]:
    return ("block", session, shape, block)


def _digest(*parts: object) -> bytes:
    return hashlib.sha256("\0".join(map(str, parts)).encode()).digest()


def _attributes(values: Mapping[str, Any]) -> dict[str, Any]:
    return {_PREFIX + name: value for name, value in values.items() if value is not None}
