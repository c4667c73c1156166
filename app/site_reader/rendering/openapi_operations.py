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
from app.site_reader.rendering import openapi_beside
from app.site_reader.rendering.leaf_blocks import listing, tabs
from app.site_reader.rendering.markup import NOTHING, Html, breaking, el, is_elsewhere, joined, text, words
from app.site_reader.rendering.openapi_beside import kind_of, label_of, status
from app.site_reader.rendering.openapi_schemas import fields, parameters, written
from app.site_reader.rendering.render_context import OutlineHeading, PageContext
from app.site_reader.texts import say

Blocks = Callable[..., Html]
MOST_DESCRIBED = 300_000  # characters of descriptions on one page
MOST_BRACKETS = 2_000  # in one description; more would be slow to read
FEW = 3  # schemas that are open at once
MOST_KINDS = 6  # media types of one body
MOST_EXAMPLE = 20_000  # characters
MOST_SCOPES = 50
_KINDS = {"http": "HTTP", "apiKey": "API key", "oauth2": "OAuth 2", "openIdConnect": "OpenID Connect"}
_SIGNS = frozenset("\n*_`<[#&>\\~:|")
_PLACES = ("path", "query", "header", "cookie")


class ExternalLinks:
    """The links of a description: it is at home on no site, so that only whole addresses lead anywhere."""

    def target(self, href: str) -> LinkTarget:
        """Return what the link leads to."""
        return LinkTarget("external", href.strip()) if is_elsewhere(href.strip()) else LinkTarget("broken")

    def included(self, href: str) -> IncludedContent | None:
        """Return None: nothing is included."""
        return None


def operation(view: OperationView, ctx: PageContext, blocks: Blocks) -> Html:
    """Render an operation with all its parts: what it says, and beside that how it is called."""
    writing = _OperationWriting(ctx, blocks)
    said = joined(writing.operation(view))
    return el("section", {"class": "operation"}, said, _placed(ctx, openapi_beside.beside(writing, view)))


def schemas(views: Sequence[SchemaView], ctx: PageContext, blocks: Blocks) -> Html:
    """Render schemas by their names, each to be opened; one that is alone on its page is open."""
    writing = _OperationWriting(ctx, blocks)
    if len(views) == 1 and ctx.page.is_computed:
        said, example = writing.whole(views[0], is_page=True), views[0].example
        beside = el("div", {"class": "beside"}, writing.example(example)) if example else NOTHING
        return el("section", {"class": "operation"}, said, _placed(ctx, beside))
    few = len(views) <= FEW
    made = (writing.model(view, few) for view in views if ctx.take())
    return el("section", {"class": "operation"}, *made)


def _placed(ctx: PageContext, beside: Html) -> Html:
    """Return what stands beside the text, unless the page has room for it elsewhere."""
    if ctx.page.beside is None:
        return beside
    ctx.page.beside.append(beside)
    return NOTHING


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
                yield el("p", None, el("strong", {"class": "old"}, text(say("api.deprecated"))))
            yield self.described(view.description)
        yield self._line(view)
        yield self._security(view.security)
        for place, held in groupby(sorted(view.parameters, key=_order), key=lambda each: each.place):
            yield self._place(place)
            yield parameters(self, list(held))
        if view.body is not None:
            yield from self._body(view.body)
        if view.responses:
            yield self.heading(say("api.responses"), anchor="responses")
            yield joined(self._response(each) for each in view.responses if self.ctx.take())
        if view.callbacks:
            yield self.heading(say("api.callbacks"), anchor="callbacks")
            yield el("p", None, joined((el("code", None, text(words(n))) for n in view.callbacks), Html(" ")))

    def model(self, view: SchemaView, is_open: bool) -> Html:
        """Render a schema with a name of its own."""
        about = " ".join(view.description.split())[:200]
        title = joined([el("code", None, text(words(view.name or view.type))), Html(" "), _small(about)])
        return el(
            "details",
            {"open": is_open},
            el("summary", None, title),
            el("div", {"class": "inside"}, self.whole(view)),
        )

    def whole(self, view: SchemaView, *, is_page: bool = False) -> Html:
        """Render a schema without its name."""
        return joined([self.described(view.description), fields(self, view, is_page=is_page)])

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

    def _place(self, place: str) -> Html:
        """Render the heading of the parameters of a place."""
        if place in _PLACES:
            anchor = (
                "headers" if place == "header" else "cookies" if place == "cookie" else f"{place}-parameters"
            )
            return self.heading(say(f"api.{place}"), anchor=anchor)
        return self.heading(words(place) or say("api.parameters"))

    def heading(self, title: str, level: int = 0, anchor: str = "") -> Html:
        """Render a heading on the level that the page is at; the outline shows it on a computed page."""
        depth = self.page.nest(level or (2 if self.outlined else 4))
        anchor = anchor or title.lower().replace(" ", "-")
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
        address = el("span", {"class": "address"}, text(words(base)))
        path = el("code", None, address, breaking(words(view.path), "/"))
        return el("div", {"class": "api"}, method, path)

    def _security(self, ways: Sequence[Sequence[SecurityView]]) -> Html:
        """Render the ways to prove who asks, of which one is enough."""
        if not any(ways):
            return NOTHING
        made = []
        for way in ways[:10]:
            parts = [self._way(scheme) for scheme in way]
            made.append(el("li", None, *(parts or [text(say("api.no-proof"))])))
        listed = el("ul", {"class": "fields ways"}, *made)
        several = el("p", {"class": "limits"}, text(say("api.one-way"))) if len(made) > 1 else NOTHING
        return joined([self.heading(say("api.authorization"), anchor="authorization"), several, listed])

    def _way(self, scheme: SecurityView) -> Html:
        where = f"{scheme.place}: {scheme.parameter}" if scheme.parameter else scheme.scheme
        kind = _KINDS.get(scheme.type, scheme.type)
        named = el("code", None, text(words(scheme.name)))
        scopes = (el("code", None, text(words(each))) for each in scheme.scopes[:MOST_SCOPES])
        needed = el("p", {"class": "limits"}, text(f"{say('api.scopes')} "), joined(scopes, Html(" ")))
        field = el("div", {"class": "field"}, named, _small(f"{kind} {where}".strip()))
        return joined([field, self.described(scheme.description), needed if scheme.scopes else NOTHING])

    def _body(self, body: BodyView) -> Iterator[Html]:
        yield self.heading(say("api.request-body"), anchor="request-body")
        yield self.described(body.description)
        yield self._contents(body.contents, has_examples=_are_several(body.contents))

    def _response(self, response: ResponseView) -> Html:
        """Render a response; successful ones are open."""
        code, kind = status(response), kind_of(response)
        about = text(words(response.description, 160))
        inside = [self.described(response.description)] if len(response.description) > 160 else []
        if response.headers:
            inside += [
                el("p", {"class": "label"}, text(say("api.header"))),
                parameters(self, response.headers),
            ]
        inside.append(self._contents(response.contents))
        if not any(inside):
            return el("p", {"class": "bare"}, code, Html(" "), about)
        title = el("summary", None, code, Html(" "), about)
        held = el("div", {"class": "inside"}, *inside)
        return el("details", {"open": kind == "good"}, title, held)

    def _contents(self, contents: Sequence[ContentView], *, has_examples: bool = False) -> Html:
        """Render bodies by their media types."""
        shown = contents[:MOST_KINDS]
        if len(shown) < 2:
            return joined(self._content(each, each.media_type, has_examples) for each in shown)
        named = ((text(words(each.media_type, 60)), self._content(each, "", has_examples)) for each in shown)
        return tabs(self.page, named, say("api.media-types"))

    def _content(self, content: ContentView, label: str, has_examples: bool) -> Html:
        """Render a body; the examples of a response stand beside the text."""
        said = label_of(label) if label else NOTHING
        examples = content.examples if has_examples else []
        return joined([said, self.whole(content.schema), *map(self.example, examples)])

    def example(self, example: ExampleView) -> Html:
        """Render an example as it would be sent."""
        shown, syntax = written(example.value)
        title = example.summary or example.name or say("api.example")
        cut = shown if len(shown) <= MOST_EXAMPLE else f"{shown[:MOST_EXAMPLE]}\n…"
        return self.listing(cut, syntax, title)


def _are_several(contents: Sequence[ContentView]) -> bool:
    """Return whether bodies have more examples than the one that code samples send."""
    return sum(len(each.examples) for each in contents) > 1


def _order(parameter: ParameterView) -> tuple[int, str, bool]:
    place = parameter.place
    return _PLACES.index(place) if place in _PLACES else len(_PLACES), place, not parameter.required


def _known(method: str) -> str:
    return method if method in ("get", "post", "put", "patch", "delete") else "other"


def _small(said: str) -> Html:
    return joined([Html(" "), el("span", {"class": "kind"}, text(words(said)))]) if said else NOTHING
