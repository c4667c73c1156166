"""Files of published spaces, by addresses that need no cookie and are as good as what they were given for.

An address is signed for one file on one site. With each request it is asked anew whether that site is online,
still shows the space, and still lets in whom the address was made for: a share link that is active, visitors
whose tokens the site's key of that time signs, or anybody. What was given to anybody holds as long as that;
a preview's addresses end with it, all others after a day or two.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from sqlalchemy import Select, or_, select, true

from app.access.context import Context
from app.domain.content.content import FILE_VERSIONS
from app.domain.content.downloads import Download
from app.domain.content.views import NOW
from app.domain.publishing import visitors
from app.domain.publishing.visitors import SiteVisitor
from app.domain.site_addresses.site_rows import SITE_ITEMS, SITES, SPACES
from app.kit.database.columns import Key
from app.kit.database.sql import nested
from app.kit.database.statements import given, rows, table
from app.kit.errors import NotFound
from app.models.publishing import ShareLink

PURPOSE = "file of a site"
FOLDER = "~files"
DAYS = 2
PREVIEW = "p"
_SIGNATURE = re.compile(r"([0-9]{1,9})\.([a-z]?[0-9A-Za-z]{0,40})\.([0-9A-Za-z_-]{16})")
SHARE_LINKS = table(ShareLink)


def _file() -> Select[Any]:
    links = select(SHARE_LINKS.c.id).where(
        SHARE_LINKS.c.site_id == SITES.c.id,
        SHARE_LINKS.c.active == true(),
        SHARE_LINKS.c.id == given("link", Key),
    )
    previewed = given("kind", Key) == PREVIEW
    placed = (SITE_ITEMS.c.site_id == SITES.c.id, SITE_ITEMS.c.space_id == SPACES.c.id)
    shown = select(SITE_ITEMS.c.id).where(*placed, or_(SITE_ITEMS.c.draft.is_(False), previewed))
    file = select(
        FILE_VERSIONS.c.name, FILE_VERSIONS.c.content_type, FILE_VERSIONS.c.size, FILE_VERSIONS.c.blob_id
    ).where(NOW.valid(FILE_VERSIONS), FILE_VERSIONS.c.file_id == given("file", Key))
    return (
        select(
            SITES.c.id,
            SITES.c.visibility,
            SITES.c.visitor_key,
            nested(links.correlate(SITES), "links"),
            nested(file.correlate(SPACES), "files"),
        )
        .select_from(SITES.join(SPACES, SPACES.c.organization_id == SITES.c.organization_id))
        .where(
            SITES.c.id == given("site", Key),
            SPACES.c.id == given("space", Key),
            or_(SITES.c.published == true(), previewed),
            SPACES.c.deleted_at.is_(None),
            shown.correlate(SITES, SPACES).exists(),
        )
    )


_FILE = rows(_file)


@dataclass(slots=True, frozen=True)
class Signing:
    """Makes the addresses of a site's files for one visitor, the same all day long."""

    cx: Context
    site_id: str
    grant: str
    until: int

    @classmethod
    def for_visitor(cls, cx: Context, site: Any, visitor: SiteVisitor, *, lasting: bool) -> Signing:
        """`lasting` addresses never end; they are for what anybody may see."""
        kinds = {"shared": "l", "signed-in": "v"}
        if visitor.kind == "preview":
            return cls(cx, site.id, f"{PREVIEW}{visitor.until}", cx.now.toordinal() + DAYS)
        is_open = site.visibility in visitors.OPEN
        grant = "" if is_open else kinds[visitor.kind] + visitor.by
        until = 0 if is_open and lasting else cx.now.toordinal() + DAYS
        return cls(cx, site.id, grant, until)

    @property
    def key(self) -> str:
        """Return what the addresses depend on besides the files."""
        return f"{self.until} {self.grant}"

    def address(self, space_id: str, file: Any) -> str:
        """Return where this file is read."""
        signed = self.cx.signer.sign(PURPOSE, _text(self.site_id, space_id, file.file_id, self))
        place = f"{self.until}.{self.grant}.{signed}/{self.site_id}/{space_id}/{file.file_id}"
        name = file.name.replace("/", "_") if file.name.strip("./") else "file"
        return f"{self.cx.settings.sites_base}/{FOLDER}/{place}/{quote(name, safe='')}"


def _text(site_id: str, space_id: str, file_id: str, signing: Any) -> str:
    return f"{site_id} {space_id} {file_id} {signing.until} {signing.grant}"


async def get(cx: Context, signature: str, site_id: str, space_id: str, file_id: str) -> Download:
    """Return the file of an address; raises NotFound for whatever keeps it from being read."""
    said = _SIGNATURE.fullmatch(signature)
    if said is None:
        raise _nothing()
    signing = Signing(cx, site_id, said[2], int(said[1]))
    good = cx.signer.good(PURPOSE, _text(site_id, space_id, file_id, signing), said[3])
    if not good or (signing.until and signing.until < cx.now.toordinal()):
        raise _nothing()
    kind, of = signing.grant[:1], signing.grant[1:]
    if kind == PREVIEW and int(of) <= cx.now.timestamp():
        raise _nothing()
    values = {"site": site_id, "space": space_id, "file": file_id, "kind": kind}
    found = await cx.db.get_by_key(_FILE, **values, link=of if kind == "l" else "")
    if not found or not found[0].files or not _still_good(found[0], signing.grant):
        raise _nothing()
    file = found[0].files[0]
    is_public = not signing.grant and not signing.until
    return Download(file.name, file.content_type, file.size, file.blob_id, fixed=False, public=is_public)


def _still_good(site: Any, grant: str) -> bool:
    if site.visibility in visitors.OPEN or grant.startswith(PREVIEW):
        return True
    if site.visibility == "share-link":
        return bool(site.links) and grant.startswith("l")
    return grant == f"v{visitors.mark(site)}"


def _nothing() -> NotFound:
    return NotFound("There is no such file.")
