"""How tags of HTML are written, and which attributes of them and of `{% tags %}` link to something."""

from __future__ import annotations

import re
from typing import Literal

LinkKind = Literal["link", "image", "content-ref", "file", "embed", "include", "openapi", "button", "html"]
"""What an href belongs to: Markdown's links and images (HTML's images too), a tag, other HTML."""

Found = list[tuple[int, int, LinkKind]]

# Among Markdown only what is well-formed is a tag; among HTML whatever looks like one.
STRICT_TAG = re.compile(
    r"</?+([A-Za-z][A-Za-z0-9-]*+)((?:\s++[A-Za-z_:][\w:.-]*+"
    r"""(?:\s*+=\s*+(?:[^\s"'=<>`]++|'[^']*+'|"[^"]*+"))?+)*+)\s*+/?>"""
)
LOOSE_TAG = re.compile(r"""</?+([A-Za-z][A-Za-z0-9-]*+)((?:[^<>"']++|"[^"]*+"|'[^']*+')*+)>""")
# In HTML, words on both sides of these tags are one word; every other tag parts them.
JOINING = re.compile(
    r"(?:a|abbr|b|bdi|bdo|cite|code|del|dfn|em|font|i|ins|kbd|mark|q|s|samp|small|span|strong|sub|sup|u|var|wbr)\Z"
)

_ATTRIBUTE = re.compile(
    r"""(?<![\w:.-])([A-Za-z_:][\w:.-]*+)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'=<>`]++))"""
)
_TAG_NAME = re.compile(r"-?\s*+([A-Za-z][\w-]*+)")
_QUOTED = re.compile(r""""([^"]*+)"|'([^']*+)'""")
_SOURCE_SET_ITEM = re.compile(r"[\s,]*+([^\s,](?:\S*[^\s,])?)[^,]*+")

_HTML: dict[str, dict[str, LinkKind]] = {
    "a": {"href": "html"},
    "img": {"src": "image", "srcset": "image"},
    "source": {"src": "html", "srcset": "image"},
    "video": {"src": "html", "poster": "image"},
    "audio": {"src": "html"},
    "iframe": {"src": "html"},
    "embed": {"src": "html"},
    "object": {"data": "html"},
    "area": {"href": "html"},
}
_TAGS: dict[str, tuple[str, LinkKind]] = {
    "content-ref": ("url", "content-ref"),
    "page-ref": ("page", "content-ref"),
    "file": ("src", "file"),
    "embed": ("url", "embed"),
    "openapi": ("src", "openapi"),
    "swagger": ("src", "openapi"),
}


def hrefs_of_html(name: str, source: str, start: int, end: int) -> Found:
    """The hrefs among the attributes of an HTML tag, which stand from `start` to `end`."""
    wanted = _HTML.get(name)
    if wanted is None:
        return []
    found: Found = []
    button = False
    for attribute in _ATTRIBUTE.finditer(source, start, end):
        key = attribute[1].lower()
        at, to = _value(attribute)
        if key == "srcset" and key in wanted:
            found += [(*item.span(1), wanted[key]) for item in _SOURCE_SET_ITEM.finditer(source, at, to)]
        elif key in wanted:
            found.append((at, to, wanted[key]))
        elif key == "class":
            button = "button" in source[at:to].split()
    if button and name == "a":
        return [(at, to, "button") for at, to, _ in found]
    return found


def hrefs_of_tag(source: str, start: int, end: int) -> Found:
    """The href of a `{% tag %}` whose inside stands from `start` to `end`: none or one."""
    name = _TAG_NAME.match(source, start, end)
    if name is None:
        return []
    if name[1] == "include":
        quoted = _QUOTED.search(source, name.end(), end)
        return [(*quoted.span(1 if quoted[1] is not None else 2), "include")] if quoted else []
    wanted = _TAGS.get(name[1])
    if wanted is None:
        return []
    for attribute in _ATTRIBUTE.finditer(source, name.end(), end):
        if attribute[1] == wanted[0]:
            return [(*_value(attribute), wanted[1])]
    return []


def identity(attributes: str, tag: str) -> str | None:
    """The `id` among the HTML attributes of a tag, of `a` else the `name`; None when there is neither."""
    found = _ATTRIBUTE.finditer(attributes)
    values = {each[1].lower(): each[each.lastindex or 0] for each in found}
    return values.get("id") or (values.get("name") if tag == "a" else None) or None


def _value(attribute: re.Match[str]) -> tuple[int, int]:
    return attribute.span(attribute.lastindex or 0)
