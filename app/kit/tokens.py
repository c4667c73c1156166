"""Bearer tokens: made once, kept as a hash."""

from __future__ import annotations

import secrets
from hashlib import sha256


def new_token() -> str:
    """A secret of 256 bits that is safe in a header and easy to recognise in a leak."""
    return "dcy_" + secrets.token_urlsafe(32)


def token_hash(token: str) -> str:
    """What is stored of a token."""
    return sha256(token.encode()).hexdigest()
