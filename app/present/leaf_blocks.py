"""Blocks of a document that hold no others, as `models.leaf_blocks` has them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias, get_args

from app.formats.markdown import fence_options, safe_html
from app.models.leaf_blocks import Align
from app.present.runs import LineReader, address, given, nodes_in, words

Data = dict[str, Any]
Block = dict[str, Any]
LeafMaker: TypeAlias = Callable[[LineReader, Data, Data], Iterator[Block]]
"""Yields the blocks of a node, which is given with its data: mostly one."""
ALIGNS = frozenset(get_args(Align))
_HEADINGS = {"heading-1": 1, "heading-2": 2, "heading-3": 3}


def data_of(node: Data) -> Data:
    """Return what a node has of its own."""
    data = node.get("data")
    return data if isinstance(data, dict) else {}


def key_of(node: Data) -> Block:
    """Return the key of a node as a block has it."""
    return given(node, "key")


def among(choices: frozenset[str], data: Data, name: str) -> dict[str, str]:
    """Return the text of this name by its name, if it is one of the choices."""
    value = words(data, name)
    return {name: value} if value in choices else {}


def _heading(line: LineReader, data: Data, node: Data) -> Iterator[Block]:
    level, anchor = data.get("level"), words(data, "id")
    is_level = isinstance(level, int) and not isinstance(level, bool) and 1 <= level <= 6
    is_anchor = anchor and not anchor.startswith("~") and not any(sign.isspace() for sign in anchor)
    yield {
        "type": "heading",
        "level": level if is_level else _HEADINGS[node["type"]],
        **({"anchor": anchor} if is_anchor else {}),
        "runs": line.runs(node.get("nodes")),
    }


def _paragraph(line: LineReader, _data: Data, node: Data) -> Iterator[Block]:
    runs = line.runs(node.get("nodes"))
    if runs:
        yield {"type": "paragraph", "runs": runs}


def _divider(_line: LineReader, _data: Data, _node: Data) -> Iterator[Block]:
    yield {"type": "divider"}


def _code(_line: LineReader, data: Data, node: Data) -> Iterator[Block]:
    language = words(data, "syntax")
    said = fence_options.read(words(data, "meta"))
    yield {
        "type": "code",
        **({"language": language} if language else {}),
        **given({"title": words(data, "title") or said.title}, "title"),
        "lineNumbers": data.get("lineNumbers") is True or said.numbered,
        "wrap": data.get("overflow") == "wrap",
        "code": "\n".join(map(_line_of_code, nodes_in(node.get("nodes")))),
    }


def _line_of_code(node: Data) -> str:
    texts = (leaf for text in nodes_in(node.get("nodes")) for leaf in nodes_in(text.get("leaves")))
    return "".join(words(leaf, "text") for leaf in texts)


def _math(_line: LineReader, data: Data, _node: Data) -> Iterator[Block]:
    yield {"type": "math", "formula": words(data, "formula")}


def _images(line: LineReader, data: Data, node: Data) -> Iterator[Block]:
    """Yield a picture, or several beside each other."""
    pictures = nodes_in(node.get("nodes"))
    align = among(ALIGNS, data, "align")
    if len(pictures) == 1:
        yield {**_picture("image", line, pictures[0]), **align}
    elif pictures:
        images = [{**key_of(each), **_picture("image", line, each)} for each in pictures]
        yield {"type": "gallery", **align, "images": images}


def _image(line: LineReader, _data: Data, node: Data) -> Iterator[Block]:
    yield _picture("image", line, node)


def _drawing(line: LineReader, _data: Data, node: Data) -> Iterator[Block]:
    yield _picture("drawing", line, node)


def _picture(kind: str, line: LineReader, node: Data) -> Block:
    return {"type": kind, **line.picture(data_of(node)), "caption": line.runs(node.get("nodes"))}


def _file(line: LineReader, data: Data, node: Data) -> Iterator[Block]:
    yield {"type": "file", "target": line.follow(address(data)), "caption": line.runs(node.get("nodes"))}


def _link_card(line: LineReader, data: Data, node: Data) -> Iterator[Block]:
    """Yield a link to content; the name of a file that editors write as its text says nothing."""
    href = address(data)
    caption = line.runs(node.get("nodes"))
    if len(caption) == 1 and caption[0]["type"] == "link" and caption[0]["target"]["href"] == href:
        said = "".join(run.get("text", "") for run in caption[0]["runs"]).strip()
        caption = [] if said in (href, href.rpartition("/")[2]) else caption
    yield {"type": "link-card", "target": line.follow(href), "caption": caption}


def _reusable_content(line: LineReader, data: Data, _node: Data) -> Iterator[Block]:
    yield {"type": "reusable-content", "target": line.follow(address(data))}


def _integration(line: LineReader, data: Data, _node: Data) -> Iterator[Block]:
    """Yield a block of an integration; without one it is HTML, or a tag that is not known."""
    props = data["props"] if isinstance(data.get("props"), dict) else {}
    name, block, source = words(data, "integration"), words(data, "block"), words(props, "source")
    if name:
        yield {"type": "integration", "integration": name, "block": block, "props": props}
    elif source.lstrip().startswith("<"):
        yield from _html(line, source)
    else:
        found = safe_html.addresses_in(source)
        yield {"type": "custom-tag", "name": block, "markdown": source, "addresses": found}


def _html(line: LineReader, source: str) -> Iterator[Block]:
    """Yield HTML, and what its frames show; HTML that is too large to be sanitized is code."""
    html = line.html(source)
    if html is None:
        code = source[: safe_html.MOST]
        yield {"type": "code", "language": "html", "lineNumbers": False, "wrap": False, "code": code}
    elif html.strip():
        yield {"type": "html", "html": html}
    for href, title in safe_html.frames(source):
        told = {"title": title} if title else {}
        yield {"type": "embed", "target": line.follow(href), **told, "caption": [], "blocks": []}


LEAVES: Mapping[str, LeafMaker] = {
    **dict.fromkeys(_HEADINGS, _heading),
    "paragraph": _paragraph,
    "divider": _divider,
    "code": _code,
    "math": _math,
    "images": _images,
    "image": _image,
    "drawing": _drawing,
    "file": _file,
    "content-ref": _link_card,
    "reusable-content": _reusable_content,
    "integration": _integration,
}
"""The functions that make the blocks of a node, by its type."""
