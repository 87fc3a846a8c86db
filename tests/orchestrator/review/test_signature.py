"""Signatures with SSH keys: good, of other bytes, of an unknown key."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from orchestrator.review.container import PackageError
from orchestrator.review.signature import check, sign
from tests.requirements import needs_command

needs_command("ssh-keygen", "openssh-client")


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return new_key(tmp_path_factory.mktemp("keys") / "id")


def new_key(file: Path) -> Path:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file], check=True)
    return file


def signers(key: Path, name: str = "alice@lab") -> Path:
    file = key.with_name(f"{key.name}.signers")
    file.write_text(f"{name} {key.with_name(f'{key.name}.pub').read_text()}")
    return file


def test_a_signature_of_a_known_signer(key: Path) -> None:
    found = check(b"manifest", sign(b"manifest", key), signers(key))
    assert (found.valid, found.signer) == (True, "alice@lab")


def test_a_signature_without_a_list_of_signers(key: Path) -> None:
    found = check(b"manifest", sign(b"manifest", key), None)
    assert (found.valid, found.signer) == (True, None)
    assert "SHA256:" in found.key


@pytest.mark.parametrize("listed", [True, False])
def test_a_signature_of_other_bytes(key: Path, listed: bool) -> None:
    found = check(b"manifest, changed", sign(b"manifest", key), signers(key) if listed else None)
    assert not found.valid


def test_a_signature_of_an_unknown_key(key: Path, tmp_path: Path) -> None:
    found = check(b"manifest", sign(b"manifest", key), signers(new_key(tmp_path / "other")))
    assert (found.valid, found.signer) == (False, None)
    assert "its key is not in" in found.key


@pytest.mark.parametrize("content", [b"", b"no signature", b"-----BEGIN SSH SIGNATURE-----\n"])
def test_what_is_no_signature(key: Path, content: bytes) -> None:
    assert not check(b"manifest", content, signers(key)).valid
    assert not check(b"manifest", content, None).valid


def test_files_that_are_not_there_or_hold_no_key(key: Path, tmp_path: Path) -> None:
    with pytest.raises(PackageError, match="does not exist"):
        sign(b"", tmp_path / "no")
    (tmp_path / "text").write_text("no key")
    with pytest.raises(PackageError, match="ssh-keygen -Y sign"):
        sign(b"", tmp_path / "text")
    with pytest.raises(PackageError, match="does not exist"):
        check(b"", sign(b"", key), tmp_path / "no")
