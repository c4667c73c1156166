"""Which language a block of code is in, as the common highlighters mark it."""

from __future__ import annotations

import re

from bs4.element import Tag

_NAMED = re.compile(r"(?:language|lang|highlight-source|highlight|brush:?)-([\w+#.-]{1,30})\Z")
_NAME = re.compile(r"[\w+#.-]{1,30}")
_NONE = frozenset({"default", "none", "plaintext", "text", "nohighlight", "source", "highlight"})


def language_of(block: Tag) -> str:
    """The language, from the code in the block, the block itself, or the two elements around it; or ""."""
    around = [block.parent, block.parent.parent if block.parent else None]
    for el in (block.find("code"), block, *around):
        if isinstance(el, Tag) and (name := _named_by(el)):
            return name
    return ""


def _named_by(el: Tag) -> str:
    given = el.get("data-lang") or el.get("data-language")
    if isinstance(given, str) and _NAME.fullmatch(given):
        return given
    for word in str(el.get("class") or "").split():
        match = _NAMED.match(word)
        if match and match.group(1) not in _NONE:
            return match.group(1)
    return ""
