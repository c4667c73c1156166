"""Documents that clients send by their SHA-256: trusted ones, and those that the server has seen before.

A trusted document is never sent as text. Of any other (automatic persisted queries) a client first sends the
hash alone. Where no document is kept for it, it is told so, and sends the document with the hash, which is
kept from then on. Hashes are checked, so nobody can store one document as another.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from cachetools import LRUCache

from app.api.graphql.trusted import NotTrusted, TrustedDocuments
from app.kit.errors import Invalid, Problem

MOST = 2_000  # documents
MOST_CHARACTERS = 4_000_000  # of all documents together
LONGEST = 100_000  # characters of one document
HASH = 64  # characters of a SHA-256
PLACE = "extensions.persistedQuery"


class PersistedQueryNotFound(Problem):
    """No document is kept for the hash that was sent; clients know this by its message."""

    status = 400
    code = "PERSISTED_QUERY_NOT_FOUND"

    def __init__(self) -> None:
        super().__init__("PersistedQueryNotFound")


_documents: LRUCache[str, str] = LRUCache(
    MOST_CHARACTERS, getsizeof=lambda text: max(HASH + len(text), MOST_CHARACTERS // MOST)
)


def persisted(text: str | None, extensions: Mapping[str, Any], trusted: TrustedDocuments) -> str:
    """Return the document of a request: what was sent, or what is known by its hash.

    Raises Invalid where neither was sent or the hash is not the document's, PersistedQueryNotFound where
    nothing is kept for it, NotTrusted.
    """
    asked = extensions.get("persistedQuery")
    if asked is None:
        if text is None:
            raise Invalid("Send the document as `query`, or its hash.", path="query")
        return trusted.admit(text)
    found = _hash_of(asked)
    known = trusted.get(found)
    if text is None:
        kept = known or _documents.get(found)
        if kept is None:
            raise NotTrusted if trusted.only else PersistedQueryNotFound
        return trusted.admit(kept)
    if text == known:
        return text
    if sha256(text.encode()).hexdigest() != found:
        raise Invalid("This is not the SHA-256 of `query`.", path=f"{PLACE}.sha256Hash")
    trusted.admit(text)
    if len(text) <= LONGEST:
        _documents[found] = text
    return text


def _hash_of(asked: Any) -> str:
    if not isinstance(asked, dict) or asked.get("version") != 1:
        raise Invalid("`persistedQuery` must be an object with `version` 1.", path=PLACE)
    found = asked.get("sha256Hash")
    if not isinstance(found, str):
        raise Invalid("Send the SHA-256 of the document in hexadecimal digits.", path=f"{PLACE}.sha256Hash")
    return found.lower()
