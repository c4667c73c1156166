"""Trees of Markdown out of what is imported: a website, a document, an archive, or files that were sent.

Nothing here is written anywhere: a tree is held in memory until an import makes a plan of it.
"""

from __future__ import annotations

import posixpath
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urldefrag

from app.formats.html_import.imported_files import Fetch
from app.formats.markdown.hrefs import relative, rewritten
from app.formats.markdown.scanner import ScannedLink
from app.formats.repository.file_tree import Memory, Tree
from app.formats.repository.import_plan import Plan, read_plan
from app.formats.repository.zip_archive import Zip, ZipLimits
from app.kit import workers
from app.kit.errors import Invalid, TooLarge
from app.kit.http.outbound import Outbound, OutboundResponse
from app.kit.settings import Settings

if TYPE_CHECKING:
    from app.formats.html_import.website import ImportedSite


MOST_FILES = 5_000
MOST_MARKDOWN = 20_000_000
MOST_UNPACKED = 100_000_000
SENT = "https://document.invalid/"
_LIBRARIES = {
    "website": ("app.formats.html_import.website",),
    "docx": ("app.formats.html_import.docx", "mammoth"),
    "html": ("app.formats.html_import.website",),
    "markdown": ("app.formats.html_import.website",),
}
_ENDINGS = {
    ".zip": "zip", ".docx": "docx", ".html": "html", ".htm": "html", ".xhtml": "html",
}  # fmt: skip
PageProgress = Callable[[int, int], None]
"""Is told how many pages were read, of how many that were found."""


@dataclass(slots=True)
class ReadTree:
    """The outcome of reading: the files, or a website with what was left out of it."""

    tree: Tree | None = None
    site: ImportedSite | None = None
    skipped: Sequence[tuple[str, str]] = field(default_factory=list)

    async def plan(self) -> Plan:
        """Return what an import of it would make; raises Invalid where that is too much."""
        if self.site is None:
            assert self.tree is not None
            plan = await workers.run_long(_bounded, self.tree)
        else:
            from app.formats.html_import.website import planned

            plan = await workers.run_long(planned, self.site)
        for file, reason in self.skipped:
            plan.report.add("skipped", file, reason)
        return plan


def outbound_of(settings: Settings) -> Outbound:
    """Return the way out for what an import fetches."""
    return Outbound(settings.allowed_hosts, settings.outbound_timeout, settings.outbound_max_bytes)


async def read_website(
    fetch: Fetch,
    url: str,
    *,
    most_pages: int,
    seconds: float,
    told: PageProgress = lambda _read, _found: None,
) -> ReadTree:
    """Read the pages of a website; raises like `crawl`."""
    await _load("website")
    from app.formats.html_import.website import crawl

    deadline = time.monotonic() + seconds * 0.9
    return ReadTree(site=await crawl(fetch, url, max_pages=most_pages, deadline=deadline, told=told))


async def read_document(kind: str, fetched: OutboundResponse, fetch: Fetch | None = None) -> dict[str, bytes]:
    """Turn a `docx`, `html` or `markdown` document into a tree; with `fetch` its pictures come along."""
    await _load(kind)
    if kind == "docx":
        from app.formats.html_import.docx import to_tree

        return await workers.run_long(to_tree, fetched.body)
    from app.formats.html_import.website import html_tree, markdown_tree

    return await (html_tree if kind == "html" else markdown_tree)(fetched, fetch)


async def read_archive(data: bytes) -> Memory:
    """Unpack a zip; raises Invalid where it is broken or too large."""
    return await workers.run_long(_unpacked, data)


def sent(name: str, data: bytes) -> OutboundResponse:
    """Return a file that was sent, as if it had been fetched from a place where only such files are."""
    return OutboundResponse(SENT + quote(name), 200, {}, "", None, data)


async def read_files(files: Mapping[str, OutboundResponse]) -> ReadTree:
    """Make one tree of files by their names, whose endings say what they are.

    A document or archive alone becomes the tree that it holds; of several, each gets a place of its name.
    Files that cannot be read are left out and told. Raises Invalid where it is the only one.
    """
    together: dict[str, bytes] = {}
    skipped: list[tuple[str, str]] = []
    pages = {name: f"{posixpath.splitext(name)[0]}.md" for name in files if _kind(name) == "html"}
    for name, fetched in files.items():
        kind, is_alone = _kind(name), len(files) == 1
        try:
            if kind is None:
                together[name] = fetched.body
            elif kind == "html":
                (page,) = (await read_document(kind, fetched)).values()
                together["README.md" if is_alone else pages[name]] = await workers.run(
                    len(page), _among_sent, page, name, pages
                )
            else:
                folder = "" if is_alone else f"{posixpath.splitext(name)[0]}/"
                together |= {folder + path: data for path, data in (await _held(kind, fetched)).items()}
        except (Invalid, TooLarge) as error:
            if is_alone:
                raise
            skipped.append((name, f"Left out: {error.message}"))
    return ReadTree(tree=Memory(together), skipped=skipped)


def _kind(name: str) -> str | None:
    return _ENDINGS.get(posixpath.splitext(name)[1].lower())


def _among_sent(page: bytes, name: str, pages: Mapping[str, str]) -> bytes:
    """Make links of an HTML file to others that were sent lead to what becomes of those."""

    def new_href(link: ScannedLink) -> str | None:
        if not link.href.startswith(SENT):
            return None
        path, anchor = urldefrag(link.href.removeprefix(SENT))
        path = unquote(path)
        return relative(pages.get(path, path), pages[name], anchor or None)

    return rewritten(page.decode(), new_href).encode()


async def _held(kind: str, fetched: OutboundResponse) -> dict[str, bytes]:
    if kind == "docx":
        return await read_document(kind, fetched)
    packed = await read_archive(fetched.body)
    return {path: packed.read(path) for path in packed.paths()}


async def _load(kind: str) -> None:
    await workers.load("app.formats.repository.import_plan", *_LIBRARIES.get(kind, ()))


def _unpacked(data: bytes) -> Memory:
    """Read everything in a zip at once: damage in it must show before anything is written."""
    packed = Zip(data, ZipLimits(expanded=MOST_UNPACKED))
    return Memory({path: packed.read(path) for path in packed.paths()})


def _bounded(tree: Tree) -> Plan:
    plan = read_plan(tree, of_any_tool=True)
    pages = [page.source for page in plan.pages if page.source]
    if len(plan.pages) + len(plan.files) > MOST_FILES:
        raise Invalid(f"An import may have at most {MOST_FILES} pages and files.", path="url")
    if sum(plan.tree.size(source) for source in pages) > MOST_MARKDOWN:
        raise Invalid(f"An import may have at most {MOST_MARKDOWN} bytes of Markdown.", path="url")
    return plan
