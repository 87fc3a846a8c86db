"""The driver's code in the ledger: recorded by each session, and compared before a campaign is resumed."""

from __future__ import annotations

from db.documents import read_documents
from db.events import EventKind
from db.ledger import Ledger
from db.records import CampaignRow
from orchestrator.driver.code import driver_code
from orchestrator.errors import CampaignError
from orchestrator.wording import few

_NAMED_FILES = 3
_RECORDED_FILES = 100


def record_code(book: Ledger, campaign_id: int, session: int) -> None:
    """Record the code of this process with its session, and which files differ from the first session's."""
    code, subject = driver_code(), f"session {session}"
    changed = changed_files(book, campaign_id)
    book.store_documents(campaign_id, list(code.listings.values()))
    checkout = f", commit {code.commit[:12]}{' with changes' if code.modified else ''}" if code.commit else ""
    message = f"{subject} runs version {code.version}{checkout}"
    book.note(campaign_id, EventKind.CODE_RECORDED, message, subject=subject, data=code.facts())
    if changed:
        book.note(
            campaign_id,
            EventKind.CODE_FILES_CHANGED,
            f"{subject} runs other code than the first session: {few(changed, _NAMED_FILES)}",
            subject=subject,
            data={"files": changed[:_RECORDED_FILES], "number": len(changed)},
        )


def check_code(book: Ledger, row: CampaignRow, *, allow_changed_code: bool) -> None:
    """Refuse to resume a campaign that began with other code, unless that is allowed.

    Raises
    ------
    CampaignError
        If a file of the project's packages differs; names the first few.
    """
    changed = changed_files(book, row.campaign_id)
    if changed and not allow_changed_code:
        raise CampaignError(
            f"the code has changed since campaign {row.name} began: {few(changed, _NAMED_FILES)}; "
            "install the former version, or resume with --allow-changed-code, which is recorded"
        )


def changed_files(book: Ledger, campaign_id: int) -> list[str]:
    """Return the files in which this process's code differs from that of a campaign's first session.

    Empty where the first session recorded none.
    """
    first = next(book.events(campaign_id, kinds=[EventKind.CODE_RECORDED]), None)
    if first is None or first.data is None:
        return []
    code = driver_code()
    former, present = first.data["packages"], code.packages
    differ = [name for name in {**former, **present} if former.get(name) != present.get(name)]
    listings = read_documents(book, [former[name] for name in differ if name in former])
    files = []
    for name in differ:
        before = listings.get(former.get(name, ""), {}).get("files", {})
        after = code.listings[present[name]]["files"] if name in present else {}
        files += [file for file in {**before, **after} if before.get(file) != after.get(file)]
    return sorted(files)
