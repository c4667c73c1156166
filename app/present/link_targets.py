"""Targets of the links in a document, as shown to callers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias
from urllib.parse import quote

from app.access.context import Context
from app.domain.content.page_links import PageLinks
from app.domain.content.published import is_visitor
from app.formats.markdown import hrefs
from app.formats.markdown.safe_html import followed
from app.present import links, signed_links

Follow: TypeAlias = Callable[[str], dict[str, Any]]
"""Returns what an address leads to, as a LinkTargetOut."""


def follower(cx: Context, found: PageLinks, page_id: str) -> Follow:
    """Return what tells where the addresses lead that stand on a page.

    Pages, files, spaces and reusable contents are references by their ids; `url` is the address of a page in
    the application, and that of the bytes of a file, signed. An address that is no link of the page is judged
    by its writing.
    """
    known = rows_by_href(found, page_id)
    told: dict[str, dict[str, Any]] = {}

    def follow(href: str) -> dict[str, Any]:
        if href not in told:
            row = known.get(hrefs.meant(href))
            told[href] = as_written(href) if row is None else _target(cx, found, row, href)
        return told[href]

    return follow


def rows_by_href(found: PageLinks, holder: str) -> dict[str, Any]:
    """Return the links of a page or reusable content by their addresses, as these are meant."""
    return {hrefs.meant(row.href): row for row in found.rows.get(holder, ())}


def _target(cx: Context, found: PageLinks, row: Any, href: str) -> dict[str, Any]:
    """Return what a link leads to."""
    if row.target_kind == "url":
        return {**as_written(href), "status": row.status}
    out = target(row.target_kind, row.status, href, _address(cx, found, row))
    is_elsewhere = row.target_space not in (None, found.space.id)
    if is_elsewhere and not row.far_space:
        return out  # what the caller may not see is as if it were not there
    if is_elsewhere or row.target_kind == "space":
        out["space"] = row.target_space or row.target_id
    if row.target_id and row.target_kind in _NAMES:
        out[_NAMES[row.target_kind]] = row.target_id
    return {**out, "anchor": row.target_anchor} if row.target_anchor else out


def _address(cx: Context, found: PageLinks, row: Any) -> str | None:
    """Return where a browser finds what a link leads to; None where there is nothing."""
    place, pages, files = found, row.to_page, row.to_file
    if row.far_space:
        place, pages, files = PageLinks(row.far_space[0], None, {}), row.far_page, row.far_file
    anchor = f"#{quote(row.target_anchor)}" if row.target_anchor else ""
    if pages:
        is_here = anchor and row.target_id == row.holder_id and not row.far_space
        return anchor if is_here else links.page(cx, place, pages[0].path)["app"] + anchor
    if files:
        version = "" if place.at is None else files[0].blob_id
        is_published = not row.far_space and is_visitor(cx, place.space)
        return signed_links.download(
            cx, place.space.id, row.target_id, files[0].name, version, published=is_published
        )
    is_space = row.target_kind == "space" and row.status == "ok"
    return links.place(cx, PageLinks(place.space, None, {})) if is_space else None


_NAMES = {"page": "page", "anchor": "page", "file": "file", "reusable-content": "reusableContent"}


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
    out |= {_NAMES[named.kind]: named.id} if named.kind in _NAMES else {}
    return {**out, "anchor": named.anchor} if named.anchor else out


def target(kind: str, status: str, href: str, url: str | None = None) -> dict[str, Any]:
    """Return a target without what it leads to."""
    out = {"kind": kind, "status": status, "href": href}
    return {**out, "url": url} if url else out


def followable(href: str) -> str | None:
    """Return an address elsewhere as a browser may follow it; None where it must not."""
    plain = href.strip()
    found = followed(f"https:{plain}" if plain.startswith("//") else plain)
    return found if found and not found.startswith(("/", "#")) else None
