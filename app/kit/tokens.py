"""Secrets that callers are known by, bearer tokens and sessions: made once, kept as a hash."""

from __future__ import annotations

import secrets
from hashlib import sha256


def new_token() -> str:
    """A secret of 256 bits that is safe in a header and easy to recognise in a leak."""
    return "dcy_" + secrets.token_urlsafe(32)


SESSION = "dcs_"


def new_session() -> str:
    """The secret of a browser's session. It counts in a cookie only, and a token in a header only."""
    return SESSION + secrets.token_urlsafe(32)


AGENT = "dci_"


def new_agent_token() -> str:
    """A secret for an integration, told from a person's by how it begins."""
    return AGENT + secrets.token_urlsafe(32)


def token_hash(token: str) -> str:
    """What is stored of a token."""
    return sha256(token.encode()).hexdigest()
