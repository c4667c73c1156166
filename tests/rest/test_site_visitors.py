"""Visitors of a site in REST: claims, tokens, conditions, search, previews, moved pages."""

from __future__ import annotations

import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import orjson
import pytest
from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey

from app.domain.sites import previews
from app.kit.signing import Signer
from tests import make
from tests.cast import Cast, Person
from tests.contract.recipes_sites import SCHEMA
from tests.factories import collections
from tests.factories.changes import new_page
from tests.factories.sites import ManagedSite, answered, spaces

VIP = "visitor.claims.plan == 'pro'"
BETA = "visitor.claims.unsigned.beta"


def soon(seconds: int = 600) -> int:
    return int(datetime.now(UTC).timestamp()) + seconds


def token(key: str, header: dict[str, Any] | None = None, **claims: Any) -> str:
    """Sign a visitor's token with the key of a site."""
    return jwt.encode({"alg": "HS256", **(header or {})}, {"exp": soon(), **claims}, OctKey.import_key(key))


def unsigned_token(**claims: Any) -> str:
    def part(value: Any) -> str:
        return urlsafe_b64encode(orjson.dumps(value)).decode().rstrip("=")

    return f"{part({'alg': 'none', 'typ': 'JWT'})}.{part({'exp': soon(), **claims})}."


def key_of(s: ManagedSite) -> str:
    return str(s.get("/publishing/auth")["privateKey"])


def adaptive(cast: Cast, *titles: str) -> ManagedSite:
    """A site with a section around each of these spaces, which may know what SCHEMA says."""
    s = ManagedSite(cast, visibility="visitor-auth")
    answered(cast.ada.put(f"{s.path}/adaptive-schema", {"jsonSchema": SCHEMA}))
    s.patch("", {"adaptiveContent": {"enabled": True}})
    for title in titles:
        space = make.filled_space(
            cast, {"README.md": f"# Lamps of {title}\n\nThe lamp burns.\n"}, title=title
        )
        s.post("/sections", {"spaceId": space})
    s.post("/publish", status=200)
    return s


def at(person: Person, url: str, **more: Any) -> Any:
    return answered(person.post("/v1/urls/published", {"url": url, **more}))


def test_a_condition_gives_a_boolean_by_the_schema_of_the_site(cast: Cast) -> None:
    s = adaptive(cast, "Guide")
    section = s.get("/sections")["items"][0]
    item = section["siteSpaces"][0]["id"]
    link = s.post("/external-links", {"title": "Shop", "url": "https://example.org"})["id"]
    parts = (f"/sections/{section['id']}", f"/site-spaces/{item}", f"/external-links/{link}")
    wrong = (
        "visitor.claims.plan",  # text
        "visitor.claims.roles",
        "visitor.claims.nothing",
        "visitor.claims.plan == 'gold'",
        "visitor.claims.roles.length",
        "1 + 1",
        "true ? 1 : true",
        "visitor",
        "window.x",
        "visitor.claims.__proto__",
        "visitor.claims.",
        "",
        "x" * 1025,
        "(" * 500,
    )
    for path in parts:
        for condition in wrong:
            refused = answered(cast.ada.patch(s.path + path, {"condition": condition}), 400)["error"]
            assert refused["details"][0]["path"] == "condition", condition
        assert "condition" not in str(s.get("/structure"))
    for path in parts:
        assert s.patch(path, {"condition": VIP})["condition"] == VIP
        assert s.patch(path, {})["condition"] == VIP
        assert "condition" not in s.patch(path, {"condition": None})
    s.patch(parts[0], {"condition": VIP})
    schema: dict[str, Any] = {**SCHEMA}
    without_plan = {**schema, "properties": {"unsigned": schema["properties"]["unsigned"]}}
    assert cast.ada.put(f"{s.path}/adaptive-schema", {"jsonSchema": without_plan}).status_code == 409


@pytest.mark.parametrize("condition", ["1 + 1", "visitor.claims.", "'yes'", "page.title"])
def test_a_condition_of_a_page_is_refused_where_it_is_not_boolean(cast: Cast, condition: str) -> None:
    space = make.filled_space(cast)
    page = {"operation": "insert_page", "title": "Secret", "document": {"markdown": ""}}
    request = make.change_request(cast.ada, space)["number"]
    body = {"changes": [{**page, "condition": condition}]}
    path = f"/v1/spaces/{space}/change-requests/{request}/content"
    refused = answered(cast.ada.post(path, body), 400)["error"]
    assert refused["details"][0]["path"] == "changes.0.condition"
    answered(cast.ada.post(path, {"changes": [{**page, "condition": VIP}]}))


def test_claims_that_the_key_signed_open_what_is_for_them(cast: Cast) -> None:
    s = adaptive(cast, "Open", "Closed")
    opened, closed = s.get("/sections")["items"]
    s.patch(f"/sections/{closed['id']}", {"condition": VIP})
    url, key = closed["urls"]["published"], key_of(s)

    def seen(token: str | None, unsigned: dict[str, Any] | None = None) -> bool:
        visitor = {"jwtToken": token, "unsignedClaims": unsigned or {}}
        return bool(at(cast.ria, url, visitor=visitor)["siteSection"] == closed["id"])

    assert at(cast.ria, url)["siteSection"] == closed["id"], "who asks sees it themselves"
    assert not seen(None)
    assert not seen(token(key, plan="free"))
    assert seen(token(key, plan="pro"))
    assert seen(token(key, plan="pro", aud=s.id, sub="x", iat=soon(0), nbf=soon(0)))
    assert not seen(None, {"plan": "pro"}), "what visitors say themselves is unsigned"
    s.patch(f"/sections/{closed['id']}", {"condition": BETA})
    assert seen(token(key), {"beta": True})
    assert not seen(token(key, unsigned={"beta": True})), "what is signed is not unsigned"
    s.patch("", {"adaptiveContent": {"enabled": False}})
    assert not seen(token(key), {"beta": True}), "a site that adapts nothing knows nothing"
    assert at(cast.ria, opened["urls"]["published"], visitor={})["siteSection"] == opened["id"]


def test_a_token_that_is_none_of_the_site_is_refused(cast: Cast) -> None:
    s, other = adaptive(cast, "Guide"), adaptive(cast, "Guide")
    key, url = key_of(s), s.get()["urls"]["published"]
    rsa = RSAKey.generate_key(2048)
    wrong = {
        "none": unsigned_token(plan="pro"),
        "RS256": jwt.encode({"alg": "RS256"}, {"exp": soon()}, rsa),
        "HS512": jwt.encode({"alg": "HS512"}, {"exp": soon()}, OctKey.import_key(key), algorithms=["HS512"]),
        "another site's": token(key_of(other)),
        "over": token(key, exp=soon(-120)),
        "not yet": token(key, nbf=soon(120)),
        "from the future": token(key, iat=soon(120)),
        "for another": token(key, aud="somebody"),
        "for others": token(key, aud=["a", other.id]),
        "endless": jwt.encode({"alg": "HS256"}, {"plan": "pro"}, OctKey.import_key(key)),
        "until text": token(key, exp="tomorrow"),
        "until yes": token(key, exp=True),
        "kid": token("x" * 32, {"kid": "../../dev/null"}),
        "garbage": "a.b.c",
        "nothing": "",
        "spaces": "   ",
        "long": token(key, plan="x" * 9000),
    }
    for name, text in wrong.items():
        answer = cast.ria.post("/v1/urls/published", {"url": url, "visitor": {"jwtToken": text}})
        assert answer.status_code == 400, name
        assert answer.json()["error"]["details"][0]["path"] == "visitor.jwtToken", name
    good = token(key)
    assert at(cast.ria, url, visitor={"jwtToken": good})["site"] == s.id
    s.patch("/publishing/auth", {"backend": "custom", "fallbackURL": "https://example.org/login"})
    s.post("/publishing/auth/regenerate", status=200)
    body = {"url": url, "visitor": {"jwtToken": good}}
    assert cast.ria.post("/v1/urls/published", body).status_code == 400, "the old key signs nothing more"
    sent = at(cast.ria, url, visitor={"jwtToken": good}, redirectOnError=True)
    assert (sent["target"], sent["redirect"]) == ("https://example.org/login", True)
    assert at(cast.ria, url, visitor={"jwtToken": token(key_of(s))})["site"] == s.id


def test_a_search_finds_what_a_visitor_is_shown(cast: Cast) -> None:
    s = adaptive(cast, "Open", "Closed", "Draft")
    opened, closed, draft = s.get("/sections")["items"]
    s.patch(f"/sections/{closed['id']}", {"condition": VIP})
    s.patch(f"/site-spaces/{draft['siteSpaces'][0]['id']}", {"draft": True})
    space = opened["siteSpaces"][0]["space"]["id"]
    pages: dict[str, dict[str, Any]] = {
        "Lamp for friends": {"condition": BETA},
        "Lamp hidden": {"hidden": True},
        "Lamp broken": {"condition": "visitor.claims.roles.a.b == 1"},
    }
    for title, said in pages.items():
        above = new_page(cast.ada, space, title=title, **said)
        new_page(cast.ada, space, title=f"{title}: more", into=above)
    new_page(cast.ada, space, title="Lamp out of the index", noIndex=True)

    def found(**visitor: Any) -> list[str]:
        body = {"query": "lamp", "scope": {"mode": "all"}}
        whom = {"visitor": visitor} if visitor else {}
        page = answered(cast.ria.post(f"{s.path}/search", {**body, **whom}))
        assert page["count"] == len(page["items"])
        return sorted(item["title"] for item in page["items"])

    assert len(found()) == 4 + 2 * len(pages), "who looks after the site finds everything"
    assert found(unsignedClaims={}) == ["Lamps of Open"]
    friends = ["Lamp for friends", "Lamp for friends: more"]
    assert found(unsignedClaims={"beta": True}) == [*friends, "Lamps of Open"]
    assert found(jwtToken=token(key_of(s), plan="pro")) == ["Lamps of Closed", "Lamps of Open"]
    for claims in ({"beta": "true"}, {"beta": 1}, {"plan": "pro"}):
        assert found(unsignedClaims=claims) == ["Lamps of Open"]
    s.patch("", {"adaptiveContent": {"enabled": False}})
    assert found(unsignedClaims={"beta": True}) == ["Lamps of Open"]
    body = {"query": "lamp", "scope": {"mode": "all"}, "visitor": {"jwtToken": "x.y.z"}}
    assert cast.ria.post(f"{s.path}/search", body).status_code == 400
    elsewhere = adaptive(cast, "Other").get("/site-spaces")["items"][0]["id"]
    scope = {"mode": "specific", "siteSpaceIds": [elsewhere]}
    assert cast.ria.post(f"{s.path}/search", {"query": "lamp", "scope": scope}).status_code == 400


def test_a_page_that_moved_leaves_a_way_behind(cast: Cast) -> None:
    s = ManagedSite(cast)
    s.section("First")
    space = make.filled_space(cast, title="Manual")
    section = s.post("/sections", {"spaceId": space})
    root = s.post("/publish", status=200)["urls"]["published"]
    page = cast.ada.get(f"/v1/spaces/{space}/content/path/machinery/lamp").json()["id"]

    def target(source: str, person: Person = cast.ria, **params: Any) -> str | None:
        answer = person.get(f"{s.path}/redirect", params={"source": source, **params})
        return answered(answer)["target"] if answer.status_code != 404 else None

    def change(**said: Any) -> None:
        make.changes(cast.ada, space, {"operation": "update_page", "page": page, **said})

    old, newer = "/manual/machinery/lamp", "/manual/machinery/light"
    assert target(old) is None, "the page is there"
    change(slug="light")
    assert target(old) == f"{root}{newer}"
    change(into=None, slug="torch")
    assert target(old) == target(newer) == f"{root}/manual/torch"
    assert target("/machinery/lamp") is None, "that was never in the default section"
    found = s.get("/redirect", cast.ria, source=old)["redirect"]
    assert (found["automatic"], found["permanent"], found["source"]) == (True, False, old)
    here = section["siteSpaces"][0]["id"]
    assert found["destination"] == {"kind": "site-page", "siteSpace": here, "page": page}
    assert s.get("/redirects")["count"] == 0, "nobody wrote it"
    answer = at(cast.ria, f"{root}{old}")
    assert (answer["target"], answer["redirect"]) == (f"{root}/manual/torch", True)
    assert at(cast.ria, f"{root}/manual/torch")["page"] == page

    s.patch("", {"visibility": "share-link"})
    key = s.share_key()
    assert target(old, shareKey=key) == f"{root}/manual/torch?shareKey={key}"
    assert target(old, shareKey="k") == f"{root}/manual/torch"
    made = s.post(
        "/redirects", {"source": old, "destination": {"kind": "external", "url": "https://example.org"}}
    )
    assert target(old) == "https://example.org", "what somebody wrote wins"
    s.delete(f"/redirects/{made['id']}")
    other = new_page(cast.ada, space, title="Light", into=page)
    make.changes(cast.ada, space, {"operation": "update_page", "page": other, "into": None, "slug": "light"})
    change(slug="light-2")
    assert target("/manual/torch") == f"{root}/manual/light-2"
    s.patch(f"/sections/{section['id']}", {"path": "docs"})
    assert target("/docs/torch") == f"{root}/docs/light-2"

    collections.patched(cast.ada, f"/v1/spaces/{space}", {"defaultLevel": None})
    assert target("/docs/torch") is None, "they do not see the space"
    assert target("/docs/torch", cast.ada) == f"{root}/docs/light-2"
    make.changes(cast.ada, space, {"operation": "delete_page", "page": page})
    assert target("/docs/torch", cast.ada) is None


def test_nothing_leads_to_what_a_visitor_is_not_shown(cast: Cast) -> None:
    s = adaptive(cast, "Open", "Closed")
    closed = s.get("/sections")["items"][1]
    to = {"kind": "site-section", "siteSection": closed["id"]}
    s.post("/redirects", {"source": "/secret", "destination": to})
    root = s.get()["urls"]["published"]
    s.patch(f"/sections/{closed['id']}", {"condition": VIP})
    assert at(cast.ria, f"{root}/secret")["target"] == closed["urls"]["published"]
    assert "target" not in at(cast.ria, f"{root}/secret", visitor={})
    shown = at(cast.ria, f"{root}/secret", visitor={"jwtToken": token(key_of(s), plan="pro")})
    assert shown["target"] == closed["urls"]["published"]


def preview_of(url: str) -> dict[str, Any]:
    (text,) = parse_qs(urlsplit(url).query)["preview"]
    body = text.rpartition(".")[0]
    found: dict[str, Any] = orjson.loads(zlib.decompress(urlsafe_b64decode(body + "=" * (-len(body) % 4))))
    return found


def test_a_site_is_looked_at_before_it_is_published(cast: Cast) -> None:
    s = ManagedSite(cast, title="Docs")
    section = s.section("Guide")
    other = s.section("Blog")
    (old,) = spaces(cast, "Old")
    item = s.post("/site-spaces", {"spaceId": old, "sectionId": other["id"]})["id"]
    root = f"{cast.instance.settings.sites_base}/{cast.organization}"

    def offered(**query: Any) -> str:
        return str(s.get("/publishing/preview", cast.cleo, **query)["url"])

    assert offered().startswith(f"{root}/{s.id}?preview=")
    s.patch("", {"basename": "docs", "hostname": f"docs.{s.id}.example.org".lower()})
    assert offered().startswith(f"{root}/docs?preview="), "its own host may not lead to us yet"
    assert offered(siteSpace=section["siteSpaces"][0]["id"]).startswith(f"{root}/docs?preview=")
    assert offered(siteSpace=item).startswith(f"{root}/docs/blog/old?preview=")
    assert offered(siteSpace=item, target="/a/b").startswith(f"{root}/docs/blog/old/a/b?preview=")
    shown = preview_of(offered(claims='{"plan": "pro"}', draft="false"))
    assert (shown["site"], shown["claims"], shown["draft"]) == (s.id, {"plan": "pro"}, False)
    assert (preview_of(offered())["draft"], preview_of(offered())["without"]) == (True, [])
    collections.patched(cast.ada, f"/v1/spaces/{old}", {"defaultLevel": None})
    assert preview_of(offered())["without"] == [item], "they hand on no more than they see"
    path = f"{s.path}/publishing/preview"
    assert cast.cleo.get(path, params={"siteSpace": item}).status_code == 404
    for wrong in ({"claims": "[]"}, {"claims": "{"}, {"target": "//x"}, {"target": "x"}):
        assert cast.cleo.get(f"{s.path}/publishing/preview", params=wrong).status_code == 400
    assert cast.rhea.get(f"{s.path}/publishing/preview").status_code == 403
    assert cast.sol.get(f"{s.path}/publishing/preview").status_code == 404


def test_the_address_of_a_preview_is_signed_and_ends(cast: Cast) -> None:
    now, signer = datetime.now(UTC), Signer(b"secret")
    shown = previews.Preview("site", True, {"plan": "pro"}, ["item"], int(now.timestamp()) + 60)
    said = {"site": "site", "draft": True, "claims": {"plan": "pro"}, "without": ["item"]}
    packed = zlib.compress(orjson.dumps({**said, "until": shown.until}))
    body = urlsafe_b64encode(packed).decode().rstrip("=")
    good = f"{body}.{signer.sign(previews.PURPOSE, body)}"
    assert previews.read(signer, good, now) == shown
    assert previews.read(signer, good, now + timedelta(seconds=61)) is None
    assert previews.read(Signer(b"another"), good, now) is None
    for wrong in ("", ".", body, f"{body}.", f"x{good}", f"{good}x", f"{body}.{signer.sign('pdf', body)}"):
        assert previews.read(signer, wrong, now) is None
