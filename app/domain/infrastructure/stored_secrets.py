"""Secrets that are stored because they are shown or used again, encrypted with the installation's secret.

Each is bound to the row that holds it: what is copied into another row opens nothing there.
"""

from __future__ import annotations

import secrets
from typing import Protocol

from app.access.context import Context
from app.kit.errors import Conflict
from app.kit.signing import Signer

INTEGRATION = "integration secrets"
SHARE_KEY = "share link key"
VISITOR_KEY = "visitor key"
REPLAY = "replay"


class SiteKeyRow(Protocol):
    """A site with the encrypted key that its visitors are signed in with."""

    id: str
    visitor_key: str


class ShareKeyRow(Protocol):
    """A share link with its encrypted key."""

    id: str
    key: str


def visitor_key(cx: Context, site: SiteKeyRow) -> str:
    """Return the key that visitors' tokens are signed with; raises Conflict where it cannot be decrypted."""
    return _opened(cx, VISITOR_KEY, site.visitor_key, site.id)


def share_key(cx: Context, link: ShareKeyRow) -> str:
    """Return the key of a share link; raises Conflict where it cannot be decrypted."""
    return _opened(cx, SHARE_KEY, link.key, link.id)


def new_share_key() -> str:
    """Return a key for a share link."""
    return secrets.token_urlsafe(24)


def new_visitor_key() -> str:
    """Return a key for a site."""
    return secrets.token_urlsafe(32)


def share_key_columns(signer: Signer, link_id: str, key: str) -> dict[str, str]:
    """Return the columns of a share link with this key: the key itself, and what it is found by."""
    return {
        "key": signer.seal(SHARE_KEY, key, link_id),
        "key_hash": signer.fingerprint(SHARE_KEY, key),
    }


def _opened(cx: Context, purpose: str, sealed: str, about: str) -> str:
    found = cx.signer.unseal(purpose, sealed, about)
    if found is None:
        raise Conflict("This key cannot be decrypted any more; make a new one.")
    return found
