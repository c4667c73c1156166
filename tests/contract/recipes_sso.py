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


SSO: dict[str, Recipe] = {
    "listSAMLProvidersInOrganizationById": _several,
    "createOrganizationSAMLProvider": _create,
    "getOrganizationSAMLProviderById": _provider,
    "deleteOrganizationSAMLProvider": _provider,
    "updateOrganizationSAMLProvider": _update,
    "listSSOProviderLoginsInOrganization": _several,
}
