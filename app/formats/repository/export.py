"""Pages written back as the tree of Markdown they came from.

Rules: what has not changed comes out as it came, to the byte. The table of contents is kept when reading it
again gives the pages as they are now, and written anew otherwise. A hidden page is left unlisted when it
would be read back at the same place; otherwise it is listed and says `hidden: true` itself.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from app.formats.repository.export_rows import (
    Body,
    ExportFile,
    ExportPage,
    ExportReusable,
    ExportRows,
    FileRef,
    Row,
    settle,
)
from app.formats.repository.file_tree import RepositorySettings, parse_settings, settings_name
from app.formats.repository.files import VARIABLES, Inventory, find_folder_pages, folder_of, name_of, stem
from app.formats.repository.front_matter import Unreadable, dump_yaml, guarded, load_yaml, parse, render
from app.formats.repository.import_plan import MAX_VARIABLES, read_plan
from app.formats.repository.import_report import Report
from app.formats.repository.metadata import metadata_from, variables_from
from app.formats.repository.names import clean_title, title_from_name
from app.formats.repository.page_tree import SAFE_ADDRESS, unlisted_parent
from app.formats.repository.source_text import HEAD, read_title, title_in
from app.formats.repository.summary import Entry, markable, parse_summary, write_summary

Variables = Mapping[str, str | int | float | bool]


@dataclass(slots=True)
class _ExportDraft:
    """One way to write the tree: a table of contents (or none) and each document's front matter by path."""

    summary: str | None
    fronts: dict[str, str] = field(default_factory=dict)
    hidden: set[str] = field(default_factory=set)


def plan_export(
    pages: Sequence[ExportPage],
    files: Sequence[ExportFile],
    reusable: Sequence[ExportReusable],
    variables: Variables,
    settings_raw: str | None,
    summary_raw: str | None,
    *,
    variables_raw: str | None = None,
) -> Iterator[tuple[str, bytes | FileRef]]:
    """Yield every file of the tree with its path: settings, table of contents, variables, pages,
    contents, files.

    The raw texts are those of the plan it was imported by. Bodies that are functions are called when their
    page is due, and earlier only where a title must be read from them.
    """
    settings = RepositorySettings() if settings_raw is None else parse_settings(settings_raw, Report())
    rows = settle(pages, files, reusable, settings)
    draft = _unchanged(rows, settings, summary_raw) or _rewritten(rows, settings, summary_raw or "")
    prefix = f"{settings.root}/" if settings.root else ""
    if settings_raw is not None:
        yield settings_name(settings_raw), settings_raw.encode()
    if draft.summary is not None:
        yield prefix + settings.summary, draft.summary.encode()
    if text := _variables_text(variables, variables_raw):
        yield prefix + VARIABLES, text.encode()
    for row in rows.pages:
        if row.source:
            yield prefix + row.source, _content(draft.fronts[row.source], row.page.body)
    for content in rows.reusable:
        yield prefix + str(content.source), _reusable_content(content)
    for file in rows.files:
        yield prefix + str(file.source), file.content


class _Written:
    """A draft as a tree, so that what an import would make of it can be seen before it is written."""

    passed_over: Sequence[tuple[str, str]] = ()

    def __init__(self, rows: ExportRows, settings: RepositorySettings, draft: _ExportDraft) -> None:
        prefix = f"{settings.root}/" if settings.root else ""
        self._texts = {settings_name(settings.raw): settings.raw} if settings.raw is not None else {}
        if draft.summary is not None:
            self._texts[prefix + settings.summary] = draft.summary
        self._pages = {prefix + row.source: row for row in rows.pages if row.source}
        self._draft = draft
        files = {prefix + str(file.source) for file in rows.files}
        contents = {prefix + str(content.source) for content in rows.reusable}
        self._paths = sorted({*self._texts, *self._pages, *files, *contents})

    def paths(self) -> list[str]:
        return self._paths

    def size(self, path: str) -> int:
        return len(self._texts.get(path, ""))

    def read(self, path: str, limit: int | None = None) -> bytes:
        if row := self._pages.get(path):
            return _content(self._draft.fronts[row.source or ""], row.page.body)[:limit]
        return self._texts.get(path, "").encode()[:limit]


def _unchanged(
    rows: ExportRows, settings: RepositorySettings, summary_raw: str | None
) -> _ExportDraft | None:
    """Return the tree with its own table of contents (or still without one),
    if that says how the pages are now.
    """
    lists = summary_raw is not None and bool(parse_summary(summary_raw))
    documents = [row for row in rows.pages if row.source]
    if not lists and any(row.source != row.page.source for row in documents):
        return None
    draft = _ExportDraft(summary_raw)
    for row in documents:
        # Where the folders give the order every page is listed, so that a hidden one must say so itself.
        hidden = row.page.hidden and (not lists or _says_hidden(row.page))
        _set_front(draft, row, hidden)
    tree = _Written(rows, settings, draft)
    plan = read_plan(tree, fragments={str(each.source) for each in rows.reusable})
    if len(plan.pages) != len(rows.pages):
        return None
    for planned, row in zip(plan.pages, rows.pages, strict=True):
        hidden = planned.kind == "document" and (not planned.listed or planned.source in draft.hidden)
        is_same = (
            planned.kind == row.page.kind
            and planned.title == row.title
            and planned.parent == (row.parent.index if row.parent else None)
            and planned.link_title == _link_title(row)
            and planned.source == row.source
            and (planned.icon, planned.emoji) == _marks(row)
            and planned.href == (row.page.href if row.page.kind == "link" else None)
            and hidden == (row.page.kind == "document" and row.page.hidden)
        )
        if not is_same:
            return None
    return draft


def _rewritten(rows: ExportRows, settings: RepositorySettings, summary_raw: str) -> _ExportDraft:
    """Return the tree with a new table of contents, which ends as the one before."""
    found = Inventory(pages={row.source: 0 for row in rows.pages if row.source})
    find_folder_pages(found, settings.readme)
    unlisted = _unlisted(rows, found)
    entries = _entries(rows.top, settings, unlisted)
    if not entries:
        unlisted = set()
        entries = _entries(rows.top, settings, unlisted)
    end = summary_raw[len(summary_raw.rstrip("\n")) :] or "\n"
    draft = _ExportDraft(write_summary(entries).rstrip("\n") + end)
    for row in rows.pages:
        if row.source:
            is_listed = row.source not in unlisted
            _set_front(draft, row, row.page.hidden if is_listed else _says_hidden(row.page))
    tree = _Written(rows, replace(settings, root=""), draft)
    for row in rows.pages:
        if row.source in unlisted and row.title != read_title(tree, row.source, found.title_name(row.source)):
            _set_front(draft, row, _says_hidden(row.page), row.title)
    return draft


def _unlisted(rows: ExportRows, found: Inventory) -> set[str]:
    """Return the hidden pages that an import would put where they are without their being listed."""
    unlisted = {
        row.source
        for row in rows.pages
        if row.source and row.page.hidden and row.source != found.first and not _link_title(row)
    }
    siblings = [rows.top, *(row.children for row in rows.pages if row.children)]
    misplaced: set[str] | None = None
    while misplaced is None or misplaced:
        misplaced = {source for each in siblings for source in _misplaced(each, unlisted, found)}
        unlisted -= misplaced
    return unlisted


def _misplaced(siblings: Sequence[Row], unlisted: set[str], found: Inventory) -> Iterator[str]:
    """Yield those of the unlisted among siblings, or their parent, that must be listed after all."""
    parent = siblings[0].parent if siblings else None
    sources = [row.source for row in siblings if row.source and row.source in unlisted]
    is_at_end = all(row.source in unlisted for row in siblings[len(siblings) - len(sources) :])
    if not is_at_end or sources != sorted(sources) or (parent is not None and parent.source is None):
        yield from sources
    yield from (s for s in sources if unlisted_parent(s, found.folder_pages) != (parent and parent.source))
    if parent is not None and parent.source in unlisted and len(sources) < len(siblings):
        yield parent.source or ""


def _entries(siblings: Sequence[Row], settings: RepositorySettings, unlisted: set[str]) -> list[Entry]:
    entries = []
    for row in siblings:
        if row.source and row.source in unlisted:
            continue
        children = _entries(row.children, settings, unlisted)
        entries.append(_entry(row, settings, children))
    return entries


def _entry(row: Row, settings: RepositorySettings, children: list[Entry]) -> Entry:
    if row.page.kind == "group":
        icon, emoji = _marks(row)
        return Entry("group", row.title, icon=icon, emoji=emoji, children=children)
    folder = folder_of(settings.summary)
    target = row.source or row.page.href or ""
    if row.source is None and SAFE_ADDRESS.match(target):
        return Entry("link", row.title, target, _link_title(row), children=children)
    if folder:
        target = posixpath.relpath(target, folder)
    return Entry("page", row.title, target, _link_title(row), children=children)


def _marks(row: Row) -> tuple[str | None, str | None]:
    """Return the icon and the emoji of a group, which stand in the table of contents."""
    said = row.page.metadata
    return (markable(said.icon), markable(said.emoji)) if row.page.kind == "group" else (None, None)


def _link_title(row: Row) -> str | None:
    return (clean_title(row.page.link_title or "") or None) if row.page.kind != "group" else None


def _says_hidden(page: ExportPage) -> bool:
    """Return whether the page's own front matter, as it came, hides it."""
    return "hidden" in page.front_matter_raw and metadata_from(parse(page.front_matter_raw)[0])[0].hidden


def _set_front(draft: _ExportDraft, row: Row, hidden: bool, title: str | None = None) -> None:
    """Settle a document's front matter: its own title stays unless another is needed."""
    page = row.page
    own = metadata_from(parse(page.front_matter_raw)[0])[0].title if page.front_matter_raw else None
    source = row.source or ""
    draft.fronts[source] = render(
        page.front_matter_raw, replace(page.metadata, hidden=hidden, title=title or own)
    )
    (draft.hidden.add if hidden else draft.hidden.discard)(source)


def _content(front: str, body: Body) -> bytes:
    text = body if isinstance(body, str) else body()
    if isinstance(text, bytes):
        return front.encode("utf-8", "replace") + text
    return (guarded(front, text) + text).encode("utf-8", "replace")


def _reusable_content(each: ExportReusable) -> bytes:
    """Return a reusable content's file; its title goes into its front matter unless the file already gives
    it.
    """
    text = each.body if isinstance(each.body, str) else each.body()
    front = each.front_matter_raw
    title = clean_title(each.title)
    head = text[:HEAD] if isinstance(text, str) else text[:HEAD].decode("utf-8", "ignore")
    own = title_in(front, head) or title_from_name(stem(name_of(each.source or "")))
    if title and title != own:
        front = render(front, replace(metadata_from(parse(front)[0])[0], title=title))
    return _content(front, lambda: text)


def _variables_text(variables: Variables, raw: str | None) -> str:
    """Return the variables' file, as it came when it still says the same; "" when there is nothing to say."""
    if raw is not None:
        try:
            if variables_from(load_yaml(raw, MAX_VARIABLES), []) == variables:
                return raw
        except Unreadable:
            if not variables:
                return raw
    return dump_yaml(dict(variables)) if variables else ""
