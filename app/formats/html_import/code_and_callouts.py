"""Which elements are callouts, as the common documentation tools mark them, and how serious they are."""

from __future__ import annotations

import re

from bs4.element import Tag

MARKS = frozenset({
    "admonition", "admonitionblock", "alert", "callout", "hint", "theme-admonition", "custom-block",
    "markdown-alert", "notice", "aside", "starlight-aside", "infobox",
})  # fmt: skip

STYLES = {
    "info": "info", "note": "info", "information": "info", "important": "info", "seealso": "info",
    "primary": "info", "secondary": "info", "example": "info", "question": "info", "abstract": "info",
    "tip": "success", "hint": "success", "success": "success", "check": "success",
    "warning": "warning", "caution": "warning", "attention": "warning", "warn": "warning",
    "danger": "danger", "error": "danger", "critical": "danger", "failure": "danger", "bug": "danger",
}  # fmt: skip


def callout_style(el: Tag) -> str | None:
    """The style of hint this element is, or None if it is no callout."""
    classes = str(el.get("class") or "").lower().split()
    marked = el.name == "aside" and any(name in STYLES for name in classes)
    if not marked and not any(name in MARKS for name in classes):
        return None
    words = [word for name in classes for word in (name, name.rpartition("-")[2])]
    kinds = [STYLES[word] for word in words if word in STYLES and word not in MARKS]
    return kinds[0] if kinds else "info"


def callout_title(el: Tag) -> Tag | None:
    """The element that names a callout, if it has one near its start."""
    for child in el.find_all(True, limit=6):
        classes = str(child.get("class") or "").lower().split()
        if any(name == "title" or name.endswith(("-title", "-heading")) for name in classes):
            return child
    return None


def says_only_its_kind(title: str) -> bool:
    """Whether a callout's title adds nothing to its colour, as "Note" or "WARNING:" do."""
    words = title.strip().rstrip(":!").strip().lower().replace(" ", "")
    return not words or words in STYLES


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
