"""Addresses for visitors through GraphQL: a key is an argument of the address, and changes nothing else."""

from __future__ import annotations

from typing import Any

from tests.cast import Cast
from tests.contract.selections import CORE
from tests.factories.sites import ManagedSite

ADDRESS = "plain: publishedUrl keyed: publishedUrl(shareKey: $key) urls { published }"
ASKED = f"""query ($organization: ID!, $site: ID!, $space: ID!, $key: String) {{
    organization(id: $organization) {{ site(id: $site) {{ id {ADDRESS}
        siteSpaces {{ nodes {{ id {ADDRESS} space {{ id {ADDRESS} }} }} }}
        sections {{ nodes {{ id {ADDRESS} siteSpaces {{ id {ADDRESS} }} }} }}
        structure {{ structure {{ ... on SiteSection {{ id {ADDRESS} }} }} }} }} }}
    space(id: $space) {{ id {ADDRESS} }} }}"""


def objects(found: Any) -> list[dict[str, Any]]:
    """Return all objects with addresses in an answer."""
    inside = found.values() if isinstance(found, dict) else found if isinstance(found, list) else ()
    here = [found] if isinstance(found, dict) and "plain" in found else []
    return here + [each for value in inside for each in objects(value)]


def test_a_key_is_in_the_addresses_that_it_is_asked_for_with_and_nowhere_else(cast: Cast) -> None:
    site = ManagedSite(cast, "Handbook", visibility="share-link")
    site.section("More")
    site.post("/publish", status=200)
    asked = {"organization": cast.organization, "site": site.id, "space": site.spaces[0]}
    key = site.share_key()
    told = objects(cast.ada.ask(ASKED, **asked, key=key))
    assert len(told) >= 7
    for each in told:
        assert each["plain"] == each["urls"]["published"]
        assert each["keyed"] == f"{each['plain']}?shareKey={key}", each
    for wrong in (None, "", "nonsense", ManagedSite(cast, visibility="share-link").share_key()):
        shown = objects(cast.ada.ask(ASKED, **asked, key=wrong))
        assert [each["keyed"] for each in shown] == [each["plain"] for each in told]
    refused = cast.ada.gql(ASKED, **asked, key="x" * 257)["errors"]
    assert len(refused) == len(told)
    assert {(each["path"][-1], each["extensions"]["code"]) for each in refused} == {("keyed", "BAD_REQUEST")}
    assert all(each["message"].startswith("shareKey: ") for each in refused)
    rest = cast.ada.get(f"/v1/spaces/{site.spaces[0]}", params={"shareKey": key}).json()["urls"]
    assert cast.ada.ask(ASKED, **asked, key=key)["space"]["keyed"] == rest["published"]
    item = site.get("/site-spaces", shareKey=key)["items"][0]
    assert item["urls"]["published"] in [each["keyed"] for each in told]


def test_no_other_field_takes_a_key_but_the_one_that_resolves_a_path() -> None:
    taking = {
        f"{name}.{field}"
        for name, kind in CORE.type_map.items()
        for field, it in getattr(kind, "fields", {}).items()
        if "shareKey" in getattr(it, "args", {})
    }
    addresses = {f"{name}.publishedUrl" for name in ("Site", "SiteSection", "SiteSpace", "Space")}
    assert taking == {*addresses, "Site.redirect"}
