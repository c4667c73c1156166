"""Blocks that hold no others: code, formulas, pictures, files, links as cards, and what only others know."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from app.formats.markdown import foreign as foreign_tags
from app.formats.markdown import nodes
from app.formats.markdown.nodes import Node
from app.formats.markdown.safe_html import followed
from app.site_reader.rendering import highlighting, raw_html
from app.site_reader.rendering.formulas import formula
from app.site_reader.rendering.images import icon, pictogram, picture
from app.site_reader.rendering.inlines import address, followable, inlines
from app.site_reader.rendering.markup import NOTHING, Html, el, joined, text, void, words
from app.site_reader.rendering.render_context import PageState, RenderContext

_SILENT = {
    "swagger-description",
    "swagger-response",
    "swagger-parameter",
}  # they only begin what follows them


def code(node: Node, ctx: RenderContext) -> Html:
    """Render code with its title, its language's colours and perhaps its lines' numbers."""
    data = node["data"]
    return listing(
        [_line(line["nodes"]) for line in node["nodes"]],
        str(data.get("syntax") or ""),
        ctx,
        title=words(str(data.get("title") or "")),
        numbered=data.get("lineNumbers") is True,
        wrapped=data.get("overflow") == "wrap",
    )


def listing(
    content: list[str],
    syntax: str,
    ctx: RenderContext,
    *,
    title: str = "",
    numbered: bool = False,
    wrapped: bool = False,
) -> Html:
    """Render lines of code."""
    lines, spent = highlighting.lines(content, syntax, ctx.page.highlighted)
    ctx.page.highlighted -= spent
    if numbered:
        lines = [el("span", {"class": "line"}, line) for line in lines]
    inside = joined(lines, Html("\n"))
    shown = el("pre", {"tabindex": 0, "class": "wrap" if wrapped else None}, el("code", None, inside))
    caption = el("figcaption", None, text(words(title))) if title else NOTHING
    return el("figure", {"class": "code", "data-syntax": words(syntax, 40) or None}, caption, shown)


def _line(inside: Sequence[Node]) -> str:
    return "".join(leaf["text"] for node in inside if node["object"] == "text" for leaf in node["leaves"])


def math(node: Node, ctx: RenderContext) -> Html:
    """Render a formula on a line of its own."""
    return formula(str(node["data"].get("formula", "")), block=True)


def rule(node: Node, ctx: RenderContext) -> Html:
    """Render a horizontal rule."""
    return void("hr")


def figures(node: Node, ctx: RenderContext) -> Html:
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


def drawing(node: Node, ctx: RenderContext) -> Html:
    """Render a picture by itself."""
    return el("figure", None, picture(node["data"], ctx))


def file(node: Node, ctx: RenderContext) -> Html:
    """Render a file to download."""
    target = ctx.target(address(node["data"]))
    name = target.title or address(node["data"]).rpartition("/")[2] or "File"
    caption = inlines(node["nodes"], replace(ctx, in_link=True))
    size = f" · {_size(target.size)}" if target.size is not None else ""
    shown = [
        icon("file-pdf" if name.lower().endswith(".pdf") else "file", 24),
        el("strong", None, el("bdi", None, text(words(name, 120)))),
        el("span", {"class": "address"}, caption or text("File"), text(size)),
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


def reference(node: Node, ctx: RenderContext) -> Html:
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


def embed(node: Node, ctx: RenderContext) -> Html:
    """Render something from elsewhere as a link to it; plain words about it are the link's."""
    inside, href = node["nodes"], str(node["data"].get("url", ""))
    if any(each["object"] == "block" for each in inside):
        return raw_html.embed(href, "", ctx)
    if all(each["object"] == "text" for each in inside):
        return raw_html.embed(href, nodes.plain_text(inside), ctx) or inlines(inside, ctx)
    caption = inlines(inside, ctx)
    return raw_html.embed(href, "", ctx, caption) or caption


def foreign(node: Node, ctx: RenderContext) -> Html:
    """Render HTML that is safe, or the name and addresses of a block that only another product knows."""
    data = node["data"]
    props = data.get("props") or {}
    if data.get("integration"):  # it is not active here
        return _unknown(
            str(data.get("block")), "\n".join(v for v in props.values() if isinstance(v, str)), ctx
        )
    source = str(props.get("source", ""))
    if source.lstrip().startswith("<"):
        return raw_html.block(source, ctx)
    return _unknown(str(data.get("block") or "block"), source, ctx)


def _unknown(name: str, source: str, ctx: RenderContext) -> Html:
    shown = joined(raw_html.embed(href, "", ctx) for href in foreign_tags.addresses(source))
    if shown:
        return shown
    if name.startswith("end") or name in _SILENT:
        return NOTHING
    return el("div", {"class": "unknown"}, text(words(name, 60)))


def tabs(page: PageState, items: Iterable[tuple[Html, Html]], label: str = "Tabs") -> Html:
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
    return el("div", {"class": "tabs", "role": "group", "aria-label": label}, *made)
