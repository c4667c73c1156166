"""A book to the bytes of a PDF.

The content is written as JSON and a fixed typst template sets it: nobody's text is ever part of a source that
typst reads, so there is nothing to escape and nothing that could be injected. Typst runs in a process of its
own (`typst_process.py`) that has an empty environment, limits on time and memory, and a folder that ends with
it; it can read only that folder and the fonts. It cannot be interrupted otherwise, and a picture or a formula
that exhausts it takes no server along.
"""

from __future__ import annotations

import importlib.util
import json
import logging
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.formats.markdown import nodes
from app.formats.pdf import inlines, layout_context
from app.formats.pdf.blocks import blocks
from app.formats.pdf.book import Book, BookPage, PictureOf, Pictures, Places, from_mapping
from app.formats.pdf.layout_context import DEEPEST_PAGE, Room, Setting, Shared

MOST_PAGES = 10_000
_HERE = Path(__file__).parent
SLOWEST = 3  # seconds by the clock for each of CPU time
_TICK = 0.5  # seconds between two looks at a process


class NotPrinted(Exception):
    """The book could not be set, or typst refused it; the message says why."""


class TooMuch(NotPrinted):
    """The book needs more pages, time or memory than it may have."""


@dataclass(slots=True, frozen=True)
class PdfLimits:
    """The limits of setting one book: CPU seconds (and three times as many by the clock), bytes of memory.

    `stopped` is asked again and again, and ends the work by being true.
    """

    seconds: int = 120
    memory: int = 4 << 30
    stopped: Callable[[], bool] = lambda: False


@dataclass(slots=True, frozen=True)
class _Watch:
    """Ends the work where its time is over or nobody wants it any more."""

    limits: PdfLimits
    until: float

    def check(self) -> None:
        if self.limits.stopped():
            raise NotPrinted("Setting the PDF was stopped.")
        if time.monotonic() > self.until:
            raise TooMuch("Setting the PDF took too long.")


def render(
    book: Book,
    pictures: Mapping[str, bytes] | PictureOf,
    fonts: Path | None = None,
    limits: PdfLimits = PdfLimits(),
) -> bytes:
    """Return the book as a PDF; blocks until it is done.

    Pictures are given by href or path, or by a function; what is missing or broken is a labelled box. `fonts`
    is a folder of more fonts, used for characters the embedded ones lack (and taken to have emoji). Raises
    NotPrinted, and TooMuch where a part of the book might be printed.
    """
    library = _library()
    if len(book.pages) > MOST_PAGES:
        raise TooMuch(f"A book has at most {MOST_PAGES:,} pages.")
    watch = _Watch(limits, time.monotonic() + SLOWEST * limits.seconds)
    picture_of = from_mapping(pictures) if isinstance(pictures, Mapping) else pictures
    with tempfile.TemporaryDirectory(prefix="docyard-pdf-") as name:
        folder = Path(name)
        shutil.copytree(_HERE / "template", folder, dirs_exist_ok=True)
        data = manuscript(book, picture_of, folder, pictograms=fonts is not None, before_page=watch.check)
        (folder / "book.json").write_text(json.dumps(data, ensure_ascii=False, allow_nan=False))
        try:
            _set(folder, library, fonts, watch)
        except NotPrinted:
            # A picture may have exhausted typst: once more without any.
            watch.check()
            if not _drop_pictures(folder):
                raise
            _set(folder, library, fonts, watch)
        return (folder / "book.pdf").read_bytes()


def _library() -> str:
    found = importlib.util.find_spec("typst")
    if found is None or found.origin is None:
        raise NotPrinted("PDF is not installed here: the extra “pdf” is missing.")
    return str(Path(found.origin).parent.parent)


def _drop_pictures(folder: Path) -> bool:
    """Make every picture one that cannot be read; False if there is none."""
    pictures = list(folder.glob("picture-*"))
    for picture in pictures:
        picture.write_bytes(b"")
    return bool(pictures)


def picture(folder: Path, name: str, fonts: Path | None, limits: PdfLimits) -> bytes:
    """Return a picture that typst sets of the source of this name in a folder; raises NotPrinted."""
    watch = _Watch(limits, time.monotonic() + SLOWEST * limits.seconds)
    _set(folder, _library(), fonts, watch, f"{name}.png")
    return (folder / f"{name}.png").read_bytes()


def _set(folder: Path, library: str, fonts: Path | None, watch: _Watch, output: str = "book.pdf") -> None:
    """Run typst on the folder."""
    limits = watch.limits
    command = [sys.executable, "-I", str(_HERE / "typst_process.py"), str(folder), library]
    environment = {"SECONDS": str(limits.seconds), "MEMORY": str(limits.memory), "RAYON_NUM_THREADS": "2"}
    with subprocess.Popen(
        [*command, *([str(fonts.resolve())] if fonts else [])],
        cwd=folder,
        env={**environment, "OUTPUT": output, "MALLOC_ARENA_MAX": "2"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as process:
        errors = _watched(process, watch)
    if process.returncode < 0:
        raise TooMuch("Setting the PDF needed more time or memory than it may use.")
    if process.returncode:
        said = errors.decode(errors="replace").strip()
        logging.getLogger(__name__).warning("typst: %s", said[:5_000])
        raise NotPrinted(f"The PDF could not be set: {said.splitlines()[-1] if said else '-'}"[:500])


def _watched(process: subprocess.Popen[bytes], watch: _Watch) -> bytes:
    """Return what the process says at its end, which comes sooner where it has to."""
    while True:
        try:
            return process.communicate(timeout=_TICK)[1]
        except subprocess.TimeoutExpired:
            try:
                watch.check()
            except NotPrinted:
                process.kill()
                raise


PAGE_ROOM = 300
ROOM = 5_000_000
CUT = "The rest of this page is too long to be printed."
LONGEST_TITLE = 1_000
_LANGUAGE = re.compile(r"([A-Za-z]{2,3})(?:[-_]([A-Za-z]{2}))?(?:[-_]|\Z)")


def manuscript(
    book: Book,
    picture_of: PictureOf,
    folder: Path,
    *,
    pictograms: bool,
    before_page: Callable[[], None] = lambda: None,
) -> dict[str, Any]:
    """Return the data of the whole book; its pictures are written to the folder.

    `before_page` is called before each page, and ends the work by raising.
    """
    shared = Shared(Places(book), Pictures(folder), picture_of, pictograms, Room(ROOM), book.included)
    shared.room.take(PAGE_ROOM * len(book.pages))
    opened = [_Opened(page, Setting(shared, page)) for page in book.pages]
    made = []
    for page in opened:
        before_page()
        made.append(page.data())
    shared.places.settle()
    language = _LANGUAGE.match(book.language)
    return {
        "title": _title(book.title, pictograms) or "Untitled",
        "subtitle": _title(book.subtitle, pictograms),
        "author": _title(book.author, pictograms),
        "notes": [_title(note, pictograms) for note in book.notes[:20]],
        "language": language[1].lower() if language else "en",
        "region": language[2].upper() if language and language[2] else None,
        "pages": made,
    }


class _Opened:
    """A page whose place is marked before any page is written, so that its title's link is its own."""

    def __init__(self, page: BookPage, here: Setting) -> None:
        self.page = page
        self.here = here
        self.place = here.mark("") or here.shared.places.another()

    def data(self) -> dict[str, Any]:
        """Return the page's data with as much of its body as there is room for."""
        page, here = self.page, self.here
        document, is_whole = layout_context.of_page(here)
        body = blocks(nodes.without_title(document, page.title), here)
        notes = _notes(here)
        if not is_whole or (document and here.shared.room.left < 0):
            body.append({"k": "box", "label": CUT, "t": ""})
        return {
            "id": self.place,
            "title": _title(page.title, here.shared.pictograms) or "Untitled",
            "depth": min(max(page.depth, 0), DEEPEST_PAGE),
            "description": inlines.line(page.description[: 10 * LONGEST_TITLE], here),
            "kind": page.kind,
            "changed": page.changed,
            "href": here.words(page.href[:LONGEST_TITLE]),
            "a": here.link(page.href) if page.href else {},
            "c": body,
            "notes": notes,
        }


def _title(content: str, pictograms: bool) -> str:
    short = layout_context.one_line(content[:LONGEST_TITLE])
    return layout_context.breakable(
        layout_context.printable(short, pictograms=pictograms), layout_context.CELL
    )


def _notes(here: Setting) -> list[dict[str, Any]]:
    """Return the page's notes; a note's text may hold the first reference to another."""
    made = []
    for number, body, place in here.notes.bodies:
        made.append({"n": str(number), "id": place, "c": blocks(body, here.inside())})
    return sorted(made, key=lambda note: int(note["n"]))
