"""Inline nodes to Markdown or HTML text.

Emphasis is written with Markdown's signs where they are sure to be read back, and with tags elsewhere.
"""

from __future__ import annotations

import html as standard_html
import re
from dataclasses import dataclass, field

from app.formats.markdown import escapes, nodes
from app.formats.markdown import html_syntax as html
from app.formats.markdown.flanking import is_cjk
from app.formats.markdown.nodes import Address, Node, address

_SIGNS = {"bold": "**", "italic": "_", "strikethrough": "~~"}
_TAGS = {
    "bold": "strong", "italic": "em", "strikethrough": "del", "code": "code", "keyboard": "kbd",
    "superscript": "sup", "subscript": "sub", "color": "mark",
}  # fmt: skip
_PUNCTUATION = set("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_LABEL = re.compile(r"[^\s\[\]^]+")


@dataclass(slots=True, frozen=True)
class _Item:
    """A leaf or an inline, with the marks that cover all of it (None: it takes any)."""

    node: Node
    marks: dict[str, Node] | None

    def has(self, mark: Node) -> bool:
        return self.marks is not None and self.marks.get(mark["type"]) == mark


@dataclass(slots=True)
class InlineWriter:
    """Writes inlines and remembers the footnotes it has met."""

    own_address: Address | None = None
    notes: dict[str, list[Node]] = field(default_factory=dict)

    def markdown(self, inside: list[Node]) -> str:
        """Return one line of Markdown."""
        return escapes.edges(self._run(_items(inside), (), as_html=False))

    def cell(self, inside: list[Node]) -> str:
        """Return one line of Markdown that can stand in a pipe table."""
        return self.markdown(inside).replace("|", "\\|")

    def html(self, inside: list[Node]) -> str:
        """Write inlines as text between HTML tags."""
        return escapes.edges(self._run(_items(inside), (), as_html=True))

    def _run(self, items: list[_Item], opened: tuple[str, ...], *, as_html: bool) -> str:
        out = ""
        parts: list[str] = []
        index = 0
        while index < len(items):
            mark = _first_mark(items[index], opened)
            if mark is None:
                written, last = self._item(items[index], opened, as_html=as_html), index + 1
            else:
                last = _run_end(items, index, mark)
                after = _first_sign(items[last], opened) if last < len(items) else ""
                inside = items[index:last]
                written = self._marked(inside, mark, opened, (out[-1:], after), as_html=as_html)
            parts.append(written)
            out = written or out
            index = last
        return "".join(parts)

    def _marked(
        self,
        items: list[_Item],
        mark: Node,
        opened: tuple[str, ...],
        around: tuple[str, str],
        *,
        as_html: bool,
    ) -> str:
        kind = mark["type"]
        if kind == "code" and not as_html and len(items) == 1 and around[0] != "`":
            leaf = items[0].node
            if leaf["object"] == "leaf" and not leaf.get("html") and "\n" not in leaf["text"]:
                return escapes.code(leaf["text"])
        inner = self._run(items, (*opened, kind), as_html=as_html)
        if not as_html and kind in _SIGNS and _readable(inner, _SIGNS[kind], around):
            return f"{_SIGNS[kind]}{inner}{_SIGNS[kind]}"
        return f"{_open_tag(mark)}{inner}</{_TAGS[kind]}>"

    def _item(self, item: _Item, opened: tuple[str, ...], *, as_html: bool) -> str:
        node = item.node
        if node["object"] == "leaf":
            if node.get("html"):
                return str(node["text"])
            return escapes.html_text(node["text"]) if as_html else escapes.text(node["text"])
        inside = self._run(_items(node["nodes"]), opened, as_html=as_html)
        return self._inline(node, inside, as_html=as_html)

    def _inline(self, node: Node, inside: str, *, as_html: bool) -> str:
        data = node["data"]
        match node["type"]:
            case "link":
                url = address(data.get("ref"), self.own_address)
                return self._link(url, data.get("title"), inside, as_html=as_html)
            case "mention":
                user = (data.get("ref") or {}).get("user", "")
                return self._link(f"mention://{user}", None, inside or f"@{user}", as_html=as_html)
            case "button":
                return self._button(data, inside)
            case "emoji":
                name = escapes.emoji_names().get(data.get("code", ""))
                return f":{name}:" if name else escapes.emoji_characters(data.get("code", ""))
            case "icon":
                return _icon(data)
            case "expression":
                return f'<code class="expression">{standard_html.escape(data.get("expression", ""))}</code>'
            case "inline-math":
                return f"$${' '.join(data.get('formula', '').split())}$$"
            case "inline-image":
                return self._image(data, as_html=as_html)
            case "annotation":
                return inside + self._note(data)
        return inside

    def _link(self, url: str, title: str | None, inside: str, *, as_html: bool) -> str:
        if as_html:
            return html.write_tag("a", {"href": url, **({"title": title} if title else {})}) + f"{inside}</a>"
        written = f" {escapes.title(title)}" if title else ""
        return f"[{inside}]({escapes.destination(url)}{written})"

    def _button(self, data: Node, inside: str) -> str:
        given = {"href": address(data.get("ref"), self.own_address)}
        given["class"] = " ".join(["button", *str(data.get("style") or "").split()])
        if data.get("icon"):
            given["data-icon"] = data["icon"]
        return html.write_tag("a", given) + f"{inside}</a>"

    def _image(self, data: Node, *, as_html: bool) -> str:
        url = address(data.get("ref"), self.own_address)
        if as_html or {"width", "height", "size"} & data.keys():
            return html.write_tag("img", image_attributes(data, url))
        title = f" {escapes.title(data['title'])}" if data.get("title") else ""
        alt = escapes.text(" ".join(str(data.get("alt", "")).split("\n")))
        return f"![{alt}]({escapes.destination(url)}{title})"

    def _note(self, data: Node) -> str:
        label = str(data.get("label") or "")
        if not _LABEL.fullmatch(label):
            label = str(len(self.notes) + 1)
            while label in self.notes:
                label += "_"
        if data.get("body") is not None:
            self.notes.setdefault(label, data["body"])
        return f"[^{label}]"


def image_attributes(data: Node, url: str) -> dict[str, str]:
    """Return the attributes of an `<img>`."""
    given = {"src": url, "alt": data.get("alt", "")}
    for name in ("title", "width", "height", "size"):
        if data.get(name) is not None:
            given["data-size" if name == "size" else name] = str(data[name])
    return given


def _items(inside: list[Node]) -> list[_Item]:
    items: list[_Item] = []
    for node in inside:
        if node["object"] == "text":
            items.extend(_Item(leaf, _by_type(leaf["marks"])) for leaf in node["leaves"] if leaf["text"])
        elif node["nodes"]:
            items.append(_Item(node, _shared_marks(node)))
        else:
            items.append(_Item(node, None))
    return items


def _by_type(marks: list[Node]) -> dict[str, Node]:
    return {mark["type"]: mark for mark in marks}


def _shared_marks(node: Node) -> dict[str, Node] | None:
    """Return the marks of an inline's text that cover all of it; links without text take any."""
    shared: dict[str, Node] | None = None
    for item in _items(node["nodes"]):
        if item.marks is not None:
            marks = item.marks if shared is None else shared
            shared = {kind: mark for kind, mark in marks.items() if item.marks.get(kind) == mark}
    return shared


def _first_mark(item: _Item, opened: tuple[str, ...]) -> Node | None:
    marks = item.marks or {}
    return next((marks[kind] for kind in nodes.MARK_ORDER if kind in marks and kind not in opened), None)


def _run_end(items: list[_Item], begin: int, mark: Node) -> int:
    """Return where the run under this mark ends; inlines that take any mark belong to it only inside."""
    end = index = begin + 1
    while index < len(items) and (items[index].marks is None or items[index].has(mark)):
        index += 1
        if items[index - 1].marks is not None:
            end = index
    return end


def _first_sign(item: _Item, opened: tuple[str, ...]) -> str:
    """Return what the next item begins with, as far as flanking cares: its character, or some punctuation."""
    if item.node["object"] == "leaf" and _first_mark(item, opened) is None:
        return str(item.node["text"][0])
    return "<"


def _readable(inner: str, sign: str, around: tuple[str, str]) -> bool:
    """Return whether signs around this text are sure to be read as emphasis."""
    if not inner or inner[0].isspace() or inner[-1].isspace() or inner[0] == "&" or inner[-1] == ";":
        return False
    if all(not outer or outer in " \t\n" or outer in _PUNCTUATION for outer in around):
        return True
    return sign != "_" and all(edge.isalnum() or is_cjk(edge) for edge in (inner[0], inner[-1]))


def _open_tag(mark: Node) -> str:
    if mark["type"] != "color":
        return f"<{_TAGS[mark['type']]}>"
    colors = {"color": mark["data"].get("text"), "background-color": mark["data"].get("background")}
    style = "".join(f"{name}:{value};" for name, value in colors.items() if value)
    return html.write_tag("mark", {"style": style})


def _icon(data: Node) -> str:
    classes = [*str(data.get("style") or "").split(), str(data.get("icon", ""))]
    name = " ".join(f"fa-{word}" for word in classes)
    inside = f":{classes[-1]}:" if re.fullmatch(r"[A-Za-z0-9-]+", classes[-1]) else ""
    return f"{html.write_tag('i', {'class': name})}{inside}</i>"
