"""Changing where the links of a Markdown page lead, and nothing else about it."""

from __future__ import annotations

from collections.abc import Callable

from app.formats.links import replace_hrefs
from app.formats.scan import Link, scan


def rewritten(markdown: str, new_href: Callable[[Link], str | None]) -> str:
    """The page with each link's address replaced by what `new_href` says; None leaves it as it is."""
    replacements = [
        (link.start, link.end, href)
        for link in scan(markdown).links
        if (href := new_href(link)) is not None and href != link.href
    ]
    return replace_hrefs(markdown, replacements)
