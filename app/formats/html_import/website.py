"""A website to a tree of Markdown files.

One file per page at the page's own path, links between imported pages relative, pictures of the same site
under the assets folder, and a table of contents that keeps the order in which the site presents its pages.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from functools import partial
from html import unescape
from urllib.parse import urldefrag

from app.formats.html_import.crawl import Crawl, CrawledPage
from app.formats.html_import.html_page import absolute, to_markdown
from app.formats.html_import.imported_files import (
    Fetch,
    Pictures,
    fetch_pictures,
    page_files,
    pictures_in,
    summary,
    with_front_matter,
)
from app.formats.html_import.url_scope import clean, key, scope_of
from app.formats.markdown.hrefs import relative, rewritten
from app.formats.markdown.scanner import ScannedLink
from app.formats.repository.file_tree import Memory, unfit
from app.formats.repository.import_plan import Plan, read_plan
from app.formats.repository.source_text import MAX_MARKDOWN
from app.kit import workers
from app.kit.errors import Invalid, TooLarge
from app.kit.http.outbound import OutboundResponse

SECONDS = 120.0
TOO_DEEP = "it would be too large, or its path too long or too deep"


@dataclass(frozen=True, slots=True)
class ImportedSite:
    """The files, how many pages were seen (imported or not), and (address, reason) of those left out.

    `files` are the files of the pages by their addresses.
    """

    tree: dict[str, bytes]
    found: int
    skipped: list[tuple[str, str]]
    files: dict[str, str]
    without: Callable[[Set[str]], ImportedSite]
    """Makes the site without the pages in some files: links to them lead to their addresses."""


async def crawl(
    fetch: Fetch,
    start_url: str,
    *,
    max_pages: int = 200,
    max_bytes: int = 50_000_000,
    deadline: float | None = None,
    max_depth: int = 10,
    told: Callable[[int, int], None] = lambda _read, _found: None,
) -> ImportedSite:
    """Import the pages under `start_url`. `deadline` is a time of `time.monotonic()`, else two minutes off.

    `told` is told how many pages were read, of how many that were found.
    Raises OutboundError when the start page cannot be fetched, Invalid (path `url`) when it is no HTML page,
    may not be imported or leads to another site.
    """
    start = clean(start_url)
    if start is None:
        raise Invalid("The address is not a web address.", path="url")
    ends = time.monotonic() + SECONDS if deadline is None else deadline
    visit = Crawl(fetch, scope_of(start), max_pages, max_bytes, ends, max_depth, told)
    await visit.begin(start)
    await visit.all()
    pictures = await _pictures(visit)
    return await workers.run_long(_site, visit, pictures, frozenset())


def planned(site: ImportedSite) -> Plan:
    """Return what an import of a site would make. Links to what it leaves out lead to the site itself."""
    plan = read_plan(Memory(site.tree))
    left = set(site.files.values()) - {page.source for page in plan.pages}
    if left:
        site = site.without(left)
        plan = read_plan(Memory(site.tree))
    for address, reason in site.skipped:
        plan.report.add("skipped", address, reason)
    return plan


async def _pictures(visit: Crawl) -> Pictures:
    """Return the pictures that the pages show and the site itself has, as far as robots.txt allows."""
    origin = visit.scope.origin + "/"
    shown = await workers.run_long(_shown, visit.pages)
    ours = [address for address in shown if address.startswith(origin) and visit.robots.allows(address)]
    return await fetch_pictures(visit.fetch, ours, most_bytes=visit.bytes_left, deadline=visit.ends)


def _shown(pages: Sequence[CrawledPage]) -> list[str]:
    return [address for page in pages for address in pictures_in(page.markdown)]


def _site(visit: Crawl, pictures: Pictures, left: Set[str]) -> ImportedSite:
    """Return the files of the pages that were read, but for those `left` out."""
    found = list(zip(visit.pages, _files(visit), strict=True))
    left = {file for _, file in found if file in left or unfit(file)}
    kept = [(page, file) for page, file in found if file not in left]
    places = {key(page.address): file for page, file in kept}
    places |= {before: places[after] for before, after in visit.moved.items() if after in places}
    tree = {file: _page(page, file, places, pictures) for page, file in kept}
    tree["SUMMARY.md"] = summary((file, page.title or "Untitled") for page, file in kept).encode()
    return ImportedSite(
        tree=tree | dict(pictures.values()),
        found=visit.found,
        skipped=[*visit.skipped, *((page.address, TOO_DEEP) for page, file in found if file in left)],
        files={page.address: file for page, file in kept},
        without=partial(_site, visit, pictures),
    )


def _files(visit: Crawl) -> list[str]:
    """Return where each page lies. The first page is `README.md` unless the site's folder has a page
    of its own.
    """
    paths = [visit.scope.inside(page.address) for page in visit.pages]
    if "" not in paths:
        paths[0] = ""
    return page_files(paths)


def _page(page: CrawledPage, file: str, places: dict[str, str], pictures: Pictures) -> bytes:
    def new_href(link: ScannedLink) -> str | None:
        whole = unescape(link.href)
        if whole in pictures:
            return relative(pictures[whole][0], file)
        address, anchor = urldefrag(whole)
        target = places.get(key(clean(address) or ""))
        return relative(target, file, anchor or None) if target and link.kind != "image" else None

    markdown = rewritten(page.markdown, new_href)
    return with_front_matter(markdown, page.title, page.description).encode()


PICTURE_BUDGET = 20_000_000


async def html_tree(
    fetched: OutboundResponse, fetch: Fetch | None = None, *, deadline: float | None = None
) -> dict[str, bytes]:
    """Return an HTML page as Markdown; without `fetch` its pictures stay where they are. Raises Invalid."""
    convert = partial(to_markdown, fetched.body, base_url=fetched.url, charset=fetched.charset)
    page = await workers.run(len(fetched.body), convert)
    markdown = with_front_matter(page.markdown, page.title, page.description)
    return await _with_pictures(markdown, fetched.url, fetch, deadline)


async def markdown_tree(
    fetched: OutboundResponse, fetch: Fetch | None = None, *, deadline: float | None = None
) -> dict[str, bytes]:
    """Return a Markdown file as it came, but for the addresses of the pictures brought along.

    Raises TooLarge when it is over 5 MB, Invalid when it is not text.
    """
    if len(fetched.body) > MAX_MARKDOWN:
        raise TooLarge("The file is larger than 5 MB.", path="url")
    try:
        text = fetched.body.decode("utf-8")
    except UnicodeDecodeError:
        raise Invalid("The file is not UTF-8 text.", path="url") from None
    return await _with_pictures(text, fetched.url, fetch, deadline)


async def _with_pictures(
    markdown: str, base_url: str, fetch: Fetch | None, deadline: float | None
) -> dict[str, bytes]:
    if fetch is None:
        return {"README.md": markdown.encode()}
    site = scope_of(clean(base_url) or base_url).origin + "/"
    shown = await workers.run(len(markdown), pictures_in, markdown)
    whole = [absolute(base_url, href) for href in shown]
    ours = [address for address in whole if address and address.startswith(site)]
    brought = await fetch_pictures(fetch, ours, most_bytes=PICTURE_BUDGET, deadline=deadline)

    def new_href(link: ScannedLink) -> str | None:
        address = absolute(base_url, unescape(link.href)) if link.kind == "image" else None
        return brought[address][0] if address in brought else None

    if brought:
        markdown = await workers.run(len(markdown), rewritten, markdown, new_href)
    return {"README.md": markdown.encode(), **dict(brought.values())}
