"""What several states of a line's content come to together: every page, file and block that came, joined.

Nothing written is lost on the way: a page whose parent went away goes to the nearest page above that is
still there, one that would stand below itself stays where it was, and slugs that meet get a number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from app.content.merging import merge_map
from app.domain.merging.outcomes import Conflict
from app.domain.merging.three_way import FILE_FIELDS, Sides, ThreeWay
from app.domain.writing.drafts import VALIDITY, Draft, Moved, Row
from app.domain.writing.settling import free_source

_EMPTY: dict[str, Any] = {}


@dataclass(slots=True)
class Coming:
    """Everything that comes, in three states each; `properties` are those of the lines."""

    pages: Sides
    files: Sides = field(default_factory=lambda: Sides(_EMPTY, _EMPTY, _EMPTY))
    reusable: Sides = field(default_factory=lambda: Sides(_EMPTY, _EMPTY, _EMPTY))
    properties: tuple[Any, Any, Any] | None = None


async def join(three: ThreeWay, coming: Coming) -> list[Conflict]:
    """Put everything that comes into the draft; what both sides changed is told."""
    await _join_pages(three, coming.pages)
    await _join_files(three, coming.files)
    await _join_reusable(three, coming.reusable)
    _join_properties(three, coming.properties)
    return three.conflicts


async def _join_pages(three: ThreeWay, sides: Sides) -> None:
    draft = three.draft
    await three.read_texts([row for key in sides.keys for row in _meeting(*sides.of(key))])
    for page_id in sides.keys:
        base, main, ours = sides.of(page_id)
        page = await three.page(page_id, base, main, ours)
        if page is None and main is not None:
            await draft.under(page_id)
        draft.pages[page_id] = page
    await _keep_together(three, sides)
    await _part_siblings(draft, sides)


def _meeting(base: Any, main: Any, ours: Any) -> list[Any]:
    """The states whose texts will be needed."""
    if ours is None:
        return []
    if main is None:
        return [ours]
    if ours.document_id in (base and base.document_id, main.document_id):
        return []
    return [base, main, ours]


async def _keep_together(three: ThreeWay, sides: Sides) -> None:
    """Give every page a parent that is there, and no page itself above it."""
    draft = three.draft
    await draft.read([page["parent_id"] for page in draft.pages.values() if page and page["parent_id"]])
    for page in [page for page in draft.pages.values() if page]:
        parent_id = page["parent_id"]
        if parent_id is not None and await draft.page(parent_id) is None:
            page["parent_id"] = await _nearest(draft, sides, parent_id)
            page["rank"] = await draft.rank_at(page["parent_id"], None, page["page_id"])
    for page_id in sides.keys:
        page = draft.pages.get(page_id)  # type: ignore[assignment]
        if page is not None and await _is_below_itself(draft, page_id):
            await _straighten(three, sides, page)


async def _nearest(draft: Draft, sides: Sides, page_id: str | None) -> str | None:
    """The first page above one that is gone which is still there."""
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
        above = page["parent_id"] if page else None
    return above == page_id


async def _straighten(three: ThreeWay, sides: Sides, page: Row) -> None:
    """Both sides moved pages under each other: a conflict, settled by leaving one where main has it."""
    draft, (base, main, ours) = three.draft, sides.of(page["page_id"])
    places = [row and {"parent": row.parent_id} for row in (base, main, ours)]
    three.conflicts.append(Conflict(page["page_id"], "position", *places))
    if main is not None and main.parent_id != page["parent_id"]:
        page["parent_id"], page["rank"] = main.parent_id, main.rank
    if await _is_below_itself(draft, page["page_id"]):
        page["parent_id"] = None
        page["rank"] = await draft.rank_at(None, None, page["page_id"])


async def _part_siblings(draft: Draft, sides: Sides) -> None:
    """Give siblings slugs and ranks of their own; what the main content does not have gives way."""
    pages = [page for page in draft.pages.values() if page]
    for page in sorted(pages, key=lambda page: (page["page_id"] in sides.main, page["page_id"])):
        held, page_id, parent_id = draft.held.get(page["page_id"]), page["page_id"], page["parent_id"]
        is_new = draft.resettle or held is None or held.parent_id != parent_id
        if is_new or (held and held.slug != page["slug"]):
            page["slug"] = await draft.free_slug(parent_id, page["slug"], page_id)
        if is_new or (held and held.rank != page["rank"]):
            page["rank"] = await draft.free_rank(parent_id, page["rank"], page_id)


async def _join_files(three: ThreeWay, sides: Sides) -> None:
    draft = three.draft
    for key in sides.keys:
        base, main, ours = sides.of(key)
        row = three.whole(key, "file", base, main, ours, FILE_FIELDS)
        _put(draft, draft.files, draft.held_files, key, main, ours, row)
    coming = [row for row in draft.files.values() if row]
    for row in sorted(coming, key=lambda row: (row["file_id"] in sides.main, row["file_id"])):
        was, row["source"] = row["source"], await free_source(draft, row["source"], row["file_id"])
        if was != row["source"]:
            draft.elsewhere.append(Moved(row["file_id"], was, row["source"]))


async def _join_reusable(three: ThreeWay, sides: Sides) -> None:
    draft = three.draft
    for key in sides.keys:
        base, main, ours = sides.of(key)
        if base and main and ours:
            row: Row | None = await _block(three, key, base, main, ours)
        else:
            row = three.whole(key, "reusableContent", base, main, ours, ("title", "document_id", "source"))
        _put(draft, draft.reusable, draft.held_reusable, key, main, ours, row)


async def _block(three: ThreeWay, key: str, base: Any, main: Any, ours: Any) -> Row:
    """A reusable content that all three have: its title, and its text line by line."""
    from app.domain.writing.preparing import document_id

    row: Row = {**main._asdict(), "title": three.value(key, "title", base.title, main.title, ours.title)}
    for name in ("front_matter", "source"):  # the main content's, where both differ
        row[name] = getattr(ours if getattr(main, name) == getattr(base, name) else main, name)
    if ours.document_id not in (base.document_id, main.document_id):
        text = await three.text(key, base, main, ours)
        three.draft.blocks[key] = text
        row["document_id"] = document_id(text)
    return row


def _put(
    draft: Draft,
    rows: dict[str, Row | None],
    held: dict[str, Any],
    key: str,
    main: Any,
    ours: Any,
    row: Row | None,
) -> None:
    """Write a row where it says something else than what the line shows: in an update that is `ours`."""
    shown = main if draft.line.request is None else ours
    if shown is not None:
        held[key] = shown
    if _said(row) != _said(shown and shown._asdict()):
        rows[key] = row


def _said(row: Row | None) -> Row | None:
    return row and {name: value for name, value in row.items() if name not in VALIDITY}


def _join_properties(three: ThreeWay, states: tuple[Any, Any, Any] | None) -> None:
    if states is None:
        return
    base, main, ours = states
    said: Row = {}
    for name, wire in (("variables", "variables"), ("redirects", "redirects")):
        was, came, there = (getattr(row, name) for row in (base, ours, main))
        merged = merge_map(was, came, there, three.favour)
        said[name] = merged.values
        for key, each in merged.conflicts.items():
            _conflict(three, f"{wire}.{key}", each)
    for name in ("summary_source", "settings_source", "variables_source"):
        said[name] = getattr(main if getattr(ours, name) == getattr(base, name) else ours, name)
    three.draft.properties = said


def _conflict(three: ThreeWay, wire: str, each: Any) -> None:
    values: Mapping[str, Any] = {"base": each.base, "main": each.theirs, "ours": each.ours}
    plain = {
        name: value if isinstance(value, str | int | float | bool) else None for name, value in values.items()
    }
    three.conflicts.append(Conflict("", wire, **plain))
