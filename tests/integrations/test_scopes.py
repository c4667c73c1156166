"""Tokens of installations: each opens what its scopes name, on what was selected (threats, 11, 14)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import httpx

from app.access.context import Context
from app.access.scopes import ALWAYS, INTEGRATION, SCOPES
from app.api.catalog import OPERATIONS
from app.kit.signing import token_hash
from app.models.installations import Installation, InstallationToken
from tests import make
from tests.cast import Cast, Person
from tests.factories.integrations import SCOPES as USUAL
from tests.factories.integrations import PublishedIntegration, manifest
from tests.factories.sites import ManagedSite


def test_rows_name_scopes_that_exist() -> None:
    assert {row.scope for row in OPERATIONS} <= {"", ALWAYS, INTEGRATION, *SCOPES}


def installed(cast: Cast, scopes: list[str]) -> tuple[PublishedIntegration, str, Person]:
    """An integration with these scopes, its installation, and its token."""
    made = PublishedIntegration(cast, scopes=scopes)
    installation = made.install()
    return made, installation, made.token(installation)


def test_a_token_sees_what_was_selected_and_nothing_else(cast: Cast) -> None:
    made, installation, script = installed(cast, USUAL)
    chosen, other = (make.filled_space(cast) for _ in range(2))
    site, another = ManagedSite(cast).id, ManagedSite(cast).id
    sites = f"/v1/orgs/{cast.organization}/sites"
    made.on_space(installation, chosen)
    made.on_site(installation, site)
    assert script.get(f"/v1/spaces/{chosen}").status_code == 200
    assert script.get(f"/v1/spaces/{chosen}/content/pages").status_code == 200
    assert script.get(f"/v1/spaces/{other}").status_code == 404
    assert script.get(f"/v1/spaces/{other}/content/pages").status_code == 404
    assert script.get(f"{sites}/{site}").status_code == 200
    assert script.get(f"{sites}/{another}").status_code == 404
    listed = script.get(f"/v1/orgs/{cast.organization}/spaces").json()["items"]
    assert [space["id"] for space in listed] == [chosen]
    made.patch(f"/installations/{installation}", {"space_selection": "all"})
    assert script.get(f"/v1/spaces/{other}/content/pages").status_code == 200
    assert script.get(f"{sites}/{another}").status_code == 404, "only spaces were opened"
    assert script.get(f"/v1/orgs/{cast.elsewhere}").status_code == 404


def test_scopes_that_come_later_are_in_force_where_somebody_agrees(cast: Cast) -> None:
    made = PublishedIntegration(cast, visibility="unlisted", scopes=["space:metadata:read"])
    theirs, own = made.install(cast.elsewhere, cast.sol), made.install()
    space = make.filled_space(cast)
    away = make.space(cast.sol, cast.elsewhere)["id"]
    installed = f"{made.path}/installations/{theirs}"
    assert cast.sol.post(f"{installed}/spaces", {"space": away}).status_code == 201
    made.on_space(own, space)
    token = cast.sol.post(f"{installed}/tokens").json()["token"]
    script, at_home = Person(cast.instance, "", "", token), made.token(own)
    pages, theirs_too = f"/v1/spaces/{away}/content/pages", f"/v1/spaces/{space}/content/pages"
    assert (script.get(f"/v1/spaces/{away}").status_code, script.get(pages).status_code) == (200, 403)
    more = ["space:metadata:read", "space:content:read"]
    made.post("", manifest(cast, visibility="unlisted", scopes=more), 200)
    assert at_home.get(theirs_too).status_code == 200, "whoever publishes agrees for their own"
    assert script.get(pages).status_code == 403
    assert cast.sol.patch(installed, {"externalIds": ["lamps"]}).status_code == 200
    assert script.get(pages).status_code == 200
    made.post("", manifest(cast, visibility="unlisted", scopes=more[:1]), 200)
    assert script.get(pages).status_code == 403, "what is given up is gone everywhere"


def test_each_scope_opens_what_it_names(cast: Cast) -> None:
    space = make.filled_space(cast)
    tries: dict[str, Callable[[Person], httpx.Response]] = {
        "space:metadata:read": lambda p: p.get(f"/v1/spaces/{space}"),
        "space:metadata:write": lambda p: p.patch(f"/v1/spaces/{space}", {"title": "Renamed"}),
        "space:content:read": lambda p: p.get(f"/v1/spaces/{space}/content"),
        "space:content:write": lambda p: p.post(
            f"/v1/spaces/{space}/change-requests", {"subject": "From afar"}
        ),
        "space:git:sync": lambda p: p.get(f"/v1/spaces/{space}/git/info"),
    }
    opened = {"space:git:sync": 404, "space:content:write": 201}  # nothing is synchronised
    for scope in tries:
        made, installation, script = installed(cast, [scope])
        made.on_space(installation, space)
        for name, ask in tries.items():
            owed = opened.get(name, 200) if name == scope else 403
            assert ask(script).status_code == owed, (scope, name)
        gql = script.gql("query($id: ID!) { space(id: $id) { title } }", id=space)
        assert ("errors" not in gql) is (scope == "space:metadata:read")


def test_what_a_script_writes_is_the_integrations(cast: Cast) -> None:
    made, installation, script = installed(cast, ["space:content:write", "space:content:read"])
    space = make.filled_space(cast)
    made.on_space(installation, space)
    opened = script.post(f"/v1/spaces/{space}/change-requests", {"subject": "From afar"})
    assert opened.status_code == 201, opened.text
    author = opened.json()["createdBy"]
    assert author["displayName"] == "Lamp counter"
    assert "email" not in author
    number = opened.json()["number"]
    assert script.post(f"/v1/spaces/{space}/change-requests/{number}/merge").status_code == 403
    change = {"operation": "insert_page", "title": "Lamps", "document": {"markdown": "Two.\n"}}
    answer = script.post(f"/v1/spaces/{space}/content", {"changes": [change]})
    assert answer.status_code == 200, answer.text


def test_an_integration_looks_after_its_own_installation(cast: Cast) -> None:
    made, installation, script = installed(cast, [])
    here = f"{made.path}/installations/{installation}"
    assert script.get(made.path).json()["name"] == made.name
    assert script.get(here).json()["configuration"] == {}
    assert script.patch(here, {"configuration": {"a": 1}, "externalIds": ["x"]}).status_code == 200
    assert script.patch(here, {"space_selection": "all"}).status_code == 403
    assert script.post(f"{made.path}/tasks", {"task": {"a": 1}, "schedule": 60}).status_code == 204
    assert script.delete(here).status_code == 403
    space = make.space(cast.ada, cast.organization)["id"]
    made.on_space(installation, space)
    on = script.patch(f"{here}/spaces/{space}", {"configuration": {"a": 1}})
    assert on.status_code == 404, "without a scope for spaces it sees none"
    assert [item["space"] for item in script.get(f"{here}/spaces").json()["items"]] == []


def test_tokens_end(cast: Cast) -> None:
    made, installation, script = installed(cast, USUAL)
    assert script.get(made.path).status_code == 200

    async def age(cx: Context) -> None:
        past = {"expires_at": cx.now - timedelta(seconds=1)}
        await cx.tx.put(InstallationToken, past, hash=token_hash(script.token))

    cast.instance.inside(age)
    assert script.get(made.path).status_code == 401
    another = made.token(installation)
    assert cast.ada.delete(f"{made.path}/installations/{installation}").status_code == 205
    assert another.get(made.path).status_code == 401
    third = made.token(made.install())
    assert cast.ada.delete(made.path).status_code == 205
    assert third.get(f"/v1/orgs/{cast.organization}").status_code == 401


def test_a_paused_installation_does_nothing(cast: Cast) -> None:
    made, installation, script = installed(cast, USUAL)
    space = make.filled_space(cast)
    made.on_space(installation, space)

    async def pause(cx: Context) -> None:
        await cx.tx.put(Installation, {"status": "paused"}, id=installation)

    cast.instance.inside(pause)
    assert script.get(f"/v1/spaces/{space}").status_code == 403
    assert made.patch(f"/installations/{installation}", {"configuration": {"a": 1}})["status"] == "paused"


def test_installations_of_one_integration_have_keys_of_their_own(cast: Cast) -> None:
    made = PublishedIntegration(cast, scopes=["space:content:write"], visibility="unlisted")
    ours, theirs = made.install(), made.install(cast.elsewhere, cast.sol)
    space = make.filled_space(cast)
    made.on_space(ours, space)
    opening = {"json": {"subject": "Ours alone"}, "headers": {"Idempotency-Key": "k"}}
    path = f"/v1/spaces/{space}/change-requests"
    opened, again = (made.token(ours).call("POST", path, **opening) for _ in range(2))
    assert (opened.status_code, again.content) == (201, opened.content)
    answer = cast.sol.post(f"{made.path}/installations/{theirs}/tokens")
    assert answer.status_code == 200, answer.text
    stranger = Person(cast.instance, "", "", answer.json()["token"])
    refused = stranger.call("POST", path, **opening)
    assert refused.status_code == 404, refused.text
