"""Personal access tokens: created, seen and revoked by their people, and what a narrowed one may not."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from app.kit.clock import utc_now, wire_time
from tests import make, saml
from tests.cast import Cast, Person
from tests.factories import domains

TOKENS = "/v1/user/tokens"


def created(person: Person, **narrowing: Any) -> tuple[dict[str, Any], Person]:
    """A token that this person created, and the person with it."""
    answer = person.post(TOKENS, {"name": "Build", **narrowing})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()["token"]
    return made, replace(person, token=answer.json()["secret"])


def after(**time: int) -> str:
    """A time so long from now, as it is written."""
    return wire_time(utc_now() + timedelta(**time))


def test_a_token_is_created_used_renamed_and_revoked(cast: Cast) -> None:
    made, ed = created(cast.ed, expiresAt=after(days=30))
    assert made["type"] == "personal"
    assert made["user"] == cast.ed.id
    assert (made["readOnly"], made["isAgent"], made["current"]) == (False, False, False)
    assert not {"organization", "spaces", "scopes", "lastUsedAt"} & made.keys()
    seen = ed.get(f"{TOKENS}/{made['id']}").json()
    assert seen["current"] is True
    assert ed.token not in str(seen)
    assert cast.ed.patch(f"{TOKENS}/{made['id']}", {"name": "Nightly"}).json()["name"] == "Nightly"
    listed = cast.ed.get(TOKENS).json()["items"]
    assert [each["name"] for each in listed] == ["", "Nightly"]
    assert cast.ed.delete(f"{TOKENS}/{made['id']}").status_code == 205
    assert ed.get("/v1/user").status_code == 401
    assert cast.ed.get(f"{TOKENS}/{made['id']}").status_code == 404


def test_the_secret_is_shown_once_and_may_not_be_stored(cast: Cast) -> None:
    answer = cast.ed.post(TOKENS, {"name": "Build"})
    assert answer.json()["secret"].startswith("dcy_")
    assert "no-store" in answer.headers["cache-control"]


def test_graphql_manages_tokens_as_rest_does(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    shown = "token { id restId name spaces { restId } organization { restId } scopes } secret"
    made = cast.ed.mutate("createToken", shown, name="Editor", spaces=[space], scopes=["SPACE_CONTENT_READ"])
    token = made["token"]
    assert token["spaces"] == [{"restId": space}]
    assert token["organization"] == {"restId": cast.organization}
    assert token["scopes"] == ["SPACE_CONTENT_READ"]
    mine = "{ me { tokens { nodes { restId name type } } } }"
    assert cast.ed.ask(mine)["me"]["tokens"]["nodes"][1] == {
        "restId": token["restId"], "name": "Editor", "type": "PERSONAL"
    }  # fmt: skip
    renamed = cast.ed.mutate("updateToken", "token { name }", token=token["id"], name="Reader")
    assert renamed == {"token": {"name": "Reader"}}
    assert cast.ed.mutate("revokeToken", "deletedId", token=token["id"])["deletedId"] == token["id"]
    assert len(cast.ed.get(TOKENS).json()["items"]) == 1


def test_nobody_knows_of_the_tokens_of_somebody_else(cast: Cast) -> None:
    made, _ = created(cast.ed)
    for person in (cast.ada, cast.gus, cast.sol):
        assert person.get(f"{TOKENS}/{made['id']}").status_code == 404
        assert person.patch(f"{TOKENS}/{made['id']}", {"name": "Mine"}).status_code == 404
        assert person.delete(f"{TOKENS}/{made['id']}").status_code == 404
    them = "query ($id: ID!) { user(id: $id) { tokens { nodes { id } } } }"
    (error,) = cast.ada.gql(them, id=cast.ed.id)["errors"]
    assert error["extensions"]["code"] == "FORBIDDEN"


@pytest.mark.parametrize(
    "narrowing",
    [
        {"organization": True},
        {"spaces": True},
        {"scopes": ["read", "write"]},
        {"isAgent": True},
        {"readOnly": True},
    ],
    ids=lambda each: next(iter(each)),
)
def test_a_narrowed_token_creates_and_widens_none(cast: Cast, narrowing: dict[str, Any]) -> None:
    if "organization" in narrowing:
        narrowing = {"organization": cast.organization}
    if "spaces" in narrowing:
        narrowing = {"spaces": [make.space(cast.ada, cast.organization)["id"]]}
    made, ed = created(cast.ed, expiresAt=after(days=1), **narrowing)
    assert ed.post(TOKENS, {"name": "Wide"}).status_code == 403
    assert ed.post(TOKENS, {"name": "Same", **narrowing}).status_code == 403
    assert ed.patch(f"{TOKENS}/{made['id']}", {"expiresAt": None}).status_code == 403
    assert ed.refused("createToken", name="Wide") == "FORBIDDEN"


def test_a_token_lasts_no_longer_than_the_one_that_creates_it(cast: Cast) -> None:
    made, ed = created(cast.ed, expiresAt=after(days=10))
    assert created(ed)[0]["expiresAt"] == made["expiresAt"]
    assert created(ed, expiresAt=after(days=9))[0]["expiresAt"] < made["expiresAt"]
    late = ed.post(TOKENS, {"name": "Late", "expiresAt": after(days=11)})
    assert late.status_code == 400
    assert late.json()["error"]["details"][0]["path"] == "expiresAt"
    own = f"{TOKENS}/{made['id']}"
    assert ed.patch(own, {"expiresAt": after(days=11)}).status_code == 400
    assert ed.patch(own, {"expiresAt": None}).json()["expiresAt"] == made["expiresAt"]
    assert "expiresAt" not in cast.ed.patch(own, {"expiresAt": None}).json()


def test_what_a_token_opens_is_checked_by_field(cast: Cast) -> None:
    open_, hidden = make.space(cast.ada, cast.organization), make.space(cast.ada, cast.organization)
    cast.ada.patch(f"/v1/spaces/{hidden['id']}", {"defaultLevel": None})
    away = make.space(cast.sol, cast.elsewhere)
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"organization": cast.elsewhere}, "organization"),
        ({"spaces": [open_["id"], hidden["id"]]}, "spaces.1"),
        ({"spaces": [away["id"]]}, "spaces.0"),
        ({"spaces": []}, "spaces"),
        ({"scopes": []}, "scopes"),
        ({"scopes": ["space:content:read", "everything"]}, "scopes.1"),
        ({"expiresAt": after(days=-1)}, "expiresAt"),
        ({"expiresAt": 4102444800}, "expiresAt"),
        ({"expiresAt": "tomorrow"}, "expiresAt"),
        ({"name": " "}, "name"),
    ]
    for fields, path in wrong:
        answer = cast.ed.post(TOKENS, {"name": "Build", **fields})
        assert answer.status_code == 400, (fields, answer.text)
        assert [each["path"] for each in answer.json()["error"]["details"]] == [path]
    assert len(cast.ed.get(TOKENS).json()["items"]) == 1


def test_spaces_of_one_organization_limit_a_token_to_it(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    made, _ = created(cast.ed, spaces=[space, space])
    assert (made["organization"], made["spaces"]) == (cast.organization, [space])
    wrong = cast.ada.post(TOKENS, {"name": "Both", "spaces": [space], "organization": cast.elsewhere})
    assert wrong.status_code == 400


def test_administrators_see_and_revoke_the_tokens_that_open_their_organization_alone(cast: Cast) -> None:
    path = f"/v1/orgs/{cast.organization}/tokens"
    wide, _ = created(cast.ed)
    made, ed = created(cast.ed, organization=cast.organization)
    seen = cast.ada.get(path).json()["items"]
    assert [each["id"] for each in seen] == [made["id"]]
    assert cast.ada.get(f"{path}/{wide['id']}").status_code == 404
    assert cast.ada.delete(f"{path}/{wide['id']}").status_code == 404
    assert cast.ada.get(f"{path}/{made['id']}").json()["urls"]["location"].endswith(f"{path}/{made['id']}")
    for person in (cast.cleo, cast.gus, cast.sol):
        assert person.get(path).status_code in (403, 404)
        assert person.delete(f"{path}/{made['id']}").status_code in (403, 404)
    asked = "query ($id: ID!) { organization(id: $id) { tokens { nodes { id name user { restId } } } } }"
    (node,) = cast.ada.ask(asked, id=cast.organization)["organization"]["tokens"]["nodes"]
    assert node["user"]["restId"] == cast.ed.id
    assert ed.get("/v1/user").status_code == 200
    named = {"organization": cast.organization, "token": node["id"]}
    revoked = cast.ada.mutate("revokeOrganizationToken", "deletedId", **named)
    assert revoked["deletedId"] == node["id"]
    assert ed.get("/v1/user").status_code == 401


def test_a_token_limited_to_an_organization_knows_of_its_like_only(cast: Cast) -> None:
    wide, _ = created(cast.ed)
    made, ed = created(cast.ed, organization=cast.organization)
    assert [each["id"] for each in ed.get(TOKENS).json()["items"]] == [made["id"]]
    assert ed.delete(f"{TOKENS}/{wide['id']}").status_code == 404
    for narrowing in ({"scopes": ["read", "write"]}, {"isAgent": True}):
        _, narrow = created(cast.ed, **narrowing)
        assert narrow.get(TOKENS).status_code == 403
        assert (
            narrow.gql("{ me { tokens { totalCount } } }")["errors"][0]["extensions"]["code"] == "FORBIDDEN"
        )


def test_a_session_creates_tokens_that_go_as_far_as_it_does(cast: Cast) -> None:
    domains.proven(cast.ada, cast.organization, cast.domain)
    idp = saml.idp(cast)
    with idp.browser() as browser:
        answer = idp.post(browser, idp.answer(idp.request_id(idp.begin(browser)), cast.ed.email))
        assert answer.status_code == 200, answer.text
        ours = {"Sec-Fetch-Site": "same-origin"}
        made = browser.post(TOKENS, json={"name": "Build"}, headers=ours)
        assert made.status_code == 201, made.text
        token = made.json()["token"]
        assert token["organization"] == cast.organization
        assert "expiresAt" in token, "it ends with the session"
        late = browser.post(TOKENS, json={"name": "Late", "expiresAt": after(days=900)}, headers=ours)
        assert late.status_code == 400
        assert (
            browser.post(TOKENS, json={"name": "Other"}, headers={"Sec-Fetch-Site": "cross-site"}).status_code
            == 401
        )
    ed = replace(cast.ed, token=made.json()["secret"])
    assert ed.get(f"/v1/orgs/{cast.organization}").status_code == 200
    idp_path = f"/v1/orgs/{cast.organization}/saml"
    (provider,) = cast.ada.get(idp_path).json()["items"]
    assert cast.ada.delete(f"{idp_path}/{provider['id']}").status_code in (204, 205)
    assert ed.get("/v1/user").status_code == 401, "the token ends with the provider"


def test_tokens_of_applications_are_listed_with_whatever_scopes_they_have(cast: Cast) -> None:
    make.token(cast.ed, scopes=["site:views:read", "read"], name="As an application has it")
    (_, token) = cast.ed.get(TOKENS).json()["items"]
    assert token["scopes"] == ["site:views:read", "read"]
    asked = cast.ed.ask("{ me { tokens { nodes { scopes } } } }")["me"]["tokens"]["nodes"]
    assert asked[1]["scopes"] == ["SITE_VIEWS_READ", "READ"]
