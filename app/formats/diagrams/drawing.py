"""Draws diagrams: the text that people write becomes an SVG, for light and for dark pages.

The library runs in a process of its own (`drawing_process.py`) that has an empty environment and limits on
time and memory: whatever it does with a text that is made to harm it, the server goes on. What comes out is
shown as a picture only, in which a browser runs and loads nothing.
"""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from html import escape
from importlib.util import find_spec
from pathlib import Path

from app.formats.markdown import nodes
from app.formats.markdown.nodes import Node
from app.formats.markdown.safe_html import sendable

LANGUAGE = "mermaid"  # of fenced code that is a diagram
LONGEST = 20_000  # characters
LARGEST = 2_000_000  # bytes of a picture
SECONDS, MEMORY = 5, 1 << 30  # that drawing one may take
SLOWEST = 4  # seconds by the clock for each of CPU time
STYLE = "1"  # changes with how diagrams look, so that their addresses do
_PROGRAM = Path(__file__).parent / "drawing_process.py"
_FONTS = "Helvetica, Arial, Liberation Sans, sans-serif"
_SETUP = '%%{{init: {{"theme": "{}", "fontFamily": "{}", "securityLevel": "strict"}}}}%%\n'
_FRONT = re.compile(r"\s*---[ \t]*\n.*?\n---[ \t]*\n", re.DOTALL)
_ROOT = re.compile(r"<svg\b[^>]*>")
_VIEW = re.compile(r'viewBox="(-?[\d.]+) (-?[\d.]+) ([\d.]+) ([\d.]+)"')
_SIZES = re.compile(r'\s(?:width|height|style)="[^"]*"')
_TITLES = (
    re.compile(r"^\s*accTitle\s*:\s*(.+)$", re.MULTILINE),
    re.compile(r"^\s*(?:pie\s+(?:showData\s+)?)?title\b\s*:?\s*(.+)$", re.MULTILINE),
)


class NotDrawn(Exception):
    """The text is no diagram, or takes too long; the message says why."""


@dataclass(slots=True, frozen=True)
class Drawing:
    """A picture and its size in pixels."""

    svg: str
    width: int
    height: int


@cache
def is_installed() -> bool:
    """Tell whether the library that draws is there; it is not loaded for that."""
    return find_spec("mmdr") is not None


def source_in(node: Node) -> str | None:
    """Return the text of the diagram that a block of code is; None for any other block."""
    if node.get("type") != "code" or str(node["data"].get("syntax") or "").lower() != LANGUAGE:
        return None
    source = "\n".join(nodes.plain_text(line["nodes"]) for line in node["nodes"])
    return source if source.strip() and len(source) <= LONGEST else None


def key(source: str) -> str:
    """Return the name of a diagram by what it shows."""
    return blake2b(f"{STYLE}\n{source}".encode("utf-8", "replace"), digest_size=12).hexdigest()


def title(source: str) -> str:
    """Return what a diagram says of itself, or ""."""
    found = next(filter(None, (pattern.search(source) for pattern in _TITLES)), None)
    return found[1].strip() if found else ""


def draw(source: str, *, dark: bool = False) -> Drawing:
    """Return a diagram as a picture; blocks until it is drawn. Raises NotDrawn."""
    front = _FRONT.match(source)
    at = front.end() if front else 0
    setup = _SETUP.format("dark" if dark else "default", _FONTS)
    svg = _drawn(source[:at] + setup + source[at:])
    root = _ROOT.search(svg)
    view = _VIEW.search(root[0]) if root else None
    if root is None or view is None or len(svg) > LARGEST:
        raise NotDrawn("The diagram is too large.")
    width, height = (max(round(float(view[n])), 1) for n in (3, 4))
    sized = f'<svg width="{width}" height="{height}"{_SIZES.sub("", root[0])[4:]}'
    return Drawing(svg[: root.start()] + sized + svg[root.end() :], width, height)


def refusal(message: str, *, dark: bool = False) -> Drawing:
    """Return a picture that only says why there is none."""
    color, words = "#f0b4ae" if dark else "#b3261e", escape(sendable(" ".join(message.split()))[:160])
    width, height = max(7 * len(words), 200), 40
    text = f'<text x="0" y="25" font-family="{_FONTS}" font-size="14" fill="{color}">{words}</text>'
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    return Drawing(f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{text}</svg>', width, height)


def _drawn(source: str) -> str:
    """Return what the library makes of a text."""
    found = find_spec("mmdr")
    if found is None or found.origin is None:
        raise NotDrawn("Diagrams are not installed here: the extra “diagrams” is missing.")
    library = str(Path(found.origin).parent.parent)
    try:
        ended = subprocess.run(
            [sys.executable, "-I", str(_PROGRAM), library, str(SECONDS), str(MEMORY)],
            input=source.encode("utf-8", "replace"),
            capture_output=True,
            env={"RAYON_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"},
            timeout=SECONDS * SLOWEST,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise NotDrawn("The diagram takes too long to draw.") from None
    if ended.returncode < 0:
        raise NotDrawn("The diagram takes too long to draw, or too much memory.")
    if ended.returncode:
        raise NotDrawn(ended.stderr.decode("utf-8", "replace").strip()[:300] or "This is no diagram.")
    return ended.stdout.decode("utf-8", "replace")
