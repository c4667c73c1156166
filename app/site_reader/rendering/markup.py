"""HTML that is safe by its type: text becomes `Html` only by being escaped, and only `Html` is put together.

What is `Html` is never changed as text: the type checker sees to it, and a test that `Html` is made of a
variable nowhere but here and where the sanitizer answers. So the rule costs nothing while a page is written.
No template engine stands here: a page is a tree that follows another tree, block by block, and functions say
that best.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from html import escape
from typing import NewType

from app.formats.markdown.safe_html import sendable

Html = NewType("Html", str)

NOTHING = Html("")


def text(content: object) -> Html:
    """Return any text, escaped for an element or an attribute."""
    return Html(escape(sendable(str(content))))


def el(name: str, attributes: Mapping[str, object] | None = None, *inside: Html) -> Html:
    """Return an element. Attributes that are None or False are left out, True has no value."""
    return Html(f"<{name}{_written(attributes)}>{''.join(inside)}</{name}>")


def opening(name: str, attributes: Mapping[str, object] | None = None) -> Html:
    """Return the start of an element, whose end the caller writes with `closing`."""
    return Html(f"<{name}{_written(attributes)}>")


void = opening
"""An element that has no inside, such as a picture."""


def closing(name: str) -> Html:
    """Return the end of an element."""
    return Html(f"</{name}>")


def joined(parts: Iterable[Html], between: Html = NOTHING) -> Html:
    """Join pieces of HTML."""
    return Html(between.join(parts))


def data_block(kind: str, value: object) -> Html:
    """Return data of a media type for programs that read the page; browsers run nothing of it."""
    written = sendable(json.dumps(value, ensure_ascii=False))
    for sign in "<>&\u2028\u2029":
        written = written.replace(sign, f"\\u{ord(sign):04x}")
    return Html(f'<script type="{text(kind)}">{written}</script>')


def lines(content: str) -> Html:
    """Return text whose line breaks are kept."""
    return joined(map(text, content.split("\n")), Html("<br>"))


def breaking(content: str, before: str) -> Html:
    """Return text that rather breaks before a sign than within its words."""
    return joined(map(text, content.split(before)), joined([Html("<wbr>"), text(before)]))


def _written(attributes: Mapping[str, object] | None) -> str:
    if not attributes:
        return ""
    made = ""
    for name, value in attributes.items():
        if value is True:
            made += f" {name}"
        elif value is not None and value is not False:
            made += f' {name}="{text(value)}"'
    return made


def is_elsewhere(href: str) -> bool:
    """Return whether an address leads to another host."""
    return href[:8].lower().startswith(("http://", "https://"))


def words(content: str, most: int = 300) -> str:
    """Return a text as one line of at most `most` characters."""
    line = " ".join(content[: 4 * most].split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"
