"""Names who asks for a change of a campaign."""

from __future__ import annotations

import getpass
import socket


def this_user() -> str:
    """Return user and host of this process, ``user@host``."""
    return f"{getpass.getuser()}@{socket.gethostname()}"
