"""Trusted documents: known before anybody sends them, and run by their hash alone.

Our own are those of `graphql/operations` with their fragments; the tests have validated them. A deployment
adds those of its frontends (`Settings.graphql_trusted_documents`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import orjson

from app.kit.errors import Forbidden

FILE = Path(__file__).with_name("trusted_documents.json")
"""Our own documents by their SHA-256; `python -m tests.contract.write_documents` writes it."""


class NotTrusted(Forbidden):
    """Only trusted documents are run here, and this is none."""

    code = "DOCUMENT_NOT_TRUSTED"

    def __init__(self) -> None:
        super().__init__("This server runs trusted documents only, and this is none of them.")


class TrustedDocuments:
    """The texts of trusted documents by their hashes; with `only`, no others are run."""

    def __init__(self, frontends: Mapping[str, str], *, only: bool = False) -> None:
        self._texts = {**own(), **frontends}
        self._known = frozenset(self._texts.values())
        self.only = only

    def get(self, found: str) -> str | None:
        """Return the document with a hash, None where no trusted one has it."""
        return self._texts.get(found)

    def admit(self, text: str) -> str:
        """Return a document that was sent as text; raises NotTrusted where others are run only."""
        if self.only and text not in self._known:
            raise NotTrusted
        return text


@cache
def own() -> dict[str, str]:
    """Return our own documents by their hashes."""
    return dict(orjson.loads(FILE.read_bytes()))


@cache
def own_texts() -> frozenset[str]:
    """Return the texts of our own documents, which need no validation."""
    return frozenset(own().values())
