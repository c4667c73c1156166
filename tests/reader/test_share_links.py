"""Sites that open with a share link: to who has the key, until it is withdrawn (threats, 15, 16 and 21)."""

from __future__ import annotations

import re
from http.cookies import SimpleCookie

import pytest

from tests import anonymous
from tests.cast import Cast
from tests.visitors import PublishedSite, token

OUTPUTS = ("", "/guide/install", "/guide/install.md", "/llms.txt", "/llms-full.txt", "/~/search?q=installer",
           "/~/tree", "/robots.txt", "/sitemap.xml")  # fmt: skip

FOR_SOME = {
    "title": "Pro",
    "document": {"markdown": "For professionals."},
    "condition": "visitor.claims.plan == 'pro'",
}


@pytest.fixture
def site(cast: Cast) -> PublishedSite:
    """A site for those with a share link."""
    return PublishedSite(cast, visibility="share-link")


def test_without_the_key_there_is_nothing(site: PublishedSite) -> None:
    for path in OUTPUTS:
        answer = site.open(path)
        assert answer.status_code == 404, path
        assert answer.headers["cache-control"] == "private, no-store"
        assert "installer" not in answer.text
        assert "Untitled site" not in answer.text
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    assert site.ask("POST", "/~/mcp", json=asked).status_code == 404


def test_the_key_is_traded_for_a_cookie(site: PublishedSite) -> None:
    _, key = site.share()
    with site.browser() as browser:
        entered = browser.get(f"/guide/install?shareKey={key}&theme=dark")
        assert entered.status_code == 303
        assert entered.headers["location"] == f"{site.base}/guide/install?theme=dark"
        assert key not in entered.headers["set-cookie"]
        for path in ("", "/guide/install", "/guide/install.md", "/llms.txt", "/~/search?q=installer"):
            answer = browser.get(path)
            assert answer.status_code == 200, path
            assert answer.headers["cache-control"] == "private, no-store"
            assert answer.headers["x-robots-tag"] == "noindex"
            assert "etag" not in answer.headers
        assert browser.get("/sitemap.xml").status_code == 404
        assert key not in browser.get("").text


def test_the_cookie_is_of_this_site_and_of_no_use_to_scripts(cast: Cast, site: PublishedSite) -> None:
    _, key = site.share()
    cookie = SimpleCookie(site.open(f"?shareKey={key}").headers["set-cookie"])
    (name,) = cookie
    morsel = cookie[name]
    assert site.id in name
    assert (morsel["path"], morsel["httponly"], morsel["samesite"]) == (site.base, True, "Lax")
    assert morsel["domain"] == ""
    assert not morsel["secure"]  # this server is reached by http
    other = PublishedSite(cast, visibility="share-link")
    other.share()
    for names in (name, name.replace(site.id, other.id)):
        assert other.open("", cookie=f"{names}={morsel.value}").status_code == 404
    assert site.open("", cookie=f"{name}={morsel.value}").status_code == 200
    body, _, signature = morsel.value.partition(".")
    for forged in (
        body,
        f"{body}.",
        f"{body}.{signature[:-1]}{'A' if signature[-1] != 'A' else 'B'}",
        f".{signature}",
        f"{body}x.{signature}",
        "." * 50,
    ):
        assert site.open("", cookie=f"{name}={forged}").status_code == 404


def test_at_a_host_of_its_own_the_cookie_needs_https(cast: Cast) -> None:
    host = f"docs.{cast.organization}.example".lower()
    site = PublishedSite(cast, visibility="share-link", hostname=host)
    _, key = site.share()
    answer = anonymous.get(f"{cast.instance.base}/guide?shareKey={key}", headers={"host": host})
    cookie = SimpleCookie(answer.headers["set-cookie"])
    (name,) = cookie
    assert name.startswith("__Secure-")
    assert (cookie[name]["path"], bool(cookie[name]["secure"])) == ("/", True)


def test_a_withdrawn_link_opens_nothing_any_more(cast: Cast, site: PublishedSite) -> None:
    link, key = site.share()
    _, kept = site.share("Others")
    with site.browser() as browser, site.browser() as other:
        browser.get(f"?shareKey={key}")
        other.get(f"?shareKey={kept}")
        picture = re.findall(r'src="([^"]+lamp.png)"', browser.get("").text)[0]
        assert anonymous.get(picture).status_code == 200
        site.patch(f"/share-links/{link}", {"active": False})
        for path in OUTPUTS:
            assert browser.get(path).status_code == 404, path
            assert site.open(f"{path}{'&' if '?' in path else '?'}shareKey={key}").status_code == 404
        assert anonymous.get(picture).status_code == 404
        assert other.get("/guide/install").status_code == 200
        site.patch(f"/share-links/{link}", {"active": True})
        assert browser.get("/guide/install").status_code == 200
        site.delete(f"/share-links/{link}")
        assert browser.get("/guide/install").status_code == 404


def test_only_the_whole_key_of_this_site_opens_it(cast: Cast, site: PublishedSite) -> None:
    _, key = site.share()
    _, foreign = PublishedSite(cast, visibility="share-link").share()
    wrong = [
        "",
        foreign,
        key[:-1],
        key + "x",
        key.swapcase(),
        key[:8] + "%25",
        "%25",
        "_" * len(key),
        "%00",
        "a" * 5000,
    ]
    for each in wrong:
        assert site.open(f"?shareKey={each}").status_code == 404, each
    assert site.open(f"?shareKey[]={key}").status_code == 404
    assert site.open(f"?shareKey={key}&shareKey={key}").status_code == 404
    assert site.open("", referer=f"{site.url}?shareKey={key}").status_code == 404
    assert site.open(f"?sharekey={key}").status_code == 404


def test_programs_bring_the_key_each_time(site: PublishedSite) -> None:
    _, key = site.share()
    for path in ("/guide/install.md", "/llms.txt", "/llms-full.txt"):
        answer = site.open(f"{path}?shareKey={key}")
        assert answer.status_code == 200, path
        assert answer.headers["cache-control"] == "private, no-store"
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    assert site.ask("POST", f"/~/mcp?shareKey={key}", json=asked).status_code == 200


def test_a_visitors_token_does_not_stand_for_the_key(site: PublishedSite) -> None:
    site.adapts()
    site.page(
        title="Pro", document={"markdown": "For professionals."}, condition="visitor.claims.plan == 'pro'"
    )
    told = token(site.key, plan="pro")
    for path in OUTPUTS:
        for answer in (
            site.open(f"{path}{'&' if '?' in path else '?'}jwt_token={told}"),
            site.open(path, authorization=f"Bearer {told}"),
        ):
            assert answer.status_code == 404, path
            assert "set-cookie" not in answer.headers
            assert "installer" not in answer.text


def test_with_the_key_a_token_tells_who_reads(site: PublishedSite) -> None:
    site.adapts()
    site.page(
        title="Pro", document={"markdown": "For professionals."}, condition="visitor.claims.plan == 'pro'"
    )
    link, key = site.share()
    told = token(site.key, plan="pro")
    assert site.open(f"/pro?shareKey={key}", authorization=f"Bearer {told}").status_code == 303
    with site.browser() as browser:
        assert browser.get(f"?shareKey={key}").status_code == 303
        assert browser.get("/pro").status_code == 404
        assert browser.get(f"/pro?jwt_token={token('not the key', plan='pro')}").status_code == 403
        entered = browser.get(f"/pro?jwt_token={told}")
        assert (entered.status_code, entered.headers["location"]) == (303, f"{site.base}/pro")
        assert "For professionals." in browser.get("/pro").text
        browser.get(f"/guide/install?shareKey={key}")
        assert browser.get("/pro").status_code == 200, "the key takes no claims away"
        site.patch(f"/share-links/{link}", {"active": False})
        assert browser.get("/pro").status_code == 404
        assert browser.get("/guide/install").status_code == 404


def test_what_a_token_told_is_forgotten_when_it_is_over_and_the_link_is_not(site: PublishedSite) -> None:
    site.adapts()
    site.page(
        title="Pro", document={"markdown": "For professionals."}, condition="visitor.claims.plan == 'pro'"
    )
    _, key = site.share()
    with site.browser() as browser:
        browser.get(f"?shareKey={key}&jwt_token={token(site.key, seconds=-30, plan='pro')}")
        assert browser.get("/pro").status_code == 404
        assert browser.get("/guide/install").status_code == 200
        # A pass of a share link never opens a site for those who have signed in.
        site.patch("", {"visibility": "visitor-auth"})
        assert browser.get("/guide/install").status_code != 200
