"""Origins that integrations, and sites with scripts of integrations, have for themselves.

Each is a host below one that the settings name. What an integration answers is at its own, so that cookies
and storage are its alone; browsers are sent to that of a site whose pages have scripts of integrations and
which has no host. On one machine these are hosts below `localhost`, which browsers find there, and programs
may not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any
from urllib.parse import urlsplit

from app.kit.setting_groups import host_of
from app.kit.settings import Settings

LABEL = "docyard.label"
"""Under which a request has the label of the host it came to."""
LOOPBACK = ("127.0.0.1", "::1", "localhost")
_FORM = re.compile(r"[is]-[0-9a-f]{20}")


def of_integration(settings: Settings, name: str) -> str:
    """Return the origin of what an integration answers; "" where it has none of its own."""
    return pattern(settings).replace("*", label("i", name), 1)


def of_site(settings: Settings, site_id: str) -> str:
    """Return the origin of a site whose pages have scripts; "" where it has none of its own."""
    return pattern(settings).replace("*", label("s", site_id), 1)


def label(kind: str, name: str) -> str:
    """Return the first part of a host: names may have signs that hosts cannot have, and be too long."""
    return f"{kind}-{blake2b(f'{kind} {name}'.encode(), digest_size=10).hexdigest()}"


def is_of_site(given: str) -> bool:
    """Tell whether a label is of a site."""
    return given.startswith("s-")


def pattern(settings: Settings) -> str:
    """Return what these origins look like, with `*` for the label; "" where there are none."""
    if settings.integrations_url:
        return settings.integrations_url
    place = urlsplit(settings.sites_base)
    if place.scheme != "http" or place.hostname not in LOOPBACK:
        return ""
    return f"http://*.localhost{f':{place.port}' if place.port else ''}"


def for_programs(settings: Settings) -> bool:
    """Tell whether programs find these hosts too, and not browsers alone."""
    found = urlsplit(pattern(settings)).hostname or "localhost"
    return not found.endswith("localhost")


def suffix(settings: Settings) -> str:
    """Return what the hosts end with, and their port; "" where there are none."""
    return host_of(pattern(settings)).removeprefix("*")


def label_of(host: str, ending: str) -> str:
    """Return the label of a host with the `suffix`; "" for any other host."""
    if not ending or not host.endswith(ending):
        return ""
    name = host.removesuffix(ending)
    return name if _FORM.fullmatch(name) else ""


def asked(scope: Mapping[str, Any]) -> str:
    """Return the label that a request came to; "" for one that came elsewhere."""
    return str(scope.get(LABEL, ""))
