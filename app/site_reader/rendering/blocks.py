"""Blocks of a document to HTML. Every block of the dialect has its form; one that is not known is named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from html import escape

import orjson

from app.domain.openapi.openapi_versions import reference_of
from app.domain.sites.site_integrations import BlockRequest
from app.formats.markdown import nodes
from app.formats.markdown.nodes import Node
from app.formats.markdown.passages import DEEPEST_INCLUDED
from app.formats.markdown.safe_html import followed
from app.kit.deadlines import leave_loop
from app.site_reader.rendering import assets, diagrams, leaf_blocks
from app.site_reader.rendering.images import icon
from app.site_reader.rendering.inlines import address, html_block, inlines
from app.site_reader.rendering.leaf_blocks import tabs
from app.site_reader.rendering.markup import NOTHING, Html, el, joined, text, void, words
from app.site_reader.rendering.render_context import DEEPEST, OutlineHeading, PageContext, fragment
from app.site_reader.texts import say

MOST_CONTRIBUTED = 50  # on one page
Maker = Callable[[Node, PageContext], Html]
_METHODS = {"get", "post", "put", "patch", "delete", "head", "options", "trace", "query"}
_HINTS = {
    "info": "circle-info",
    "success": "circle-check",
    "warning": "triangle-exclamation",
    "danger": "octagon-exclamation",
}


def blocks(inside: Sequence[Node], ctx: PageContext) -> Html:
    """Render blocks one after another; inlines among them stand as they are."""
    made: list[Html] = []
    loose: list[Node] = []
    for node in inside:
        if node["object"] != "block":
            loose.append(node)
            continue
        if loose:
            made.append(inlines(loose, ctx))
            loose = []
        if not ctx.take():
            break
        made.append(_block(node, ctx))
    if loose:
        made.append(inlines(loose, ctx))
    return joined(made)


def _block(node: Node, ctx: PageContext) -> Html:
    kind = node["type"]
    if kind.startswith("heading-"):
        return _heading(node, ctx)
    maker = _MAKERS.get(kind)
    if ctx.depth >= DEEPEST:
        return el("p", None, text(nodes.plain_text([node])))
    if maker is not None:
        return maker(node, ctx)
    return el("div", {"class": "unknown"}, text(words(kind)), blocks(node["nodes"], ctx))


def _paragraph(node: Node, ctx: PageContext) -> Html:
    if (film := _film(node["nodes"])) is not None:
        return html_block(film, ctx)
    made = inlines(node["nodes"], ctx)
    return el("p", None, made) if made else NOTHING


def _film(inside: Sequence[Node]) -> str | None:
    """Return the HTML of a paragraph that holds a film or a sound; None for any other."""
    if not all(node["object"] == "text" for node in inside):
        return None
    leaves = [leaf for node in inside for leaf in node["leaves"]]
    if not any(leaf.get("html") and leaf["text"].lower().startswith(("<video", "<audio")) for leaf in leaves):
        return None
    return "".join(leaf["text"] if leaf.get("html") else escape(leaf["text"]) for leaf in leaves)


def _heading(node: Node, ctx: PageContext) -> Html:
    """Render a heading with its anchor; the outline shows it unless it is inside of something closed."""
    data = node["data"]
    title = inlines(node["nodes"], ctx)
    depth = ctx.page.nest(_level(node))
    name = f"h{depth}"
    anchor = str(data.get("id") or "")
    if not anchor or anchor.startswith("~") or any(sign.isspace() for sign in anchor):
        return el(name, None, title)
    if ctx.outlined:
        plain = text(words(nodes.plain_text(node["nodes"])))
        ctx.page.headings.append(OutlineHeading(depth, anchor, plain or text(anchor)))
    away = {"class": "anchor", "href": fragment(anchor), "aria-label": say("heading-link")}
    return el(name, {"id": anchor if ctx.page.is_free(anchor) else None}, title, el("a", away, Html("#")))


def _level(node: Node) -> int:
    level = node["data"].get("level")
    return level if isinstance(level, int) and 1 <= level <= 6 else int(node["type"][-1])


def _included(node: Node, ctx: PageContext) -> Html:
    """Render a reusable content where it stands."""
    found = ctx.links.included(address(node["data"])) if ctx.included < DEEPEST_INCLUDED else None
    if found is None:
        return NOTHING
    deeper = replace(ctx, links=found.links, included=ctx.included + 1, depth=ctx.depth + 1)
    return blocks(found.nodes, deeper)


def _hint(node: Node, ctx: PageContext) -> Html:
    style = str(node["data"].get("style", "info"))
    kind = style if style in _HINTS else "info"
    given = str(node["data"].get("icon") or "")
    shown = (icon(given, 20) if given else NOTHING) or icon(_HINTS[kind], 20)
    name = el("span", {"class": "unseen"}, text(f"{say(f'hint.{kind}')}: "))
    return el(
        "aside", {"class": f"hint {kind}"}, shown, el("div", None, name, blocks(node["nodes"], ctx.inside()))
    )


def _tabs(node: Node, ctx: PageContext) -> Html:
    def item(place: int, node: Node) -> tuple[Html, Html]:
        title = words(str(node["data"].get("title") or say("tab", number=place + 1)), 120)
        shown = joined([icon(str(node["data"].get("icon") or ""), 16), text(title)])
        return shown, blocks(node["nodes"], ctx.inside(outlined=False))

    return tabs(ctx.page, (item(place, each) for place, each in enumerate(node["nodes"])))


def _expandable(node: Node, ctx: PageContext) -> Html:
    title = inlines(node["data"].get("title") or [], ctx) or text(say("details"))
    inside = el("div", {"class": "inside"}, blocks(node["nodes"], ctx.inside(outlined=False)))
    return el("details", {"open": node["data"].get("open") is True}, el("summary", None, title), inside)


def _columns(node: Node, ctx: PageContext) -> Html:
    given = [_share(column) for column in node["nodes"]]
    rest = max(12 - sum(share or 0 for share in given), 0) // max(given.count(None), 1)
    made = [
        el("div", {"class": f"w{min(max(share or rest, 2), 10)}"}, blocks(column["nodes"], ctx.inside()))
        for column, share in zip(node["nodes"], given, strict=True)
    ]
    return el("div", {"class": "columns"}, *made)


def _share(column: Node) -> int | None:
    """Return the width that a column was given, in twelfths."""
    written = str(column["data"].get("width") or "").strip().rstrip("%").partition(".")[0]
    return round(int(written[:3]) * 12 / 100) if written.isascii() and written.isdigit() else None


def _steps(node: Node, ctx: PageContext) -> Html:
    return el(
        "ol",
        {"class": "steps"},
        *(el("li", None, blocks(step["nodes"], ctx.inside())) for step in node["nodes"]),
    )


def _list(node: Node, ctx: PageContext) -> Html:
    kind, inner = node["type"], ctx.inside()
    made = []
    for item in node["nodes"]:
        if not ctx.take():
            break
        box = NOTHING
        if kind == "list-tasks":
            done = item["data"].get("checked") is True
            box = void(
                "input", {"type": "checkbox", "disabled": True, "checked": done, "aria-label": say("done")}
            )
        made.append(el("li", None, box, _item(item["nodes"], inner)))
    if kind == "list-ordered":
        start = node["data"].get("start")
        return el("ol", {"start": min(start, 10**9) if isinstance(start, int) else None}, *made)
    return el("ul", {"class": "tasks" if kind == "list-tasks" else None}, *made)


def _item(inside: Sequence[Node], ctx: PageContext) -> Html:
    """Render what is in an item; of one paragraph, perhaps with lists under it, only its words."""
    if (
        inside
        and inside[0].get("type") == "paragraph"
        and all(str(n.get("type")).startswith("list-") for n in inside[1:])
    ):
        return joined([inlines(inside[0]["nodes"], ctx), blocks(inside[1:], ctx)])
    return blocks(inside, ctx)


def _update(node: Node, ctx: PageContext) -> Html:
    date = words(str(node["data"].get("date") or ""), 60)
    shown = el("p", {"class": "date"}, el("time", None, text(date))) if date else NOTHING
    return el("section", {"class": "update"}, shown, el("div", None, blocks(node["nodes"], ctx.inside())))


def _held(name: str, kind: str | None = None) -> Maker:
    def make(node: Node, ctx: PageContext) -> Html:
        return el(name, {"class": kind}, blocks(node["nodes"], ctx.inside()))

    return make


def _hidden(node: Node, ctx: PageContext) -> Html:
    """Hide what stands under a condition that nobody has decided."""
    return NOTHING


def _api(node: Node, ctx: PageContext) -> Html:
    ctx.page.besides.update(assets.API)
    shown = _openapi_views(node, ctx)
    return shown or joined([_openapi_summary(node, ctx), blocks(node["nodes"], ctx.inside())])


def _openapi_views(node: Node, ctx: PageContext) -> Html:
    """Render what the block asks for, where a specification of the organization has it."""
    asked = reference_of(node)
    found = ctx.page.apis.get(asked) if asked is not None else None
    if found is None:
        return NOTHING
    operation, schemas = _api_writers()
    return schemas(found, ctx, blocks) if isinstance(found, list) else operation(found, ctx, blocks)


@cache
def _api_writers() -> tuple[Callable[..., Html], Callable[..., Html]]:
    """Return what renders operations and schemas, loaded for the first page with either."""
    leave_loop()
    from app.site_reader.rendering.openapi_operations import operation, schemas

    return operation, schemas


def _openapi_summary(node: Node, ctx: PageContext) -> Html:
    """Render the method and path of an operation, or the names of webhooks and schemas."""
    data = node["data"]
    method = str(data.get("method") or "").lower()
    sign = el("span", {"class": f"method {method}"}, text(method.upper())) if method in _METHODS else NOTHING
    named = [words(str(data.get(key) or "")) for key in ("path", "name", "schemas")]
    shown = el("code", None, text(" ".join(filter(None, named)))) if any(named) else NOTHING
    summary = words(str(data.get("summary") or data.get("spec") or ""))
    rest = el("span", {"class": "address"}, text(summary)) if summary else NOTHING
    if not (sign or shown or rest):
        rest = el("span", {"class": "address"}, text("API"))
    return el("div", {"class": "api"}, sign, shown, rest, _source(node, ctx))


def _source(node: Node, ctx: PageContext) -> Html:
    """Link to the description where the block names one by its address."""
    href = address(node["data"]) or str(node["data"].get("src") or "")
    found = followed(ctx.target(href).href) if href else None
    return (
        el("a", {"href": found, "rel": "noopener noreferrer"}, text(say("description"))) if found else NOTHING
    )


def _or_contributed(make: Maker) -> Maker:
    """Wrap what makes a node's HTML, for nodes that may ask for a block of an integration."""

    def made(node: Node, ctx: PageContext) -> Html:
        asked = ctx.page.offer.asked_by(node)
        if asked is None or ctx.page.contributed >= MOST_CONTRIBUTED:
            return make(node, ctx)
        ctx.page.contributed += 1
        ctx.page.besides.update(assets.BLOCKS)
        if not ctx.page.asking:
            return _named(asked, make(node, ctx), ctx)
        href = f"{ctx.page.asking}/{asked.key}"
        plain = NOTHING if node["type"] == "integration" else make(node, ctx)
        title = el("strong", None, text(words(asked.block.title)))
        way = el("a", {"class": "card-link", "href": href, "rel": "nofollow"}, icon("arrow-right"), title)
        ratio = ctx.page.ratio(asked.block)
        size = {"width": 1000, "height": round(1000 / ratio), "class": "room"} if ratio else None
        room = el("canvas", size) if size else NOTHING
        return el("div", {"class": "contributed", "data-block": href}, plain, way, room)

    return made


def _named(asked: BlockRequest, plain: Html, ctx: PageContext) -> Html:
    """Return the place of a block for whoever asks the API what it looks like, with what is there else."""
    name, props = asked.block.integration, orjson.dumps(asked.props).decode()
    about = {"integration": name, "component": asked.block.id, "title": words(asked.block.title)}
    told = {**about, "props": props, "url": asked.unfurled, "frames": ctx.page.frames(name)}
    data = {f"data-{key}": value for key, value in told.items() if value}
    return el("div", {"class": "contributed", **data}, plain)


_MAKERS: dict[str, Maker] = {
    "paragraph": _paragraph,
    "divider": leaf_blocks.rule,
    "code": _or_contributed(diagrams.code),
    "math": leaf_blocks.math,
    "images": leaf_blocks.figures,
    "image": leaf_blocks.drawing,
    "drawing": leaf_blocks.drawing,
    "table": lambda node, ctx: leaf_blocks.table(node, ctx, blocks),
    "file": leaf_blocks.file,
    "content-ref": leaf_blocks.reference,
    "embed": _or_contributed(leaf_blocks.embed),
    "reusable-content": _included,
    "integration": _or_contributed(leaf_blocks.foreign),
    "if": _hidden,
    "hint": _hint,
    "tabs": _tabs,
    "tabs-item": _held("div", "panel"),
    "expandable": _expandable,
    "columns": _columns,
    "column": _held("div"),
    "stepper": _steps,
    "stepper-step": _held("div"),
    "list-ordered": _list,
    "list-unordered": _list,
    "list-tasks": _list,
    "list-item": _held("div"),
    "blockquote": _held("blockquote"),
    "updates": _held("div", "updates"),
    "update": _update,
    "openapi-operation": _api,
    "openapi-schemas": _api,
    "openapi-webhook": _api,
    "swagger": _api,
}
