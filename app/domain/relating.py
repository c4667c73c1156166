"""What the links of changed pages lead to, and hrefs rewritten where they would lead elsewhere.

A text that is stored was written against the files as they were; one that is new, against the files as they
shall be (or were: then it follows). Pages with links to what goes away or arrives are looked at again.
"""

from __future__ import annotations

import asyncio
import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import or_, select

from app.content.convert.rewrite import rewritten
from app.content.links import candidates, classify, relative, resolve
from app.content.passages import Passage
from app.content.scan import Link as Found
from app.content.scan import scan
from app.domain.drafts import Draft, p_
from app.domain.line import on_line
from app.domain.preparing import Resolved, Targets, passages, resolved
from app.domain.settling import BLOCKS_AT, FILES_AT, PAGES_AT
from app.kit.statements import among, given, query, table
from app.models.links import Link
from app.models.pages import Document

# An href by id, which documents use for what they refer to; rewritten to where that is kept.
_STABLE = re.compile(r"/(pages|files|reusable-contents)/([A-Za-z0-9_-]{1,100})(?=#|\Z)(?:#(.*))?")
INLINE = 20_000  # characters up to which scanning does not hold other requests up noticeably
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
    """A page's text as it shall be, with its links and what it is found by."""

    body: str
    links: Sequence[Resolved]
    passages: Sequence[Passage]


@dataclass(slots=True)
class _World:
    """Where files are, before and after: ids by source."""

    before: Targets
    after: Targets
    moved: Mapping[str, str] = field(default_factory=dict)
    written: Mapping[str, str] = field(default_factory=dict)  # pages by the files that texts knew them in


async def relate(draft: Draft) -> dict[str, Related]:
    """Read the texts that the draft changes or concerns and rewrite their links; new ones join its bodies."""
    texts = {page_id: body for page_id, body in draft.bodies.items() if draft.pages.get(page_id)}
    concerned = await _concerned(draft)
    stored = await draft.line.all(draft.cx, _TEXTS, ids=sorted(concerned - texts.keys()))
    await draft.read(row.page_id for row in stored)
    texts |= {row.page_id: row.markdown for row in stored if draft.pages.get(row.page_id)}
    found = {page_id: await _scanned(body) for page_id, body in texts.items()}
    links = {page_id: scanned.links for page_id, scanned in found.items()}
    named = await _read_named(
        draft, [link.href for page_id in draft.bodies for link in links.get(page_id, ())]
    )
    world = await _world(draft, links)
    related: dict[str, Related] = {}
    for page_id, body in texts.items():
        new = rewritten(body, _new_href(draft, world, page_id)) if world.moved or named else body
        scanned, page = found[page_id], draft.pages[page_id] or {}
        if new != body:
            draft.bodies[page_id] = new
            page["git_oid"] = None
            scanned = await _scanned(new)
        leading = [resolved(link, page["source"] or "", world.after) for link in scanned.links]
        related[page_id] = Related(
            new, leading, [p for section in scanned.sections for p in passages(section)]
        )
    return related


async def _scanned(body: str) -> Any:
    return scan(body) if len(body) <= INLINE else await asyncio.to_thread(scan, body)


async def _read_named(draft: Draft, hrefs: Iterable[str]) -> bool:
    """Read what new texts name by id; tells whether they name anything."""
    named: dict[str, list[str]] = {"pages": [], "files": [], "reusable-contents": []}
    for href in hrefs:
        if stable := _STABLE.match(href):
            named[stable[1]].append(draft.refs.get(stable[2], stable[2]))
    if named["pages"]:
        await draft.read(named["pages"])
    if named["files"]:
        await draft.read_files(named["files"])
    if named["reusable-contents"]:
        await draft.read_reusable(named["reusable-contents"])
    return any(named.values())


def _named(draft: Draft, href: str, now: str) -> str | None:
    """The href that leads to what a stable one names, from the file `now`; None where it names nothing."""
    stable = _STABLE.match(href)
    if stable is None:
        return None
    name = draft.refs.get(stable[2], stable[2])
    row: Any
    if stable[1] == "pages":
        row = draft.pages.get(name)
    elif stable[1] == "files":
        row = draft.files.get(name) or _as_row(draft.held_files.get(name))
    else:
        row = draft.reusable.get(name) or _as_row(draft.held_reusable.get(name))
    return relative(row["source"], now, stable[3]) if row and row["source"] else None


def _as_row(held: Any) -> Any:
    return held._asdict() if held is not None else None


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
        for row in await draft.line.all(draft.cx, _BROKEN, broken="broken"):
            if row.source and arrived & set(_paths(row.href, [row.source])):
                concerned.add(row.page_id)
    return concerned


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


def _paths(href: str, sources: Iterable[str]) -> list[str]:
    """The files that an href may mean, seen from any of these."""
    if classify(href) != "repository":
        return []
    targets = [target for source in sources if (target := resolve(href, source))]
    return [path for target in targets for path in candidates(target.path)]


async def _world(draft: Draft, links: Mapping[str, Sequence[Found]]) -> _World:
    wanted = {
        path
        for page_id, found in links.items()
        for link in found
        for path in _paths(link.href, _sources(draft, page_id))
    }
    sources, cx, line = sorted(wanted), draft.cx, draft.line
    own = tuple(base + "/" for base in {cx.settings.base_url, cx.settings.app_url} if base)
    before, after = Targets({}, {}, {}, own), Targets({}, {}, {}, own)
    if wanted:
        before.pages.update(
            {row.source: row.page_id for row in await line.all(cx, PAGES_AT, sources=sources)}
        )
        before.files.update(
            {row.source: row.file_id for row in await line.all(cx, FILES_AT, sources=sources)}
        )
        blocks = await line.all(cx, BLOCKS_AT, sources=sources)
        before.reusable.update({row.source: row.reusable_id for row in blocks})
    changed = {page_id: page for page_id, page in draft.pages.items() if page_id in draft.held or page}
    after.pages.update({s: page_id for s, page_id in before.pages.items() if page_id not in changed})
    after.pages.update({page["source"]: i for i, page in changed.items() if page and page["source"]})
    before.files.update({row.source: i for i, row in draft.held_files.items() if row.source})
    before.reusable.update({row.source: i for i, row in draft.held_reusable.items()})
    after.files.update({s: i for s, i in before.files.items() if i not in draft.files})
    after.files.update({row["source"]: i for i, row in draft.files.items() if row})
    after.reusable.update({s: i for s, i in before.reusable.items() if i not in draft.reusable})
    after.reusable.update({row["source"]: i for i, row in draft.reusable.items() if row})
    moved = {
        page_id: page["source"]
        for page_id, page in changed.items()
        if page and page_id in draft.held and draft.held[page_id].source != page["source"]
    }
    for was in draft.elsewhere:
        before.pages.setdefault(was.was, was.page_id)
        now = (draft.pages[was.page_id] or {}).get("source") if was.page_id in draft.pages else was.now
        if now is not None and now != was.was:
            moved.setdefault(was.page_id, now)
    return _World(before, after, moved, {was.was: was.page_id for was in reversed(draft.elsewhere)})


def _sources(draft: Draft, page_id: str) -> list[str]:
    """The file that a page is kept in, and those it was kept in when its text was written."""
    page, held = draft.pages.get(page_id), draft.held.get(page_id)
    written = [was.was for was in draft.elsewhere if was.page_id == page_id]
    sources = [page["source"] if page else None, *written, held.source if held else None]
    return [source for source in dict.fromkeys(sources) if source]


def _new_href(draft: Draft, world: _World, page_id: str) -> Any:
    page = draft.pages[page_id] or {}
    now, *before = _sources(draft, page_id) or [page["source"] or ""]
    is_new, held = page_id in draft.bodies, draft.held.get(page_id)
    is_own = draft.resettle and held is not None and held.line_id == draft.line.id
    is_from_elsewhere = is_new or is_own

    def new_href(link: Found) -> str | None:
        if classify(link.href) != "repository":
            return None
        if is_new and (named := _named(draft, link.href, now)) is not None:
            return named
        here = resolve(link.href, now)
        leads = world.after.find(here.path) if here else None
        if is_from_elsewhere and (there := _then(world, link.href, before or [now], leads)):
            place, anchor = there
            return _in_its_style(link.href, relative(place, now, anchor), place)
        if is_new and leads:
            return None
        for was in before or [now]:
            target = resolve(link.href, was)
            found = world.before.find(target.path) if target else None
            if target is not None and found is not None:
                place = _place(world, found, target.path)
                if place is None or leads == found:
                    return None
                return _in_its_style(link.href, relative(place, now, target.anchor), place)
        return None

    return new_href


def _then(
    world: _World, href: str, sources: Sequence[str], leads: tuple[str, str] | None
) -> tuple[str, str | None] | None:
    """Where the page is now that an href led to when its text was written, unless it leads there."""
    for source in sources:
        target = resolve(href, source)
        for path in candidates(target.path) if target else ():
            page_id = world.written.get(path)
            if target and page_id in world.moved:
                return None if leads == ("page", page_id) else (world.moved[page_id], target.anchor)
    return None


def _place(world: _World, found: tuple[str, str], path: str) -> str | None:
    """Where the thing that a link led to is now: its source, or None where it is gone."""
    kind, target_id = found
    if kind == "page" and target_id in world.moved:
        return world.moved[target_id]
    held = {"page": world.after.pages, "file": world.after.files}.get(kind, world.after.reusable)
    return next((candidate for candidate in candidates(path) if held.get(candidate) == target_id), None)


def _in_its_style(href: str, new: str, place: str) -> str:
    """The new href as its author would have written it: from the root, or without the file's ending."""
    address, _, anchor = new.partition("#")
    before = href.partition("#")[0].partition("?")[0]
    if before.startswith("/"):
        address = "/" + relative(place, "README.md")
    if not posixpath.splitext(before)[1] and address.endswith(".md"):
        address = address.removesuffix(".md").removesuffix("README").rstrip("/") or "."
    return f"{address}#{anchor}" if anchor else address
