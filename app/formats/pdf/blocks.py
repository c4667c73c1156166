"""Blocks of a document to the template's data, each a dict with its kind in `k`.

Every block of the dialect is set; one that is not known is a labelled box, so nothing disappears. Containers
nested deeper than paper allows are set as what they contain.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.formats.diagrams import drawing
from app.formats.diagrams.drawing import NotDrawn
from app.formats.markdown import fence_options, nodes
from app.formats.markdown.nodes import Node
from app.formats.pdf import html_blocks, inlines, layout_context
from app.formats.pdf.book import BookPicture
from app.formats.pdf.inlines import Data
from app.formats.pdf.layout_context import BLOCK_ROOM, DEEPEST, DEEPEST_PAGE, ITEM_ROOM, Setting

MOST_HIGHLIGHTED = 30_000
LONGEST_HIGHLIGHTED_LINE = 1_000
MOST_SOURCE = 4_000
MOST_DRAWN = 200  # diagrams of one book, of which each may take seconds
Blocks = list[Data]


def blocks(inside: list[Node], here: Setting) -> Blocks:
    """Return the data of block nodes; inlines among them become a paragraph."""
    made: Blocks = []
    loose: list[Node] = []
    for node in inside:
        if not here.shared.room.take(BLOCK_ROOM):
            break  # the page says that it is cut
        if node["object"] != "block":
            loose.append(node)
            continue
        made += _paragraph(loose, here)
        loose = []
        made += _block(node, here)
    return made + _paragraph(loose, here)


def _block(node: Node, here: Setting) -> Blocks:
    kind = node["type"]
    if kind in _CONTAINERS:
        here.shared.room.take(ITEM_ROOM)
        return _CONTAINERS[kind](node, here) if here.depth < DEEPEST else _flat(node, here)
    if kind.startswith("heading-"):
        return [_heading(node, here)]
    match kind:
        case "paragraph":
            return _paragraph(node["nodes"], here)
        case "divider":
            return [{"k": "rule"}]
        case "code":
            return [_diagram(node, here) or _code(node, here)]
        case "math":
            return [{**inlines.math(node["data"]["formula"], here), "block": True}]
        case "images":
            return [_figures(node, here)]
        case "table":
            return inlines.table(node, here, blocks) if here.depth < DEEPEST else _flat_table(node, here)
        case "integration":
            return _foreign(node["data"], here)
        case "if":
            return [
                _note(f"Shown if {node['data'].get('expression', '')}", here),
                *blocks(node["nodes"], here),
            ]
    return _labelled(node, here)


def _paragraph(inside: list[Node], here: Setting) -> Blocks:
    made = inlines.pieces(inside, here)
    return [{"k": "p", "c": made}] if made else []


def _heading(node: Node, here: Setting) -> Data:
    level = node["data"].get("level") or int(node["type"][-1])
    label = here.mark(str(node["data"].get("id", "")))
    depth = min(here.page.depth, DEEPEST_PAGE) + 1 + level
    return {"k": "h", "level": level, "depth": depth, "id": label, "c": inlines.pieces(node["nodes"], here)}


def _code(node: Node, here: Setting) -> Data:
    data = node["data"]
    said = fence_options.read(str(data.get("meta") or ""))
    lines = [here.plain(nodes.plain_text(line["nodes"])) for line in node["nodes"]]
    longest = (
        layout_context.CODE
        if here.longest >= layout_context.PROSE and here.depth == 0
        else layout_context.NARROW_CODE
    )
    content = layout_context.breakable("\n".join(lines), longest)
    plain = len(content) > MOST_HIGHLIGHTED or max(map(len, lines), default=0) > LONGEST_HIGHLIGHTED_LINE
    here.shared.room.take(ITEM_ROOM + len(content) * (0 if plain else 3))
    return {
        "k": "code",
        "t": content,
        "lang": "" if plain else str(data.get("syntax", "")).lower()[:40],
        "title": inlines.line(str(data.get("title") or said.title), here),
        "numbers": data.get("lineNumbers") is True or said.numbered,
        "marked": sorted(said.lines),
    }


def _diagram(node: Node, here: Setting) -> Data | None:
    """Typeset the diagram that code is; None for other code, and where it cannot be drawn."""
    source = drawing.source_in(node) if drawing.is_installed() else None
    if source is None or here.shared.drawn >= MOST_DRAWN:
        return None
    here.shared.drawn += 1
    try:
        made = drawing.draw(source)
    except NotDrawn:
        return None
    file, reason = here.keep(BookPicture(drawing.key(source), len(made.svg), made.svg.encode))
    if reason:
        return None
    alt = inlines.line(drawing.title(source) or "Diagram", here)
    shown: Data = {"k": "img", "src": file, "why": "", "alt": alt, "a": {}, "width": made.width * 0.75}
    return {"k": "figs", "items": [{**shown, "cap": []}], "align": "center"}


def _figures(node: Node, here: Setting) -> Data:
    items = []
    for image in node["nodes"]:
        caption = inlines.pieces(image["nodes"], here)
        items.append({**inlines.picture(image["data"], here), "cap": caption})
    return {"k": "figs", "items": items, "align": str(node["data"].get("align", ""))}


def _foreign(data: Node, here: Setting) -> Blocks:
    """Typeset the readable content of HTML; an unknown tag appears as source in a labelled box."""
    name, props = str(data.get("block", "")), data.get("props", {})
    if data.get("integration"):
        name = f"{data['integration']}/{name}"
        source = "\n".join(f"{key}: {value}" for key, value in props.items())
    else:
        source = str(props.get("source", ""))
    if source.lstrip().startswith("<"):
        return html_blocks.read(source, here)
    label, shown = inlines.line(name or "Unknown block", here), here.words(source[:MOST_SOURCE])
    return [{"k": "box", "label": label, "t": shown + ("…" if len(source) > MOST_SOURCE else "")}]


def _labelled(node: Node, here: Setting) -> Blocks:
    """Typeset a block as one line on paper: what it is and where it is found."""
    data, kind = node["data"], node["type"]
    inside = inlines.pieces(node["nodes"], here)
    match kind:
        case "content-ref":
            href = inlines.address(data)
            title = here.title(href)
            return [_line("Page", href, here, inside or [title or here.words(href)])]
        case "file":
            href = inlines.address(data)
            return [_line("File", href, here, inside or [here.words(href.rpartition("/")[2])])]
        case "embed":
            return [_line("Embedded", str(data.get("url", "")), here, inside)]
        case "reusable-content":
            return _included(node, here)
    if kind.startswith("openapi") or kind == "swagger":
        return [{"k": "line", "label": "API", "a": {}, "c": _api(data, here)}, *blocks(node["nodes"], here)]
    label = inlines.line(kind, here)
    return [{"k": "box", "label": label, "t": ""}, *blocks(node["nodes"], here)]


def _included(node: Node, here: Setting) -> Blocks:
    href = inlines.address(node["data"])
    found = layout_context.of_reusable(href, here)
    if found is None:
        return [_line("Reusable content", href, here, inlines.pieces(node["nodes"], here))]
    return blocks(*found)


def _line(label: str, href: str, here: Setting, inside: inlines.Pieces) -> Data:
    return {"k": "line", "label": label, "a": here.link(href), "c": inside or [here.words(href)]}


def _api(data: Node, here: Setting) -> inlines.Pieces:
    """Return the method and path, or the names, of an operation, a webhook or schemas."""
    method = inlines.line(str(data.get("method", "")).upper(), here)
    names = [str(data.get(key, "")) for key in ("path", "name", "schemas", "summary", "spec", "src")]
    rest = inlines.line("  ".join(filter(None, names)), here)
    return [*([{"k": "t", "t": method, "m": "b"}, " "] if method else []), rest]


def _note(content: str, here: Setting) -> Data:
    return {"k": "p", "c": [{"k": "t", "t": inlines.line(content, here), "m": "i"}]}


def _flat(node: Node, here: Setting) -> Blocks:
    """Return what a container contains, its title first."""
    data = node["data"]
    titled = data.get("title")
    title = titled if isinstance(titled, list) else [nodes.plain(str(titled))] if titled else []
    return [*_paragraph(title, here), *blocks(node["nodes"], here)]


def _flat_table(node: Node, here: Setting) -> Blocks:
    lists = (inside for _, inside in nodes.child_lists(node))
    return [made for inside in lists for made in blocks(inside, here)]


def _list(node: Node, here: Setting) -> Blocks:
    kind = {"list-ordered": "1", "list-tasks": "["}.get(node["type"], "-")
    inner = here.inside()
    items: list[Any] = [
        {"c": blocks(item["nodes"], inner), "done": item["data"].get("checked")}
        for item in _fitting(node, here)
    ]
    start = min(max(int(node["data"].get("start") or 0), 0), 10**9) if "start" in node["data"] else 1
    return [{"k": "list", "o": kind, "start": start, "items": items}]


def _fitting(node: Node, here: Setting) -> list[Node]:
    return list(node["nodes"][: here.shared.room.fit(len(node["nodes"]), ITEM_ROOM)])


def _held(kind: str, **fields: str) -> Callable[[Node, Setting], Blocks]:
    """Return a container with some of its data as lines of text."""

    def make(node: Node, here: Setting) -> Blocks:
        given = {key: inlines.line(str(node["data"].get(name, "")), here) for key, name in fields.items()}
        return [{"k": kind, **given, "c": blocks(node["nodes"], here.inside())}]

    return make


def _fold(node: Node, here: Setting) -> Blocks:
    title = inlines.pieces(node["data"].get("title") or [], here)
    return [{"k": "fold", "title": title, "c": blocks(node["nodes"], here.inside())}]


def _columns(node: Node, here: Setting) -> Blocks:
    """Typeset columns side by side while there is room, else one after another."""
    columns = node["nodes"]
    if not 1 < len(columns) <= 4 or here.depth > 3:
        return blocks([inside for column in columns for inside in column["nodes"]], here)
    inner = here.inside(longest=layout_context.CELL)
    items = [{"w": _share(column), "c": blocks(column["nodes"], inner)} for column in columns]
    return [{"k": "cols", "items": items}]


def _share(column: Node) -> float:
    written = str(column["data"].get("width", "")).strip().rstrip("%")
    return float(min(max(int(written), 10), 90)) if written.isascii() and written.isdigit() else 50.0


def _steps(node: Node, here: Setting) -> Blocks:
    inner = here.inside()
    return [{"k": "steps", "items": [blocks(step["nodes"], inner) for step in _fitting(node, here)]}]


_CONTAINERS: dict[str, Callable[[Node, Setting], Blocks]] = {
    "list-ordered": _list,
    "list-unordered": _list,
    "list-tasks": _list,
    "blockquote": _held("quote"),
    "hint": _held("hint", style="style"),
    "tabs": _held("group"),
    "tabs-item": _held("tab", title="title"),
    "columns": _columns,
    "stepper": _steps,
    "stepper-step": _held("group"),
    "expandable": _fold,
    "updates": _held("group"),
    "update": _held("tab", title="date"),
}
