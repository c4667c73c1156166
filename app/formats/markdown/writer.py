"""A document to Markdown: the inverse of `parser`, for bodies that an editor gives back as documents."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from app.formats.markdown import blocks, escapes, html_syntax, nodes, tables, tags
from app.formats.markdown.anchors import needs_anchor
from app.formats.markdown.inline_writer import InlineWriter, image_attributes
from app.formats.markdown.nodes import Address, Node, address
from app.kit.deadlines import check

Lines = list[str]
_TAG_OF = {"tabs-item": "tab", "stepper-step": "step"}
MARKERS: Mapping[str, str] = {"list-unordered": "*-+", "list-tasks": "*-+", "list-ordered": ".)"}
_OPENAPI = {"openapi-operation", "openapi-schemas", "openapi-webhook", "swagger"}


def to_markdown(document: Node, own_address: Address | None = None) -> str:
    """Return the Markdown of a document; `own_address` may say where references lead (else they stay ids)."""
    writer = BlockWriter(document, own_address)
    lines = writer.blocks(document["nodes"])
    lines += writer.footnotes()
    front = document.get("data", {}).get("frontMatter")
    body = "\n".join(lines) + "\n" if lines else ""
    return f"---\n{front}---\n\n{body}" if front else body


class BlockWriter:
    """Writes the blocks of a document one by one; `markers` are the signs that lists take turns with."""

    def __init__(self, document: Node, own_address: Address | None = None) -> None:
        self.inlines = InlineWriter(own_address)
        self.own_address = own_address
        self.needing_anchor = needs_anchor(document)
        self.in_item = False
        self.markers = MARKERS

    def blocks(self, nodes: list[Node], *, nested: bool = False) -> Lines:
        """Return the lines of sibling blocks, an empty line between any two;
        `nested`: right behind a bullet.
        """
        lines: Lines = []
        marker = ""
        for node in nodes:
            check()
            markers = self.markers.get(node.get("type", ""), "")
            # Neighbours take turns, or they would be one list; `* * *` would be no list at all.
            marker = markers[-1:] if nested and not lines else next((m for m in markers if m != marker), "")
            made = self._list(node, marker) if marker else self._block(node)
            if made and lines:
                lines.append("")
            lines += made
        return lines

    def footnotes(self, known: Iterable[str] = ()) -> Lines:
        """Return the definitions of all footnotes met, and of those met in them, without the `known` ones."""
        lines: Lines = []
        written = set(known)
        while missing := [label for label in self.inlines.notes if label not in written]:
            for label in missing:
                written.add(label)
                body = self.blocks(self.inlines.notes[label])
                beside = bool(self.inlines.notes[label]) and _is_text(self.inlines.notes[label][0])
                first = f" {body[0]}" if beside and body else ""
                lines += ["", f"[^{label}]:{first}", *_indent(body[1:] if beside else body, "    ")]
        return lines

    def inner(self, nodes: list[Node]) -> Lines:
        """Write blocks, or a caption's inlines as one line."""
        if nodes and nodes[0].get("object") in ("text", "inline"):
            return self._text_line(nodes)
        return self.blocks(nodes)

    def _text_line(self, nodes: list[Node]) -> Lines:
        line = escapes.line_start(self.inlines.markdown(nodes))
        return [line] if line else []

    def _block(self, node: Node) -> Lines:
        maker = _MAKERS.get(node.get("type", ""))
        if maker is not None:
            return maker(self, node)
        if node.get("object") in ("text", "inline"):
            return self._text_line([node])
        return self.inner(node["nodes"])

    def _heading(self, node: Node) -> Lines:
        data = node["data"]
        level = data.get("level") or int(node["type"][-1])
        line = re.sub(r"(#+)$", r"\\\1", self.inlines.markdown(node["nodes"]))
        anchor = data.get("id")
        if anchor and id(node) in self.needing_anchor:
            line = f'{line} <a href="#{anchor}" id="{anchor}"></a>'.lstrip()
        return [f"{'#' * min(max(int(level), 1), 6)} {line}".rstrip(" ")]

    def _divider(self, _node: Node) -> Lines:
        return ["___" if self.in_item else "***"]  # `* ***` would be one divider, and no list

    def _quote(self, node: Node) -> Lines:
        return [f"> {line}" if line else ">" for line in self.blocks(node["nodes"])] or [">"]

    def _list(self, node: Node, marker: str) -> Lines:
        lines: Lines = []
        start = node["data"].get("start", 1)
        tight = all(_is_tight(item) for item in node["nodes"])
        for index, item in enumerate(node["nodes"]):
            number = min(start + index, 999_999_999)
            if lines and not tight:
                lines.append("")
            lines += self._item(item, f"{number}{marker}" if marker in ".)" else marker, tight=tight)
        return lines

    def _item(self, item: Node, bullet: str, *, tight: bool) -> Lines:
        outer, self.in_item = self.in_item, True
        if item.get("type") == "list-item":
            body = self.blocks(item["nodes"], nested=True)
        else:
            body = self._block(item)
        self.in_item = outer
        if tight:
            body = [line for line in body if line]
        checked = item["data"].get("checked") if item.get("type") == "list-item" else None
        if checked is not None:
            box = f"[{'x' if checked else ' '}]"
            body = [f"{box} {body[0]}" if body else box, *body[1:]]
        width = " " * (len(bullet) + 1)
        first = f"{bullet} {body[0]}" if body and body[0] else bullet
        return [first, *_indent(body[1:], width)]

    def _code(self, node: Node) -> Lines:
        data = dict(node["data"])
        info = " ".join(str(data.pop(name)) for name in ("syntax", "meta") if data.get(name))
        content = [_line_text(line) for line in node["nodes"]]
        fence = _fence(content, "~" if "`" in info else "`")
        apart = " " if info.startswith(fence[0]) else ""
        lines = [fence + apart + info.replace("\n", " "), *content, fence]
        given = {name: _written(data[name]) for name in ("title", "overflow", "lineNumbers") if name in data}
        given |= data.get("attributes", {})
        return ["{% code" + tags.write_arguments(given) + " %}", *lines, "{% endcode %}"] if given else lines

    def _math(self, node: Node) -> Lines:
        return ["$$", *str(node["data"].get("formula", "")).split("\n"), "$$"]

    def _integration(self, node: Node) -> Lines:
        if node["data"].get("integration"):
            return [nodes.write_integration_block(node["data"])]
        source = str((node["data"].get("props") or {}).get("source", ""))
        return source.split("\n") if source else []

    def _table(self, node: Node) -> Lines:
        return tables.write_table(node, self.inlines)

    def _images(self, node: Node) -> Lines:
        pictures = [picture for picture in node["nodes"] if picture.get("type") == "image"]
        align = node["data"].get("align")
        if len(pictures) == 1 and not align:
            data = pictures[0]["data"]
            if not pictures[0]["nodes"] and not {"refDark", "width", "height", "size"} & data.keys():
                return [self.inlines.markdown([{**pictures[0], "object": "inline", "type": "inline-image"}])]
            return [self._figure(pictures[0])]
        wrapper = html_syntax.write_tag("div", {"align": align} if align else {})
        return [f"{wrapper}{' '.join(map(self._figure, pictures))}</div>"] if pictures else []

    def _figure(self, picture: Node) -> str:
        data = picture["data"]
        made = html_syntax.write_tag(
            "img", image_attributes(data, address(data.get("ref"), self.own_address))
        )
        if data.get("refDark"):
            srcset = address(data["refDark"], self.own_address)
            dark = {"srcset": srcset, "media": "(prefers-color-scheme: dark)"}
            made = f"<picture>{html_syntax.write_tag('source', dark)}{made}</picture>"
        caption = self.inlines.html(picture["nodes"])
        return f"<figure>{made}<figcaption>{f'<p>{caption}</p>' if caption else ''}</figcaption></figure>"

    def _image(self, node: Node) -> Lines:
        return self._images({"data": {}, "nodes": [node]})

    def _expandable(self, node: Node) -> Lines:
        title = self.inlines.html(node["data"].get("title") or [])
        first = "<details open>" if node["data"].get("open") else "<details>"
        inside = self.blocks(node["nodes"])
        return [first, "", f"<summary>{title}</summary>", "", *inside, "", "</details>"]

    def _include(self, node: Node) -> Lines:
        data = node["data"]
        path = tags.quoted(address(data.get("ref"), self.own_address))
        return [f"{{% include {path}{tags.write_arguments(data.get('attributes', {}))} %}}"]

    def _if(self, node: Node) -> Lines:
        expression = blocks.one_line(str(node["data"].get("expression", "")))
        return [f"{{% if {expression} %}}", *self.blocks(node["nodes"]), "{% endif %}"]

    def _tag(self, node: Node) -> Lines:
        """Return a block that is a tag with its data as arguments."""
        data = {name: value for name, value in node["data"].items() if name not in ("attributes", "ref")}
        name = _TAG_OF.get(node["type"], node["type"])
        if name == "openapi-operation" and "src" in data:
            name = "openapi"
        if "ref" in node["data"]:
            url = address(node["data"]["ref"], self.own_address)
            data = {"src" if name == "file" else "url": url, **data}
        given = {key: _written(value) for key, value in data.items()} | node["data"].get("attributes", {})
        inside = self.inner(node["nodes"])
        if name == "content-ref" and not inside:
            url = given.get("url", "")
            inside = [f"[{escapes.text(url)}]({escapes.destination(url)})"] if url else []
        opening = f"{{% {name}{tags.write_arguments(given)} %}}"
        if not inside and (name in tags.ENDED_OR_NOT):
            return [opening]
        return [opening, *inside, f"{{% end{name} %}}"]


def _written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _line_text(line: Node) -> str:
    leaves = (leaf["text"] for node in line.get("nodes", [line]) for leaf in node.get("leaves", []))
    return "".join(leaves).replace("\n", " ")


def _fence(content: Lines, sign: str) -> str:
    longest = max((len(run) for line in content for run in re.findall(f"{sign}+", line)), default=0)
    return sign * max(3, longest + 1)


def _indent(lines: Lines, width: str) -> Lines:
    return [width + line if line else "" for line in lines]


def _is_text(node: Node) -> bool:
    return node.get("type") == "paragraph"


def _is_tight(item: Node) -> bool:
    """Return whether an item can do without empty lines: a paragraph,
    and perhaps a list that may cut it short.
    """
    nodes = item.get("nodes")
    if item.get("type") != "list-item" or not nodes or nodes[0].get("type") != "paragraph":
        return False
    return len(nodes) == 1 or (len(nodes) == 2 and _may_cut(nodes[1]))


def _may_cut(node: Node) -> bool:
    return (
        node.get("type") in MARKERS
        and node["data"].get("start", 1) == 1
        and bool(node["nodes"])
        and all(_is_tight(item) for item in node["nodes"])
    )


_MAKERS: dict[str, Callable[[BlockWriter, Node], Lines]] = {
    "paragraph": lambda writer, node: writer.inner(node["nodes"]),
    **dict.fromkeys(("heading-1", "heading-2", "heading-3"), BlockWriter._heading),
    "divider": BlockWriter._divider,
    "blockquote": BlockWriter._quote,
    "code": BlockWriter._code,
    "math": BlockWriter._math,
    "integration": BlockWriter._integration,
    "table": BlockWriter._table,
    "images": BlockWriter._images,
    "image": BlockWriter._image,
    "drawing": lambda writer, node: writer._image({**node, "type": "image"}),
    "expandable": BlockWriter._expandable,
    "reusable-content": BlockWriter._include,
    "if": BlockWriter._if,
    **dict.fromkeys(
        (
            "hint", "tabs", "tabs-item", "stepper", "stepper-step", "columns", "column", "updates", "update",
            "content-ref", "file", "embed", *_OPENAPI,
        ),
        BlockWriter._tag,
    ),
}  # fmt: skip
