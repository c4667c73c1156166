"""HTML that the dialect keeps as it is, read for what it says: texts, links, pictures, lists and tables.

Nothing is styled and nothing runs. Tags are read one after another without nesting, so there is no depth to
exhaust; scripts and styles are named and left out, frames and videos become a line with their address.
"""

from __future__ import annotations

import html as entities
from dataclasses import dataclass, field

from app.formats.markdown import html_syntax
from app.formats.pdf import inlines
from app.formats.pdf.inlines import Data, Pieces
from app.formats.pdf.layout_context import CELL_ROOM, Setting

_MARKS = {"b": "b", "strong": "b", "i": "i", "em": "i", "code": "c", "kbd": "k", "sup": "^", "sub": "_"}
_INLINE = {"a", "span", "br", "img", "small", "u", "font", "abbr", "label", *_MARKS}
_SILENT = {"script", "style", "svg", "noscript", "template"}
_FRAMES = {"iframe", "video", "audio", "source", "embed", "object"}
MOST_ROWS = 20_000
MOST_COLUMNS = 200


@dataclass(slots=True)
class _Read:
    """The content read so far: finished blocks, the open paragraph, and the open table's rows."""

    blocks: list[Data] = field(default_factory=list)
    text: Pieces = field(default_factory=list)
    cell: list[Data] | None = None
    rows: list[list[tuple[bool, list[Data]]]] | None = None
    marks: list[str] = field(default_factory=list)
    href: str = ""

    def flush(self) -> None:
        """End the open paragraph."""
        if any(piece != " " for piece in self.text):
            target = self.blocks if self.cell is None else self.cell
            target.append({"k": "p", "c": self.text})
        self.text = []

    def add(self, block: Data) -> None:
        """Add a block of its own."""
        self.flush()
        (self.blocks if self.cell is None else self.cell).append(block)


def read(source: str, here: Setting) -> list[Data]:
    """Return the blocks an HTML source stands for."""
    found = _Read()
    silent = ""
    for piece in html_syntax.pieces(source):
        if silent:
            silent = "" if piece.closing and piece.name == silent else silent
        elif not piece.name:
            _words(piece.raw, found, here)
        elif piece.name in _SILENT:
            silent = "" if piece.closing else piece.name
            if piece.name in ("script", "svg") and not piece.closing:
                found.add({"k": "box", "label": piece.name, "t": ""})
        else:
            _tag(piece, found, here)
    _end_table(found, here)
    found.flush()
    return found.blocks


def _words(raw: str, found: _Read, here: Setting) -> None:
    words = here.words(entities.unescape(html_syntax.collapse(raw)).replace("\n", " "))
    marks = "".join(dict.fromkeys(found.marks))
    piece = {"k": "t", "t": words, "m": marks} if marks else words
    found.text.append({"k": "link", "a": here.link(found.href), "c": [piece]} if found.href else piece)


def _tag(piece: html_syntax.Piece, found: _Read, here: Setting) -> None:
    name = piece.name
    if name not in _INLINE:
        found.flush()
    anchor = piece.attributes.get("id") or (piece.attributes.get("name") if name == "a" else "")
    if anchor and not piece.closing and (label := here.mark(anchor)):
        found.add({"k": "anchor", "id": label})
    if name in _MARKS:
        _mark(_MARKS[name], piece.closing, found.marks)
    elif name == "dt":
        _mark("b", piece.closing, found.marks)
    elif name == "a":
        found.href = "" if piece.closing else piece.attributes.get("href", "")
    elif name == "img" and piece.attributes.get("src"):
        _image(piece.attributes, found, here)
    elif name == "br":
        found.text.append({"k": "br"})
    elif name == "hr":
        found.add({"k": "rule"})
    elif name == "li" and not piece.closing:
        found.text.append("• ")
    elif name in _FRAMES and piece.attributes.get("src"):
        href = piece.attributes["src"]
        found.add({"k": "line", "label": name, "a": here.link(href), "c": [here.words(href)]})
    else:
        _table_tag(piece, found, here)


def _mark(letter: str, closing: bool, marks: list[str]) -> None:
    if not closing:
        marks.append(letter)
    elif letter in marks:
        marks.remove(letter)


def _image(attributes: dict[str, str], found: _Read, here: Setting) -> None:
    data = {"ref": {"url": attributes["src"]}, **{key: attributes.get(key) for key in ("alt", "width")}}
    picture = inlines.picture(data, here)
    if any(piece != " " for piece in found.text):
        found.text.append(picture)
    else:
        found.add({"k": "figs", "items": [{**picture, "cap": []}], "align": ""})


def _table_tag(piece: html_syntax.Piece, found: _Read, here: Setting) -> None:
    """Read rows and cells; a table inside a table goes on in its cell's row."""
    match piece.name, piece.closing:
        case "table", False if found.rows is None:
            found.rows = []
        case "table", True:
            _end_table(found, here)
        case "tr", False if found.rows is not None:
            _end_cell(found)
            found.rows.append([])
        case (("td" | "th"), False) if found.rows is not None and len(found.rows) <= MOST_ROWS:
            _end_cell(found)
            found.rows = found.rows or [[]]
            found.cell = []
            found.rows[-1].append((piece.name == "th", found.cell))
        case (("td" | "th"), True):
            _end_cell(found)


def _end_cell(found: _Read) -> None:
    found.flush()
    found.cell = None


def _end_table(found: _Read, here: Setting) -> None:
    """End a table: it is as wide as its longest row; a first row of head cells is the head."""
    _end_cell(found)
    rows, found.rows = [row for row in found.rows or [] if row], None
    if not rows:
        return
    width = max(map(len, rows))
    if width > MOST_COLUMNS or not here.shared.room.take(CELL_ROOM * width * len(rows)):
        found.add({"k": "box", "label": "This table is too large to be printed.", "t": ""})
        return
    filled = [[cell for _, cell in row] + [[] for _ in range(width - len(row))] for row in rows]
    has_head = all(is_head for is_head, _ in rows[0])
    head = filled.pop(0) if has_head else []
    found.blocks += inlines.grid(head or [[] for _ in range(width)], filled, ["auto"] * width)
