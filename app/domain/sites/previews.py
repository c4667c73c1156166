"""Previews: a site as it would be, drafts and all, at an address that is good for an hour or two.

The address holds what is shown, signed; whoever has it sees that, so that it never opens a space which the
one who asked for it does not see.
"""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from urllib.parse import quote

import orjson

from app.access.context import Context
from app.domain.site_addresses import addresses
from app.domain.sites import structure
from app.domain.sites.structure import Structure, StructureItem
from app.formats.text.redirect_paths import clean_path
from app.kit.errors import Invalid
from app.kit.signing import Signer
from app.models.publishing import PreviewQuery

HOUR = 3600  # seconds
PURPOSE = "preview"


@dataclass(slots=True, frozen=True)
class Preview:
    """What an address shows: the site to a visitor with these claims, without these of its spaces."""

    site: str
    draft: bool
    claims: dict[str, Any]
    without: list[str]
    until: int


@dataclass(slots=True)
class PreviewedSpace:
    """A space of a site with the section that it is in."""

    path: str
    is_default: bool
    section_path: str | None
    section_default: bool | None


async def offer(cx: Context, organization_id: str, site_id: str, query: PreviewQuery) -> str:
    """Get an address at which a site, or one space of it, can be looked at before it is published."""
    whole = await structure.of(cx, organization_id, site_id, can="edit")
    unseen = [item.id for item in whole.all("site-space") if not item.seen]
    place = addresses.default_of(whole.site)
    if query.site_space is not None:
        item = whole.find("site-space", query.site_space)
        place += addresses.of_space(whole.site, _place(whole, item))[len(addresses.of_site(whole.site)) :]
    if query.target is not None:
        path = clean_path(query.target, path="target")
        place += quote(path) if path != "/" else ""
    until = (int(cx.now.timestamp()) // HOUR + 2) * HOUR
    shown = Preview(site_id, query.draft, _claims(query.claims), unseen, until)
    return f"{addresses.whole(cx.settings, place)}?preview={_written(cx.signer, shown)}"


def _place(whole: Structure, item: StructureItem) -> PreviewedSpace:
    section = next((each for each in whole.all("site-section") if each.id == item.parent_id), None)
    above = (section.path, section.is_default) if section else (None, None)
    return PreviewedSpace(item.path or "", item.is_default, *above)


def read(signer: Signer, text: str, now: datetime) -> Preview | None:
    """Return what a preview's address shows; None where nobody was given it, or it is over."""
    body, _, signature = text.rpartition(".")
    if not body or not signer.good(PURPOSE, body, signature):
        return None
    found = Preview(**orjson.loads(urlsafe_b64decode(body + "=" * (-len(body) % 4))))
    return found if found.until > now.timestamp() else None


def _written(signer: Signer, shown: Preview) -> str:
    body = urlsafe_b64encode(orjson.dumps(asdict(shown))).decode().rstrip("=")
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
