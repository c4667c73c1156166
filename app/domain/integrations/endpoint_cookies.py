"""Cookies that integrations set at their public endpoints: at their own origin, or at the one of all sites.

A cookie is kept out of reach of pages, and under a name of its own: what is handed to a script are only
cookies that it has set. At the origin of all sites it is kept below the integration's address; at its own, no
neighbour in the domain can set it where there is TLS.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from http.cookies import CookieError, SimpleCookie
from urllib.parse import urlencode, urlsplit

import orjson

from app.access.context import Context
from app.domain.site_addresses import addresses, own_origins
from app.kit.errors import NotFound
from app.kit.settings import Settings

PREFIX = "endpoint."
BOUND = f"__Host-{PREFIX}"
MOST = 20  # cookies of one answer
LONGEST = 4096  # characters of one
PURPOSE = "continue"
CARRIED_FOR = 60  # seconds
_PAIR = re.compile(
    r"\s*([!#$%&'*+\-.^_`|~0-9A-Za-z]{1,200})=([\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e\"]*)\s*"
)
_KEPT = {"max-age": re.compile(r"-?\d{1,10}"), "expires": re.compile(r"[A-Za-z0-9,: -]{1,40}")}
_SAME_SITE = {"strict": "Strict", "lax": "Lax", "none": "None"}


def prefix(settings: Settings, *, is_own: bool) -> str:
    """Return what the names of cookies begin with, at the integration's own origin or at that of sites."""
    return BOUND if is_own and own_origins.pattern(settings).startswith("https:") else PREFIX


def given_back(header: str, begun: str) -> str:
    """Return the cookies of a request whose names begin so, as the script named them that has set them."""
    try:
        sent = SimpleCookie(header)
    except CookieError:
        return ""
    own = {name.removeprefix(begun): each for name, each in sent.items() if name.startswith(begun)}
    return "; ".join(f"{name}={each.coded_value}" for name, each in own.items())


def to_set(
    settings: Settings, integration: str, headers: Iterable[tuple[str, str]], *, is_own: bool = False
) -> list[str]:
    """Return the `Set-Cookie` headers of an answer as browsers get them; malformed ones are left out."""
    said = [value for name, value in headers if name.lower() == "set-cookie" and len(value) <= LONGEST]
    begun = prefix(settings, is_own=is_own)
    at = addresses.of_own_endpoints if is_own else addresses.of_endpoints_beside
    place = urlsplit(at(settings, integration))
    path = "/" if is_own else place.path
    made = (_cookie(each, begun, path, is_secure=place.scheme == "https") for each in said[:MOST])
    return [each for each in made if each is not None]


def carried(cx: Context, integration: str, to: str, headers: Iterable[tuple[str, str]]) -> str:
    """Return the address that sets the cookies of an answer and leads on: the answer to a visitor of a site
    is given at the site, where the integration's endpoints would not get them back.
    """
    said = [value for name, value in headers if name.lower() == "set-cookie" and len(value) <= LONGEST]
    if not said:
        return to
    text = orjson.dumps([to, said[:MOST], int(cx.now.timestamp()) + CARRIED_FOR]).decode()
    seal = cx.signer.sign(PURPOSE, f"{integration} {text}")
    place = addresses.of_endpoints(cx.settings, integration)
    return to if len(text) > LONGEST else f"{place}/continue?{urlencode({'seal': seal, 'with': text})}"


def brought(cx: Context, integration: str, seal: str, text: str) -> tuple[str, list[str]]:
    """Return where a visitor is led on to, and the cookies that are set; raises NotFound."""
    if not cx.signer.good(PURPOSE, f"{integration} {text}", seal):
        raise NotFound("There is nothing at this address.")
    to, said, until = orjson.loads(text)
    if cx.now.timestamp() > until:
        raise NotFound("This took too long. Begin again.")
    return to, said


def _cookie(said: str, begun: str, path: str, *, is_secure: bool) -> str | None:
    pair, *attributes = said.split(";")
    found = _PAIR.fullmatch(pair)
    if found is None:
        return None
    parts = [f"{begun}{found[1]}={found[2]}", f"Path={path}", "HttpOnly"]
    same_site = "Lax"
    for attribute in attributes:
        name, _, value = (part.strip() for part in attribute.partition("="))
        if (form := _KEPT.get(name.lower())) and form.fullmatch(value):
            parts.append(f"{name.title()}={value}")
        elif name.lower() == "samesite":
            same_site = _SAME_SITE.get(value.lower(), same_site)
    if same_site != "None" or is_secure:
        parts.append(f"SameSite={same_site}")
    return "; ".join([*parts, *(["Secure"] if is_secure else [])])
