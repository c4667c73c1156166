"""Imports from an address (specification, Space content; decisions, Import): fetched first, written after.

Fetching happens before the transaction, so that a slow host holds nobody up. All sources end as the same
thing: a small tree of Markdown in memory, which goes in like any other tree.
"""

from __future__ import annotations

import asyncio
import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from sqlalchemy import select

from app.access.context import Context
from app.domain.content.content import FILE_VERSIONS, PAGE_VERSIONS
from app.domain.content.views import View, Where, find, reading
from app.domain.revisions import branch
from app.domain.revisions.branch import Branch, read_to_write, with_request
from app.formats.markdown.hrefs import relative, resolve, rewritten
from app.formats.markdown.scanner import ScannedLink
from app.formats.repository.file_tree import Memory
from app.formats.repository.front_matter import split
from app.formats.repository.import_plan import Plan
from app.kit import workers
from app.kit.database.sql import nested
from app.kit.database.statements import given, table
from app.kit.errors import Invalid, NotFound, TooLarge
from app.models.imports import ImportBody
from app.models.pages import PageVersion
from app.models.revisions import ReusableVersion

if TYPE_CHECKING:  # what reads Markdown is loaded when somebody imports
    from app.domain.imports.tree_import import Imported
    from app.domain.imports.trees import ReadTree
    from app.domain.revisions.documents import SkippedFiles
    from app.formats.repository.import_plan import Plan


SUPPORTED = ("website", "markdown", "html", "zip", "docx")
REUSABLE_VERSIONS = table(ReusableVersion)


def _sources(view: View) -> list[Any]:
    return [
        *with_request(view),
        nested(
            select(PAGE_VERSIONS.c.path, PAGE_VERSIONS.c.source).where(view.valid(PAGE_VERSIONS)), "pages"
        ),
        nested(
            select(FILE_VERSIONS.c.source, FILE_VERSIONS.c.blob_id).where(view.valid(FILE_VERSIONS)), "files"
        ),
        nested(select(REUSABLE_VERSIONS.c.source).where(view.valid(REUSABLE_VERSIONS)), "reusable"),
    ]


def _page(view: View) -> list[Any]:
    found = select(*PAGE_VERSIONS.c).where(
        view.valid(PAGE_VERSIONS), PAGE_VERSIONS.c.page_id == given("page_id")
    )
    return [*with_request(view), nested(found, "page")]


_WITH_SOURCES, _WITH_PAGE = reading(_sources), reading(_page)


async def gather(cx: Context, where: Where, body: ImportBody) -> Plan:
    """Fetch what is to be imported into a space; raises Invalid naming the reason."""
    await branch.writable(cx, where)
    return await _plan(cx, body)


async def gather_for_page(cx: Context, where: Where, page_id: str, body: ImportBody) -> Plan:
    """Fetch what is to be imported into a page; raises Invalid naming the reason."""
    _, row = await read_to_write(cx, where, _WITH_PAGE, page_id=page_id)
    _host_page(row.page)
    return await _plan(cx, body)


async def import_content(cx: Context, where: Where, body: ImportBody, plan: Plan) -> Imported:
    """Import content from an address.

    Where there is nothing yet the pages are taken as they are; else they go into a folder of their own.
    """
    return await into_space(cx, where, body.url, plan)


async def import_into_page(cx: Context, where: Where, page_id: str, body: ImportBody, plan: Plan) -> Imported:
    """Import content from an address into a page: one document becomes its body, more go below it."""
    return await into_page(cx, where, page_id, body.url, plan)


async def check_page(cx: Context, where: Where, page_id: str) -> None:
    """Refuse a page that takes no import; raises NotFound and Invalid."""
    _host_page((await find(cx, where, _WITH_PAGE, page_id=page_id)).page)


async def into_space(
    cx: Context, where: Where, origin: str, plan: Plan, leaving: SkippedFiles | None = None
) -> Imported:
    """Write a plan into a space; `origin` is the address or file that it came from.

    Where there is nothing yet the pages are taken as they are; else they go into a folder of their own.
    """
    on, row = await read_to_write(cx, where, _WITH_SOURCES)
    if not row.pages:
        return await _write(cx, on, plan, None, "", leaving, whole=True)
    name = _folder_name(origin, _taken(row))
    _fold(plan, name)
    return await _write(cx, on, plan, None, name, leaving)


async def into_page(
    cx: Context, where: Where, page_id: str, origin: str, plan: Plan, leaving: SkippedFiles | None = None
) -> Imported:
    """Write a plan into a page: one document becomes its body, more go below it."""
    on, row = await read_to_write(cx, where, _WITH_PAGE, page_id=page_id)
    page = _host_page(row.page)
    documents = [planned for planned in plan.pages if planned.source]
    if len(plan.pages) == 1 and documents and page.kind == "document":
        return await _replace_body(cx, where, on, page, plan, leaving)
    everything = await find(cx, where, _WITH_SOURCES)
    inside = posixpath.splitext(page.source)[0] if page.source else page.path
    inside = inside.removesuffix("/README") if inside != "README" else ""
    name = _folder_name(origin, _taken(everything), inside)
    return await _write(cx, on, plan, page, name, leaving)


async def _replace_body(
    cx: Context, where: Where, on: Branch, page: PageVersion, plan: Plan, leaving: SkippedFiles | None
) -> Imported:
    """Replace the body of a page by a document; title, place and address of the page stay."""
    everything = await find(cx, where, _WITH_SOURCES)
    folder, name = posixpath.split(page.source or f"{page.path}.md")
    inside = f"{folder}/" if folder else ""
    held = {
        file.source.removeprefix(inside): file.blob_id
        for file in everything.files
        if file.source and file.source.startswith(inside)
    }
    fit(plan, page, name, held)
    parent: Any = None
    if page.parent_id is not None:
        parent = (await find(cx, where, _WITH_PAGE, page_id=page.parent_id)).page[0]
    return await _write(cx, on, plan, parent, folder, leaving)


def _host_page(found: Sequence[PageVersion]) -> PageVersion:
    if not found:
        raise NotFound("There is no such page.")
    page = found[0]
    if page.kind not in ("document", "group"):
        raise Invalid("Content can be imported only into documents and groups.", path="pageId")
    return page


async def _write(
    cx: Context,
    on: Branch,
    plan: Plan,
    under: PageVersion | None,
    folder: str,
    leaving: SkippedFiles | None,
    *,
    whole: bool = False,
) -> Imported:
    from app.domain.imports.import_texts import prepare_in_thread
    from app.domain.imports.page_placement import ImportTarget
    from app.domain.imports.tree_import import import_tree

    host = ImportTarget(under, folder, whole)
    try:
        return await import_tree(cx, on, plan, host=host, leaving=leaving, preparing=prepare_in_thread)
    except (Invalid, TooLarge) as error:
        raise _about_address(error) from None


async def _plan(cx: Context, body: ImportBody) -> Plan:
    from app.kit.http.outbound import OutboundError

    if body.source not in SUPPORTED:
        raise Invalid(f"Supported sources are {', '.join(SUPPORTED)}.", path="source")
    try:
        async with asyncio.timeout(cx.settings.import_timeout):
            plan = await (await _read(cx, body)).plan()
            if cx.actor.is_agent:
                from app.domain.imports.agent_pictures import refuse_outside_pictures_in

                await refuse_outside_pictures_in(plan)
    except TimeoutError:
        raise Invalid("The import took too long.", path="url") from None
    except OutboundError as error:
        raise Invalid(error.message, path="url") from None
    except (Invalid, TooLarge) as error:
        raise _about_address(error) from None
    if not plan.pages and not plan.files and not plan.reusable:
        raise Invalid("There is nothing to import at this address.", path="url")
    return plan


async def _read(cx: Context, body: ImportBody) -> ReadTree:
    await workers.load("app.domain.imports.trees")
    from app.domain.imports import trees
    from app.formats.repository.file_tree import Memory

    settings = cx.settings
    outbound = trees.outbound_of(settings)
    if body.source == "website":
        return await trees.read_website(
            outbound.fetch, body.url, most_pages=settings.import_max_pages, seconds=settings.import_timeout
        )
    fetched = await outbound.fetch(body.url)
    if body.source == "zip":
        return trees.ReadTree(await trees.read_archive(fetched.body))
    return trees.ReadTree(Memory(await trees.read_document(body.source, fetched, outbound.fetch)))


def _about_address(error: Invalid | TooLarge) -> Invalid | TooLarge:
    """Return the error as one of the address, which is all that the caller knows of what was fetched."""
    inside = f" ({error.path})" if error.path not in (None, "url", "path") else ""
    return type(error)(f"{error.message}{inside}", path="url")


def _fold(plan: Plan, name: str) -> None:
    """Put everything under the first page, which becomes the page of the folder `name`."""
    top = [page for page in plan.pages if page.parent is None]
    if not top or top[0].kind == "link":
        return
    first = top[0]
    first.slug = name.rpartition("/")[2]
    for page in top[1:]:
        page.parent = first.index


def _taken(space: Any) -> set[str]:
    """Return the paths of pages, and the folders that anything of the space came from."""
    sources = [held.source for held in (*space.pages, *space.files, *space.reusable) if held.source]
    return {page.path for page in space.pages} | {posixpath.dirname(source) for source in sources}


def _folder_name(url: str, taken: set[str], inside: str = "") -> str:
    """Return a folder that is not there yet, named after the address."""
    from app.formats.repository.names import slug

    parts = urlsplit(url)
    last = unquote(parts.path).rstrip("/").rpartition("/")[2]
    name = slug(posixpath.splitext(last)[0] or parts.hostname or "import", "import")
    number, path = 0, posixpath.join(inside, name)
    while path in taken or any(other.startswith(path + "/") for other in taken):
        number += 1
        path = posixpath.join(inside, f"{name}-{number}")
    return path


def fit(plan: Plan, page: PageVersion, name: str, held: Mapping[str, str]) -> None:
    """Make a plan of one document that of this page, whose file is called `name`.

    `held` are the files beside it: hashes of their bytes by path.
    """
    document = plan.pages[0]
    assert document.source is not None
    content = plan.tree.read(document.source)
    others = {path: plan.tree.read(path) for path in plan.tree.paths() if path != document.source}
    places = {file.source: _free(file.source, others[file.source], held) for file in plan.files}
    tree = {places.get(path, path): data for path, data in others.items()}
    plan.tree = Memory({**tree, name: _moved(content, document.source, name, places)})
    plan.files = [
        replace(file, source=places[file.source], name=posixpath.basename(places[file.source]))
        for file in plan.files
    ]
    plan.pages = [
        replace(
            document,
            source=name,
            title=page.title,
            link_title=page.link_title,
            slug=page.slug,
            listed=not page.hidden,
        )
    ]


def _free(path: str, data: bytes, held: Mapping[str, str]) -> str:
    """Return the path, with a number where another file has it."""
    stem, ending = posixpath.splitext(path)
    number, digest, free = 0, sha256(data).hexdigest(), path
    while held.get(free, digest) != digest:
        number += 1
        free = f"{stem}-{number}{ending}"
    return free


def _moved(content: bytes, before: str, after: str, places: Mapping[str, str]) -> bytes:
    """Return the document with its links leading to where its files are now;
    to the byte where they do already.
    """

    def new_href(link: ScannedLink) -> str | None:
        was, now = resolve(link.href, before), resolve(link.href, after)
        place = places.get(was.path) if was else None
        if was is None or place is None or (now and now.path == place):
            return None
        return relative(place, after, was.anchor)

    try:
        front_matter, body = split(content.decode())
    except UnicodeDecodeError:
        return content
    return (front_matter + rewritten(body, new_href)).encode()
