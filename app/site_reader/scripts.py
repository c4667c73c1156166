"""Scripts of integrations on the pages of a site, and what they may load besides.

A script has an address with its hash, at our own host; nothing stands in a page. What its integration
declared is added to our policy as far as it names hosts, over TLS, for what scripts load: nothing inline, no
`eval`, no schemes, no wildcard alone; and what ours says of forms, the base or frames around us stays.

The host that all sites share may be the API's too, where members have sessions, and other sites' visitors
their passes: there a page with such scripts is in a sandbox, without an origin that could ask for any of it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.domain.sites import site_integrations
from app.kit.settings import Settings
from app.site_reader import responses
from app.site_reader.visit import Visit

WIDENED = ("script-src", "connect-src", "img-src", "media-src", "style-src", "font-src", "frame-src")
MOST_SOURCES = 50  # of one directive
APART = "allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox allow-downloads"
_HOST = re.compile(
    r"(?:https://)?(?:\*\.)?(?:[a-z0-9-]+\.)+[a-z]{2,}(?::[0-9]{1,5})?(?:/[\w./~-]*)?", re.A | re.I
)


@dataclass(slots=True, frozen=True)
class PageScripts:
    """The scripts of a page by their addresses, and the policy that it is sent with."""

    addresses: Sequence[str]
    policy: str


def of_visit(visit: Visit) -> list[dict[str, Any]]:
    """Return the scripts of a site as its pages have them; none in a preview, whose address is a secret."""
    if visit.preview is not None:
        return []
    return site_integrations.shown(visit.cx, visit.site.id, visit.site.scripts_)


def page_scripts(
    settings: Settings, base: str, given: Sequence[Mapping[str, Any]], *, own_host: bool
) -> PageScripts:
    """Return what a page with these scripts is sent with, at its site's own host or at one of many sites."""
    found = [str(each["script"]) for each in given]
    more: dict[str, dict[str, None]] = {"script-src": dict.fromkeys(found)}
    for each in given:
        for name, sources in _declared(each.get("contentSecurityPolicy")).items():
            if name in WIDENED:
                kept = (
                    f"https://{s.removeprefix('https://')}" for s in sources.split() if _HOST.fullmatch(s)
                )
                more.setdefault(name, {}).update(dict.fromkeys(kept))
    widened = {name: list(sources)[:MOST_SOURCES] for name, sources in more.items() if sources}
    sandbox = APART if found and not own_host else ""
    return PageScripts(found, responses.page_policy(settings, base, widened, sandbox))


def _declared(policy: str | Mapping[str, str] | None) -> Mapping[str, str]:
    """Parse the directives of a policy; of one that is there twice the first counts, as in browsers."""
    if not isinstance(policy, str):
        return policy or {}
    found: dict[str, str] = {}
    for part in policy.split(";"):
        name, _, sources = part.strip().partition(" ")
        found.setdefault(name.lower(), sources)
    return found
