"""Blocks that hold no others (code, formulas, pictures, files, links as cards), and tables.

Blocks that hold no others: code, formulas, pictures, files, links as cards, and what only others know.

Tables as grids that scroll where they are wide, and as cards.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

from app.formats.markdown import fence_options, nodes
from app.formats.markdown import safe_html as foreign_tags
from app.formats.markdown.nodes import Node
from app.formats.markdown.safe_html import followed
from app.site_reader.rendering import highlighting
from app.site_reader.rendering.formulas import formula
from app.site_reader.rendering.images import icon, pictogram, picture
from app.site_reader.rendering.inlines import address, followable, html_block, html_embed, inlines
from app.site_reader.rendering.markup import NOTHING, Html, el, joined, text, void, words
from app.site_reader.rendering.render_context import PageContext, PageState
from app.site_reader.texts import say

_CHANGED = {"+": "add", "-": "del"}
"""Classes of lines of a difference, by how they begin."""
_SILENT = {
    "swagger-description",
    "swagger-response",
    "swagger-parameter",
}  # they only begin what follows them


def code(node: Node, ctx: PageContext) -> Html:
    """Render code with its title, its language's colours and perhaps its lines' numbers."""
    data = node["data"]
    said = fence_options.read(str(data.get("meta") or ""))
    return listing(
        [_line(line["nodes"]) for line in node["nodes"]],
        str(data.get("syntax") or ""),
        ctx,
        title=words(str(data.get("title") or said.title)),
        numbered=data.get("lineNumbers") is True or said.numbered,
        wrapped=data.get("overflow") == "wrap",
        marked=said.lines,
    )


def listing(
    content: list[str],
    syntax: str,
    ctx: PageContext,
    *,
    title: str = "",
    numbered: bool = False,
    wrapped: bool = False,
    marked: Collection[int] = (),
) -> Html:
    """Render lines of code."""
    lines, spent = highlighting.lines(content, syntax, ctx.page.highlighted)
    ctx.page.highlighted -= spent
    changes = _CHANGED if syntax.lower() in ("diff", "patch") else {}
    if marked or changes:
        kinds = [
            " ".join(filter(None, ["row", "line" * numbered, "hl" * (n in marked), changes.get(said[:1])]))
            for n, said in enumerate(content, 1)
        ]
        lines = [
            el("span", {"class": kind}, line, Html("\n")) for kind, line in zip(kinds, lines, strict=True)
        ]
    elif numbered:
        lines = [el("span", {"class": "line"}, line) for line in lines]
    inside = joined(lines, NOTHING if marked or changes else Html("\n"))
    shown = el("pre", {"tabindex": 0, "class": "wrap" if wrapped else None}, el("code", None, inside))
    caption = el("figcaption", None, text(words(title))) if title else NOTHING
    return el("figure", {"class": "code", "data-syntax": words(syntax, 40) or None}, caption, shown)


def _line(inside: Sequence[Node]) -> str:
    return "".join(leaf["text"] for node in inside if node["object"] == "text" for leaf in node["leaves"])


def math(node: Node, ctx: PageContext) -> Html:
    """Render a formula on a line of its own."""
    return formula(str(node["data"].get("formula", "")), block=True)


def rule(node: Node, ctx: PageContext) -> Html:
    """Render a horizontal rule."""
    return void("hr")


def figures(node: Node, ctx: PageContext) -> Html:
    """Render a picture with its caption, or several beside each other."""
    made = []
    for image in node["nodes"]:
        caption = inlines(image["nodes"], ctx)
        shown = picture(image["data"], ctx)
        made.append(el("figure", None, shown, el("figcaption", None, caption) if caption else NOTHING))
    if len(made) == 1 and node["data"].get("align") not in ("left", "right"):
        return made[0]
    align = {"left": " left", "right": " right"}.get(str(node["data"].get("align")), "")
    return el("div", {"class": f"figures{align}"}, *made)


def drawing(node: Node, ctx: PageContext) -> Html:
    """Render a picture by itself."""
    return el("figure", None, picture(node["data"], ctx))


def file(node: Node, ctx: PageContext) -> Html:
    """Render a file to download."""
    target = ctx.target(address(node["data"]))
    name = target.title or address(node["data"]).rpartition("/")[2] or say("file")
    caption = inlines(node["nodes"], replace(ctx, in_link=True))
    size = f" · {_size(target.size)}" if target.size is not None else ""
    shown = [
        icon("file-pdf" if name.lower().endswith(".pdf") else "file", 24),
        el("strong", None, el("bdi", None, text(words(name, 120)))),
        el("span", {"class": "address"}, caption or text(say("file")), text(size)),
    ]
    if followed(target.href) is None:
        return el("div", {"class": "card-link file"}, *shown)
    return el("a", {"class": "card-link file", **followable(target)}, *shown)


def _size(size: int) -> str:
    """Format a number of bytes for people."""
    if size < 1000:
        return f"{size} B"
    unit, divisor = ("kB", 1e3) if size < 1e6 else ("MB", 1e6) if size < 1e9 else ("GB", 1e9)
    number = size / divisor
    return f"{number:.0f} {unit}" if number >= 10 else f"{number:.1f} {unit}"


def reference(node: Node, ctx: PageContext) -> Html:
    """Render a card that links to a page."""
    href = address(node["data"])
    target = ctx.target(href)
    caption = (
        NOTHING if _only_names(node["nodes"], href) else inlines(node["nodes"], replace(ctx, in_link=True))
    )
    title = caption or text(words(target.title or href))
    shown = [
        pictogram(target.emoji, target.icon) or icon("arrow-right"),
        el("strong", None, title),
        el("span", {"class": "address"}, text(words(target.description))) if target.description else NOTHING,
    ]
    if followed(target.href) is None:
        return el("div", {"class": "card-link broken"}, *shown)
    return el("a", {"class": "card-link", **followable(target)}, *shown)


def _only_names(caption: Sequence[Node], href: str) -> bool:
    """Return whether this is the link that editors write into a reference: its address or file name."""
    if len(caption) != 1 or caption[0].get("type") != "link" or address(caption[0]["data"]) != href:
        return False
    return nodes.plain_text(caption).strip() in (href, href.rpartition("/")[2])


def embed(node: Node, ctx: PageContext) -> Html:
    """Render something from elsewhere as a link to it; plain words about it are the link's."""
    inside, href = node["nodes"], str(node["data"].get("url", ""))
    if any(each["object"] == "block" for each in inside):
        return html_embed(href, "", ctx)
    if all(each["object"] == "text" for each in inside):
        return html_embed(href, nodes.plain_text(inside), ctx) or inlines(inside, ctx)
    caption = inlines(inside, ctx)
    return html_embed(href, "", ctx, caption) or caption


def foreign(node: Node, ctx: PageContext) -> Html:
    """Render HTML that is safe, or the name and addresses of a block that only another product knows."""
    data = node["data"]
    props = data.get("props") or {}
    if data.get("integration"):  # it is not active here
        return _unknown(
            str(data.get("block")), "\n".join(v for v in props.values() if isinstance(v, str)), ctx
        )
    source = str(props.get("source", ""))
    if source.lstrip().startswith("<"):
        return html_block(source, ctx)
    return _unknown(str(data.get("block") or "block"), source, ctx)


def _unknown(name: str, source: str, ctx: PageContext) -> Html:
    shown = joined(html_embed(href, "", ctx) for href in foreign_tags.addresses_in(source))
    if shown:
        return shown
    if name.startswith("end") or name in _SILENT:
        return NOTHING
    return el("div", {"class": "unknown"}, text(words(name, 60)))


def tabs(page: PageState, items: Iterable[tuple[Html, Html]], label: str = "") -> Html:
    """Render tabs without a script: radio buttons show their panel. On paper all panels are there."""
    page.tabs += 1
    number, made = page.tabs, []
    for place, (title, inside) in enumerate(items):
        name = f"~tab-{number}-{place}"
        chosen = {"type": "radio", "name": f"~tabs-{number}", "id": name, "checked": place == 0}
        made += [
            void("input", chosen),
            el("label", {"for": name}, title),
            el("div", {"class": "panel"}, inside),
        ]
    return el("div", {"class": "tabs", "role": "group", "aria-label": label or say("tabs")}, *made)


Make = Callable[[Sequence[Node], PageContext], Html]
_ALIGNS = ("left", "center", "right")
_RATING = 5
_WIDTH = re.compile(r"([0-9]{1,4})(px|%)?", re.ASCII)


def table(node: Node, ctx: PageContext, blocks: Make) -> Html:
    """Render a table; `blocks` renders what stands in a cell."""
    data = node["data"]
    view, definition = data.get("view") or {}, data.get("definition") or {}
    keys = [key for key in view.get("columns") or definition if key in definition]
    rows = sorted((data.get("records") or {}).values(), key=lambda row: row.get("orderIndex", 0))
    if view.get("type") == "cards":
        return _cards(view, definition, keys, rows, ctx, blocks)
    return _grid(definition, keys, rows, ctx.inside(outlined=False), blocks)


def _grid(definition: Node, keys: list[str], rows: list[Node], ctx: PageContext, blocks: Make) -> Html:
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
    made = el("table", None, _widths([definition[key] for key in keys]), head, el("tbody", None, *body))
    return el("div", {"class": "table", "tabindex": 0}, made)


def _widths(columns: list[Node]) -> Html:
    """Render the widths of columns, where some have one: in pixels, or as a share."""
    given = [_WIDTH.fullmatch(str(column.get("width") or "").strip()) for column in columns]
    if not any(given):
        return NOTHING
    shown = (f"{found[1]}{found[2] if found[2] == '%' else ''}" if found else None for found in given)
    return el("colgroup", None, *(void("col", {"width": width}) for width in shown))


def _align(column: Node) -> str | None:
    align = str(column.get("align", ""))
    return align if align in _ALIGNS[1:] else None


def _title(column: Node, ctx: PageContext, blocks: Make) -> Html:
    if isinstance(column.get("nodes"), list):
        return blocks(column["nodes"], ctx)
    return text(column.get("title") or "")


def _cell(row: Node, key: str, column: Node, ctx: PageContext, blocks: Make) -> Html:
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
        "span", {"role": "img", "aria-label": say("yes" if is_true else "no")}, text("✓" if is_true else "–")
    )


def _rated(written: str) -> Html:
    number = written.strip()
    if not (number.isascii() and number.isdigit()) or int(number) > 10:
        return text(written)
    stars = "★" * int(number) + "☆" * max(_RATING - int(number), 0)
    return el("span", {"role": "img", "aria-label": say("stars", number=number)}, text(stars))


def _cards(
    view: Node, definition: Node, keys: list[str], rows: list[Node], ctx: PageContext, blocks: Make
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
    covers: list[str], darks: list[str], targets: list[str], inside: list[Html], ctx: PageContext
) -> Html:
    cover = NOTHING
    if covers:
        dark = {"refDark": {"url": darks[0]}} if darks else {}
        cover = el("div", {"class": "cover"}, picture({"ref": {"url": covers[0]}, **dark}, ctx))
    target = ctx.target(targets[0]) if targets else None
    away = NOTHING
    if target is not None and followed(target.href) is not None:
        label = {"aria-label": words(target.title)} if target.title else {}
        shown = NOTHING if label else text(say("open"))
        away = el("a", {"class": "whole", **label, **followable(target)}, shown)
    return el("li", None, cover, el("div", {"class": "inside"}, joined(inside), away))


def _hrefs(row: Node, key: str | None) -> list[str]:
    """Return the addresses of links and pictures directly in a cell."""
    value = (row.get("values") or {}).get(key) if key else None
    cell = value if isinstance(value, list) else []
    return [href for node in cell if (href := address(node.get("data") or {}))]
