"""The column beside an operation: its servers, code that calls it, and examples of its answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from app.formats.openapi.samples import samples
from app.formats.openapi.views import (
    ContentView,
    ExampleView,
    OperationView,
    ResponseView,
    ServerVariableView,
    ServerView,
)
from app.site_reader.rendering.leaf_blocks import tabs
from app.site_reader.rendering.markup import NOTHING, Html, el, joined, text, words
from app.site_reader.rendering.openapi_requests import trial
from app.site_reader.rendering.render_context import PageState
from app.site_reader.texts import say

MOST_ANSWERS, MOST_SHOWN = 12, 5  # responses with examples, and examples of one
_STATUS = {"2": "good", "3": "on", "4": "bad", "5": "bad"}


class ListingWriter(Protocol):
    """The target of written code."""

    page: PageState

    def listing(self, content: str, syntax: str, title: str = "") -> Html:
        """Render highlighted code."""

    def example(self, example: ExampleView) -> Html:
        """Render an example as it would be sent."""


def beside(writing: ListingWriter, view: OperationView) -> Html:
    """Render what stands beside an operation."""
    made = []
    if view.kind == "operation":
        code = ((text(each.label), writing.listing(each.code, each.syntax)) for each in samples(view))
        shown = tabs(writing.page, code, say("api.samples"))
        made += [_servers(view.servers), label_of(say("api.samples")), el("div", {"class": "samples"}, shown)]
        made.append(trial(writing.page, view))
    given = [(each, content) for each in view.responses for content in each.contents if content.examples]
    if given:
        answers = ((status(each), _answer(writing, content)) for each, content in given[:MOST_ANSWERS])
        made += [label_of(say("api.answers")), tabs(writing.page, answers, say("api.answers"))]
    return el("div", {"class": "beside"}, *made) if any(made) else NOTHING


def _servers(servers: Sequence[ServerView]) -> Html:
    """Render the servers that there are to choose from, with what callers choose of their addresses."""
    if len(servers) < 2 and not any(each.variables for each in servers):
        return NOTHING
    items = []
    for each in servers:
        address = el("code", None, text(words(each.template or each.url)))
        about = el("p", {"class": "limits"}, text(words(each.description))) if each.description else NOTHING
        chosen = el("ul", None, *map(_variable, each.variables)) if each.variables else NOTHING
        items.append(el("li", None, address, about, chosen))
    return joined([label_of(say("api.servers")), el("ul", {"class": "servers"}, *items)])


def _variable(variable: ServerVariableView) -> Html:
    """Render a part of an address with what it is, or may be."""
    values = variable.enum or [variable.default]
    shown = joined((el("code", None, text(words(value, 100))) for value in values if value), Html(" "))
    about = text(f" · {words(variable.description)}") if variable.description else NOTHING
    return el("li", None, el("code", None, text(words(variable.name))), text(": "), shown, about)


def _answer(writing: ListingWriter, content: ContentView) -> Html:
    label = label_of(content.media_type) if "json" not in content.media_type else NOTHING
    return joined([label, *map(writing.example, content.examples[:MOST_SHOWN])])


def status(response: ResponseView) -> Html:
    """Render the status of a response, in the colour of what it means."""
    return el("code", {"class": f"status {kind_of(response)}"}, text(words(response.status, 20)))


def kind_of(response: ResponseView) -> str:
    """Return what the status of a response means: `good`, `on`, `bad`, or `any`."""
    return _STATUS.get(response.status[:1], "any")


def label_of(said: str) -> Html:
    """Render the label of what follows."""
    return el("p", {"class": "label"}, text(words(said, 60)))
