"""Publishing integrations: every field of a manifest, versions, pictures, secrets, names, lists."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest
from sqlalchemy import select

from app.access.context import Context
from app.domain.integrations import integration_secrets
from app.kit.database.statements import given, rows, table
from app.kit.ids import new_id
from app.models.files import Blob
from app.models.integrations import Integration, IntegrationVersion
from tests.cast import Cast
from tests.contract.test_errors import is_refused
from tests.factories.integrations import SCRIPT, PublishedIntegration, manifest, whole
from tests.make import picture

INTEGRATIONS, INTEGRATION_VERSIONS, BLOBS = table(Integration), table(IntegrationVersion), table(Blob)
_HELD = rows(lambda: select(*INTEGRATIONS.c).where(INTEGRATIONS.c.name == given("name")))
_VERSIONS = rows(
    lambda: (
        select(*INTEGRATION_VERSIONS.c)
        .where(INTEGRATION_VERSIONS.c.integration_id == given("id"))
        .order_by(INTEGRATION_VERSIONS.c.version)
    )
)
_BLOB = rows(lambda: select(BLOBS.c.id).where(BLOBS.c.id == given("id")))


def held(cast: Cast, name: str) -> Any:
    """Return what is stored of an integration, with its versions."""

    async def read(cx: Context) -> Any:
        row = await cx.db.first(_HELD, name=name)
        return row, await cx.db.all(_VERSIONS, id=row.id) if row else []

    return cast.instance.inside(read)


def test_a_manifest_comes_back_with_addresses_for_pictures(cast: Cast) -> None:
    name = f"lamps.{new_id()}"
    answer = cast.ada.post(f"/v1/integrations/{name}", whole(cast))
    assert answer.status_code == 200, answer.text
    made = answer.json()
    assert (made["name"], made["version"], made["visibility"], made["verified"]) == (
        name,
        1,
        "private",
        False,
    )
    assert made["owner"]["id"] == cast.organization
    assert made["permissions"] == {"admin": True, "install": True}
    assert made["contentSecurityPolicy"] == "default-src 'none'; frame-src https://lamps.example.org"
    assert made["configurations"]["account"]["required"] == ["key"]
    assert made["blocks"][0]["icon"] == made["urls"]["icon"] == made["previewImages"][0]
    for url in {made["urls"]["icon"], *made["previewImages"]}:
        shown = cast.instance.http.get(url)
        assert shown.status_code == 200
        assert shown.headers["content-type"] == "image/png"
        assert shown.headers["x-content-type-options"] == "nosniff"
        assert "immutable" in shown.headers["cache-control"]
    assert cast.ada.get(f"/v1/integrations/{name}").json() == made


def test_secrets_are_sealed_and_never_returned(cast: Cast) -> None:
    made = PublishedIntegration(cast, secrets={"TOKEN": "lighthouse-secret"})
    row, _ = held(cast, made.name)
    assert "lighthouse-secret" not in str(row)
    assert "lighthouse-secret" not in cast.ada.get(made.path).text
    assert (
        "lighthouse-secret" not in cast.ada.get("/v1/integrations", params={"owner": cast.organization}).text
    )
    before = row.secrets
    made.post("", manifest(cast), 200)
    assert held(cast, made.name)[0].secrets == before, "secrets stay where none are sent"
    made.post("", manifest(cast, secrets={}), 200)
    assert held(cast, made.name)[0].secrets != before


def test_the_owner_sets_secrets_one_by_one_and_reads_only_their_names(cast: Cast) -> None:
    made = PublishedIntegration(cast, secrets={"TOKEN": "lighthouse-secret"}, visibility="public")
    path = f"{made.path}/secrets"
    assert made.get("/secrets") == {"object": "integration-secrets", "names": ["TOKEN"]}
    answer = cast.ada.put(f"{path}/SIGNING_SECRET", {"value": "known to both"})
    assert (answer.status_code, answer.json()["names"]) == (200, ["SIGNING_SECRET", "TOKEN"])
    assert "known" not in answer.text
    assert cast.ada.put(f"{path}/TOKEN", {"value": "other"}).json()["names"] == ["SIGNING_SECRET", "TOKEN"]
    assert cast.ada.delete(f"{path}/SIGNING_SECRET").status_code == 205
    assert cast.ada.delete(f"{path}/SIGNING_SECRET").status_code == 404
    assert made.get("/secrets")["names"] == ["TOKEN"]
    assert [e["action"] for e in log(cast) if "Secret" in e["action"]] == [
        "deleteIntegrationSecret", "setIntegrationSecret", "setIntegrationSecret"
    ]  # fmt: skip
    for wrong in ({}, {"value": ""}, {"value": "x" * 10_001}, {"value": 1}):
        assert is_refused(cast.ada.put(f"{path}/TOKEN", wrong), 400)["details"][0]["path"] == "value"
    for name in ("a%20b", "x" * 101):
        refused = is_refused(cast.ada.put(f"{path}/{name}", {"value": "x"}), 400)
        assert refused["details"][0]["path"] == "secretName"
    for person in (cast.cleo, cast.sol):
        assert person.get(path).status_code == 403
        assert person.put(f"{path}/TOKEN", {"value": "mine"}).status_code == 403


def test_a_signing_secret_that_was_deleted_signs_no_more(cast: Cast) -> None:
    made = PublishedIntegration(cast, secrets={"SIGNING_SECRET": "leaked"})
    row, _ = held(cast, made.name)
    signing = cast.instance.inside(lambda cx: key_of(cx, row.secrets))
    assert signing == "leaked"
    made.by.delete(f"{made.path}/secrets/SIGNING_SECRET")
    row, _ = held(cast, made.name)
    assert len(cast.instance.inside(lambda cx: key_of(cx, row.secrets))) > 30


async def key_of(cx: Context, stored: str) -> str:
    """The key that events are signed with."""
    return integration_secrets.opened(cx, stored)[0]


def test_the_owner_sees_versions_and_the_development_mode(cast: Cast) -> None:
    made = PublishedIntegration(cast, visibility="public")
    made.post("", manifest(cast, script=OTHER), 200)
    newest, first = made.get("/versions")["items"]
    assert (newest["version"], newest["scriptLength"], newest["publisher"]) == (2, len(OTHER), cast.ada.id)
    assert (first["version"], "script" in first) == (1, False)
    off = {"object": "integration-development", "all": False}
    assert made.get("/dev") == off
    made.put("/dev", {"tunnelUrl": "https://tunnel.example.org/events", "all": True})
    assert made.get("/dev") == {**off, "tunnelUrl": "https://tunnel.example.org/events", "all": True}
    assert cast.ada.delete(f"{made.path}/dev").status_code == 205
    assert made.get("/dev") == off
    for part in ("versions", "dev"):
        assert cast.cleo.get(f"{made.path}/{part}").status_code == 403
    shown = cast.ada.ask(OWNED, name=made.name)["integration"]
    assert shown["development"] == {"tunnelUrl": None}
    assert shown["versions"]["totalCount"] == 2
    assert shown["versions"]["nodes"][0]["publisher"]["displayName"] == "Ada"


OWNED = """query ($name: ID!) { integration(name: $name) { development { tunnelUrl } secrets { names }
    versions(first: 1) { totalCount nodes { version publisher { displayName } } } } }"""


def log(cast: Cast) -> list[dict[str, Any]]:
    """The audit log of the organization, newest first."""
    found: list[dict[str, Any]] = cast.ada.get(f"/v1/orgs/{cast.organization}/audit-events").json()["items"]
    return found


def test_each_publishing_is_a_version_and_pictures_stay_where_none_are_sent(cast: Cast) -> None:
    icon = b64encode(picture(16, 16)).decode()
    made = PublishedIntegration(cast, icon=icon)
    address = made.published["urls"]["icon"]
    again = made.post("", manifest(cast, script=OTHER, title="Lamp teller"), 200)
    assert (again["version"], again["title"], again["urls"]["icon"]) == (2, "Lamp teller", address)
    _, versions = held(cast, made.name)
    assert [(v.version, v.script) for v in versions] == [(1, SCRIPT), (2, OTHER)]
    other = b64encode(picture(16, 17)).decode()
    changed = made.post("", manifest(cast, icon=other), 200)
    assert changed["urls"]["icon"] != address
    assert cast.instance.http.get(address).status_code == 404
    blob = address.rpartition("/")[2].partition(".")[0]
    assert cast.instance.inside(lambda cx: cx.db.all(_BLOB, id=blob)) == []
    assert cast.instance.http.get(changed["urls"]["icon"]).status_code == 200
    for _ in range(10):
        made.post("", manifest(cast), 200)
    assert len(held(cast, made.name)[1]) == 10, "the oldest versions are forgotten"


OTHER = "export default { fetch: () => new Response('other') };"


def test_a_script_that_does_not_load_is_told_with_its_line(cast: Cast) -> None:
    body = manifest(cast, script="let lamp = 1;\nlet lit = ;")
    answer = cast.ada.post(f"/v1/integrations/{new_id()}", body)
    assert answer.status_code == 400
    message = answer.json()["error"]["message"]
    assert message.startswith("The script does not load: SyntaxError: ")
    assert "(line 2, column " in message


@pytest.mark.parametrize(
    ("policy", "header"),
    [
        ({"font-src": "fonts.example.org;", "img-src": "*; "}, "font-src fonts.example.org; img-src *"),
        ({"script-src": "'self'\n  lamps.example.org;\n"}, "script-src 'self' lamps.example.org"),
        ("default-src 'none';\n  img-src *;\n", "default-src 'none'; img-src *;"),
    ],
)
def test_a_policy_may_be_written_as_manifests_in_yaml_have_it(cast: Cast, policy: Any, header: str) -> None:
    assert (
        PublishedIntegration(cast, contentSecurityPolicy=policy).published["contentSecurityPolicy"] == header
    )


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"title": "L"}, "title"),
    ({"title": "L" * 31}, "title"),
    ({"description": "x" * 101}, "description"),
    ({"summary": "x" * 2049}, "summary"),
    ({"runtime": "v9"}, "runtime"),
    ({"visibility": "secret"}, "visibility"),
    ({"target": "page"}, "target"),
    ({"scopes": ["space:everything"]}, "scopes.0"),
    ({"categories": ["fun"]}, "categories.0"),
    ({"blocks": [{"id": "a", "title": "Lamp"}, {"id": "a", "title": "Lantern"}]}, "blocks"),
    ({"contentSecurityPolicy": None}, "contentSecurityPolicy"),
    ({"contentSecurityPolicy": "img-src *, script-src *"}, "contentSecurityPolicy"),
    ({"contentSecurityPolicy": {"img-src": "*; script-src *"}}, "contentSecurityPolicy"),
    ({"contentSecurityPolicy": {f"x-{n}": "" for n in range(41)}}, "contentSecurityPolicy"),
    ({"icon": "no base64!"}, "icon"),
    ({"icon": b64encode(b"<html>").decode()}, "icon"),
    ({"previewImages": [b64encode(picture(1, 1)).decode()] * 4}, "previewImages"),
    ({"externalLinks": [{"url": "javascript:alert(1)", "label": "x"}]}, "externalLinks.0.url"),
    ({"externalLinks": [{"url": "https://a.example", "label": "x"}] * 6}, "externalLinks"),
    ({"blocks": [{"id": "a", "title": "A"}]}, "blocks.0.title"),
    ({"blocks": [{"id": "a b", "title": "Lamp"}]}, "blocks.0.id"),
    ({"blocks": [{"id": "a", "title": "Lamp", "urlUnfurl": ["javascript:1"]}]}, "blocks.0.urlUnfurl.0"),
    ({"blocks": [{"id": "a", "title": "Lamp", "markdown": {"body": "x"}}]}, "blocks.0.markdown.codeblock"),
    ({"contentSources": [{"id": "a", "title": "Lamps"}]}, "contentSources.0.configuration"),
    ({"configurations": {"account": {}}}, "configurations.account"),
    (
        {"configurations": {"account": {"properties": {"a": {"type": "list"}}}}},
        "configurations.account.properties.a.type",
    ),
    (
        {"configurations": {"account": {"properties": {"a": {"type": "number", "default": "x"}}}}},
        "configurations.account.properties.a",
    ),
    (
        {"configurations": {"account": {"properties": {"a": {"type": "button"}}}}},
        "configurations.account.properties.a",
    ),
    ({"configurations": {"site": {"properties": {}, "required": ["a"]}}}, "configurations.site"),
    ({"configurations": {"site": {"properties": {}, "componentId": "a"}}}, "configurations.site"),
    ({"secrets": {"a": 1}}, "secrets.a"),
    ({"contentSecurityPolicy": "default-src 'none'\x01"}, "contentSecurityPolicy"),
    ({"script": "let lamp = 1;\nlet lit = ;"}, "script"),
    ({"script": "export default {};"}, "script"),
    ({"script": "import lamps from 'lamps'; export default lamps;"}, "script"),
    ({"script": "for (;;);"}, "script"),
    ({"contentSecurityPolicy": {"default-src": "'none'; script-src *"}}, "contentSecurityPolicy"),
    ({"script": ""}, "script"),
]


@pytest.mark.parametrize(
    ("fields", "where"), WRONG, ids=[f"{where} {n}" for n, (_, where) in enumerate(WRONG)]
)
def test_a_manifest_that_is_wrong_is_refused_by_the_name_of_the_field(
    cast: Cast, fields: dict[str, Any], where: str
) -> None:
    name = new_id()
    answer = cast.ada.post(f"/v1/integrations/{name}", manifest(cast, **fields))
    assert answer.status_code == 400, answer.text
    assert answer.json()["error"]["details"][0]["path"].startswith(where)
    assert held(cast, name) == (None, [])


@pytest.mark.parametrize("field", ["title", "description", "scopes", "script", "organization"])
def test_what_a_manifest_needs(cast: Cast, field: str) -> None:
    body = manifest(cast)
    del body[field]
    answer = cast.ada.post(f"/v1/integrations/{new_id()}", body)
    assert answer.status_code == 400
    assert answer.json()["error"]["details"][0]["path"] == field


def test_a_name_belongs_to_who_published_it_first(cast: Cast) -> None:
    made = PublishedIntegration(cast)
    theirs = manifest(cast, organization=cast.elsewhere)
    assert cast.sol.post(made.path, theirs).status_code == 403
    assert cast.sol.post(made.path, manifest(cast)).status_code == 400, "not her organization"
    assert cast.cleo.post(made.path, manifest(cast)).status_code == 403
    deleted = held(cast, made.name)[0].id
    assert cast.ada.delete(made.path).status_code == 205
    assert cast.ada.get(made.path).status_code == 404
    assert cast.ada.get(f"/v1/integrations/~{deleted}").status_code == 404
    assert cast.sol.post(made.path, theirs).status_code == 200
    assert cast.ada.get(made.path).status_code == 404


def test_names_are_plain(cast: Cast) -> None:
    for name in ("a b", "a/b", "...", "x" * 101, "ü"):
        assert cast.ada.post(f"/v1/integrations/{name}", manifest(cast)).status_code in (400, 404)


def test_an_organization_may_be_named_by_its_subdomain(cast: Cast) -> None:
    subdomain = f"lamps-{cast.organization[-6:].lower()}"
    assert cast.ada.patch(f"/v1/orgs/{cast.organization}", {"hostname": subdomain}).status_code == 200
    made = PublishedIntegration(cast, organization=subdomain)
    assert made.published["owner"]["id"] == cast.organization


def test_who_sees_what(cast: Cast) -> None:
    seen = {}
    for visibility in ("private", "unlisted", "public"):
        made = PublishedIntegration(cast, visibility=visibility)
        by_name = {
            n: p.get(made.path).status_code
            for n, p in (("ria", cast.ria), ("gus", cast.gus), ("sol", cast.sol))
        }
        listed = {
            n: made.name
            in {
                i["name"]
                for i in p.get("/v1/integrations", params={"owner": cast.organization}).json()["items"]
            }
            for n, p in (("ria", cast.ria), ("gus", cast.gus), ("sol", cast.sol))
        }
        seen[visibility] = (by_name, listed)
    assert seen == {
        "private": ({"ria": 200, "gus": 403, "sol": 404}, {"ria": True, "gus": False, "sol": False}),
        "unlisted": ({"ria": 200, "gus": 200, "sol": 200}, {"ria": True, "gus": False, "sol": False}),
        "public": ({"ria": 200, "gus": 200, "sol": 200}, {"ria": True, "gus": True, "sol": True}),
    }


def test_the_list_is_filtered(cast: Cast) -> None:
    fields = whole(cast, target="site", title="Beacons")
    del fields["organization"]
    one, other = PublishedIntegration(cast, **fields), PublishedIntegration(cast, title="Foghorn")

    def found(**query: Any) -> set[str]:
        answer = cast.ada.get("/v1/integrations", params={"owner": cast.organization, **query})
        assert answer.status_code == 200, answer.text
        return {item["name"] for item in answer.json()["items"]}

    both = {one.name, other.name}
    assert found() == both
    assert found(search="bEACon") == found(search=one.name) == {one.name}
    assert found(search="100%_") == set()
    assert found(category="analytics") == {one.name}
    assert found(blockDomain="LAMPS.example.org") == {one.name}
    assert found(blocks="true") == found(contentSources="true") == {one.name}
    assert found(blocks="false") == found(contentSources="0") == {other.name}
    assert found(scope="site:views:read") == both
    assert found(scope="openapi:write") == set()
    assert found(target="site") == both
    assert found(target="space") == {other.name}
    assert found(owner=cast.elsewhere) == set()
    for wrong in ({"blockDomain": "a b"}, {"category": "fun"}, {"scope": "x"}, {"target": "x"}):
        assert cast.ada.get("/v1/integrations", params=wrong).status_code == 400


@pytest.mark.parametrize("url", ["http://[::1", "https://[", "https://:80/x"])
def test_an_address_without_a_host_is_no_block_s(cast: Cast, url: str) -> None:
    blocks = [{"id": "lamp", "title": "Lamp", "urlUnfurl": [url]}]
    answer = cast.ada.post(f"/v1/integrations/{new_id()}", manifest(cast, blocks=blocks))
    assert answer.status_code == 400, answer.text
    assert "urlUnfurl" in answer.json()["error"]["details"][0]["path"]
