"""Previews: a site as it would be, drafts and all, at an address that is good for an hour or two.

The address holds what is shown, signed; whoever has it sees that, so that it never opens a space which the
one who asked for it does not see.
"""

from __future__ import annotations

import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any
from urllib.parse import quote

import orjson

from app.access.context import Context
from app.domain.site_addresses import addresses
from app.domain.sites import customizations, structure
from app.domain.sites.structure import Structure
from app.domain.sites.structure_items import StructureItem
from app.formats.text.redirect_paths import clean_path
from app.kit.errors import Invalid
from app.kit.signing import Signer
from app.models.publishing import CustomizationPreview, PreviewQuery

HOUR = 3600  # seconds
PURPOSE = "packed preview"
LONGEST = 6000  # characters of what is signed, so that a page's path has room after it


@dataclass(slots=True, frozen=True)
class Preview:
    """A preview by its address: the site to a visitor with these claims, without these of its spaces.

    `looks` is tried: it is laid over the look of the site, or of its space `looks_of`.
    """

    site: str
    draft: bool
    claims: dict[str, Any]
    without: list[str]
    until: int
    looks: dict[str, Any] = field(default_factory=dict)
    looks_of: str = customizations.SITE_ITSELF


@dataclass(slots=True)
class PreviewedSpace:
    """A space of a site with the section that it is in."""

    path: str
    is_default: bool
    section_path: str | None
    section_default: bool | None


async def offer(cx: Context, organization_id: str, site_id: str, query: PreviewQuery) -> str:
    """Get a URL that previews a site, or one of its spaces, before it is published."""
    whole = await structure.of(cx, organization_id, site_id, can="edit")
    shown = _preview(cx, whole, draft=query.draft, claims=_claims(query.claims))
    return _address(cx, whole, query, shown, tried="claims")


async def offer_look(cx: Context, organization_id: str, site_id: str, tried: CustomizationPreview) -> str:
    """Get a URL that previews a site, or one of its spaces, with a design that is not saved yet.

    Raises Invalid where the look could not be set, or where so much of it differs that no address holds it.
    """
    whole = await structure.of(cx, organization_id, site_id, can="edit")
    item_id = tried.site_space or customizations.SITE_ITSELF
    if tried.site_space is not None:
        whole.find("site-space", tried.site_space)
    looks = await customizations.tried(cx, organization_id, site_id, item_id, tried)
    shown = replace(_preview(cx, whole, draft=True, claims={}), looks=looks, looks_of=item_id)
    return _address(cx, whole, tried, shown, tried="body")


def _preview(cx: Context, whole: Structure, *, draft: bool, claims: dict[str, Any]) -> Preview:
    unseen = [item.id for item in whole.all("site-space") if not item.seen]
    until = (int(cx.now.timestamp()) // HOUR + 2) * HOUR
    return Preview(whole.site.id, draft, claims, unseen, until)


def _address(
    cx: Context, whole: Structure, begin: PreviewQuery | CustomizationPreview, shown: Preview, *, tried: str
) -> str:
    """Return the address of a preview that begins at a space or path; `tried` names what it must hold."""
    place = addresses.default_of(whole.site)
    if begin.site_space is not None:
        item = whole.find("site-space", begin.site_space)
        place += addresses.of_space(whole.site, _place(whole, item))[len(addresses.of_site(whole.site)) :]
    if begin.target is not None:
        path = clean_path(begin.target, path="target")
        place += quote(path) if path != "/" else ""
    text = _written(cx.signer, shown)
    if len(text) > LONGEST:
        raise Invalid("These changes are too large for a preview.", path=tried)
    return f"{addresses.whole(cx.settings, place)}?preview={text}"


def _place(whole: Structure, item: StructureItem) -> PreviewedSpace:
    section = next((each for each in whole.all("site-section") if each.id == item.parent_id), None)
    above = (section.path, section.is_default) if section else (None, None)
    return PreviewedSpace(item.path or "", item.is_default, *above)


def read(signer: Signer, text: str, now: datetime) -> Preview | None:
    """Return what a preview's address shows; None where nobody was given it, or it is over."""
    body, _, signature = text.rpartition(".")
    if not body or not signer.good(PURPOSE, body, signature):
        return None
    found = Preview(**orjson.loads(zlib.decompress(urlsafe_b64decode(body + "=" * (-len(body) % 4)))))
    return found if found.until > now.timestamp() else None


def _written(signer: Signer, shown: Preview) -> str:
    body = urlsafe_b64encode(zlib.compress(orjson.dumps(asdict(shown)), 9)).decode().rstrip("=")
    return f"{body}.{signer.sign(PURPOSE, body)}"


def _claims(text: str | None) -> dict[str, Any]:
    if text is None:
        return {}
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError:
        found = None
    if not isinstance(found, dict):
        raise Invalid("This must be a JSON object of claims.", path="claims")
    return found
