"""Conversion of lines of a document to typed runs (`models.runs`)."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from app.formats.markdown import escapes, html_syntax, nodes, safe_html
from app.formats.markdown.safe_html import color_named, without_unknown_tags
from app.kit.deadlines import check
from app.present.link_targets import Follow

Run = dict[str, Any]
_MARKS = {"bold", "italic", "strikethrough", "superscript", "subscript", "keyboard", "code"}
_TAGS = {
    "u": "underline", "small": "small", "ins": "inserted", "var": "variable", "samp": "sample",
    "cite": "citation", "q": "quotation", "dfn": "definition", "abbr": "abbreviation", "bdi": "isolated",
    "tt": "code", "span": "", "big": "",
}  # fmt: skip
DEEPEST = 75  # nodes inside each other; the parser makes fewer
MOST_TAGS = 20  # that are open inside each other


class _Style(NamedTuple):
    """The style of text by the tags around it."""

    marks: tuple[str, ...] = ()
    title: str = ""


_PLAIN = _Style()


@dataclass(slots=True, frozen=True)
class _DocumentAddresses:
    """Reads the addresses in a piece of HTML as those of its document."""

    follow: Follow
    anchors: set[str]

    def link(self, href: str) -> str | None:
        url: str | None = self.follow(href).get("url")
        return url

    def picture(self, href: str) -> str | None:
        found = self.follow(href)
        return found.get("url") if found["kind"] in ("file", "url") else None

    def take(self, anchor: str) -> bool:
        is_free = anchor not in self.anchors
        self.anchors.add(anchor)
        return is_free


@dataclass(slots=True)
class LineReader:
    """Reads the lines of one document in their order: its footnotes get their numbers on the way.

    `notes` are the numbers of footnotes with the nodes of each, in the order in which they are met. `depth`
    is how many nodes there are around what is read.
    """

    follow: Follow
    notes: list[tuple[int, list[Any]]] = field(default_factory=list)
    depth: int = 0
    _numbers: dict[str, int] = field(default_factory=dict)
    _anchors: set[str] = field(default_factory=set)

    def runs(self, inside: object, around: _Style = _PLAIN) -> list[Run]:
        """Return the runs of a list of nodes; a block among them gives its text, what is no node nothing."""
        if self.depth >= DEEPEST:
            return list(_lines(_text_in(inside), {"marks": []}))
        self.depth += 1
        made = self._runs(inside, around)
        self.depth -= 1
        return made

    def _runs(self, inside: object, around: _Style) -> list[Run]:
        made: list[Run] = []
        open_tags = [("", around)]
        for node in nodes_in(inside):
            check()
            match node.get("object"):
                case "text":
                    for leaf in nodes_in(node.get("leaves")):
                        made += self._leaf(leaf, open_tags)
                case "inline":
                    made += self._inline(node, open_tags[-1][1])
                case "block":
                    made += self.runs(node.get("nodes"), open_tags[-1][1])
        return made

    def picture(self, data: dict[str, Any]) -> dict[str, Any]:
        """Return what all pictures have in common."""
        made: dict[str, Any] = {"source": self.follow(address(data)), "alt": words(data, "alt")}
        if isinstance(data.get("refDark"), dict):
            made["darkSource"] = self.follow(address(data, "refDark"))
        sizes = {name: length(data.get(name)) for name in ("width", "height")}
        made |= {name: size for name, size in sizes.items() if size}
        return {**made, **given(data, "title"), "fitsLine": data.get("size") == "line"}

    def html(self, source: str) -> str | None:
        """Return what is safe of a piece of HTML; None where that cannot be told."""
        return safe_html.clean(source, _DocumentAddresses(self.follow, self._anchors))

    def _leaf(self, leaf: dict[str, Any], open_tags: list[tuple[str, _Style]]) -> Iterator[Run]:
        content = words(leaf, "text")
        if leaf.get("html"):
            yield from self._tags(content, open_tags)
            return
        style = open_tags[-1][1]
        looks: Run = {"marks": list(style.marks), **({"title": style.title} if style.title else {})}
        for mark in nodes_in(leaf.get("marks")):
            if mark.get("type") == "color":
                looks |= _colors(mark.get("data"))
            elif mark.get("type") in _MARKS and mark["type"] not in looks["marks"]:
                looks["marks"].append(mark["type"])
        if "{%" not in content or "code" in looks["marks"]:
            yield from _lines(content, looks)
            return
        for piece, href in without_unknown_tags(content):
            if href is None:
                yield from _lines(piece, looks)
            else:
                yield {"type": "link", "target": self.follow(href), "runs": [*_lines(piece, looks)]}

    def _tags(self, source: str, open_tags: list[tuple[str, _Style]]) -> Iterator[Run]:
        """Read HTML that is kept as it is: tags that only change how text looks, and places to link to."""
        for piece in html_syntax.pieces(source):
            if not piece.name:
                yield from _lines(html.unescape(piece.raw), {"marks": list(open_tags[-1][1].marks)})
            if piece.name in _TAGS and piece.closing:
                _close(piece.name, open_tags)
            elif piece.name in _TAGS and len(open_tags) <= MOST_TAGS:
                marks, title = open_tags[-1][1]
                mark = _TAGS[piece.name]
                marks = (*marks, mark) if mark and mark not in marks else marks
                title = piece.attributes.get("title", "") if mark == "abbreviation" else title
                open_tags.append((piece.name, _Style(marks, title)))
            name = piece.attributes.get("id") or (piece.attributes.get("name") if piece.name == "a" else "")
            if name and not piece.closing and piece.name in ("a", *_TAGS) and name not in self._anchors:
                self._anchors.add(name)
                yield {"type": "anchor", "anchor": name}

    def _inline(self, node: dict[str, Any], style: _Style) -> list[Run]:
        data = node["data"] if isinstance(node.get("data"), dict) else {}
        maker = _INLINES.get(node["type"]) if isinstance(node.get("type"), str) else None
        inside = self.runs(node.get("nodes"), style)
        return inside if maker is None else [maker(self, data, inside)]

    def _link(self, data: dict[str, Any], inside: list[Run]) -> Run:
        return {
            "type": "link",
            "target": self.follow(address(data)),
            **given(data, "title"),
            "runs": list(_without_links(inside)),
        }

    def _button(self, data: dict[str, Any], inside: list[Run]) -> Run:
        return {
            "type": "button",
            "target": self.follow(address(data)),
            "primary": "secondary" not in words(data, "style"),
            **given(data, "icon"),
            "runs": list(_without_links(inside)),
        }

    def _image(self, data: dict[str, Any], _inside: list[Run]) -> Run:
        return {"type": "image", **self.picture(data)}

    def _footnote(self, data: dict[str, Any], inside: list[Run]) -> Run:
        number = self._numbers.setdefault(words(data, "label"), len(self._numbers) + 1)
        if isinstance(data.get("body"), list):
            self.notes.append((number, data["body"]))
        return {"type": "footnote", "number": number, "runs": inside}


def _emoji(_reader: LineReader, data: dict[str, Any], _inside: list[Run]) -> Run:
    code = words(data, "code")
    shown = escapes.emoji_characters(code).encode("utf-8", "ignore").decode()
    return {"type": "emoji", "text": shown, "code": code}


def _icon(_reader: LineReader, data: dict[str, Any], _inside: list[Run]) -> Run:
    return {"type": "icon", **given(data, "icon"), **given(data, "style")}


def _math(_reader: LineReader, data: dict[str, Any], _inside: list[Run]) -> Run:
    return {"type": "math", "formula": words(data, "formula")}


def _expression(_reader: LineReader, data: dict[str, Any], _inside: list[Run]) -> Run:
    return {"type": "expression", "expression": words(data, "expression")}


def _mention(_reader: LineReader, data: dict[str, Any], inside: list[Run]) -> Run:
    ref = data.get("ref")
    user = words(ref, "user") if isinstance(ref, dict) else ""
    return {"type": "mention", "user": user, "text": plain(inside).removeprefix("@")}


_INLINES: dict[str, Callable[[LineReader, dict[str, Any], list[Run]], Run]] = {
    "link": LineReader._link,
    "button": LineReader._button,
    "inline-image": LineReader._image,
    "annotation": LineReader._footnote,
    "emoji": _emoji,
    "icon": _icon,
    "inline-math": _math,
    "expression": _expression,
    "mention": _mention,
}


def _lines(content: str, looks: Run) -> Iterator[Run]:
    """Return text line by line."""
    for number, line in enumerate(content.split("\n")):
        if number:
            yield {"type": "line-break", "text": "\n"}
        if line:
            yield {"type": "text", "text": line, **looks}


def _colors(data: object) -> Run:
    if not isinstance(data, dict):
        return {}
    found = {"color": color_named(data.get("text")), "background": color_named(data.get("background"))}
    return {name: color for name, color in found.items() if color}


def _close(name: str, open_tags: list[tuple[str, _Style]]) -> None:
    """End a tag with all that are open inside of it."""
    names = [opened for opened, _ in open_tags]
    if name in names:
        del open_tags[len(names) - 1 - names[::-1].index(name) :]


def _without_links(runs: Sequence[Run]) -> Iterator[Run]:
    """Return runs with what stands in links and buttons in their places."""
    for run in runs:
        if run["type"] in ("link", "button"):
            yield from run["runs"]
        else:
            yield run


def plain(runs: Sequence[Run]) -> str:
    """Return the text of runs."""
    return "".join(run.get("text") or plain(run.get("runs") or ()) for run in runs)


def _text_in(inside: object) -> str:
    """Return the text of nodes, however deep it is."""
    parts: list[str] = []
    waiting = nodes_in(inside)[::-1]
    while waiting:
        node = waiting.pop()
        parts += [words(leaf, "text") for leaf in nodes_in(node.get("leaves")) if not leaf.get("html")]
        waiting += nodes_in(node.get("nodes"))[::-1]
    return "".join(parts)


def nodes_in(value: object) -> list[dict[str, Any]]:
    """Return the nodes in a list; nothing where it is none."""
    return [node for node in value if isinstance(node, dict)] if isinstance(value, list) else []


def words(data: dict[str, Any], name: str) -> str:
    """Return the text of this name; an empty one where there is none."""
    value = data.get(name)
    return value if isinstance(value, str) else ""


def given(data: dict[str, Any], name: str) -> dict[str, str]:
    """Return the text of this name by its name; nothing where there is none."""
    value = words(data, name)
    return {name: value} if value else {}


def address(data: dict[str, Any], name: str = "ref") -> str:
    """Return the address of a reference as it is written, or made of ids; "" where there is none."""
    return nodes.address(data.get(name), None)


def length(written: object) -> dict[str, Any] | None:
    """Return a width or height; None where there is none."""
    found = html_syntax.length(written)
    if found is None:
        return None
    value, is_share = found
    return {"value": value, "unit": "percent" if is_share else "pixels"}
