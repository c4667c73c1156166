"""What the links of changed pages lead to: those too that lead to what goes away or arrives."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import or_, select

from app.content.conditional import conditions_of, may_be
from app.content.convert.rewrite import rewritten
from app.content.passages import Passage, passages
from app.content.scan import Scan, scan
from app.domain.writing.drafts import Draft, p_
from app.domain.writing.line import on_line
from app.domain.writing.preparing import Resolved, Targets, resolved
from app.domain.writing.rewriting import LINK, STABLE, paths, rewriting, world_of
from app.kit import workers
from app.kit.deadlines import check
from app.kit.predicates import among
from app.kit.statements import given, query, table
from app.models.links import Link
from app.models.pages import Document

if TYPE_CHECKING:
    from app.content.dialect.conditions import Conditions

SCANNED = 5  # characters that are scanned in the time that one takes to parse
_l, _d = table(Link), table(Document)
_LEADING = on_line(
    lambda view: (
        select(_l.c.page_id)
        .distinct()
        .where(view.valid(_l), or_(among(_l.c.target_page, "pages"), among(_l.c.target_file, "files")))
    )
)
_OWN_LEADING = query(
    Link,
    lambda: (
        select(_l.c.page_id)
        .distinct()
        .where(_l.c.line_id == given("line"), _l.c.valid_to.is_(None), among(_l.c.target_page, "pages"))
    ),
)
_INCLUDING = on_line(
    lambda view: (
        select(_l.c.page_id).distinct().where(view.valid(_l), among(_l.c.target_reusable, "reusable"))
    )
)
_BROKEN = on_line(
    lambda view: (
        select(_l.c.page_id, _l.c.href, p_.c.source)
        .join_from(_l, p_, p_.c.page_id == _l.c.page_id)
        .where(view.valid(_l), view.valid(p_), _l.c.status == given("broken"))
    )
)
_TEXTS = on_line(
    lambda view: (
        select(p_.c.page_id, _d.c.markdown)
        .join_from(p_, _d, _d.c.id == p_.c.document_id)
        .where(view.valid(p_, keyed=True), among(p_.c.page_id, "ids"))
    )
)


@dataclass(slots=True)
class Related:
    """A page's text as it shall be, with its links and what it is found by.

    `conditional`: what it says depends on who reads it.
    """

    body: str
    conditional: bool
    links: Sequence[Resolved]
    passages: Sequence[Passage]


async def relate(draft: Draft) -> dict[str, Related]:
    """Read the texts that the draft changes or concerns and rewrite their links; new ones join its bodies."""
    texts = {page_id: body for page_id, body in draft.bodies.items() if draft.pages.get(page_id)}
    concerned = await _concerned(draft)
    missing = sorted(concerned - texts.keys())
    stored = await draft.line.all(draft.cx, _TEXTS, ids=missing) if missing else []
    await draft.read(row.page_id for row in stored)
    texts |= {row.page_id: row.markdown for row in stored if draft.pages.get(row.page_id)}
    found = {page_id: await _read(body) for page_id, body in texts.items()}
    links = {page_id: scanned.links for page_id, (scanned, _) in found.items()}
    named = await _read_named(
        draft, [link.href for page_id in draft.bodies for link in links.get(page_id, ())]
    )
    world = await world_of(draft, links)
    related: dict[str, Related] = {}
    for page_id, body in texts.items():
        new, (scanned, conditions), page = body, found[page_id], draft.pages[page_id] or {}
        size = len(body) // SCANNED + len(scanned.links) * LINK
        if world.moved or named:
            new = await workers.run(size, rewritten, body, rewriting(draft, world, page_id))
        if new != body:
            draft.bodies[page_id] = new
            page["git_oid"] = None
            scanned, conditions = await _read(new)
        related[page_id] = await workers.run(
            size, _related, new, scanned, conditions, page["source"] or "", world.after
        )
    return related


def _related(
    body: str, scanned: Scan, conditions: Conditions | None, source: str, targets: Targets
) -> Related:
    leading = []
    for link in scanned.links:
        check()
        leading.append(resolved(link, source, targets))
    return Related(body, conditions is not None, leading, passages(scanned, conditions))


async def _read(body: str) -> tuple[Scan, Conditions | None]:
    """The scan of a body, and its conditions where it has any."""
    scanned = await workers.run(len(body) // SCANNED, scan, body)
    return scanned, await workers.run(len(body), conditions_of, body) if may_be(body) else None


async def _read_named(draft: Draft, hrefs: Iterable[str]) -> bool:
    """Read what new texts name by id; tells whether they name anything."""
    named: dict[str, list[str]] = {"pages": [], "files": [], "reusable-contents": []}
    for href in hrefs:
        if stable := STABLE.match(href):
            named[stable[1]].append(draft.refs.get(stable[2], stable[2]))
    if named["pages"]:
        await draft.read(named["pages"])
    if named["files"]:
        await draft.read_files(named["files"])
    if named["reusable-contents"]:
        await draft.read_reusable(named["reusable-contents"])
    return any(named.values())


async def _concerned(draft: Draft) -> set[str]:
    """The pages whose links must be looked at: texts may change, or only what links lead to."""
    moved = {
        page_id
        for page_id, held in draft.held.items()
        if (page := draft.pages.get(page_id)) and page["source"] != held.source
    }
    renamed = {
        page_id
        for page_id, held in draft.held.items()
        if (page := draft.pages.get(page_id)) and page["title"] != held.title
    }
    gone = [row.page_id for row in draft.gone]
    files = [file_id for file_id, row in draft.files.items() if row is None]
    reusable = [block_id for block_id, row in draft.reusable.items() if row is None]
    concerned = moved | renamed  # what a renamed page is found by is kept with its title
    if moved or gone or files:
        rows = await draft.line.all(draft.cx, _LEADING, pages=[*moved, *gone], files=files)
        concerned |= {row.page_id for row in rows}
    if draft.elsewhere:
        ids = [moved.page_id for moved in draft.elsewhere]
        rows = await draft.cx.db.all(_OWN_LEADING, line=draft.line.id, pages=ids)
        concerned |= {row.page_id for row in rows}
    if draft.line.request is not None:  # links lie over the main line with their page
        concerned |= {
            page["page_id"]
            for page in draft.changed
            if (held := draft.held.get(page["page_id"])) and held.line_id != draft.line.id
        }
    if reusable:
        concerned |= {row.page_id for row in await draft.line.all(draft.cx, _INCLUDING, reusable=reusable)}
    arrived = _arrived(draft)
    if draft.resettle:  # another main content shows through, and leads to what the line has otherwise
        own = [held for held in draft.held.values() if held.line_id == draft.line.id]
        concerned |= {held.page_id for held in own}
        arrived |= {held.source for held in own if held.source}
        others = [page_id for page_id, main in draft.below.items() if _is_elsewhere(draft, main)]
        rows = await draft.line.all(draft.cx, _LEADING, pages=others, files=[])
        concerned |= {row.page_id for row in rows}
    if arrived:
        broken = await draft.line.all(draft.cx, _BROKEN, broken="broken")
        concerned |= await workers.run(len(broken) * LINK, _leading_to, arrived, broken)
    return concerned


def _leading_to(arrived: set[str], broken: Sequence[Any]) -> set[str]:
    """The pages with broken links that may mean what arrives."""
    found: set[str] = set()
    for row in broken:
        check()
        if row.source and not arrived.isdisjoint(paths(row.href, [row.source])):
            found.add(row.page_id)
    return found


def _is_elsewhere(draft: Draft, main: Any) -> bool:
    """Whether the line has a page of the main content in another file, or not at all."""
    page = draft.pages.get(main.page_id)
    return page is None or page["source"] != main.source


def _arrived(draft: Draft) -> set[str]:
    pages = {
        page["source"]
        for page_id, page in draft.pages.items()
        if page
        and page["source"]
        and (page_id not in draft.held or draft.held[page_id].source != page["source"])
    }
    files = {row["source"] for key, row in draft.files.items() if row and key not in draft.held_files}
    blocks = {row["source"] for key, row in draft.reusable.items() if row and key not in draft.held_reusable}
    return pages | files | blocks
