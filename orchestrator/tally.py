"""What a session's attempts came to, and whether it is worth going on."""

from __future__ import annotations
