"""Origins that integrations, and sites with their scripts, have for themselves (threats, 71)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx
import pytest

from app.access.context import Context
from app.domain.integrations import endpoint_cookies
from app.domain.site_addresses import own_origins
from app.kit.errors import NotFound
from app.kit.settings import Settings
from tests import anonymous
from tests.cast import Cast
from tests.factories.integrations import PublishedIntegration
from tests.integrations.test_endpoints import COOKIES, ECHO
from tests.integrations.test_events import until
from tests.visitors import PublishedSite, token

OPENED = {"sec-fetch-mode": "navigate"}
FORM = """export default { async fetch(request) {
  const { request: asked } = JSON.parse((await request.formData()).get("event"));
  return new Response("<p>" + asked.url, { headers: { "content-type": "text/html" } });
} };"""


def at(cast: Cast, address: str, **headers: str) -> httpx.Response:
    """Return what is answered at an address whose host only browsers find."""
    place = urlsplit(address)
    whole = f"{cast.instance.settings.sites_base}{place.path}{'?' if place.query else ''}{place.query}"
    return anonymous.get(whole, headers={"host": place.netloc, **headers})


def scripted(cast: Cast, **site: Any) -> PublishedSite:
    """A site whose pages have a script."""
    made, place = PublishedIntegration(cast, scopes=["site:script:inject"]), PublishedSite(cast, **site)
    made.on_site(made.install(), place.id)
    until(lambda: place.get("/integration-scripts"))
    return place


def test_an_integration_answers_with_an_origin_of_its_own(cast: Cast) -> None:
    made = PublishedIntegration(cast, script=FORM, contentSecurityPolicy="frame-ancestors https:")
    other = PublishedIntegration(cast, script=FORM)
    urls, theirs = made.published["urls"], other.published["urls"]
    shown = urls["publicContentEndpoint"]
    assert urlsplit(shown).hostname == f"{own_origins.label('i', made.name)}.localhost"
    assert urlsplit(shown).netloc != urlsplit(theirs["publicContentEndpoint"]).netloc
    answer = at(cast, f"{shown}/frame?a=b%20c")
    assert answer.text == f"<p>{shown}/frame?a=b%20c"
    policies = answer.headers.get_list("content-security-policy")
    assert policies == ["object-src 'none'", "frame-ancestors https:"]
    elsewhere = urlsplit(shown).netloc
    assert at(cast, f"http://{elsewhere}{urlsplit(theirs['publicEndpoint']).path}").status_code == 404
    beside = anonymous.get(f"{urls['publicEndpoint']}/frame")
    assert beside.headers["content-security-policy"].startswith("sandbox ")
    installation = made.install()
    installed = made.get(f"/installations/{installation}")["urls"]["publicContentEndpoint"]
    assert urlsplit(installed).netloc == elsewhere


def test_at_its_own_origin_there_is_nothing_of_sites_or_of_the_api(cast: Cast) -> None:
    made, site = PublishedIntegration(cast, script=ECHO), scripted(cast)
    host = urlsplit(made.published["urls"]["publicContentEndpoint"]).netloc
    own = urlsplit(own_origins.of_site(cast.instance.settings, site.id)).netloc
    caller = {"authorization": f"Bearer {cast.ada.token}"}
    for path in ("/v1/user", "/graphql", "/docs", "/", site.base, f"{site.base}/guide/install"):
        assert at(cast, f"http://{host}{path}", **caller).status_code == 404, path
    for path in ("/v1/user", "/graphql", urlsplit(made.published["urls"]["publicEndpoint"]).path):
        assert at(cast, f"http://{own}{path}", **caller).status_code == 404, path
    unknown = own_origins.label("s", "nobody")
    assert at(cast, f"http://{unknown}.localhost:{urlsplit(site.url).port}{site.base}").status_code == 404


def test_cookies_of_an_endpoint_come_back_at_its_own_origin(cast: Cast) -> None:
    made = PublishedIntegration(cast, script=COOKIES)
    shown = made.published["urls"]["publicContentEndpoint"]
    begun = at(cast, f"{shown}/begin")
    assert (begun.status_code, begun.headers["location"]) == (302, f"{shown}/back")
    assert begun.headers.get_list("set-cookie") == [
        "endpoint.verifier=abc.123-x; Path=/; HttpOnly; Max-Age=600",
        "endpoint.__Host-state=s; Path=/; HttpOnly; SameSite=Lax",
    ]
    cookies = "endpoint.verifier=abc.123-x; visits=3; docyard_session=dcs_x"
    assert at(cast, f"{shown}/back", cookie=cookies).text == "verifier=abc.123-x"


def test_browsers_are_sent_to_the_origin_of_a_site_with_scripts(cast: Cast) -> None:
    site, plain = scripted(cast), PublishedSite(cast)
    own = own_origins.of_site(cast.instance.settings, site.id)
    assert plain.open(**OPENED).status_code == 200
    assert "sandbox" in site.open("/guide/install").headers["content-security-policy"]
    sent = site.open("/guide/install?a=b%20c", **OPENED)
    assert (sent.status_code, sent.headers["location"]) == (307, f"{own}{site.base}/guide/install?a=b%20c")
    there = at(cast, sent.headers["location"], **OPENED)
    assert there.status_code == 200
    assert "sandbox" not in there.headers["content-security-policy"]
    assert f'href="{site.url}/guide/install"' in there.text  # the address by which it is known
    other = scripted(cast)
    assert at(cast, f"{own}{other.base}").status_code == 404
    site.open("/guide/install")
    assert site.open("/guide/install", **OPENED).status_code == 307


def test_visitors_are_admitted_at_the_origin_of_the_site(cast: Cast) -> None:
    site = scripted(cast, visibility="visitor-auth")
    own = own_origins.of_site(cast.instance.settings, site.id)
    query = f"jwt_token={token(site.key)}"
    sent = site.open(f"/guide/install?{query}", **OPENED)
    assert sent.headers["location"] == f"{own}{site.base}/guide/install?{query}"
    assert "set-cookie" not in sent.headers
    admitted = at(cast, sent.headers["location"], **OPENED)
    assert (admitted.status_code, admitted.headers["location"]) == (303, f"{site.base}/guide/install")
    (cookie,) = admitted.headers.get_list("set-cookie")
    assert "; HttpOnly" in cookie
    given = cookie.partition(";")[0]
    assert at(cast, f"{own}{site.base}/guide/install", cookie=given).status_code == 200


def test_with_tls_no_neighbour_in_the_domain_sets_a_cookie_of_an_endpoint() -> None:
    given = Settings(
        base_url="https://docs.example.org",
        sites_url="https://sites.example.org",
        integrations_url="https://*.apps.example.org",
    )
    said = [("set-cookie", "verifier=a; Path=/x; Domain=apps.example.org; SameSite=None")]
    assert endpoint_cookies.to_set(given, "lamps", said, is_own=True) == [
        "__Host-endpoint.verifier=a; Path=/; HttpOnly; SameSite=None; Secure"
    ]
    begun = endpoint_cookies.prefix(given, is_own=True)
    assert (
        endpoint_cookies.given_back("endpoint.verifier=evil; __Host-endpoint.verifier=a", begun)
        == "verifier=a"
    )


@pytest.mark.parametrize(
    "wrong", ["https://apps.example.org", "*.example.org", "https://*.example.org/x", "https://a.*.org", "x"]
)
def test_the_setting_names_hosts_by_a_pattern(wrong: str) -> None:
    with pytest.raises(ValueError, match="must be like"):
        Settings(integrations_url=wrong)


def test_without_a_host_for_them_nothing_has_an_origin_of_its_own() -> None:
    alone = Settings(base_url="https://docs.example.org", sites_url="https://sites.example.org")
    assert own_origins.of_site(alone, "a") == own_origins.of_integration(alone, "a") == ""
    named = alone.model_copy(update={"integrations_url": "https://*.apps.example.org"})
    assert own_origins.of_site(named, "a").endswith(".apps.example.org")
    assert own_origins.for_programs(named)
    ending = own_origins.suffix(named)
    label = own_origins.label("i", "lamps")
    assert own_origins.label_of(f"{label}.apps.example.org", ending) == label
    for host in ("apps.example.org", "www.apps.example.org", f"x.{label}.apps.example.org", f"{label}.org"):
        assert own_origins.label_of(host, ending) == "", host


BEGINNING = """export default { async fetch(request) {
  const event = JSON.parse((await request.formData()).get("event"));
  if (event.type === "fetch") return new Response(event.request.headers.cookie ?? "none");
  const headers = new Headers({ location: "https://id.example.org/in?a=b" });
  headers.append("set-cookie", "verifier=abc; Max-Age=600");
  return new Response("", { status: 302, headers });
} };"""


def test_cookies_of_a_visitor_who_signs_in_come_back_at_the_endpoints(cast: Cast) -> None:
    site = PublishedSite(cast, visibility="visitor-auth")
    made = PublishedIntegration(cast, scopes=["site:visitor:auth"], script=BEGINNING)
    endpoint = made.on_site(made.install(), site.id)["urls"]["publicEndpoint"]
    site.patch("/publishing/auth", {"backend": "integration", "integration": made.name})
    sent = site.open("/guide/install")
    assert sent.status_code == 303
    assert "set-cookie" not in sent.headers
    with httpx.Client() as browser:
        on = browser.get(sent.headers["location"])
        assert (on.status_code, on.headers["location"]) == (303, "https://id.example.org/in?a=b")
        assert browser.get(f"{endpoint}/back").text == "verifier=abc"
    own = sent.headers["location"].replace(cast.instance.settings.sites_base, own_origins.of_integration(
        cast.instance.settings, made.name))  # fmt: skip
    assert "endpoint.verifier=abc; Path=/; HttpOnly; Max-Age=600" in at(cast, own).headers["set-cookie"]
    for wrong in (own.replace("seal=", "seal=x"), own.replace("abc", "abd"), own.partition("?")[0]):
        assert at(cast, wrong).status_code == 404, wrong


def test_the_cookies_are_carried_for_a_minute_alone(cast: Cast) -> None:
    said = [("set-cookie", "verifier=abc")]

    async def carried(cx: Context) -> None:
        cx.now -= timedelta(seconds=2 * endpoint_cookies.CARRIED_FOR)
        address = endpoint_cookies.carried(cx, "lamps", "https://id.example.org", said)
        query = dict(parse_qsl(urlsplit(address).query))
        assert endpoint_cookies.brought(cx, "lamps", query["seal"], query["with"])[1] == ["verifier=abc"]
        cx.now += timedelta(seconds=2 * endpoint_cookies.CARRIED_FOR)
        with pytest.raises(NotFound):
            endpoint_cookies.brought(cx, "lamps", query["seal"], query["with"])

    cast.instance.inside(carried)
