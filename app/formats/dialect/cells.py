"""What stands inside a cell of an HTML table: inlines, or paragraphs and lists of them."""

from __future__ import annotations

from dataclasses import dataclass, field

from app.formats.dialect import html, nodes
from app.formats.dialect.inlines import Reading
from app.formats.dialect.nodes import Node

_BLOCKS = {"p": "paragraph", "ul": "list-unordered", "ol": "list-ordered", "li": "list-item"}
_INLINES = {
    "strong", "b", "em", "i", "del", "s", "strike", "code", "kbd", "sup", "sub", "mark", "a", "br", "img",
}  # fmt: skip
_DEEPEST = 10
_PARENTS = {"p": ("", "li"), "ul": ("", "li"), "ol": ("", "li"), "li": ("ul", "ol")}


@dataclass(slots=True)
class _Open:
    """A block being read: its tag, the blocks in it, and where its pending inlines begin."""

    name: str
    nodes: list[Node] = field(default_factory=list)
    has_blocks: bool = False


def read(source: str, reading: Reading) -> list[Node] | None:
    """The nodes of a cell, or None if it holds other tags or they do not nest."""
    open_blocks = [_Open("")]
    pending = 0
    for piece in html.pieces(source):
        if piece.name in _INLINES or not piece.name:
            continue
        if piece.name not in _BLOCKS or piece.attributes:
            return None
        _inlines(open_blocks[-1], source[pending : piece.start], reading)
        pending = piece.end
        if not _step(open_blocks, piece):
            return None
    _inlines(open_blocks[-1], source[pending:], reading)
    return open_blocks[0].nodes if len(open_blocks) == 1 else None


def _step(open_blocks: list[_Open], piece: html.Piece) -> bool:
    here = open_blocks[-1]
    if not piece.closing:
        allowed = here.name in _PARENTS[piece.name] and len(open_blocks) <= _DEEPEST
        if allowed and not here.has_blocks:
            here.nodes = [nodes.block("paragraph", here.nodes)] if here.nodes else []
            here.has_blocks = True
        open_blocks.append(_Open(piece.name, has_blocks=piece.name in ("ul", "ol")))
        return allowed
    if here.name != piece.name:
        return False
    open_blocks.pop()
    inside = here.nodes
    if piece.name == "li" and inside and not here.has_blocks:
        inside = [nodes.block("paragraph", inside)]
    if inside or piece.name == "li":
        open_blocks[-1].nodes.append(nodes.block(_BLOCKS[piece.name], inside))
    return True


def _inlines(here: _Open, source: str, reading: Reading) -> None:
    """Add loose text: as it is before any block, as a paragraph of its own after one."""
    read_nodes = reading.html(source)
    if not read_nodes:
        return
    if here.name in ("ul", "ol"):
        here.nodes.append(nodes.block("list-item", [nodes.block("paragraph", read_nodes)]))
    elif here.has_blocks:
        here.nodes.append(nodes.block("paragraph", read_nodes))
    else:
        here.nodes = read_nodes
