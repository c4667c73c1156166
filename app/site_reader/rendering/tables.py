"""Tables as grids that scroll where they are wide, and as cards."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from app.formats.markdown.nodes import Node
from app.formats.markdown.safe_html import followed
from app.site_reader.rendering.images import picture
from app.site_reader.rendering.inlines import address, followable
from app.site_reader.rendering.markup import NOTHING, Html, el, joined, text, words
from app.site_reader.rendering.render_context import RenderContext

Make = Callable[[Sequence[Node], RenderContext], Html]
_ALIGNS = ("left", "center", "right")
_RATING = 5


def table(node: Node, ctx: RenderContext, blocks: Make) -> Html:
    """Render a table; `blocks` renders what stands in a cell."""
    data = node["data"]
    view, definition = data.get("view") or {}, data.get("definition") or {}
    keys = [key for key in view.get("columns") or definition if key in definition]
    rows = sorted((data.get("records") or {}).values(), key=lambda row: row.get("orderIndex", 0))
    if view.get("type") == "cards":
        return _cards(view, definition, keys, rows, ctx, blocks)
    return _grid(definition, keys, rows, ctx.inside(outlined=False), blocks)


def _grid(definition: Node, keys: list[str], rows: list[Node], ctx: RenderContext, blocks: Make) -> Html:
    aligns = [_align(definition[key]) for key in keys]
    titles = [_title(definition[key], ctx, blocks) for key in keys]
    head = NOTHING
    if any(titles):
        cells = (
            el("th", {"scope": "col", "class": align}, title)
            for title, align in zip(titles, aligns, strict=True)
        )
        head = el("thead", None, el("tr", None, *cells))
    body = []
    for row in rows:
        if not ctx.take():
            break
        cells = (
            el("td", {"class": align}, _cell(row, key, definition[key], ctx, blocks))
            for key, align in zip(keys, aligns, strict=True)
        )
        body.append(el("tr", None, *cells))
    return el("div", {"class": "table", "tabindex": 0}, el("table", None, head, el("tbody", None, *body)))


def _align(column: Node) -> str | None:
    align = str(column.get("align", ""))
    return align if align in _ALIGNS[1:] else None


def _title(column: Node, ctx: RenderContext, blocks: Make) -> Html:
    if isinstance(column.get("nodes"), list):
        return blocks(column["nodes"], ctx)
    return text(column.get("title") or "")


def _cell(row: Node, key: str, column: Node, ctx: RenderContext, blocks: Make) -> Html:
    value = (row.get("values") or {}).get(key)
    kind = column.get("type")
    if isinstance(value, list):
        shown = blocks(value, ctx)
        if kind == "checkbox":
            return _checked("".join(_texts(value)))
        if kind == "rating":
            return _rated("".join(_texts(value)))
        return shown
    return NOTHING if value is None else text(value)


def _texts(inside: list[Node]) -> list[str]:
    return [leaf["text"] for node in inside if node["object"] == "text" for leaf in node["leaves"]]


def _checked(written: str) -> Html:
    is_true = written.strip().lower() == "true"
    return el(
        "span", {"role": "img", "aria-label": "yes" if is_true else "no"}, text("✓" if is_true else "–")
    )


def _rated(written: str) -> Html:
    number = written.strip()
    if not (number.isascii() and number.isdigit()) or int(number) > 10:
        return text(written)
    stars = "★" * int(number) + "☆" * max(_RATING - int(number), 0)
    return el("span", {"role": "img", "aria-label": f"{number} stars"}, text(stars))


def _cards(
    view: Node, definition: Node, keys: list[str], rows: list[Node], ctx: RenderContext, blocks: Make
) -> Html:
    """Render cards with their cover and visible cells; all of a card that has a target links there."""
    inner = ctx.inside(outlined=False)
    special = {
        name: view.get(name) for name in ("coverDefinition", "coverDefinitionDark", "targetDefinition")
    }
    made = []
    for row in rows:
        if not ctx.take():
            break
        covers, darks, targets = (_hrefs(row, key) for key in special.values())
        shown = [key for key in keys if key not in special.values() or not _hrefs(row, key)]
        inside = [
            el("div", None, cell)
            for key in shown
            if (cell := _cell(row, key, definition[key], inner, blocks))
        ]
        made.append(_card(covers, darks, targets, inside, inner))
    size = " large" if view.get("cardSize") == "large" else ""
    return el("ul", {"class": f"cards{size}"}, *made)


def _card(
    covers: list[str], darks: list[str], targets: list[str], inside: list[Html], ctx: RenderContext
) -> Html:
    cover = NOTHING
    if covers:
        dark = {"refDark": {"url": darks[0]}} if darks else {}
        cover = el("div", {"class": "cover"}, picture({"ref": {"url": covers[0]}, **dark}, ctx))
    target = ctx.target(targets[0]) if targets else None
    away = NOTHING
    if target is not None and followed(target.href) is not None:
        label = {"aria-label": words(target.title)} if target.title else {}
        shown = NOTHING if label else text("Open")
        away = el("a", {"class": "whole", **label, **followable(target)}, shown)
    return el("li", None, cover, el("div", {"class": "inside"}, joined(inside), away))


def _hrefs(row: Node, key: str | None) -> list[str]:
    """Return the addresses of links and pictures directly in a cell."""
    value = (row.get("values") or {}).get(key) if key else None
    cell = value if isinstance(value, list) else []
    return [href for node in cell if (href := address(node.get("data") or {}))]
