"""Tells integrations of visitors who read a page of a site or said how they like it.

A visitor is known by a hash that changes every day, and by the network of their address; cookies and the
address itself are not handed on.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from ipaddress import ip_address, ip_network
from typing import Any

from app.access.audit_actions import Event
from app.access.context import Context
from app.domain.integrations import outbox
from app.kit.signing import Signer

VIEWS = ("site_view", "space_view")
IPV4_NETWORK, IPV6_NETWORK = 24, 48  # bits of an address that many people share
LONGEST = 500  # characters of a header


def visitor_key(signer: Signer, now: datetime, site_id: str, address: str, user_agent: str) -> str:
    """Return the hash that is the same for all that a visitor does on a site on one day."""
    said = "\n".join((site_id, now.date().isoformat(), address, user_agent))
    return signer.fingerprint("visitor", said)


@dataclass(slots=True, frozen=True)
class ViewedPage:
    """A page of a space of a site, at the address where visitors read it."""

    site_space_id: str
    space_id: str
    page_id: str
    url: str


@dataclass(slots=True, frozen=True)
class VisitorRequest:
    """Holds what the request of a visitor says of them."""

    address: str
    user_agent: str
    languages: str
    referrer: str

    def key(self, cx: Context, site_id: str) -> str:
        """Return the hash that is the same for all that this visitor does on a site on one day."""
        return visitor_key(cx.signer, cx.now, site_id, self.address, self.user_agent)

    @property
    def network(self) -> str:
        """Return the network of the address, as its first address; "" without an address."""
        try:
            address = ip_address(self.address)
        except ValueError:
            return ""
        bits = IPV4_NETWORK if address.version == 4 else IPV6_NETWORK
        return str(ip_network((address, bits), strict=False).network_address)

    @property
    def language(self) -> str:
        """Return the language that the browser asks for first; "" where it asks for none."""
        return self.languages.split(",")[0].split(";")[0].strip()[:35]


def events(
    cx: Context, site: Any, page: ViewedPage, reader: VisitorRequest, *kinds: str, **more: Any
) -> list[Event]:
    """Return the events of these kinds about a visitor on a page of a site."""
    visitor = {
        "anonymousId": reader.key(cx, site.id),
        "cookies": {},
        "userAgent": reader.user_agent,
        "language": reader.language,
        "ip": reader.network,
    }
    told = {
        "spaceId": page.space_id,
        "siteSpaceId": page.site_space_id,
        "pageId": page.page_id,
        **more,
        "visitor": visitor,
        "url": page.url,
        "referrer": reader.referrer,
    }
    return [Event(kind, site.organization_id, "site", site.id, told) for kind in kinds]


async def tell_of_view(cx: Context, site: Any, page: ViewedPage, reader: VisitorRequest) -> None:
    """Tell integrations of a view; raises TooManyRequests where visitors have used up their quota."""
    await outbox.publish(cx, *events(cx, site, page, reader, *VIEWS))
