"""Previews: a site as it would be, published or not, for whoever was given the address.

`?preview=` is traded for an address that has the preview in its path, so that every link of a page stays in
it, without a cookie; it ends with the preview, is kept by nobody and found by nobody.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.access.context import Context
from app.domain.publishing import visitors, visits
from app.domain.publishing.visitors import Visitor
from app.domain.publishing.visits import Asked
from app.domain.sites import previews
from app.site_reader.visit import Previewed, Visit

LONGEST = 1500  # characters, so that a page's path has room after it
_BELOW = ("~", "preview")


@dataclass(slots=True, frozen=True)
class PreviewAsked:
    """A preview as it was asked for: what it is written in, and the path below it; `begins` in the query."""

    names: Sequence[str]
    text: str
    parts: list[str]
    begins: bool


def asked(parts: list[str], query: Mapping[str, str]) -> PreviewAsked | None:
    """The preview that an address names, if it names one."""
    if tuple(parts[2:4]) == _BELOW and len(parts) > 4:
        return PreviewAsked(parts[:2], parts[4], parts[5:], begins=False)
    if "preview" in query and len(parts) >= 2:
        return PreviewAsked(parts[:2], query["preview"], parts[2:], begins=True)
    return None


async def visit(cx: Context, asked: PreviewAsked) -> Visit | None:
    """The visit of somebody with this preview; None where it is none, is over, or of another site."""
    shown = None
    if len(asked.text) <= LONGEST and asked.text.isascii():
        shown = previews.read(cx.signer, asked.text, cx.now)
    if shown is None:
        return None
    found = await visits.find(cx, Asked(asked.parts, *asked.names), preview=True)
    if found is None or found[0].id != shown.site:
        return None
    site, rest = found
    visitor = Visitor("preview", "", shown.claims, shown.until)
    unsigned = shown.claims.get("unsigned")
    claims = visitors.known_of(site, visitor, unsigned if isinstance(unsigned, dict) else {})
    below = f"/~/preview/{asked.text}"
    return Visit(cx, site, rest, visitor, claims, Previewed(below, shown.draft, shown.without))
