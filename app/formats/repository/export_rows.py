"""The rows that an export is made from, and the path each row gets.

Rules: a row keeps the path it came from. One without gets a path made from its slugs, `README.md` inside a
folder when it has pages below it; made names are safe everywhere and differ by more than the case of letters.

An export written to disk, whole or not at all, or into a zip.

Rules: files of a folder go into a new one beside the target, which takes the target's place at the end. A
target that holds anything, or is a link, is refused; so is a path that would lead out.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO

from app.formats.repository.file_tree import SETTINGS, RepositorySettings, settings_name, unfit
from app.formats.repository.files import ASSETS, INCLUDES, VARIABLES, name_of
from app.formats.repository.metadata import Metadata
from app.formats.repository.names import Unique, clean_title, safe_file_name, slug
from app.formats.repository.page_tree import PageKind
from app.formats.repository.summary import MAX_DEPTH
from app.kit import deadlines
from app.kit.errors import Conflict, Invalid

Body = str | Callable[[], str | bytes]
MAX_MADE_PATH = 400
_FOLDER_PAGE = "README"


@dataclass(frozen=True, slots=True)
class FileRef:
    """Bytes kept elsewhere under an id, fetched when they are written."""

    id: str


@dataclass(frozen=True, slots=True)
class ExportPage:
    """A page as it is now. `order` sorts siblings; a link's `href` is an address or a file's path."""

    id: str
    parent: str | None
    order: int | str
    kind: PageKind
    title: str
    path: str
    link_title: str | None = None
    source: str | None = None
    href: str | None = None
    hidden: bool = False
    front_matter_raw: str = ""
    metadata: Metadata = field(default_factory=Metadata)
    body: Body = ""


@dataclass(frozen=True, slots=True)
class ExportFile:
    """A file as it is now."""

    name: str
    content: bytes | FileRef
    source: str | None = None


@dataclass(frozen=True, slots=True)
class ExportReusable:
    """A reusable content as it is now."""

    title: str
    source: str | None = None
    front_matter_raw: str = ""
    body: Body = ""


@dataclass(slots=True)
class Row:
    """A page in its place among the others; `source` is set for every document."""

    page: ExportPage
    index: int
    parent: Row | None
    title: str
    depth: int = 0
    source: str | None = None
    children: list[Row] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ExportRows:
    """All rows of an export: pages parents first, files and reusable contents with their paths settled."""

    pages: list[Row]
    files: list[ExportFile]
    reusable: list[ExportReusable]

    @property
    def top(self) -> list[Row]:
        """Return the pages without a parent."""
        return [row for row in self.pages if row.parent is None]


def settle(
    pages: Sequence[ExportPage],
    files: Sequence[ExportFile],
    reusable: Sequence[ExportReusable],
    settings: RepositorySettings,
) -> ExportRows:
    """Put pages in order and give every row its path."""
    rows = _in_order(pages)
    kept = {settings.summary, VARIABLES, SETTINGS}
    if settings.raw is not None and not settings.root:
        kept.add(settings_name(settings.raw))
    kept_files = [each if _keeps(each.source, kept) else replace(each, source=None) for each in files]
    kept_reusable = [each if _keeps(each.source, kept) else replace(each, source=None) for each in reusable]
    documents = [row for row in rows if row.page.kind == "document"]
    for row in documents:
        row.source = row.page.source if _keeps(row.page.source, kept, markdown=True) else None
    taken = Unique(limit=MAX_MADE_PATH)
    for name in kept:
        taken.hold(name)
    for row in documents:
        row.source = row.source or _page_path(row, taken)
    return ExportRows(
        rows,
        [each if each.source else replace(each, source=_asset_path(each.name, taken)) for each in kept_files],
        [each if each.source else replace(each, source=_include_path(each, taken)) for each in kept_reusable],
    )


def _in_order(pages: Sequence[ExportPage]) -> list[Row]:
    """Sort rows: parents first, siblings by their order.

    A page whose parent is not there stands at the top; one nested deeper than a table of contents can say
    stands after the page it was in.
    """
    ids = {page.id for page in pages}
    inside: dict[str | None, list[ExportPage]] = {}
    for page in sorted(pages, key=_order):
        inside.setdefault(page.parent if page.parent in ids else None, []).append(page)
    rows: list[Row] = []
    stack: list[tuple[ExportPage, Row | None]] = [(page, None) for page in reversed(inside.get(None, []))]
    while stack:
        page, parent = stack.pop()
        depth = parent.depth + 1 if parent is not None else 0
        row = Row(page, len(rows), parent, clean_title(page.title) or "Untitled", depth)
        rows.append(row)
        if parent is not None:
            parent.children.append(row)
        home = row if depth + 1 < MAX_DEPTH else parent
        stack += [(child, home) for child in reversed(inside.get(page.id, []))]
    return rows


def _order(page: ExportPage) -> tuple[int, str]:
    return (page.order, "") if isinstance(page.order, int) else (0, page.order)


def _keeps(source: str | None, kept: set[str], markdown: bool = False) -> bool:
    """Return whether a row may keep its path; when it may, the path is among the kept ones from then on."""
    if not source or unfit(source) or source in kept:
        return False
    if markdown and (not source.lower().endswith((".md", ".markdown")) or "/." in f"/{source}"):
        return False
    kept.add(source)
    return True


def _page_path(row: Row, taken: Unique) -> str:
    parts = [safe_file_name(part, "page") for part in row.page.path.split("/") if part.strip(". ")]
    parts = parts or ["page"]
    path = "/".join(parts)
    if unfit(f"{path}/README.md") or len(path) > MAX_MADE_PATH:
        path = f"pages/{parts[-1]}"
    if path == slug(_FOLDER_PAGE) and row.parent is None:
        return taken.take(_FOLDER_PAGE, ".md")
    if row.children:
        return taken.take(f"{path}/{_FOLDER_PAGE}", ".md")
    # A leaf must not be read back as the page of the folder it lies in.
    is_like_folder_page = name_of(path).lower() in ("readme", "index")
    return taken.take(f"{path}-1" if is_like_folder_page else path, ".md")


def _asset_path(name: str, taken: Unique) -> str:
    name = safe_file_name(name)
    base, dot, ending = name.rpartition(".")
    return taken.take(ASSETS + (base or ending), f".{ending}" if base and dot else "")


def _include_path(each: ExportReusable, taken: Unique) -> str:
    return taken.take(INCLUDES + safe_file_name(slug(each.title, "content")), ".md")


def write_folder(
    items: Iterable[tuple[str, bytes | FileRef]],
    target: Path,
    fetch: Callable[[FileRef], Iterable[bytes]],
) -> int:
    """Write the files to the folder `target`; how many they were. `fetch` gives the bytes behind a FileRef.

    Raises Conflict when the target is not a free place, Invalid when a path is unsafe or used twice.
    """
    _refuse_occupied(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    try:
        count = 0
        for path, content in items:
            _write_file(fresh, path, [content] if isinstance(content, bytes) else fetch(content))
            count += 1
        fresh.chmod(0o755)
        _refuse_occupied(target)
        if target.exists():
            target.rmdir()
        fresh.rename(target)
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise
    return count


def write_zip(
    items: Iterable[tuple[str, bytes | FileRef]],
    target: IO[bytes],
    fetch: Callable[[FileRef], Iterable[bytes]],
) -> None:
    """Write the files as a zip, whose bytes depend on theirs alone.

    Raises Invalid when a path is unsafe or used twice.
    """
    written: set[str] = set()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in items:
            deadlines.check()
            if reason := unfit(path):
                raise Invalid(f"A file cannot be written: {reason}.", path=path[:200])
            if path in written:
                raise Invalid("Two files have the same path.", path=path[:200])
            written.add(path)
            entry = zipfile.ZipInfo(path)  # of 1980, as of no time
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            with archive.open(entry, "w", force_zip64=True) as file:
                for chunk in [content] if isinstance(content, bytes) else fetch(content):
                    file.write(chunk)


def _refuse_occupied(target: Path) -> None:
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise Conflict("The target is not a folder.", path=str(target))
    if target.is_dir() and os.listdir(target):
        raise Conflict("The target folder is not empty.", path=str(target))


def _write_file(folder: Path, path: str, chunks: Iterable[bytes]) -> None:
    if reason := unfit(path):
        raise Invalid(f"A file cannot be written: {reason}.", path=path[:200])
    destination = folder / path
    try:
        destination.parent.mkdir(parents=True, exist_ok=True)
        # "x" never opens what is already there, so no link and no other file can be written through.
        with destination.open("xb") as file:
            for chunk in chunks:
                file.write(chunk)
    except (FileExistsError, NotADirectoryError):
        raise Invalid("Two files have the same path.", path=path[:200]) from None
