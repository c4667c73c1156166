"""Operations of an API as a reader shows them: how to call them, what they take, what they answer.

What a specification says is somebody else's: its texts are Markdown without the dialect's tags, and the
addresses in them lead out of the site or nowhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from app.formats.markdown.parser import to_document
from app.formats.openapi.pages import markdown_of
from app.formats.openapi.samples import samples
from app.formats.openapi.views import (
    BodyView,
    ContentView,
    ExampleView,
    OperationView,
    ParameterView,
    ResponseView,
    SchemaView,
    SecurityView,
)
from app.present.html_links import IncludedContent, LinkTarget
from app.site_reader.rendering.leaf_blocks import listing, tabs
from app.site_reader.rendering.markup import NOTHING, Html, el, is_elsewhere, joined, text, words
from app.site_reader.rendering.openapi_schemas import fields, parameters, written
from app.site_reader.rendering.render_context import OutlineHeading, PageContext

Blocks = Callable[..., Html]
MOST_DESCRIBED = 300_000  # characters of descriptions on one page
MOST_BRACKETS = 2_000  # in one description; more would be slow to read
FEW = 3  # schemas that are open at once
MOST_KINDS = 6  # media types of one body
MOST_EXAMPLE = 20_000  # characters
_SIGNS = frozenset("\n*_`<[#&>\\~:|")
_PLACES = {
    "path": "Path parameters",
    "query": "Query parameters",
    "header": "Headers",
    "cookie": "Cookies",
}
_STATUS = {"2": "good", "3": "on", "4": "bad", "5": "bad"}


class ExternalLinks:
    """The links of a description: it is at home on no site, so that only whole addresses lead anywhere."""

    def target(self, href: str) -> LinkTarget:
        """Return what the link leads to."""
        return LinkTarget("external", href.strip()) if is_elsewhere(href.strip()) else LinkTarget("broken")

    def included(self, href: str) -> IncludedContent | None:
        """Return None: nothing is included."""
        return None


def operation(view: OperationView, ctx: PageContext, blocks: Blocks) -> Html:
    """Render an operation with all its parts."""
    return el("section", {"class": "operation"}, *_OperationWriting(ctx, blocks).operation(view))


def schemas(views: Sequence[SchemaView], ctx: PageContext, blocks: Blocks) -> Html:
    """Render schemas by their names, each to be opened."""
    writing = _OperationWriting(ctx, blocks)
    few = len(views) <= FEW
    made = (writing.model(view, few) for view in views if ctx.take())
    return el("section", {"class": "operation"}, *made)


class _OperationWriting:
    """One block being written."""

    def __init__(self, ctx: PageContext, blocks: Blocks) -> None:
        self.ctx = replace(ctx, links=ExternalLinks(), outlined=False, depth=ctx.depth + 1)
        self.outlined = ctx.outlined and ctx.page.is_computed
        self.page = ctx.page
        self._blocks = blocks

    def operation(self, view: OperationView) -> Iterator[Html]:
        """Yield the parts that the operation has."""
        if not self.page.is_computed:  # a computed page says these itself
            if view.summary:
                yield self.heading(words(view.summary), 3)
            if view.deprecated:
                yield el("p", None, el("strong", {"class": "old"}, text("Deprecated")))
            yield self.described(view.description)
        yield self._line(view)
        code = ((text(each.label), self.listing(each.code, each.syntax)) for each in samples(view))
        yield tabs(self.page, code, "Code samples") if view.kind == "operation" else NOTHING
        yield self._security(view.security)
        for place, held in groupby(sorted(view.parameters, key=_order), key=lambda each: each.place):
            yield self.heading(_PLACES.get(place, words(place) or "Parameters"))
            yield parameters(self, list(held))
        if view.body is not None:
            yield from self._body(view.body)
        if view.responses:
            yield self.heading("Responses")
            yield joined(self._response(each) for each in view.responses if self.ctx.take())
        if view.callbacks:
            yield self.heading("Callbacks")
            yield el("p", None, joined((el("code", None, text(words(n))) for n in view.callbacks), Html(" ")))

    def model(self, view: SchemaView, is_open: bool) -> Html:
        """Render a schema with a name of its own."""
        about = " ".join(view.description.split())[:200]
        title = joined([el("code", None, text(words(view.name or view.type))), Html(" "), _small(about)])
        return el(
            "details", None, el("summary", None, title), el("div", {"class": "inside"}, self.whole(view))
        )

    def whole(self, view: SchemaView) -> Html:
        """Render a schema without its name."""
        return joined([self.described(view.description), fields(self, view)])

    def described(self, given: str) -> Html:
        """Render a description as Markdown, without tags of the dialect."""
        clean = given.strip()
        self.page.described += len(clean)
        if not clean:
            return NOTHING
        is_plain = not _SIGNS.intersection(clean) and "{" not in clean
        if is_plain or self.page.described > MOST_DESCRIBED or clean.count("[") > MOST_BRACKETS:
            return el("p", None, text(clean))
        return self._blocks(to_document(markdown_of(clean))["nodes"], self.ctx)

    def heading(self, title: str, level: int = 0) -> Html:
        """Render a heading on the level that the page is at; the outline shows it on a computed page."""
        depth = self.page.nest(level or (2 if self.outlined else 4))
        anchor = title.lower().replace(" ", "-")
        if not self.outlined or not self.page.is_free(anchor):
            return el(f"h{depth}", None, text(title))
        self.page.headings.append(OutlineHeading(depth, anchor, text(title)))
        return el(f"h{depth}", {"id": anchor}, text(title))

    def listing(self, content: str, syntax: str, title: str = "") -> Html:
        """Render highlighted code."""
        return listing(content.split("\n"), syntax, self.ctx, title=title)

    def _line(self, view: OperationView) -> Html:
        """Render the method with the whole address."""
        method = el("span", {"class": f"method {_known(view.method)}"}, text(words(view.method.upper(), 20)))
        base = view.servers[0].url if view.servers and view.kind == "operation" else ""
        path = el("code", None, el("span", {"class": "address"}, text(words(base))), text(words(view.path)))
        return el("div", {"class": "api"}, method, path)

    def _security(self, ways: Sequence[Sequence[SecurityView]]) -> Html:
        if not any(ways):
            return NOTHING
        made = []
        for way in ways[:10]:
            parts = [self._way(scheme) for scheme in way]
            made.append(el("li", None, joined(parts, Html(" and ")) if parts else text("none is needed too")))
        return joined([self.heading("Authorization"), el("ul", {"class": "fields"}, *made)])

    def _way(self, scheme: SecurityView) -> Html:
        where = f"in the {scheme.place} as {scheme.parameter}" if scheme.parameter else scheme.scheme
        kind = {"http": "HTTP", "apiKey": "API key", "oauth2": "OAuth 2", "openIdConnect": "OpenID Connect"}
        said = f"{kind.get(scheme.type, scheme.type)} {where}".strip()
        scopes = ", ".join(scheme.scopes)
        about = [_small(said), _small(f"scopes {scopes}" if scopes else "")]
        named = el("code", None, text(words(scheme.name)))
        return joined([el("span", {"class": "field"}, named, *about), self.described(scheme.description)])

    def _body(self, body: BodyView) -> Iterator[Html]:
        yield self.heading("Request body")
        yield self.described(body.description)
        yield self._contents(body.contents)

    def _response(self, response: ResponseView) -> Html:
        """Render a response; successful ones are open."""
        kind = _STATUS.get(response.status[:1], "any")
        code = el("code", {"class": f"status {kind}"}, text(words(response.status, 20)))
        about = text(words(response.description, 160))
        inside = [self.described(response.description)] if len(response.description) > 160 else []
        if response.headers:
            inside += [el("p", {"class": "label"}, text("Headers")), parameters(self, response.headers)]
        inside.append(self._contents(response.contents))
        if not any(inside):
            return el("p", {"class": "bare"}, code, Html(" "), about)
        title = el("summary", None, code, Html(" "), about)
        held = el("div", {"class": "inside"}, *inside)
        return el("details", {"open": kind == "good"}, title, held)

    def _contents(self, contents: Sequence[ContentView]) -> Html:
        """Render bodies by their media types."""
        shown = contents[:MOST_KINDS]
        if len(shown) < 2:
            return joined(self._content(each, each.media_type) for each in shown)
        named = ((text(words(each.media_type, 60)), self._content(each, "")) for each in shown)
        return tabs(self.page, named, "Media types")

    def _content(self, content: ContentView, label: str) -> Html:
        said = el("p", {"class": "label"}, text(words(label, 60))) if label else NOTHING
        return joined([said, self.whole(content.schema), *map(self._example, content.examples)])

    def _example(self, example: ExampleView) -> Html:
        shown, syntax = written(example.value)
        title = example.summary or example.name or "Example"
        cut = shown if len(shown) <= MOST_EXAMPLE else f"{shown[:MOST_EXAMPLE]}\n…"
        return self.listing(cut, syntax, title)


def _order(parameter: ParameterView) -> tuple[int, str, bool]:
    known = list(_PLACES)
    place = parameter.place
    return known.index(place) if place in known else len(known), place, not parameter.required


def _known(method: str) -> str:
    return method if method in ("get", "post", "put", "patch", "delete") else "other"


def _small(said: str) -> Html:
    return joined([Html(" "), el("span", {"class": "kind"}, text(words(said)))]) if said else NOTHING
