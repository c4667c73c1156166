"""What the addresses in a document lead to, as callers see them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias
from urllib.parse import quote

from app.formats.markdown import hrefs
from app.formats.markdown.safe_html import followed

Follow: TypeAlias = Callable[[str], dict[str, Any]]
"""Returns what an address leads to, as a LinkTargetOut."""


def as_written(href: str) -> dict[str, Any]:
    """Return what an address leads to by its writing alone: elsewhere, to an anchor, or to an id.

    A path of a repository leads nowhere without the content around it: it is broken.
    """
    kind, found = hrefs.follow(href, "")
    if kind == "external":
        return target("url", "ok", href, followable(href))
    if kind == "fragment":
        anchor = found.anchor if found and found.anchor else ""
        return {**target("anchor", "ok", href, f"#{quote(anchor)}"), "anchor": anchor}
    named = hrefs.named(href)
    if named is None:
        return target("page", "broken", href)
    out = target("anchor" if named.anchor and named.kind == "page" else named.kind, "ok", href)
    if named.space:
        out["space"] = named.space
    if named.kind != "space":
        out[_NAMES[named.kind]] = named.id
    return {**out, "anchor": named.anchor} if named.anchor else out


_NAMES = {"page": "page", "file": "file", "reusable-content": "reusableContent"}


def target(kind: str, status: str, href: str, url: str | None = None) -> dict[str, Any]:
    """Return a target without what it leads to."""
    out = {"kind": kind, "status": status, "href": href}
    return {**out, "url": url} if url else out


def followable(href: str) -> str | None:
    """Return an address elsewhere as a browser may follow it; None where it must not."""
    plain = href.strip()
    found = followed(f"https:{plain}" if plain.startswith("//") else plain)
    return found if found and not found.startswith(("/", "#")) else None
