"""Pictures that stand alone: `![…](…)` and `<img>` by themselves, `<figure>`, and rows of figures."""

from __future__ import annotations

from dataclasses import dataclass, field

from app.formats.dialect import html, nodes
from app.formats.dialect.inlines import Reading
from app.formats.dialect.nodes import Node
from app.formats.dialect.tag_pairs import usable

_IMAGE_ATTRIBUTES = {"src", "alt", "title", "width", "height", "data-size"}
_WRAPPERS = {"figure", "div", "p", "picture"}


def images(pictures: list[Node], align: str | None = None) -> Node:
    """The block that holds one picture or a row of them."""
    return nodes.block("images", pictures, align=align)


def lone_image(inline: Node) -> Node:
    """The block for an image that is all its paragraph has."""
    return images([nodes.block("image", **inline["data"])])


@dataclass(slots=True)
class _Figures:
    """What has been read of a run of figures."""

    pictures: list[Node] = field(default_factory=list)
    align: str | None = None
    dark: str | None = None


def read_figures(source: str, reading: Reading) -> Node | None:
    """The images block an HTML block stands for, or None if it holds anything else."""
    read = _Figures()
    pieces = html.pieces(source)
    index = 0
    while index < len(pieces):
        piece = pieces[index]
        if piece.name == "figcaption" and not piece.closing and read.pictures:
            index = _caption(pieces, index, source, read.pictures[-1], reading)
        elif not _take(piece, read):
            return None
        index += 1
    return images(read.pictures, read.align) if read.pictures else None


def _take(piece: html.Piece, read: _Figures) -> bool:
    given = piece.attributes
    if piece.name == "img" and usable(given.get("src")) and given.keys() <= _IMAGE_ATTRIBUTES:
        read.pictures.append(_image(given, read.dark))
        read.dark = None
    elif piece.name == "source" and "dark" in given.get("media", "") and usable(given.get("srcset")):
        read.dark = given["srcset"]
    elif piece.name in _WRAPPERS and given.keys() <= {"align"}:
        read.align = given.get("align", read.align)
    else:
        return False
    return True


def _image(given: dict[str, str], dark: str | None) -> Node:
    return nodes.block(
        "image",
        ref=nodes.url_reference(given["src"]),
        refDark=nodes.url_reference(dark) if dark else None,
        alt=given.get("alt", ""),
        title=given.get("title"),
        width=given.get("width"),
        height=given.get("height"),
        size=given.get("data-size"),
    )


def _caption(pieces: list[html.Piece], index: int, source: str, image: Node, reading: Reading) -> int:
    """Read a caption into the image and give the index of its end."""
    source = html.without_comments(source)
    begin = pieces[index].end
    for last in range(index, len(pieces)):
        if pieces[last].name == "figcaption" and pieces[last].closing:
            break
    inside = html.strip(source[begin : pieces[last].start])
    if inside.startswith("<p>") and inside.endswith("</p>") and inside.count("<p>") == 1:
        inside = inside[3:-4]
    image["nodes"] = reading.html(inside)
    return last
