"""Calls about single sign-on (see `recipes`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.cast import Cast
from tests.contract.faces import Call
from tests.saml import certificate

Recipe = Callable[[Cast], Call]


def _team(cast: Cast) -> str:
    answer = cast.ada.put(f"/v1/orgs/{cast.organization}/teams", {"title": "Stokers"})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def _everything(cast: Cast) -> dict[str, Any]:
    return {
        "label": "Works",
        "entityID": "https://idp.example.org/metadata",
        "certificate": certificate(),
        "ssoURL": "https://idp.example.org/sso?tenant=1",
        "defaultTeam": _team(cast),
        "defaultRole": "edit",
    }


def _made(cast: Cast, body: dict[str, Any]) -> str:
    answer = cast.ada.post(f"/v1/orgs/{cast.organization}/saml", body)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def _provider(cast: Cast) -> Call:
    path = {"organizationId": cast.organization, "samlProviderId": _made(cast, _everything(cast))}
    return Call(path)


def _update(cast: Cast) -> Call:
    body = {"label": "Works, upstairs", "defaultRole": None, "defaultTeam": None}
    return Call(_provider(cast).path, body=body)


def _create(cast: Cast) -> Call:
    return Call({"organizationId": cast.organization}, body=_everything(cast))


def _several(cast: Cast) -> Call:
    _made(cast, _everything(cast))
    _made(cast, {"label": "Soon"})
    return Call({"organizationId": cast.organization})


def _connect(cast: Cast, **more: Any) -> dict[str, Any]:
    return {
        "label": "Works",
        "issuer": "https://login.example.org",
        "clientId": "docyard",
        "clientSecret": "not shown again",
        **more,
    }


def _connected(cast: Cast) -> Call:
    body = _connect(cast, defaultTeam=_team(cast), defaultRole="edit")
    answer = cast.ada.post(f"/v1/orgs/{cast.organization}/oidc", body)
    assert answer.status_code == 201, answer.text
    return Call({"organizationId": cast.organization, "oidcProviderId": str(answer.json()["id"])})


def _connected_several(cast: Cast) -> Call:
    _connected(cast)
    _made(cast, {"label": "Soon"})
    return Call({"organizationId": cast.organization})


def _change_connected(cast: Cast) -> Call:
    body = {"label": "Works, upstairs", "clientId": "another", "clientSecret": "new", "defaultTeam": None}
    return Call(_connected(cast).path, body=body)


SSO: dict[str, Recipe] = {
    "listOIDCProvidersInOrganization": _connected_several,
    "createOIDCProvider": lambda cast: Call({"organizationId": cast.organization}, body=_connect(cast)),
    "getOIDCProvider": _connected,
    "deleteOIDCProvider": _connected,
    "updateOIDCProvider": _change_connected,
    "listSAMLProvidersInOrganizationById": _several,
    "createOrganizationSAMLProvider": _create,
    "getOrganizationSAMLProviderById": _provider,
    "deleteOrganizationSAMLProvider": _provider,
    "updateOrganizationSAMLProvider": _update,
    "listSSOProviderLoginsInOrganization": _several,
}
