"""Downloads a file, goes on where an earlier download ended, and verifies the content."""

from __future__ import annotations

import errno
import hashlib
import http.client
import logging
import re
import shutil
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from orchestrator.catalog.data_sources import SourceFile
from sites.quantities import shown
from workloads.description import DataError

_log = logging.getLogger(__name__)
_SCHEMES = ("http", "https", "ftp")
_PASSING_STATUS = frozenset({408, 425, 429, 500, 502, 503, 504})
_CHUNK_BYTES = 1 << 20
_TIMEOUT_SECONDS = 60.0
_PERIOD_SECONDS = 5.0
_ATTEMPTS = 5
_FULL = (errno.ENOSPC, errno.EDQUOT)


class _CutError(Exception):
    """The transfer ended early, or failed in a way that may pass."""


def partial_of(target: Path) -> Path:
    """Return where a file lies while it is downloaded."""
    return target.with_name(f"{target.name}.partial")


def digests(path: Path, *names: str) -> dict[str, str]:
    """Return digests of a file, such as ``md5`` and ``sha256``."""
    found = {name: hashlib.new(name, usedforsecurity=False) for name in names}
    with path.open("rb") as content:
        while chunk := content.read(_CHUNK_BYTES):
            for digest in found.values():
                digest.update(chunk)
    return {name: digest.hexdigest() for name, digest in found.items()}


def mismatch(path: Path, expected: SourceFile) -> str:
    """Return how a file differs from the published size and checksums; empty where it does not."""
    size = path.stat().st_size
    if expected.bytes is not None and size != expected.bytes:
        return f"{size:,} bytes, {expected.bytes:,} are published"
    published = {"md5": expected.md5, "sha256": expected.sha256}
    stated = {name: digest for name, digest in published.items() if digest is not None}
    for name, digest in digests(path, *stated).items() if stated else ():
        if digest != stated[name]:
            return f"{name.upper()} {digest[:12]}…, {stated[name][:12]}… is published"
    return ""


def download(
    url: str,
    target: Path,
    expected: SourceFile,
    *,
    attempts: int = _ATTEMPTS,
    pause: Callable[[float], None] = time.sleep,
) -> None:
    """Download a file to a path, from where an earlier download ended if the server can do so.

    The file lies beside its place as ``NAME.partial`` until its content is verified. Proxies are those of the
    environment (``http_proxy``, ``https_proxy``, ``ftp_proxy``, ``no_proxy``). Progress is logged.

    Parameters
    ----------
    expected
        Published size and checksums of the file.
    attempts
        Transfers that may fail in a row without a byte more than before.
    pause
        Waits so many seconds before the next attempt: 1, 2, 4 …

    Raises
    ------
    DataError
        If the address cannot be read, the disk is full, or the content is not as published. A partial file
        with wrong content is removed; else it stays, for the next call.
    """
    try:
        scheme = urllib.parse.urlsplit(url).scheme
    except ValueError as error:
        raise DataError(f"{url}: {error}; correct the address (--url)") from None
    if scheme not in _SCHEMES:
        raise DataError(
            f"{url}: only addresses of {', '.join(_SCHEMES)} are fetched; correct the address (--url)"
        )
    partial, most, failed = partial_of(target), -1, 0
    while True:
        try:
            _transfer(url, partial, expected)
            break
        except _CutError as error:
            have = _size(partial)
            failed, most = (1, have) if have > most else (failed + 1, most)
            if failed >= attempts:
                raise DataError(
                    f"{url}: {error}, {failed} times in a row; try again later: {partial} has {have:,} bytes"
                ) from None
            _log.info("%s: %s; attempt %d of %d follows", target.name, error, failed + 1, attempts)
            pause(2.0 ** (failed - 1))
        except OSError as error:
            raise DataError(f"{partial}: cannot be written: {_why(error)}") from error
    if not _size(partial) and expected.bytes != 0:
        _forget(partial)
        raise DataError(f"{url}: the server sends an empty file; try another address (--url)")
    if wrong := mismatch(partial, expected):
        _forget(partial)
        raise DataError(f"{url}: the content is wrong and was removed: {wrong}; try another address (--url)")
    partial.replace(target)
    _forget(partial)


def _why(error: OSError) -> str:
    if error.errno in _FULL:
        return "the disk is full; free some space, and fetch again: what was downloaded is kept"
    return error.strerror or str(error)


def _version_file(partial: Path) -> Path:
    """Return the file that holds the server's mark of the version of a partial file."""
    return partial.with_name(f".{partial.name}.version")


def _forget(partial: Path) -> None:
    for path in (partial, _version_file(partial)):
        path.unlink(missing_ok=True)


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _transfer(url: str, partial: Path, expected: SourceFile) -> None:
    """Get what a partial file lacks; raises `_CutError` where another attempt may get more."""
    have = _size(partial)
    if expected.bytes is not None and have == expected.bytes:
        return
    try:
        response = _open(url, partial, have)
    except urllib.error.HTTPError as error:
        with error:
            if error.code != http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE or not have:
                _refuse(url, error)
            if str(error.headers.get("Content-Range")) == f"bytes */{have}":
                return
        _forget(partial)  # more than the file has: it is another one
        raise _CutError("the server's file is shorter than the partial one") from None
    except urllib.error.URLError as error:
        if isinstance(error.reason, str):  # of the address itself, or of the FTP server
            raise DataError(f"{url}: {error.reason}") from None
        raise _CutError(f"no connection: {error.reason}") from None
    except (http.client.InvalidURL, ValueError) as error:
        raise DataError(f"{url}: {error}; correct the address (--url)") from None
    except (OSError, http.client.HTTPException) as error:
        raise _CutError(f"no connection: {error or type(error).__name__}") from None
    with response:
        _refuse_other_content(url, response)
        begin = _begin(response, partial, have)
        left = _length(response)
        total = _total(response, begin, left)
        if expected.bytes is not None and total not in (None, expected.bytes):
            raise DataError(
                f"{url}: the server's file has {total:,} bytes, {expected.bytes:,} are published; "
                "try another address (--url)"
            )
        if left is not None and left > (free := shutil.disk_usage(partial.parent).free):
            raise DataError(
                f"{partial.parent}: {left / 1e6:,.1f} MB are to come, and {free / 1e6:,.1f} MB are free; "
                "free some space, or fetch into another directory (--output)"
            )
        _keep_version(response, partial)
        _receive(response, partial, begin, total)


def _open(url: str, partial: Path, have: int) -> Any:
    """Open an address from a position, provided that its file is still the version that was begun."""
    request = urllib.request.Request(url)  # noqa: S310  the scheme was verified
    if have and urllib.parse.urlsplit(url).scheme != "ftp":
        request.add_header("Range", f"bytes={have}-")
        if _version_file(partial).exists():
            request.add_header("If-Range", _version_file(partial).read_text(encoding="utf-8"))
    return urllib.request.build_opener().open(request, timeout=_TIMEOUT_SECONDS)


def _refuse(url: str, error: urllib.error.HTTPError) -> None:
    reason = " ".join(str(error.reason).split())
    if error.code in _PASSING_STATUS:
        raise _CutError(f"the server says {error.code} {reason}") from None
    raise DataError(f"{url}: the server says {error.code} {reason}; try another address (--url)") from None


def _refuse_other_content(url: str, response: Any) -> None:
    """Refuse an answer that has no file, or has it compressed by the server."""
    status = getattr(response, "status", None)
    if status not in (None, http.HTTPStatus.OK, http.HTTPStatus.PARTIAL_CONTENT):
        raise DataError(f"{url}: the server says {status} and sends no file; try another address (--url)")
    coding = response.headers.get("Content-Encoding", "identity")
    if coding != "identity":
        raise DataError(f"{url}: the server sends it compressed ({coding}); try another address (--url)")


def _total(response: Any, begin: int, left: int | None) -> int | None:
    """Return the size of the whole file in bytes; None where the server does not say."""
    whole = re.fullmatch(r"bytes \d+-\d+/(\d+)", str(response.headers.get("Content-Range")))
    if whole:
        return int(whole[1])
    return None if left is None else begin + left


def _begin(response: Any, partial: Path, have: int) -> int:
    """Return the position in the file from which a response has its bytes; 0 where the server begins anew."""
    if getattr(response, "status", None) != http.HTTPStatus.PARTIAL_CONTENT:
        return 0
    place = re.match(r"bytes (\d+)-", str(response.headers.get("Content-Range")))
    kept = _version_file(partial)
    same = not kept.exists() or kept.read_text(encoding="utf-8") == _version(response)
    if place and int(place[1]) == have and same:
        return have
    _forget(partial)
    raise _CutError(
        "the server sent another part than was asked for" if same else "the server's file is another by now"
    )


def _length(response: Any) -> int | None:
    text = response.headers.get("Content-Length")
    return int(text) if text is not None and text.isdecimal() else None


def _version(response: Any) -> str | None:
    mark: str | None = response.headers.get("ETag") or response.headers.get("Last-Modified")
    return mark


def _keep_version(response: Any, partial: Path) -> None:
    """Keep the server's mark of the version of a file; a weak one cannot be asked for."""
    mark = _version(response)
    if mark and not mark.startswith("W/"):
        _version_file(partial).write_text(mark, encoding="utf-8")
    else:
        _version_file(partial).unlink(missing_ok=True)


def _receive(response: Any, partial: Path, begin: int, total: int | None) -> None:
    """Append what comes to a partial file, or replace its content where the server begins anew."""
    have, started = begin, time.monotonic()
    logged = started
    with partial.open("ab" if begin else "wb") as file:
        while True:
            try:
                chunk = (
                    response.read1(_CHUNK_BYTES)
                    if hasattr(response, "read1")
                    else response.read(_CHUNK_BYTES)
                )
            except (OSError, http.client.HTTPException) as error:
                raise _CutError(f"the connection ended: {error or type(error).__name__}") from None
            if not chunk:
                break
            file.write(chunk)
            have += len(chunk)
            if (now := time.monotonic()) - logged >= _PERIOD_SECONDS:
                logged = now
                _log.info("%s", fetch_progress(partial.stem, have, have - begin, total, now - started))
    if total is not None and have < total:
        raise _CutError(f"the connection ended after {have:,} of {total:,} bytes")


def fetch_progress(name: str, have: int, received: int, total: int | None, seconds: float) -> str:
    """Return how far a download is, in words.

    Parameters
    ----------
    have, total
        Bytes of the file that are there, and that it has; None where the server does not say.
    received, seconds
        Bytes of this transfer, and its duration.
    """
    rate = received / seconds if seconds > 0 else 0.0
    if total is None:
        return f"{name}: {have / 1e6:,.1f} MB fetched, {rate / 1e6:,.1f} MB/s"
    left = f", about {shown((total - have) / rate)} left" if rate else ""
    return f"{name}: {have / total:.0%} of {total / 1e6:,.1f} MB fetched, {rate / 1e6:,.1f} MB/s{left}"
