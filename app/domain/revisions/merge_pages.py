"""Several states of a line's content put together: every page, file and block that came, joined.

Nothing written is lost on the way: a page whose parent went away goes to the nearest page above that is
still there, one that would stand below itself stays where it was, and slugs that meet get a number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from app.domain.revisions.computed_pages import is_below_placed
from app.domain.revisions.drafts import Draft
from app.domain.revisions.merge_states import MergeConflict, MergeRows, States
from app.domain.revisions.paths import free_source
from app.domain.revisions.records import FileRecord, PageRecord, ReusableRecord, Siblings, names
from app.domain.revisions.three_way import ThreeWay
from app.formats.text.three_way_merge import Side, merge_map

_EMPTY: dict[str, Any] = {}


@dataclass(slots=True)
class MergeInput:
    """Everything that comes, in three states each; `properties` are those of the lines."""

    pages: MergeRows
    files: MergeRows = field(default_factory=lambda: MergeRows(_EMPTY, _EMPTY, _EMPTY))
    reusable: MergeRows = field(default_factory=lambda: MergeRows(_EMPTY, _EMPTY, _EMPTY))
    properties: States[Any] | None = None


async def merge_content(three: ThreeWay, coming: MergeInput) -> list[MergeConflict]:
    """Put everything that comes into the draft; what both sides changed is told."""
    await _merge_pages(three, coming.pages)
    await _merge_files(three, coming.files)
    await _merge_reusable(three, coming.reusable)
    _merge_properties(three, coming.properties)
    return three.conflicts


async def _merge_pages(three: ThreeWay, sides: MergeRows) -> None:
    draft = three.draft
    await three.read_texts([row for key in sides.keys for row in _meeting(sides.of(key))])
    await three.frames.read(sides, [key for key, row in sides.ours.items() if row.document_id], ["ours"])
    await draft.read_below([key for key in sides.keys if key in sides.main and key not in sides.ours])
    for page_id in sides.keys:
        page = await three.page(sides, page_id)
        if page is None and page_id in sides.main:
            await draft.read_below([page_id])
        draft.pages[page_id] = page
    await _keep_together(three, sides)
    await _part_siblings(draft, sides)


def _meeting(states: States[Any]) -> list[Any]:
    """Return the states whose texts will be needed."""
    base, main, ours = states
    if ours is None:
        return []
    if main is None:
        return [ours]
    if ours.document_id in (base and base.document_id, main.document_id):
        return []
    return [base, main, ours]


async def _keep_together(three: ThreeWay, sides: MergeRows) -> None:
    """Give every page a parent that is there, and no page itself above it."""
    draft = three.draft
    await draft.read([page.parent_id for page in draft.pages.values() if page and page.parent_id])
    for page in [page for page in draft.pages.values() if page]:
        parent_id = page.parent_id
        if parent_id is not None and await draft.page(parent_id) is None:
            if is_below_placed(page):
                await draft.delete(page.page_id)
                continue
            page.parent_id = await _nearest(draft, sides, parent_id)
            page.rank = await draft.rank_at(page.parent_id, None, page.page_id)
    for page_id in sides.keys:
        found = draft.pages.get(page_id)
        if found is not None and await _is_below_itself(draft, page_id):
            await _straighten(three, sides, found)


async def _nearest(draft: Draft, sides: MergeRows, page_id: str | None) -> str | None:
    """Return the first page above one that is gone which is still there."""
    seen: set[str] = set()
    while page_id is not None and page_id not in seen and await draft.page(page_id) is None:
        seen.add(page_id)
        known = [side.get(page_id) for side in (sides.ours, sides.main, sides.base)]
        row = next((row for row in [*known, draft.held.get(page_id)] if row), None)
        page_id = row.parent_id if row else None
    return None if page_id in seen else page_id


async def _is_below_itself(draft: Draft, page_id: str) -> bool:
    seen: set[str] = set()
    above: str | None = page_id
    while above is not None and above not in seen:
        seen.add(above)
        page = await draft.page(above)
        above = page.parent_id if page else None
    return above == page_id


async def _straighten(three: ThreeWay, sides: MergeRows, page: PageRecord) -> None:
    """Report a conflict where both sides moved pages under each other, and leave one where main has it."""
    draft, states = three.draft, sides.of(page.page_id)
    places = states.map(lambda row: row and {"parent": row.parent_id})
    three.conflicts.append(MergeConflict(page.page_id, "position", *places))
    main = states.main
    if main is not None and main.parent_id != page.parent_id:
        page.parent_id, page.rank = main.parent_id, main.rank
    if await _is_below_itself(draft, page.page_id):
        page.parent_id = None
        page.rank = await draft.rank_at(None, None, page.page_id)


async def _part_siblings(draft: Draft, sides: MergeRows) -> None:
    """Give siblings slugs and ranks of their own; what the main content does not have gives way."""
    pages = [page for page in draft.pages.values() if page]
    pages.sort(key=lambda page: (page.page_id in sides.main, page.page_id))
    families = await draft.families({page.parent_id for page in pages if any(_placed_anew(draft, page))})
    siblings = {parent_id: Siblings(family) for parent_id, family in families.items()}
    for page in pages:
        slug, rank = _placed_anew(draft, page)
        if slug:
            siblings[page.parent_id].part_slug(page)
        if rank:
            siblings[page.parent_id].part_rank(page)


def _placed_anew(draft: Draft, page: PageRecord) -> tuple[bool, bool]:
    """Return whether the slug and the rank of a page are others than they were, or new under its parent."""
    held = draft.held.get(page.page_id)
    if draft.rebased or held is None or held.parent_id != page.parent_id:
        return True, True
    return held.slug != page.slug, held.rank != page.rank


async def _merge_files(three: ThreeWay, sides: MergeRows) -> None:
    draft = three.draft
    told = [name for name in names(FileRecord) if name != "file_id"]
    for key in sides.keys:
        states = sides.of(key)
        shown = _shown(draft, states)
        if shown is not None:
            draft.held_files[key] = shown
        row = three.whole(key, "file", states, told)
        record = FileRecord.of(row) if row else None
        if record != (FileRecord.of(shown) if shown else None):
            draft.files[key] = record
    coming = [row for row in draft.files.values() if row]
    if draft.rebased:  # another main content may have something where the change request has its own
        own = [held for key, held in draft.held_files.items() if held.line_id == draft.line.id]
        coming += [FileRecord.of(held) for held in own if held.file_id not in draft.files]
    for record in sorted(coming, key=lambda row: (row.file_id in sides.main, row.file_id)):
        was, record.source = record.source, await free_source(draft, record.source or "", record.file_id)
        if record.source != was:
            draft.files[record.file_id] = record


async def _merge_reusable(three: ThreeWay, sides: MergeRows) -> None:
    draft = three.draft
    for key in sides.keys:
        states = sides.of(key)
        shown = _shown(draft, states)
        if shown is not None:
            draft.held_reusable[key] = shown
        record = await _block(three, sides, key)
        if record != (ReusableRecord.of(shown) if shown else None):
            draft.reusable[key] = record


def _shown(draft: Draft, states: States[Any]) -> Any:
    """Return what the line shows that is written on: in an update that is the change request."""
    return states.ours if draft.rebased else states.main


async def _block(three: ThreeWay, sides: MergeRows, key: str) -> ReusableRecord | None:
    """Return a reusable content: where all three have it its title, and its text line by line."""
    states = sides.of(key)
    base, main, ours = states
    if not (base and main and ours):
        row = three.whole(key, "reusableContent", states, ("title", "document_id", "source"))
        if row is not None and row is not _shown(three.draft, states):
            await _take_text(three, sides, key, row)
        return ReusableRecord.of(row) if row else None
    record = ReusableRecord.of(main)
    record.title = three.value(key, "title", states.map(lambda row: row.title))
    for name in ("front_matter", "source"):  # the main content's, where both differ
        setattr(record, name, getattr(ours if getattr(main, name) == getattr(base, name) else main, name))
    if ours.document_id not in (base.document_id, main.document_id):
        record.document_id = three.draft.write_block(key, *await three.text(sides, key))
    elif _shown(three.draft, states).document_id != main.document_id:
        await _take_text(three, sides, key, main)
    return record


async def _take_text(three: ThreeWay, sides: MergeRows, key: str, row: Any) -> None:
    """Take the text of a state as it is, with what its links led to there."""
    await three.read_texts([row])
    await three.frames.read(sides, [key])
    meanings = three.frames.meanings_in("ours" if row is sides.of(key).ours else "main", key)
    three.draft.write_block(key, three.texts[row.document_id], meanings, row.document_id)


def _merge_properties(three: ThreeWay, states: States[Any] | None) -> None:
    if states is None:
        return
    base, main, ours = states
    said: dict[str, Any] = {}
    for name, wire in (("variables", "variables"), ("redirects", "redirects")):
        merged = merge_map(
            getattr(base, name), getattr(ours, name), getattr(main, name), partial(_winner, three, wire)
        )
        said[name] = merged.values
        for key, each in merged.conflicts.items():
            _conflict(three, f"{wire}.{key}", each)
    for name in ("summary_source", "settings_source", "variables_source"):
        said[name] = getattr(main if getattr(ours, name) == getattr(base, name) else ours, name)
    three.draft.properties = said


def _winner(three: ThreeWay, wire: str, key: str) -> Side | None:
    return three.winners.of("", f"{wire}.{key}")


def _conflict(three: ThreeWay, wire: str, each: Any) -> None:
    values: Mapping[str, Any] = {"base": each.base, "main": each.theirs, "ours": each.ours}
    plain: dict[str, Any] = {
        name: value if isinstance(value, str | int | float | bool) else None for name, value in values.items()
    }
    three.conflicts.append(MergeConflict("", wire, **plain))
