"""The reference of our own API at `/docs`: pages as published sites have them, made of the API's document.

There is one for each operation, group of operations and schema. All come from this process: the document is
built once, a page when somebody asks for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any
from urllib.parse import urlsplit

import orjson
from cachetools import LRUCache
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from app.api import catalog
from app.api.rest import openapi
from app.domain.openapi.openapi_versions import BlockReference, Shown
from app.formats.markdown.parser import to_document
from app.formats.openapi.operation import operation_view
from app.formats.openapi.pages import SPEC, pages_of
from app.formats.openapi.schemas import schema_views
from app.kit import workers
from app.kit.settings import Settings
from app.models.publishing import CustomizationSettings
from app.site_reader import responses, search, site_endpoints, texts
from app.site_reader.page_tree import PageTree
from app.site_reader.rendering import navigation, theme
from app.site_reader.rendering.markup import words
from app.site_reader.rendering.openapi_operations import ExternalLinks
from app.site_reader.rendering.page import page_html
from app.site_reader.rendering.render_context import FoundPages, PageView, SearchView, SiteView
from app.site_reader.rendering.search_page import found_text, search_html
from app.site_reader.responses import JSON, SHARED, EncodedBody, SiteResponse
from app.web.reference_search import ReferenceIndex, SearchablePage

TITLE = "Docyard API reference"
SLUG = "docyard"
PAGE = 30_000  # characters that making a page counts for
KEPT = 100  # pages
SHOWN = 40  # hits of a search
LONGEST = 200  # characters of a search


@dataclass(slots=True, frozen=True)
class ReferencePage:
    """A page of the reference, as the reader has the pages of a space."""

    page_id: str
    parent_id: str | None
    rank: str
    title: str
    path: str
    description: str
    body: str
    computed: dict[str, Any]
    kind: str = "document"
    link_title: str | None = None
    emoji: str | None = None
    icon: str | None = None
    href: str | None = None
    hidden: bool = False
    layout: dict[str, Any] | None = None
    cover: dict[str, Any] | None = None
    updated_at: None = None


@dataclass(slots=True)
class ApiReference:
    """The document with its pages by their paths."""

    site: SiteView
    tree: PageTree
    pages: Mapping[str, ReferencePage]
    document: dict[str, Any]
    origin: str
    index: ReferenceIndex = field(init=False)
    written: LRUCache[str, EncodedBody] = field(default_factory=lambda: LRUCache(KEPT))

    def __post_init__(self) -> None:
        self.index = ReferenceIndex(self.searchable())

    def html(self, page: ReferencePage) -> EncodedBody:
        """Write a page."""
        view = PageView(
            site=self.site,
            tree=self.tree,
            page=page,
            document=to_document(page.body),
            links=ExternalLinks(),
            canonical=self.origin + self.tree.href(page),
            apis=self._shown(page),
            tree_href=f"{self.site.base}/~/tree?",
            tries=True,
            is_own_api=True,
        )
        return EncodedBody.of(page_html(view)).zipped_if_long()

    def _shown(self, page: ReferencePage) -> dict[BlockReference, Shown]:
        """Return what the block of a page shows of the document."""
        props = page.computed["props"]
        if props["doc"] == "operation":
            asked = BlockReference("openapi-operation", SLUG, props["path"], props["method"])
            return {asked: operation_view(self.document, asked.path, asked.method)}
        if props["doc"] == "model":
            asked = BlockReference("openapi-schemas", SLUG, names=(props["page"],))
            return {asked: schema_views(self.document, [props["page"]])}
        return {}

    def searchable(self) -> Iterator[SearchablePage]:
        """Yield the pages as searches see them."""
        for path, page in self.pages.items():
            props, above = page.computed["props"], self.tree.above(page.page_id)
            call = f"{props.get('method', '').upper()} {props.get('path', '')}".strip()
            place = above[-1].title if above else ""
            yield SearchablePage(page.title, self.tree.href(page), path, call, self._said(page), place)

    def _said(self, page: ReferencePage) -> str:
        """Return in a few words what a page is about."""
        props = page.computed["props"]
        if props["doc"] == "model":
            schema = self.document["components"]["schemas"][props["page"]]
            said = schema.get("description") or ", ".join(
                schema.get("properties") or schema.get("enum") or []
            )
        elif props["doc"] in ("operation", "info"):
            said = page.body.partition("{%")[0].strip().partition("\n\n")[0]
        else:
            said = ", ".join(row.title for row in self.tree.below(page.page_id))
        return words(said.replace("`", ""), LONGEST)


class ReferenceAnswer:
    """An answer of the reader, as the application sends it."""

    def __init__(self, made: SiteResponse) -> None:
        self._made = made

    async def __call__(self, scope: Scope, _receive: Receive, send: Send) -> None:
        await self._made.send(scope, send)


_built: dict[str, ApiReference] = {}


async def answer(settings: Settings, request: Request) -> ReferenceAnswer:
    """Answer with a page of the reference, or with what its pages load."""
    if settings.base_url not in _built:
        _built[settings.base_url] = await workers.prepare(_build, settings.base_url)
    reference = _built[settings.base_url]
    path = "/".join(request.path_params.values())
    if path.startswith("~/"):
        return ReferenceAnswer(await _beside(settings, reference, path.split("/"), request))
    page = reference.pages.get(path)
    if page is None:
        more: dict[str, Any] = {"tree": reference.tree, "tree_href": f"{reference.site.base}/~/tree?"}
        return ReferenceAnswer(responses.error_page(settings, 404, "no-page", reference.site, **more))
    if path not in reference.written:
        reference.written[path] = await workers.run(PAGE, reference.html, page)
    policy = responses.page_policy(settings, reference.site.base)
    return ReferenceAnswer(SiteResponse(reference.written[path], policy=policy, cache=SHARED))


async def _beside(
    settings: Settings, reference: ApiReference, parts: Sequence[str], request: Request
) -> SiteResponse:
    """Answer with a script or style, the results of a search, or what is below a page of the tree."""
    query = request.query_params
    match parts[1:]:
        case ["static", _, _]:
            made = site_endpoints.static(["~", *parts[1:]])
            assert made is not None
            return made
        case ["looks", "site", name] if name.endswith((".css", ".svg")):
            return _looks_of(reference.site, name)
        case ["tree"] if (page_id := query.get("page")) is None or reference.tree.get(page_id):
            with texts.spoken(texts.ENGLISH):
                written = EncodedBody.of(navigation.branches(reference.tree.level(page_id)))
            return SiteResponse(written, cache=SHARED)
        case ["search"]:
            asked = " ".join(query.get("q", "")[:LONGEST].split())
            start = search.start_of(query.get("start", ""))
            return await workers.run(
                PAGE, _searched, settings, reference, asked, start, request.headers.get("accept")
            )
    raise responses.nothing_here()


def _looks_of(site: SiteView, name: str) -> SiteResponse:
    """Answer with the styles of the pages, or with their icon."""
    if name.endswith(".css"):
        return SiteResponse(
            EncodedBody.of(theme.stylesheet(site.looks)), media=site_endpoints.STYLE, cache=SHARED
        )
    icon = str(theme.favicon(site.looks, None, site.title))
    policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    return SiteResponse(EncodedBody.of(icon), media=site_endpoints.ICON, policy=policy, cache=SHARED)


def _searched(
    settings: Settings, reference: ApiReference, query: str, start: int, accept: str | None
) -> SiteResponse:
    every = reference.index.find(query)
    hits, count = every[start : start + SHOWN], len(every)
    base = reference.site.base
    before = search.turn(base, {"q": query}, max(min(start, count) - SHOWN, 0)) if start and count else ""
    after = search.turn(base, {"q": query}, start + SHOWN) if start + SHOWN < count else ""
    found = FoundPages(hits, count)
    view = SearchView(reference.site, query, found, reference.tree, start=start, before=before, after=after)
    with texts.spoken(texts.ENGLISH):
        if "application/json" in (accept or ""):
            told = {"count": count, "hits": [asdict(hit) for hit in hits], "said": found_text(view)}
            return SiteResponse(EncodedBody.of(orjson.dumps(told)), media=JSON).header("vary", "Accept")
        written = EncodedBody.of(search_html(view))
    policy = responses.page_policy(settings, reference.site.base)
    return SiteResponse(written, policy=policy).header("vary", "Accept").header("x-robots-tag", "noindex")


def _build(base_url: str) -> ApiReference:
    """Make the pages of the document."""
    document = openapi.document(catalog.OPERATIONS, base_url)
    parts = urlsplit(base_url)
    base = f"{parts.path.rstrip('/')}/docs"
    pages: dict[str, ReferencePage] = {}
    paths = {"": ""}
    for number, each in enumerate(pages_of(document)):
        above = paths.get(each.parent or "", "")
        path = "" if each.parent is None else f"{above}/{each.slug}".lstrip("/")
        paths[each.key] = path
        computed = {"type": "builtin:openapi", "props": each.props}
        title = TITLE if each.parent is None else each.title
        body = each.body.replace(SPEC, SLUG)
        parent = each.parent or None
        pages[path] = ReferencePage(
            each.key or "info", parent, f"{number:06}", title, path, each.description, body, computed
        )
    site = SiteView(title=TITLE, base=base, looks=_looks(base_url))
    return ApiReference(
        site, PageTree(pages.values(), base), pages, document, f"{parts.scheme}://{parts.netloc}"
    )


def _looks(base_url: str) -> dict[str, Any]:
    links = [
        {"title": "OpenAPI document", "url": f"{base_url}/v1/openapi.json"},
        {"title": "GraphQL", "url": f"{base_url}/graphql"},
    ]
    usual = CustomizationSettings().model_dump(mode="json", by_alias=True, exclude_none=True)
    return {**usual, "header": {**usual["header"], "links": links}}
