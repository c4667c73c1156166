"""Cookies that integrations set at their public endpoints, at the origin that they share with others.

A cookie is kept below the integration's own address, out of reach of pages, and under a name of its own: what
is handed to a script are only cookies that it has set.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from http.cookies import CookieError, SimpleCookie
from urllib.parse import urlsplit

from app.domain.site_addresses import addresses
from app.kit.settings import Settings

PREFIX = "endpoint."
MOST = 20  # cookies of one answer
LONGEST = 4096  # characters of one
_PAIR = re.compile(
    r"\s*([!#$%&'*+\-.^_`|~0-9A-Za-z]{1,200})=([\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e\"]*)\s*"
)
_KEPT = {"max-age": re.compile(r"-?\d{1,10}"), "expires": re.compile(r"[A-Za-z0-9,: -]{1,40}")}
_SAME_SITE = {"strict": "Strict", "lax": "Lax", "none": "None"}


def given_back(header: str) -> str:
    """Return the cookies of a request that a script has set, as it named them."""
    try:
        sent = SimpleCookie(header)
    except CookieError:
        return ""
    own = {name.removeprefix(PREFIX): each for name, each in sent.items() if name.startswith(PREFIX)}
    return "; ".join(f"{name}={each.coded_value}" for name, each in own.items())


def to_set(settings: Settings, integration: str, headers: Iterable[tuple[str, str]]) -> list[str]:
    """Return the `Set-Cookie` headers of an answer as browsers get them; malformed ones are left out."""
    said = [value for name, value in headers if name.lower() == "set-cookie" and len(value) <= LONGEST]
    place = urlsplit(addresses.of_endpoints(settings, integration))
    made = (_cookie(each, place.path, is_secure=place.scheme == "https") for each in said[:MOST])
    return [each for each in made if each is not None]


def _cookie(said: str, path: str, *, is_secure: bool) -> str | None:
    pair, *attributes = said.split(";")
    found = _PAIR.fullmatch(pair)
    if found is None:
        return None
    parts = [f"{PREFIX}{found[1]}={found[2]}", f"Path={path}", "HttpOnly"]
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
