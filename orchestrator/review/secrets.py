"""Passwords and tokens in what is handed on: replaced in logs, named in texts that are evidence."""

from __future__ import annotations

import re

_ADDRESS = re.compile(rb"://([^/\s:@'\"]*):([^@\s/'\"]+)@")
_NAMED = re.compile(
    rb"(?i)\b(\w*(?:password|passwd|passphrase|secret|token|api_?key|access_?key)\w*)['\"]?\s*"
    rb"(?::\s*(?:str|bytes)\s*)?[:=]\s*(?:[bru]{0,2}['\"])?[^\s'\",}]{8,}"  # Python's types and texts, too
)
_KEY = re.compile(rb"-----BEGIN [A-Z ]*PRIVATE KEY-----")
_FILE = re.compile(
    r"(?i)(?:^|[._-])(?:token|secrets?|password|passwd|credentials?|netrc|pgpass|apikey|htpasswd|env)(?:[._-]|$)"
    r"|^id_(?:rsa|dsa|ecdsa|ed25519)|\.(?:pem|key|p12|pfx|keytab)$"
)
_CODE = re.compile(r"(?i)\.(?:py|pyi|sh|c|cc|cpp|cu|cuh|h|hpp|f|f90|jl|r|rs|go|java|lua|pl|js|ts)$")
_ORDINARY = re.compile(rb"(?i)tokeni[sz]|\bmax_?tokens\b|num_tokens")


def masked(content: bytes) -> bytes:
    """Return a log with the passwords of its addresses and the values of its tokens replaced."""
    content = _ADDRESS.sub(rb"://\1:***@", content)
    return _NAMED.sub(_replaced, content)


def signs_of_secrets(content: bytes) -> list[str]:
    """Return what looks like a secret in a text, by name and never by value."""
    found = ["an address with a password"] if _ADDRESS.search(content) else []
    found += ["a private key"] if _KEY.search(content) else []
    names = {match[1].decode(errors="replace") for match in _NAMED.finditer(content) if not _ordinary(match)}
    return found + sorted(names)


def holds_secret(file: str) -> bool:
    """Tell whether a file is a secret by its name, and no code: such as ``api-token`` or ``.netrc``."""
    return _FILE.search(file) is not None and _CODE.search(file) is None


def _replaced(match: re.Match[bytes]) -> bytes:
    return match[0] if _ordinary(match) else match[1] + b"=***"


def _ordinary(match: re.Match[bytes]) -> bool:
    return _ORDINARY.search(match[1]) is not None
