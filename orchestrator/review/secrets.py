"""Passwords and tokens in what is handed on: replaced in logs, named in texts that are evidence."""

from __future__ import annotations

import re

_ADDRESS = re.compile(rb"://([^/\s:@'\"]*):([^@\s/'\"]+)@")
_NAMED = re.compile(
    rb"(?i)\b(\w*(?:password|passwd|secret|token|api_?key|access_?key)\w*)['\"]?\s*[:=]\s*['\"]?[^\s'\",}]{8,}"
)
_ORDINARY = re.compile(rb"(?i)tokeni[sz]|\bmax_?tokens\b|num_tokens")


def masked(content: bytes) -> bytes:
    """Return a log with the passwords of its addresses and the values of its tokens replaced."""
    content = _ADDRESS.sub(rb"://\1:***@", content)
    return _NAMED.sub(_replaced, content)


def signs_of_secrets(content: bytes) -> list[str]:
    """Return what looks like a secret in a text, by name and never by value."""
    found = ["an address with a password"] if _ADDRESS.search(content) else []
    names = {match[1].decode(errors="replace") for match in _NAMED.finditer(content) if not _ordinary(match)}
    return found + sorted(names)


def _replaced(match: re.Match[bytes]) -> bytes:
    return match[0] if _ordinary(match) else match[1] + b"=***"


def _ordinary(match: re.Match[bytes]) -> bool:
    return _ORDINARY.search(match[1]) is not None
