"""Integrations on published sites: scripts in pages, page view events, visitor sign-in."""

from __future__ import annotations

import re
from typing import Any

import pytest

from app.kit.ids import new_id
from app.kit.settings import Settings
from app.site_reader.state import page_scripts
from tests import anonymous
from tests.cast import Cast
from tests.factories.integrations import PublishedIntegration
from tests.integrations.test_events import until
from tests.reader.test_cost import counted
from tests.visitors import PublishedSite, token

POLICY = {
    "default-src": "*",
    "script-src": "'unsafe-inline' 'unsafe-eval' https://cdn.example.com",
    "connect-src": "https://api.example.com wss: *",
    "frame-ancestors": "*",
    "form-action": "https://evil.example.com",
    "base-uri": "*",
}
SIGNING_IN = """export default { async fetch(request) {
  const { location, action } = JSON.parse((await request.formData()).get("event"));
  const to = action === "logout" ? "out" : "in?to=" + encodeURIComponent(location);
  const headers = { location: "https://id.example.org/" + to };
  return new Response("", { status: 302, headers });
} };"""


def directives(policy: str, number: int = 0) -> dict[str, list[str]]:
    """A policy by its directives: the one that names origins, or the second one, that names folders."""
    parts = (part.split() for part in policy.split(", ")[number].split(";"))
    return {part[0]: part[1:] for part in parts}


def installed(site: PublishedSite, **fields: Any) -> PublishedIntegration:
    """An integration on a site."""
    made = PublishedIntegration(site.cast, **fields)
    made.on_site(made.install(), site.id)
    return made


def test_a_script_is_in_the_page_by_its_address(cast: Cast) -> None:
    site = PublishedSite(cast)
    before = directives(site.open().headers["content-security-policy"])
    assert len(re.findall('<script(?! type="application/ld.json")', site.open().text)) == 3
    installed(site, scopes=["site:script:inject"], contentSecurityPolicy=POLICY)
    (script,) = until(lambda: site.get("/integration-scripts"))
    page = site.open()
    assert f'<script src="{script["script"]}" defer></script>' in page.text
    served = anonymous.get(script["script"])
    assert served.status_code == 200
    assert served.headers["content-type"].startswith("text/javascript")
    found = directives(page.headers["content-security-policy"])
    assert found["script-src"] == ["'self'", script["script"], "https://cdn.example.com"]
    folders = directives(page.headers["content-security-policy"], 1)
    assert folders["script-src"][2:] == found["script-src"][1:]
    assert found["connect-src"] == ["'self'", "https://api.example.com"]
    for name in ("default-src", "form-action", "base-uri", "frame-ancestors", "img-src", "style-src"):
        assert found[name] == before[name], name
    assert script["script"] not in site.open("/~/search?q=install").text
    preview = anonymous.get(site.get("/publishing/preview")["url"], follow_redirects=True)
    assert preview.status_code == 200
    assert script["script"] not in preview.text


def test_a_strangers_script_shares_no_host_with_the_api_or_other_sites(cast: Cast) -> None:
    site = PublishedSite(cast, basename=new_id().lower())
    assert "sandbox" not in directives(site.open().headers["content-security-policy"])
    installed(site, scopes=["site:script:inject"])
    until(lambda: site.get("/integration-scripts"))
    shared = site.open()
    allowed = directives(shared.headers["content-security-policy"])["sandbox"]
    assert "allow-scripts" in allowed
    assert "allow-same-origin" not in allowed
    assert "cross-origin-opener-policy" not in shared.headers  # browsers refuse a page with both
    host = f"{new_id().lower()}.example.org"
    site.placed(hostname=host)
    alone = anonymous.get(cast.instance.base, headers={"host": host})
    assert "/~integration-scripts/" in alone.text
    assert "sandbox" not in directives(alone.headers["content-security-policy"])
    assert alone.headers["cross-origin-opener-policy"] == "same-origin"
    site.placed(hostname=None, proxy=f"{host}/help")
    at_host = anonymous.get(f"{cast.instance.base}/help", headers={"host": host})
    at_proxy = anonymous.get(
        f"{cast.instance.settings.sites_base}/{cast.organization}/{site.get()['basename']}"
    )
    assert at_host.status_code == at_proxy.status_code == 200
    assert "sandbox" not in at_host.headers["content-security-policy"]
    assert "sandbox" in at_proxy.headers["content-security-policy"]


@pytest.mark.parametrize(
    "source",
    ["*", "https:", "data:", "blob:", "'unsafe-inline'", "'unsafe-eval'", "'strict-dynamic'", "http://a.example.com",
     "https://*", "*.com", "localhost", "'nonce-abc'", "127.0.0.1"],
)  # fmt: skip
def test_a_policy_is_widened_by_hosts_alone(source: str) -> None:
    settings = Settings(base_url="https://docs.example.org")
    given = [{"script": "https://docs.example.org/x.js", "contentSecurityPolicy": f"script-src {source}"}]
    found = directives(page_scripts(settings, "", given, own_host=True).policy)
    assert found["script-src"] == ["'self'", "https://docs.example.org/x.js"]
    assert directives(page_scripts(settings, "", [], own_host=True).policy) == {
        **found,
        "script-src": ["'self'"],
    }


def test_views_are_told_to_who_listens_and_cost_others_nothing(cast: Cast) -> None:
    site, quiet = PublishedSite(cast), PublishedSite(cast)
    made = installed(site, scopes=["site:views:read", "space:views:read"])
    for _ in range(2):
        assert site.open("/guide/install").status_code == 200
    assert quiet.open("/guide/install").status_code == 200

    def told() -> list[dict[str, Any]]:
        views = [event["payload"] for event in made.events() if event["payload"]["type"] == "site_view"]
        return views if len(views) >= 2 else []

    views = until(told)
    assert {view["url"] for view in views} == {f"{site.url}/guide/install"}
    assert {view["siteId"] for view in views} == {site.id}
    assert {view["spaceId"] for view in views} == {site.spaces[0]}
    assert all(view["pageId"] and view["siteSpaceId"] and view["visitor"]["anonymousId"] for view in views)
    older = [event["payload"] for event in made.events() if event["payload"]["type"] == "space_view"]
    same = [{k: v for k, v in view.items() if k not in ("eventId", "type")} for view in views]
    assert [{k: v for k, v in view.items() if k not in ("eventId", "type")} for view in older] == same
    known = 0 if cast.instance.engine == "sqlite" else 1
    page = f"{quiet.url}/guide/install"
    assert counted(cast, page, page)[1] == known


def test_an_integration_signs_visitors_in(cast: Cast) -> None:
    site = PublishedSite(cast, visibility="visitor-auth")
    made = installed(site, scopes=["site:visitor:auth"], script=SIGNING_IN)
    site.patch("/publishing/auth", {"backend": "integration", "integration": made.name})
    answer = site.open("/guide/install")
    assert answer.status_code == 303, answer.text
    assert answer.headers["location"] == "https://id.example.org/in?to=%2Fguide%2Finstall"
    assert answer.headers["cache-control"] == "private, no-store"
    assert "set-cookie" not in answer.headers
    assert site.open("/guide/install.md").status_code == 401


def test_an_integration_is_told_who_signs_out(cast: Cast) -> None:
    site = PublishedSite(cast, visibility="visitor-auth")
    made = installed(site, scopes=["site:visitor:auth"], script=SIGNING_IN)
    site.patch("/publishing/auth", {"backend": "integration", "integration": made.name})
    with site.browser() as browser:
        browser.get(f"?jwt_token={token(site.get('/publishing/auth')['privateKey'])}")
        assert browser.get("").status_code == 200
        out = browser.get("/~/sign-out")
        assert (out.status_code, out.headers["location"]) == (303, "https://id.example.org/out")
        assert browser.get("").headers["location"].startswith("https://id.example.org/in")
    told = [event["payload"] for event in made.events()]
    assert [e["action"] for e in told if "action" in e] == ["logout"]


def test_where_the_integration_fails_visitors_are_turned_away(cast: Cast) -> None:
    site = PublishedSite(cast, visibility="visitor-auth")
    made = installed(site, scopes=["site:visitor:auth"], script="export default { fetch() { throw 1; } };")
    site.patch("/publishing/auth", {"backend": "integration", "integration": made.name})
    assert site.open("/guide/install").status_code == 401
