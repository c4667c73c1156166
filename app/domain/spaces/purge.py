"""Removing for good: a deleted space, seven days later, with everything that only it held."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from typing import Any

from sqlalchemy import ColumnElement, Delete, Select, Table, delete, exists, select, tuple_, union

from app.access.context import Context
from app.domain.infrastructure import blobs
from app.domain.organizations import grants, invites, quotas
from app.domain.search import search_index
from app.kit.database.sql import among
from app.kit.database.statements import command, given, query, rows, table
from app.models.change_requests import ChangeRequest, Contribution
from app.models.comments import Comment
from app.models.files import FileVersion
from app.models.imports import ImportRun
from app.models.links import FormerSource, Link
from app.models.pages import Document, PageVersion
from app.models.publishing import Customization
from app.models.reviews import RequestedReview, Review
from app.models.revisions import LineProperties, ReusableVersion, Revision
from app.models.site_items import SiteItem
from app.models.spaces import Space

PURGE_SPACE = "purge_space"
SPACES, REVISIONS = table(Space), table(Revision)
PAGE_VERSIONS, FILE_VERSIONS, REUSABLE_VERSIONS = (
    table(PageVersion),
    table(FileVersion),
    table(ReusableVersion),
)
SITE_ITEMS, CUSTOMIZATIONS = table(SiteItem), table(Customization)
DOCUMENTS, CHANGE_REQUESTS = table(Document), table(ChangeRequest)


async def purge_space(cx: Context, space_id: str) -> None:
    """Remove a space whose days are over; one that was restored, or is gone, is left alone."""
    space = await cx.db.first(_SPACE, id=space_id)
    if space is None or space.deleted_at is None:
        return
    if space.deleted_at + timedelta(days=cx.settings.purge_after_days) > cx.now:
        return
    from app.domain.integrations import placements

    cx.note("space", space.id, space.organization_id, space.title)
    documents = [row.id for row in await cx.db.all(_DOCUMENTS_HELD, space=space_id)]
    held = [row.id for row in await cx.db.all(_BLOBS_HELD, space=space_id)]
    for statement in _REMOVE_CONTENT:
        await cx.tx.run(statement, space=space_id)
    await search_index.remove_space(cx, space)
    await search_index.remove_inclusions(cx, space)
    await grants.withdraw_on(cx, space.id)
    await invites.take_down(cx, space.organization_id, space.id)
    await placements.withdraw_on(cx, space.id)
    await cx.tx.remove(Comment, space_id=space_id)  # with all that hangs on them
    for statement in _REMOVE_REQUESTS:
        await cx.tx.run(statement, space=space_id)
    await cx.tx.remove(Revision, space_id=space_id)
    await cx.tx.run(_REMOVE_CUSTOMIZATIONS, space=space_id)
    await cx.tx.remove(SiteItem, space_id=space_id)
    await cx.tx.remove(ImportRun, space_id=space_id)
    await cx.tx.remove(Space, id=space_id)
    cx.changed("space", "deleted", space.organization_id, space_id=space_id)
    await quotas.release(cx, space_id)
    await remove_lonely_documents(cx, documents)
    await blobs.remove_unused(cx, held)


async def remove_lonely_documents(cx: Context, ids: Sequence[str]) -> None:
    """Remove those of the texts that nothing holds any more."""
    await cx.tx.run(_REMOVE_LONELY_DOCUMENTS, ids=ids)


def _on_its_lines(t: Table) -> ColumnElement[bool]:
    own = select(SPACES.c.id).where(SPACES.c.id == given("space"))
    lines = select(REVISIONS.c.line_id).where(REVISIONS.c.space_id == given("space"))
    return t.c.line_id.in_(own.union(lines))


def _documents_held() -> Select[Any]:
    held = union(
        *(
            select(t.c.document_id.label("id")).where(_on_its_lines(t))
            for t in (PAGE_VERSIONS, REUSABLE_VERSIONS)
        )
    )
    found = held.subquery()
    return select(found.c.id).where(found.c.id.is_not(None))


def _remove_content(t: Table) -> Delete:
    return delete(t).where(_on_its_lines(t))


def _remove_of_requests(t: Table) -> Delete:
    of_space = select(CHANGE_REQUESTS.c.id).where(CHANGE_REQUESTS.c.space_id == given("space"))
    return delete(t).where(t.c.change_request_id.in_(of_space))


def _remove_lonely_documents() -> Delete:
    by_page = exists().where(PAGE_VERSIONS.c.document_id == DOCUMENTS.c.id)
    by_reusable = exists().where(REUSABLE_VERSIONS.c.document_id == DOCUMENTS.c.id)
    return delete(DOCUMENTS).where(among(DOCUMENTS.c.id, "ids"), ~by_page, ~by_reusable)


def _remove_customizations() -> Delete:
    items = select(SITE_ITEMS.c.site_id, SITE_ITEMS.c.id).where(SITE_ITEMS.c.space_id == given("space"))
    return delete(CUSTOMIZATIONS).where(tuple_(CUSTOMIZATIONS.c.site_id, CUSTOMIZATIONS.c.item_id).in_(items))


_REMOVE_CUSTOMIZATIONS = command(_remove_customizations)
_SPACE = query(Space, lambda: select(*SPACES.c).where(SPACES.c.id == given("id")))
_DOCUMENTS_HELD = rows(_documents_held)
_BLOBS_HELD = rows(
    lambda: select(FILE_VERSIONS.c.blob_id.label("id")).distinct().where(_on_its_lines(FILE_VERSIONS))
)
_REMOVE_CONTENT = [
    command(partial(_remove_content, table(model)))
    for model in (PageVersion, FileVersion, Link, FormerSource, ReusableVersion, LineProperties)
]
_REMOVE_LONELY_DOCUMENTS = command(_remove_lonely_documents)
_REMOVE_REQUESTS = [
    *(
        command(partial(_remove_of_requests, table(model)))
        for model in (Contribution, RequestedReview, Review)
    ),
    command(lambda: delete(CHANGE_REQUESTS).where(CHANGE_REQUESTS.c.space_id == given("space"))),
]
