"""Reading a public site without a network: the worker that keeps what was visited, and what retires it.

Browsers ask for the script of a worker again whenever a page is opened. Where a site does not offer it, be it
switched off, private or gone, the script that they find deletes what was kept and the worker itself; so
nothing is asked of whoever asks for it. Sites of one host are apart: a worker has the path of its site.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import orjson

from app.access.context import Context
from app.domain.publishing import site_files, visits
from app.domain.publishing.visits import SiteRequest
from app.domain.sites import customizations
from app.kit.settings import Settings
from app.site_reader.rendering import assets
from app.site_reader.responses import SHARED, EncodedBody, SiteResponse

WORKER = ["~", "static", "worker.js"]
PAGE = "offline"
RETIRED = b"""addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(
  caches.delete(`docyard ${registration.scope}`).then(() => registration.unregister())));
"""


def is_offered(site: Any) -> bool:
    """Return whether visitors may keep what a site shows: it is public and the same for everybody."""
    asked = customizations.of_site(site).get("offline")
    is_on = isinstance(asked, dict) and asked.get("enabled") is True
    return is_on and site.visibility == "public" and not site.adaptive_content


def is_worker(parts: list[str]) -> bool:
    """Return whether an address is that of the worker of a site."""
    return parts[-3:] == WORKER


async def worker(cx: Context, asked: SiteRequest, path: str) -> SiteResponse:
    """Answer with the worker of the site at an address, or with what takes the place of one."""
    found = await visits.find(cx, asked)
    if found is None or found[1] != WORKER or not is_offered(found[0]):
        return _script(cx.settings, RETIRED, "/")
    site = found[0]
    base = urlsplit(visits.whole(cx.settings, site)).path.rstrip("/")
    if path != f"{base}/{'/'.join(WORKER)}" and not site.live_proxy:
        return _script(cx.settings, RETIRED, "/")
    about = {
        "base": base,
        "page": f"{base}/~/{PAGE}",
        "files": f"{cx.settings.sites_base}/{site_files.FOLDER}/0..",
        "site": site.id,
    }
    asset = assets.asset(WORKER[-1])
    assert asset is not None
    return _script(cx.settings, b"const SITE = %s;\n%s" % (orjson.dumps(about), asset.content), base or "/")


def _script(settings: Settings, content: bytes, below: str) -> SiteResponse:
    """Answer with a worker that may have the paths `below`, and ask for files of sites besides its own."""
    place = urlsplit(settings.sites_base)
    sources = f"'self' {place.scheme}://{place.netloc}" if place.netloc else "'self'"
    policy = f"default-src 'none'; connect-src {sources}"
    made = SiteResponse(EncodedBody.of(content), media=assets.SCRIPT, policy=policy, cache=SHARED)
    return made.header("service-worker-allowed", below)
