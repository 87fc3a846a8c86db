"""Names of columns and tables before schema 0004, for hints on queries that still use them."""

from __future__ import annotations

import re

_RENAMED = {
    "attempt": "attempt_number",
    "block": "block_id",
    "campaign": "campaign_id",
    "category": "failure_category",
    "clock_ahead_us": "clock_offset_max_us",
    "data": "data_facts (attempts) or data_path (campaigns)",
    "directory": "run_directory",
    "environment": "environment_sha256 (attempts) or sha256 (documents)",
    "environments": "documents",
    "executor": "slot_shape",
    "instance": "instance_id",
    "message": "failure_message",
    "number": "benchmark_index",
    "quality_minimum": "quality_target",
    "reason": "failure_reason",
    "seen": "observed",
    "session": "session_number",
    "sighting": "observation_sha256",
    "site_text": "site_yaml",
    "slot": "slot_index",
    "spec_sha256": "campaign_sha256",
    "spec_text": "campaign_yaml",
    "window_start_us": "timed_window_start_us",
    "window_stop_us": "timed_window_stop_us",
}
_UNKNOWN = re.compile(r'(?:no such (?:column|table): |using column |column "?|relation "?)(?:\w+\.)?(\w+)')


def rename_hint(problem: str) -> str:
    """Return what an unknown name in a database's error is called now; empty if it was not renamed."""
    found = _UNKNOWN.search(problem)
    if found is None or (new := _RENAMED.get(found[1])) is None:
        return ""
    return f"{found[1]} was renamed to {new} in schema 0004"
