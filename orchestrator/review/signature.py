"""Signatures of packages with SSH keys, by ``ssh-keygen -Y``."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from orchestrator.review.container import PackageError

NAMESPACE = "orchestrator-package"
_LIMIT_SECONDS = 60.0  # also for a person who types a passphrase


@dataclass(frozen=True, slots=True)
class SignatureCheck:
    """Proof that a signature gives.

    Parameters
    ----------
    valid
        Whether it is one of these bytes, and where signers are known, by one of them.
    signer
        The signer's name in the file of signers; None where none is known.
    key
        What ssh-keygen says of the key, or why the signature is not valid.
    """

    valid: bool
    signer: str | None
    key: str


def check_key(key: Path) -> None:
    """Raise `PackageError` if a key does not exist."""
    if not key.is_file():
        raise PackageError(f"the key {key} does not exist; name a private SSH key such as ~/.ssh/id_ed25519")


def sign(content: bytes, key: Path) -> bytes:
    """Return the signature of a content with a user's private SSH key.

    Raises
    ------
    PackageError
        If ssh-keygen or the key is not there, or the key does not sign.
    """
    check_key(key)
    with tempfile.TemporaryDirectory(prefix="signature-") as folder:
        file = Path(folder) / "manifest"
        file.write_bytes(content)
        _keygen("sign", "-f", str(key), "-n", NAMESPACE, str(file), limit=_LIMIT_SECONDS)
        return file.with_name("manifest.sig").read_bytes()


def check(content: bytes, signature: bytes, signers: Path | None) -> SignatureCheck:
    """Return what a signature of a content proves.

    Parameters
    ----------
    signers
        An ``allowed_signers`` file of ssh-keygen; without one any key may have signed.

    Raises
    ------
    PackageError
        If ssh-keygen or the file of signers is not there.
    """
    if signers is not None and not signers.is_file():
        raise PackageError(f"the file of signers {signers} does not exist; a line has: name key-type key")
    with tempfile.TemporaryDirectory(prefix="signature-") as folder:
        file = Path(folder) / "signature"
        file.write_bytes(signature)
        given = ["-n", NAMESPACE, "-s", str(file)]
        if signers is None:
            return _checked(None, "check-novalidate", *given, content=content)
        known = ["-f", str(signers.absolute())]
        try:
            names = _keygen("find-principals", "-s", str(file), *known)
        except _KeygenError:
            return SignatureCheck(False, None, f"its key is not in {signers}")
        name = (names.splitlines() or [""])[0].split(",")[0]
        return _checked(name, "verify", *known, "-I", name, *given, content=content)


def _checked(name: str | None, *arguments: str, content: bytes) -> SignatureCheck:
    try:
        return SignatureCheck(True, name, _keygen(*arguments, content=content))
    except _KeygenError as error:
        return SignatureCheck(False, name, str(error))


class _KeygenError(PackageError):
    """Ssh-keygen refused."""


def _keygen(*arguments: str, content: bytes | None = None, limit: float = 10.0) -> str:
    if shutil.which("ssh-keygen") is None:
        raise PackageError("ssh-keygen is not installed; install OpenSSH's client")
    try:
        done = subprocess.run(
            ["ssh-keygen", "-Y", *arguments],
            input=content or b"",
            capture_output=True,
            timeout=limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise PackageError(f"ssh-keygen -Y {arguments[0]} did not end within {limit:g} s") from None
    output = (done.stdout + b"\n" + done.stderr).decode(errors="replace")
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    if done.returncode:
        raise _KeygenError(f"ssh-keygen -Y {arguments[0]}: {lines[-1] if lines else 'failed'}")
    return "\n".join(lines)
