"""Where hrefs lead before and after a draft, and what is written instead where that would be elsewhere.

A text that is stored was written against the files as they were; one that is new, against the files as they
shall be; one that comes from another line or revision, against the files there.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.content.links import candidates, classify, relative, resolve
from app.content.scan import Link as Found
from app.domain.writing.drafts import Draft
from app.domain.writing.preparing import Targets
from app.domain.writing.settling import BLOCKS_AT, FILES_AT, PAGES_AT
from app.kit import workers
from app.kit.deadlines import check

LINK = 10  # characters that a link to be resolved counts for
# An href by id, which documents use for what they refer to; rewritten to where that is kept.
STABLE = re.compile(r"/(pages|files|reusable-contents)/([A-Za-z0-9_-]{1,100})(?=#|\Z)(?:#(.*))?")


@dataclass(slots=True)
class World:
    """Where things are, before and after: ids by source.

    `moved` has the sources of what moved by id; `written` ids by the sources that texts from elsewhere knew.
    """

    before: Targets
    after: Targets
    moved: Mapping[str, str] = field(default_factory=dict)
    written: Mapping[str, str] = field(default_factory=dict)


def paths(href: str, sources: Iterable[str]) -> list[str]:
    """The files that an href may mean, seen from any of these."""
    if classify(href) != "repository":
        return []
    targets = [target for source in sources if (target := resolve(href, source))]
    return [path for target in targets for path in candidates(target.path)]


async def world_of(draft: Draft, links: Mapping[str, Sequence[Found]]) -> World:
    """Where that is to which links of these pages may lead."""
    known = [(_sources(draft, page_id), found) for page_id, found in links.items()]
    wanted = await workers.run(sum(len(found) for _, found in known) * LINK, _meant, known)
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
        if was.page_id not in draft.files:
            before.pages.setdefault(was.was, was.page_id)
        now = (draft.pages[was.page_id] or {}).get("source") if was.page_id in draft.pages else was.now
        if now is not None and now != was.was:
            moved.setdefault(was.page_id, now)
    return World(before, after, moved, {was.was: was.page_id for was in reversed(draft.elsewhere)})


def _meant(links: Sequence[tuple[Sequence[str], Sequence[Found]]]) -> set[str]:
    """The files that these links may mean, each seen from where its page is."""
    wanted: set[str] = set()
    for sources, found in links:
        for link in found:
            check()
            wanted.update(paths(link.href, sources))
    return wanted


def _sources(draft: Draft, page_id: str) -> list[str]:
    """The file that a page is kept in, and those it was kept in when its text was written."""
    page, held = draft.pages.get(page_id), draft.held.get(page_id)
    written = [was.was for was in draft.elsewhere if was.page_id == page_id]
    sources = [page["source"] if page else None, *written, held.source if held else None]
    return [source for source in dict.fromkeys(sources) if source]


def rewriting(draft: Draft, world: World, page_id: str) -> Callable[[Found], str | None]:
    """Tells the href to write for a link of a page, or None where it stays as it is."""
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
            return _in_its_style(link.href, relative(there[0], now, there[1]), there[0])
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
    world: World, href: str, sources: Sequence[str], leads: tuple[str, str] | None
) -> tuple[str, str | None] | None:
    """Where the page is now that an href led to when its text was written, unless it leads there."""
    for source in sources:
        target = resolve(href, source)
        for path in candidates(target.path) if target else ():
            found = world.written.get(path, "")
            if target and found in world.moved:
                return None if leads and leads[1] == found else (world.moved[found], target.anchor)
    return None


def _place(world: World, found: tuple[str, str], path: str) -> str | None:
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


def _named(draft: Draft, href: str, now: str) -> str | None:
    """The href that leads to what a stable one names, from the file `now`; None where it names nothing."""
    stable = STABLE.match(href)
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
