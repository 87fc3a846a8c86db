"""A simulated campaign whose attempts recorded sources of a user and of this project."""

from __future__ import annotations

import hashlib
from pathlib import Path

from db.ledger import Ledger
from orchestrator.driver.code import driver_code
from tests.orchestrator.review.packages import simulated

PROJECT_FILE = "workloads/result.py"
FILES = {"mine/net.py": "LAYERS = 3\n", "script.py": 'password = "hunter22hunter"\n', "lib.so": "\x7fELF\0"}


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def ran(folder: Path) -> str:
    """Write a user's files into a folder, and return the URL of a ledger whose attempts ran them."""
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (folder / "run").mkdir()
    url = simulated(folder / "run", instances=3)
    listing = driver_code().listings[driver_code().packages["workloads"]]["files"]
    documents = [
        {"package": "workloads", "files": {PROJECT_FILE: listing[PROJECT_FILE]}},
        {"packages": {}, "files": {"mine/net.py": digest(FILES["mine/net.py"]), "mine/lost.py": None}},
        {
            "packages": {},
            "files": {},
            "elsewhere": {str(folder / "lib.so"): digest(FILES["lib.so"])},
            "command": {"files": {str(folder / "script.py"): digest(FILES["script.py"])}},
        },
        {"cpu": {}, "python": {"version": "3.11.7"}, "packages": {"list": ["numpy==2.0.2", "None==1"]}},
    ]
    with Ledger(url) as book:
        book.store_documents(book.campaign("toy").campaign_id, documents)
    return url
