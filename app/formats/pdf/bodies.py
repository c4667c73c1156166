"""Bodies as documents: a page's own, and the reusable contents that it includes, evaluated if conditional.

Bodies are bounded here: what is too long, or would take too long to parse, is cut.
"""

from __future__ import annotations

from app.formats import links
from app.formats.conditional import Text
from app.formats.dialect.nodes import Node
from app.formats.dialect.parse import to_document
from app.formats.evaluate import evaluate_document
from app.formats.pdf.book import Body, BookPage
from app.formats.pdf.setting import INCLUDED_ROOM, Setting

MOST_OF_A_BODY = 1_000_000
MOST_BRACKETS = 20_000
MOST_WITHIN = 5


def of_page(here: Setting) -> tuple[list[Node], bool]:
    """The blocks of the page's body, and whether that is all of it."""
    text = _text(here.page.body_markdown)
    most = _most(text.body, here)
    document = _document(text, most, here.page)
    fits = here.shared.room.take(len(text.body)) or not text.body
    return document, fits and most >= len(text.body)


def of_reusable(href: str, here: Setting) -> tuple[list[Node], Setting] | None:
    """The blocks of a reusable content and the setting that they stand in; None if it is not included here.

    One that is not known, that includes itself, or that is too deep in others stays a line.
    """
    target = links.resolve(href, here.page.path)
    if target is None or target.path in here.within or len(here.within) >= MOST_WITHIN:
        return None
    held = here.shared.included.get(target.path)
    if held is None or not here.shared.room.take(INCLUDED_ROOM):
        return None
    text = _text(held)
    document = _document(text, _most(text.body, here), here.page)
    here.shared.room.take(len(text.body))
    return document, here.inside_of(target.path)


def _text(body: Body) -> Text:
    return Text(body, conditional=False) if isinstance(body, str) else body()


def _most(markdown: str, here: Setting) -> int:
    """How many characters of a body are parsed."""
    most = min(max(here.shared.room.left, 0), MOST_OF_A_BODY)
    if markdown.count("[", 0, most) <= MOST_BRACKETS:
        return most
    return _nth(markdown, "[", MOST_BRACKETS)


def _nth(content: str, sign: str, number: int) -> int:
    """Where the sign stands for the n-th time."""
    at = -1
    for _ in range(number):
        at = content.index(sign, at + 1)
    return at


def _document(text: Text, most: int, page: BookPage) -> list[Node]:
    markdown = text.body[:most]
    document = evaluate_document(markdown, dict(page.scope)) if text.conditional else to_document(markdown)
    made: list[Node] = document["nodes"]
    return made
