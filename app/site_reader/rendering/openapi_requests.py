"""The description of an operation for the script that sends requests to it from the reader's browser."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import orjson

from app.formats.openapi.origins import is_reachable
from app.formats.openapi.samples import BASE
from app.formats.openapi.views import ContentView, OperationView, ParameterView, SchemaView
from app.site_reader.rendering.markup import NOTHING, Html, data_block, el, text
from app.site_reader.rendering.render_context import PageState
from app.site_reader.texts import current, say

MOST_PARAMETERS, MOST_VALUES, MOST_KINDS = 100, 100, 6
LARGEST_BODY = 20_000  # characters of an example
NO_METHODS = ("trace", "connect")  # which browsers send for no page
TEXTS = (
    "title", "send", "cancel", "server", "credentials", "none", "kept", "forget", "token", "user", "password",
    "body", "file", "sending", "failed", "refused", "no-server", "cookie", "missing", "headers", "empty",
    "download", "cut",
)  # fmt: skip


def trial(page: PageState, view: OperationView) -> Html:
    """Render the place in which a request is tried; without a script it stays hidden."""
    if not page.try_href or view.kind != "operation" or view.method in NO_METHODS:
        return NOTHING
    button = el("button", {"type": "button", "class": "button primary"}, text(say("try.title")))
    said = {"class": "try", "data-try": page.try_href, "data-base": page.base, "hidden": True}
    return el("div", said, button, data_block("application/json", _facts(view, page.is_own_api)))


def _facts(view: OperationView, is_own: bool) -> dict[str, Any]:
    """Return how an operation is called; our own API is at the origin of the page, whatever its name."""
    servers = [
        {
            "template": urlsplit(each.url).path if is_own else each.template or each.url,
            "description": each.description[:200],
            "reachable": is_own or is_reachable(each),
            "variables": [
                {"name": v.name, "default": v.default, "enum": v.enum, "description": v.description[:200]}
                for v in each.variables
            ],
        }
        for each in view.servers
    ]
    shown = view.servers[0].url.rstrip("/") if view.servers else ""
    return {
        "method": view.method.upper(),
        "path": view.path,
        "shown": BASE + shown if shown.startswith("/") or not shown else shown,
        "servers": servers,
        "parameters": [_parameter(each) for each in view.parameters[:MOST_PARAMETERS]],
        "bodies": [_body(each) for each in (view.body.contents if view.body else [])[:MOST_KINDS]],
        "security": [
            [
                {"name": s.name, "type": s.type, "scheme": s.scheme, "in": s.place, "parameter": s.parameter}
                for s in way
            ]
            for way in view.security[:10]
        ],
        "texts": {name: current().texts[f"try.{name}"] for name in TEXTS},
    }


def _parameter(given: ParameterView) -> dict[str, Any]:
    """Return a parameter with what is filled in at first: what has to be there, if it is known."""
    known = given.example if given.example not in (None, "") else given.schema.default
    enum = given.schema.enum or (given.schema.items.enum if given.schema.items else [])
    return {
        "name": given.name,
        "in": given.place,
        "required": given.required,
        "value": _plain(known) if given.required and known is not None else "",
        "hint": _plain(known) if known is not None else given.schema.type,
        "enum": [_plain(each) for each in enum[:MOST_VALUES]] if given.schema.items is None else [],
        "list": given.schema.items is not None,
        "explode": given.explode,
    }


def _body(content: ContentView) -> dict[str, Any]:
    kind = content.media_type.partition(";")[0].strip().lower()
    value = content.examples[0].value if content.examples else None
    fields = []
    if kind in ("multipart/form-data", "application/x-www-form-urlencoded"):
        example = value if isinstance(value, dict) else {}
        fields = [
            {
                "name": each.name,
                "file": _is_file(each.items or each),
                "value": _plain(example.get(each.name, "")),
            }
            for each in content.schema.properties[:MOST_PARAMETERS]
        ]
    return {
        "type": content.media_type,
        "file": _is_file(content.schema),
        "fields": fields,
        "value": "" if fields or value is None else _plain(value, indent=True)[:LARGEST_BODY],
    }


def _is_file(schema: SchemaView) -> bool:
    return schema.format == "binary" or schema.type == "file"


def _plain(value: Any, *, indent: bool = False) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and not indent:
        return ",".join(map(_plain, value))
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 if indent else 0, default=str).decode()
