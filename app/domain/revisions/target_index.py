"""An index of what links may lead to once a draft is written: pages, files and the anchors in them.

What links may lead to once a draft is written: the line as it is, with the draft's changes over it.

Which places there are in pages once a draft is written, those of what they include among them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import literal, null, or_, select, update

from app.access.context import Context
from app.domain.revisions.branch import Build, on_branch
from app.domain.revisions.documents import anchors_of
from app.domain.revisions.drafts import FILE_VERSIONS, PAGE_VERSIONS, REUSABLE_VERSIONS, Draft
from app.domain.revisions.link_targets import LinkTargets, TargetRef, own_addresses
from app.domain.revisions.paths import KEPT_AT
from app.formats.markdown.hrefs import candidates, classify, has_anchor, id_path, named, referrers, resolve
from app.formats.markdown.passages import DEEPEST_INCLUDED
from app.formats.markdown.scanner import scan
from app.kit import workers
from app.kit.database.sql import among
from app.kit.database.statements import command, given, rows, table
from app.models.links import FormerSource, Link
from app.models.pages import Document

FORMER_SOURCES = table(FormerSource)


def _named(t: Any, key: str, kind: str) -> Build:
    return lambda view: select(literal(kind).label("kind"), t.c[key].label("id"), t.c.source).where(
        view.valid(t, keyed=True), among(t.c[key], "ids")
    )


_NAMED = on_branch(
    _named(PAGE_VERSIONS, "page_id", "page"),
    _named(FILE_VERSIONS, "file_id", "file"),
    _named(REUSABLE_VERSIONS, "reusable_id", "reusable-content"),
)
_FORMER = rows(
    lambda: (
        select(FORMER_SOURCES.c.source, FORMER_SOURCES.c.target_id)
        .where(
            or_(FORMER_SOURCES.c.line_id == given("line"), FORMER_SOURCES.c.line_id == given("space")),
            or_(among(FORMER_SOURCES.c.source, "sources"), among(FORMER_SOURCES.c.target_id, "ids")),
        )
        .order_by(FORMER_SOURCES.c.until)
    )
)


class TargetIndex:
    """Looks up what links may lead to, as far as it is asked for.

    `targets` has what was looked up; all of it where the draft comes from outside.
    """

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._is_whole = draft.incoming is not None
        self._asked: set[str] = set()
        self._looked_up: dict[TargetRef, str | None] = {}
        self._known = {
            "page": set(draft.pages),
            "file": {*draft.files, *draft.held_files},
            "reusable-content": {*draft.reusable, *draft.held_reusable},
        }
        self.targets = draft.incoming.targets if draft.incoming else _changed(draft)

    async def look_up(self, paths: Iterable[str]) -> None:
        """Look up what these paths of links may mean, and what they name by an id."""
        wanted = set(paths) - self._asked
        self._asked |= wanted
        if self._is_whole or not wanted:
            return
        files = sorted({candidate for path in wanted for candidate in candidates(path)})
        self._learn(await self._draft.line.all(self._draft.cx, KEPT_AT, sources=files))
        await self.read(named_by(path) for path in wanted)

    async def read(self, refs: Iterable[TargetRef | None]) -> None:
        """Look up in what files these are kept."""
        missing = {ref for ref in refs if ref and ref not in self._looked_up and not self._has(ref)}
        if missing and not self._is_whole:
            ids = sorted(ref.id for ref in missing)
            self._learn(await self._draft.line.all(self._draft.cx, _NAMED, ids=ids))

    def _learn(self, found: Iterable[Any]) -> None:
        targets = self.targets
        by_kind = {"page": targets.pages, "file": targets.files, "reusable-content": targets.reusable}
        for row in found:
            ref = TargetRef(row.kind, row.id)
            if not self._has(ref):
                self._looked_up[ref] = row.source
                targets.named[row.id] = row.kind
                if row.source:
                    by_kind[row.kind][row.source] = row.id

    def source(self, ref: TargetRef) -> str | None:
        """Return the file that something is kept in, of what was looked up;
        None if it is gone or has none.
        """
        if not self._has(ref):
            return self._looked_up.get(ref)
        record = _record(self._draft, ref)
        return record.source if record else None

    def is_there(self, ref: TargetRef) -> bool:
        """Tell whether there is something, of what was looked up."""
        return ref in self._looked_up or (self._has(ref) and _record(self._draft, ref) is not None)

    def _has(self, ref: TargetRef) -> bool:
        """Tell whether the draft said what becomes of something when this was made."""
        return ref.id in self._known[ref.kind]

    async def former(self, sources: Iterable[str], ids: Iterable[str]) -> FormerSources:
        """Return what was kept in these files before, and in which files these were."""
        draft = self._draft
        lines = {"line": draft.line.id, "space": draft.line.space.id}
        found = await draft.cx.db.all(_FORMER, **lines, sources=sorted(set(sources)), ids=sorted(set(ids)))
        moved = [(held.source, page_id) for page_id, held in draft.held.items() if _moves(draft, held)]
        return FormerSources([(row.source, row.target_id) for row in found] + moved)


def _record(draft: Draft, ref: TargetRef) -> Any:
    if ref.kind == "page":
        return draft.pages.get(ref.id)
    return draft.file(ref.id) if ref.kind == "file" else draft.block(ref.id)


class FormerSources:
    """The files where content was kept before; what was there last counts."""

    def __init__(self, found: Iterable[tuple[str | None, str]]) -> None:
        self.by_source: dict[str, str] = {}
        self.by_id: defaultdict[str, list[str]] = defaultdict(list)
        for source, target_id in found:
            if source is not None:
                self.by_source[source] = target_id
                self.by_id[target_id].insert(0, source)

    def add(self, other: FormerSources) -> None:
        """Add the targets of another index."""
        self.by_source |= other.by_source


def _moves(draft: Draft, held: Any) -> bool:
    page = draft.pages.get(held.page_id)
    return page is not None and page.source != held.source


def named_by(path: str) -> TargetRef | None:
    """Return what a path of a link names by its id."""
    kind, _, named = path.partition("/")
    kinds = {"pages": "page", "files": "file", "reusable-contents": "reusable-content"}
    return TargetRef(kinds[kind], named) if kind in kinds and named and "/" not in named else None


def paths_of(href: str, source: str) -> list[str]:
    """Return the paths that an href of the file `source` may ask for; none if it leads elsewhere."""
    if classify(href) != "repository":
        return []
    target, name = resolve(href, source), named(href)
    return [*([target.path] if target else []), *([name.path] if name and name.kind != "space" else [])]


def _changed(draft: Draft) -> LinkTargets:
    """Return what links may lead to of what the draft knows."""
    targets = LinkTargets(space=draft.line.space.id, own=own_addresses(draft.cx.settings))
    known = {"page": targets.pages, "file": targets.files, "reusable-content": targets.reusable}
    pages = [("page", key, page) for key, page in draft.pages.items()]
    files = [("file", key, draft.file(key)) for key in {**draft.held_files, **draft.files}]
    blocks = [
        ("reusable-content", key, draft.block(key)) for key in {**draft.held_reusable, **draft.reusable}
    ]
    for kind, key, record in [*pages, *files, *blocks]:
        if record is not None:
            targets.named[key] = kind
            if record.source:
                known[kind][record.source] = key
    return targets


def changed_paths(draft: Draft) -> set[str]:
    """Return the paths of links that mean something else once the draft is written.

    A link asks for one path, whatever it means: so these find all that are concerned, whole or broken.
    """
    sources: set[str] = set()
    ids: set[str] = set()
    for kind, key, before, now in _changes(draft):
        if before is None or now is None:
            ids.add(id_path(kind, key))
        was, is_now = before and before.source, now and now.source
        if was != is_now:
            sources |= {source for source in (was, is_now) if source}
    return {path for source in sources for path in referrers(source)} | ids


def _changes(draft: Draft) -> Iterator[tuple[str, str, Any, Any]]:
    """Yield all that a draft knows: kind and id, before and after. What a change request has deleted is known
    from what the main content has of it."""
    below = draft.below
    for key, page in draft.pages.items():
        yield "page", key, _before(draft.held.get(key), below.pages.get(key), draft), page
    for key in {**below.files, **draft.held_files, **draft.files}:
        yield "file", key, _before(draft.held_files.get(key), below.files.get(key), draft), draft.file(key)
    for key in {**below.reusable, **draft.held_reusable, **draft.reusable}:
        was = _before(draft.held_reusable.get(key), below.reusable.get(key), draft)
        yield "reusable-content", key, was, draft.block(key)


def _before(held: Any, below: Any, draft: Draft) -> Any:
    """Return what there was before: of a change request that gets another main content, what that has."""
    if not draft.rebased or (held is not None and held.line_id != draft.line.id):
        return held
    return below


INCLUDES = "dependsOn"
DOCUMENTS, LINKS = table(Document), table(Link)
_ANCHORS = on_branch(
    lambda view: (
        select(
            PAGE_VERSIONS.c.page_id.label("holder_id"),
            PAGE_VERSIONS.c.document_id,
            DOCUMENTS.c.anchors,
            null().label("included"),
        )
        .join_from(PAGE_VERSIONS, DOCUMENTS, DOCUMENTS.c.id == PAGE_VERSIONS.c.document_id)
        .where(view.valid(PAGE_VERSIONS, keyed=True), among(PAGE_VERSIONS.c.page_id, "ids"))
    ),
    lambda view: (
        select(REUSABLE_VERSIONS.c.reusable_id, REUSABLE_VERSIONS.c.document_id, DOCUMENTS.c.anchors, null())
        .join_from(REUSABLE_VERSIONS, DOCUMENTS, DOCUMENTS.c.id == REUSABLE_VERSIONS.c.document_id)
        .where(view.valid(REUSABLE_VERSIONS, keyed=True), among(REUSABLE_VERSIONS.c.reusable_id, "ids"))
    ),
    lambda view: select(LINKS.c.holder_id, null(), null(), LINKS.c.target_id).where(
        view.valid(LINKS), among(LINKS.c.holder_id, "ids"), *_is_include()
    ),
)
_INCLUDING = on_branch(
    lambda view: (
        select(LINKS.c.holder_id)
        .distinct()
        .where(view.valid(LINKS), among(LINKS.c.target_id, "ids"), *_is_include())
    )
)
_TEXTS = rows(lambda: select(DOCUMENTS.c.id, DOCUMENTS.c.markdown).where(among(DOCUMENTS.c.id, "ids")))
_NOTE = command(
    lambda: update(DOCUMENTS).values(anchors=given("found")).where(DOCUMENTS.c.id == given("key"))
)


def _is_include() -> tuple[Any, ...]:
    return (LINKS.c.relation == INCLUDES, LINKS.c.target_kind == "reusable-content")


class TextAnchors:
    """Knows the places in pages and reusable contents, as far as it was asked for."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._own: dict[str, str] = {}
        self._included: dict[str, tuple[str, ...]] = {}

    def learn(self, holder_id: str, anchors: str, links: Iterable[Any]) -> None:
        """Add the anchors of a text that is being written, and what it includes."""
        self._own[holder_id] = anchors
        included = [link.target_id for link in links if link.target_kind == "reusable-content"]
        if included:
            self._included[holder_id] = tuple(filter(None, included))

    async def read(self, ids: Iterable[str]) -> None:
        """Learn the places in these pages, with all that they include."""
        draft, waiting = self._draft, set(ids)
        for _ in range(DEEPEST_INCLUDED):
            missing = sorted(waiting - self._own.keys())
            if missing:
                found = await draft.line.all(draft.cx, _ANCHORS, ids=missing)
                self._own |= dict.fromkeys(missing, "")
                self._own |= await _anchors(draft.cx, [row for row in found if row.document_id])
                for row in found:
                    if row.included:
                        self._included[row.holder_id] = (*self._included.get(row.holder_id, ()), row.included)
            waiting = {each for key in waiting for each in self._included.get(key, ())}
            if not waiting:
                return

    def has(self, page_id: str, anchor: str) -> bool:
        """Tell whether a page that was learned has this place."""
        waiting = [page_id]
        for _ in range(DEEPEST_INCLUDED):
            if any(has_anchor(self._own.get(key, ""), anchor) for key in waiting):
                return True
            waiting = [each for key in waiting for each in self._included.get(key, ())]
        return False


async def including(draft: Draft, blocks: Iterable[str]) -> set[str]:
    """Return the pages that show these reusable contents, directly or inside others."""
    found: set[str] = set()
    waiting = set(blocks)
    for _ in range(DEEPEST_INCLUDED):
        if not waiting:
            break
        rows = await draft.line.all(draft.cx, _INCLUDING, ids=sorted(waiting))
        waiting = {row.holder_id for row in rows} - found
        found |= waiting
    return found


async def note_anchors(cx: Context, anchors: Mapping[str, str]) -> None:
    """Keep the anchors of texts beside them, by their documents' ids."""
    await cx.tx.run_many(_NOTE, [{"key": key, "found": found} for key, found in anchors.items()])


async def _anchors(cx: Context, found: Sequence[Any]) -> Mapping[str, str]:
    """Return the anchors of these texts by holder;
    where nobody asked for those of a text yet they are noted.
    """
    missing = sorted({row.document_id for row in found if row.anchors is None})
    noted: dict[str, str] = {}
    if missing:
        texts = await cx.db.all(_TEXTS, ids=missing)
        for row in texts:
            noted[row.id] = anchors_of(await workers.run(len(row.markdown), scan, row.markdown))
        await note_anchors(cx, noted)
    return {row.holder_id: noted.get(row.document_id, row.anchors or "") for row in found}
