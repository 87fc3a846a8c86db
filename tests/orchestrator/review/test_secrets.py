"""Secrets are found by what a text says, and files of secrets by their names."""

from __future__ import annotations

import pytest

from orchestrator.review.secrets import holds_secret, signs_of_secrets


@pytest.mark.parametrize(
    ("text", "signs"),
    [
        ('password = "hunter22hunter"', ["password"]),
        ('password: str = "hunter22hunter"', ["password"]),
        ('API_KEY = b"hunter22hunter"', ["API_KEY"]),
        ("passphrase: hunter22hunter", ["passphrase"]),
        ("postgresql://me:hunter2@host/db", ["an address with a password"]),
        ("-----BEGIN OPENSSH PRIVATE KEY-----", ["a private key"]),
        ("-----BEGIN PUBLIC KEY-----", []),
        ('tokenizer = "characters"', []),
        ("def run(password: str, token: bytes) -> None:", []),
    ],
)
def test_signs_of_secrets(text: str, signs: list[str]) -> None:
    assert signs_of_secrets(text.encode()) == signs


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        (".netrc", True),
        (".env", True),
        ("api-token", True),
        ("hf_token.txt", True),
        ("credentials.json", True),
        ("id_ed25519", True),
        ("site.pem", True),
        ("tokens.py", False),
        ("token.py", False),
        ("tokenizer.json", False),
        ("environment.yaml", False),
        ("train.sh", False),
    ],
)
def test_files_of_secrets(name: str, secret: bool) -> None:
    assert holds_secret(name) is secret
