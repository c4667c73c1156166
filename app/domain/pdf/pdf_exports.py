"""Content in print: what goes into a document, and the signed addresses where it is set.

An address is made for one revision, so what it leads to stays the same for the hour that it works; nothing is
set before somebody comes to fetch it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from importlib.util import find_spec
from typing import Any

from sqlalchemy import Label, Select, and_, select

from app.access.context import Context
from app.domain.content.content import PAGE_VERSIONS
from app.domain.content.views import (
    CHANGE_REQUESTS,
    REQUEST,
    REVISION,
    REVISIONS,
    SPACES,
    View,
    Where,
    at,
    find,
    reading,
)
from app.kit.database.sql import nested
from app.kit.database.statements import given, rows
from app.kit.errors import NotFound, PreconditionFailed
from app.models.documents import PdfQuery

_SIGNATURE = re.compile(r"([0-9]{1,12})\.([0-9A-Za-z_-]+)")
_ID = re.compile(r"[0-9A-Za-z_-]{1,100}")
_NO_PAGE = "-"


@dataclass(slots=True, frozen=True)
class PdfSelection:
    """The scope of an export: a revision, of a change request or not, from a page on or `only` that page."""

    space: str
    revision: str
    request: str | None = None
    page: str | None = None
    only: bool = False

    @property
    def text(self) -> str:
        """Return the edition as it is signed, and as it is known by: equal for equal ones only."""
        part = f"{self.page or _NO_PAGE} {'only' if self.only else 'all'}"
        return f"{self.space} {self.revision} {self.request or _NO_PAGE} {part}"

    @property
    def is_written_well(self) -> bool:
        """Tell whether every id looks like one."""
        ids = (self.space, self.revision, self.request, self.page)
        return all(_ID.fullmatch(each) and each != _NO_PAGE for each in ids if each is not None)


@dataclass(slots=True, frozen=True)
class PdfAddress:
    """An edition that can be had, and what to call it."""

    edition: PdfSelection
    name: str


@dataclass(slots=True, frozen=True)
class OpenedPdf:
    """An edition whose address is good, and what it says on its title page."""

    edition: PdfSelection
    title: str
    subtitle: str
    language: str
    number: int
    made_at: datetime
    name: str


def _page(view: View) -> Label[Any]:
    is_meant = and_(view.valid(PAGE_VERSIONS), PAGE_VERSIONS.c.page_id == given("page_id"))
    return nested(select(PAGE_VERSIONS.c.title).where(is_meant), "page")


def _request(is_meant: Any) -> Label[Any]:
    same = CHANGE_REQUESTS.alias("printed")
    return nested(select(same.c.id, same.c.number, same.c.subject).where(is_meant(same)), "request")


def _columns(view: View) -> list[Label[Any]]:
    requests = [_request(lambda same: same.c.id == CHANGE_REQUESTS.c.id)] if view is REQUEST else []
    return [view.revision().label("printed_revision"), _page(view), *requests]


_OFFERED = reading(_columns)


def _edition() -> Select[Any]:
    request = _request(lambda same: and_(same.c.id == given("request"), same.c.space_id == SPACES.c.id))
    return (
        select(
            SPACES.c.title,
            SPACES.c.language,
            REVISIONS.c.number,
            REVISIONS.c.created_at,
            _page(REVISION),
            request,
        )
        .select_from(REVISION.source())
        .where(SPACES.c.id == given("id"), SPACES.c.deleted_at.is_(None), REVISIONS.c.id.is_not(None))
    )


_EDITION = rows(_edition)


async def offer(cx: Context, where: Where, query: PdfQuery) -> PdfAddress:
    """Get the address of a PDF of the content; it works for an hour.

    The document is that of the revision which is current now. Pages that are hidden are left out, unless one
    is asked for by `page`; those that a change request changes are marked.
    """
    row = await find(cx, where, _OFFERED, page_id=query.page or "")
    if query.page and not row.page:
        raise NotFound("There is no such page.")
    check_installed()
    place = at(row)
    edition = PdfSelection(
        row.id,
        row.printed_revision,
        place.id if place and place.kind == "changeRequest" else None,
        query.page,
        query.only and query.page is not None,
    )
    return PdfAddress(edition, _name(row.title, getattr(row, "request", ()), row.page))


async def opened(cx: Context, signature: str, edition: PdfSelection) -> OpenedPdf:
    """Return what an address leads to; raises NotFound for a wrong or old one as for content that is gone."""
    said = _SIGNATURE.fullmatch(signature)
    if said is None or not edition.is_written_well:
        raise _not_valid()
    is_signed = cx.signer.good("pdf", f"{edition.text} {said[1]}", said[2])
    if not is_signed or int(said[1]) < cx.now.timestamp():
        raise _not_valid()
    values = {"request": edition.request or "", "page_id": edition.page or ""}
    found = await cx.db.all(_EDITION, id=edition.space, at_revision=edition.revision, **values)
    if not found or (edition.page and not found[0].page) or (edition.request and not found[0].request):
        raise NotFound("This PDF is no longer available.")
    row = found[0]
    return OpenedPdf(
        edition,
        row.title,
        _subtitle(row.request, row.page),
        row.language or "en",
        row.number,
        row.created_at,
        _name(row.title, row.request, row.page),
    )


def is_installed() -> bool:
    """Tell whether the library that sets documents is there; it is not loaded for that."""
    return find_spec("typst") is not None


def check_installed() -> None:
    """Refuse where documents cannot be set."""
    if not is_installed():
        raise PreconditionFailed("PDF is not installed here; it comes with the extra `docyard[pdf]`.")


def _not_valid() -> NotFound:
    return NotFound("This address is not valid, or has expired.")


def _name(title: str, request: Any, page: Any) -> str:
    """Return what the file is called."""
    numbered = [f"#{each.number} {each.subject}".strip() for each in request]
    return " – ".join([title, *numbered, *(each.title for each in page)])[:150].strip() + ".pdf"


def _subtitle(request: Any, page: Any) -> str:
    parts = [f"Change request #{each.number}: {each.subject}".rstrip(": ") for each in request]
    return " – ".join([*parts, *(each.title for each in page)])
