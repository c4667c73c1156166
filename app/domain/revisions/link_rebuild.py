"""Working out the links of a space anew from its texts, as a job: after an upgrade that keeps more of them.

What a revision holds stays as it is; only where its links lead, and whether they are broken, is put right.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

from sqlalchemy import Integer, select, update

from app.access.audit_actions import AuditAction
from app.access.context import Context
from app.domain.jobs import NOBODY, JobRuntime
from app.domain.revisions import branch as lines
from app.domain.revisions.branch import Branch, BranchContent
from app.domain.revisions.documents import anchors_of
from app.domain.revisions.drafts import Draft
from app.domain.revisions.link_targets import LinkTargets, ResolvedLink, own_addresses, resolved_links
from app.domain.revisions.links import checked, enters
from app.domain.revisions.target_index import TextAnchors, note_anchors
from app.domain.search import search_index
from app.formats.markdown.passages import conditions_of
from app.formats.markdown.scanner import scan
from app.kit import workers
from app.kit.database.sql import among
from app.kit.database.statements import command, given, query, rows, table
from app.models.change_requests import ChangeRequest
from app.models.jobs import Job
from app.models.links import Link
from app.models.pages import Document, PageVersion
from app.models.revisions import ReusableVersion
from app.models.spaces import Space

ACTION = AuditAction("job", "rebuildLinks")
AT_ONCE = 50  # texts that are read together
SPACES, CHANGE_REQUESTS, LINKS, DOCUMENTS = table(Space), table(ChangeRequest), table(Link), table(Document)
_SPACE = query(Space, lambda: select(*SPACES.c).where(SPACES.c.id == given("id")))
_REQUESTS = query(
    ChangeRequest,
    lambda: select(*CHANGE_REQUESTS.c).where(
        CHANGE_REQUESTS.c.space_id == given("id"), CHANGE_REQUESTS.c.status != "merged"
    ),
)
_TEXTS = rows(lambda: select(DOCUMENTS.c.id, DOCUMENTS.c.markdown).where(among(DOCUMENTS.c.id, "ids")))
_LINKS = rows(
    lambda: (
        select(LINKS.c.holder_id, LINKS.c.position, *(LINKS.c[name] for name in ResolvedLink._fields))
        .where(LINKS.c.line_id == given("line"), LINKS.c.valid_to.is_(None), among(LINKS.c.holder_id, "ids"))
        .order_by(LINKS.c.holder_id, LINKS.c.position)
    )
)
_PUT_RIGHT = command(
    lambda: (
        update(LINKS)
        .values({name: given(name, LINKS.c[name].type) for name in ResolvedLink._fields})
        .where(
            LINKS.c.line_id == given("line_id"),
            LINKS.c.holder_id == given("holder_id"),
            LINKS.c.position == given("position", Integer()),
            LINKS.c.valid_to.is_(None),
        )
    )
)


async def rebuild(runtime: JobRuntime, job: Job) -> None:
    """Work out the links of a space and of its open change requests, each in a transaction of its own."""
    cx = runtime.context(NOBODY)
    requests = [None, *await cx.db.all(_REQUESTS, id=job.subject)]
    for request in requests:
        request_id = request.id if request else None
        await runtime.write(NOBODY, partial(_rebuild, space_id=job.subject, request_id=request_id), ACTION)


async def _rebuild(cx: Context, *, space_id: str, request_id: str | None) -> None:
    await cx.tx.lock(space_id)
    space = await cx.db.first(_SPACE, id=space_id)
    found = {row.id: row for row in await cx.db.all(_REQUESTS, id=space_id)}
    if space is None or (request_id is not None and request_id not in found):
        return
    cx.note("space", space.id, space.organization_id, space.title)
    on = Branch(space, found[request_id] if request_id else None)
    held = await lines.read_content(cx, on)
    targets, anchors = _targets(cx, on, held), TextAnchors(Draft(cx, on))
    holders: list[Any] = [*held.pages, *held.reusable]
    own = iter([row for row in holders if row.line_id == on.id and row.document_id])
    entering: list[RebuiltLink] = []
    including: set[str] = set()
    while part := list(islice(own, AT_ONCE)):
        read = await _read(cx, on, part, targets, anchors)
        entering += [each for each in read if enters(each.link)]
        including |= {each.holder_id for each in read if each.link.shown_if is not None}
        await _put_right(cx, on, [each for each in read if not enters(each.link)])
    await anchors.read(each.link.target_id for each in entering if each.link.target_id)
    await _put_right(cx, on, [each._replace(link=checked(each.link, anchors)) for each in entering])
    if on.request is None:
        await search_index.follow(cx, space, including)


class RebuiltLink(NamedTuple):
    """A link as it is, its row if it has one, and the number from which on it is there."""

    holder_id: str
    position: int
    link: ResolvedLink
    row: tuple[Any, ...] | None
    since: int


async def _read(
    cx: Context, on: Branch, part: Sequence[Any], targets: LinkTargets, anchors: TextAnchors
) -> list[RebuiltLink]:
    """Read the links of some texts anew, and note what places there are in them."""
    texts = {row.id: row.markdown for row in await cx.db.all(_TEXTS, ids=[row.document_id for row in part])}
    holders = {_key(row): row for row in part}
    rows_kept = await cx.db.all(_LINKS, line=on.id, ids=sorted(holders))
    known = {(row.holder_id, row.position): row for row in rows_kept}
    noted: dict[str, str] = {}
    made: list[RebuiltLink] = []
    for key, holder in holders.items():
        body = texts[holder.document_id]
        found = await workers.run(len(body), scan, body)
        conditions = await workers.run(len(body), conditions_of, body)
        links = resolved_links(body, found, conditions, holder.source or "", targets)
        noted[holder.document_id] = anchors_of(found)
        anchors.learn(key, noted[holder.document_id], links)
        made += [
            RebuiltLink(key, n, link, known.get((key, n)), holder.valid_from) for n, link in enumerate(links)
        ]
    await note_anchors(cx, noted)
    return made


async def _put_right(cx: Context, on: Branch, found: Sequence[RebuiltLink]) -> None:
    here = {"line_id": on.id, "valid_to": None}
    made = [
        ({**here, "holder_id": each.holder_id, "position": each.position, **each.link._asdict()}, each)
        for each in found
        if each.row is None or each.link != ResolvedLink(*tuple(each.row)[2:])
    ]
    await cx.tx.run_many(_PUT_RIGHT, [row for row, each in made if each.row is not None])
    new = [{**row, "valid_from": each.since} for row, each in made if each.row is None]
    await cx.tx.add_many(Link, new)


def _key(row: PageVersion | ReusableVersion) -> str:
    found: str = row.page_id if hasattr(row, "page_id") else row.reusable_id
    return found


def _targets(cx: Context, on: Branch, held: BranchContent) -> LinkTargets:
    """Return what links on the line may lead to."""
    targets = LinkTargets(space=on.space.id, own=own_addresses(cx.settings))
    pages = [("page", row.page_id, row.source, targets.pages) for row in held.pages]
    files = [("file", row.file_id, row.source, targets.files) for row in held.files]
    blocks = [("reusable-content", row.reusable_id, row.source, targets.reusable) for row in held.reusable]
    for kind, key, source, known in [*pages, *files, *blocks]:
        targets.named[key] = kind
        if source:
            known[source] = key
    return targets
