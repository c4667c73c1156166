"""Calls about OpenAPI specifications and settings for translated content (see `recipes`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.kit.ids import new_id
from tests import make
from tests.cast import Cast
from tests.contract.faces import Call
from tests.factories import openapi

Recipe = Callable[[Cast], Call]


def _slug() -> str:
    return f"kennel-{new_id().lower()}"


def _in_organization(cast: Cast, body: Any = None) -> Call:
    return Call({"organizationId": cast.organization}, body=body)


def _create(cast: Cast) -> Call:
    return _in_organization(cast, {"slug": _slug(), "source": {"text": openapi.as_text(openapi.document())}})


def _several(cast: Cast) -> Call:
    for _ in range(2):
        openapi.spec(cast, _slug())
    return _in_organization(cast)


def _by_slug(cast: Cast, body: Any = None) -> Call:
    made = openapi.spec(cast, _slug())
    return Call({"organizationId": cast.organization, "specSlug": made["slug"]}, body=body)


def _put(cast: Cast) -> Call:
    """By its id: a slug that is nobody's would be made."""
    made = openapi.spec(cast, _slug())
    body = {"source": {"text": openapi.as_text(openapi.document())}}
    return Call({"organizationId": cast.organization, "specSlug": made["id"]}, body=body)


def _versions(cast: Cast) -> Call:
    slug = _slug()
    for version in ("1", "2", "3"):
        openapi.spec(cast, slug, openapi.document(info={"title": "Kennel API", "version": version}))
    return Call({"organizationId": cast.organization, "specSlug": slug})


def _version(cast: Cast) -> Call:
    made = openapi.spec(cast, _slug())
    path = {"organizationId": cast.organization, "specSlug": made["slug"], "versionId": made["lastVersion"]}
    return Call(path)


def _settings(cast: Cast, body: Any = None) -> Call:
    new = {"title": "Handbook in three languages", "languages": ["de", "fr", "pt-br"]}
    answer = cast.ada.post(f"/v1/orgs/{cast.organization}/translations", new)
    assert answer.status_code == 201, answer.text
    path = {"organizationId": cast.organization, "translationSettingsId": answer.json()["id"]}
    return Call(path, body=body)


def _several_settings(cast: Cast) -> Call:
    for _ in range(2):
        _settings(cast)
    return _in_organization(cast)


def _shown(cast: Cast) -> Call:
    """A specification that four spaces show."""
    call = _by_slug(cast)
    computed = {"type": "builtin:openapi", "spec": call.path["specSlug"]}
    insert = {"operation": "insert_page", "type": "computed", "title": "API", "computed": computed}
    for _ in range(4):
        make.changes(cast.ada, make.space(cast.ada, cast.organization)["id"], insert)
    return call


OPENAPI: dict[str, Recipe] = {
    "listOpenAPISpecs": _several,
    "createOpenAPISpec": _create,
    "getOpenAPISpecBySlug": _by_slug,
    "createOrUpdateOpenAPISpecBySlug": _put,
    "updateOpenAPISpecBySlug": lambda cast: _by_slug(cast, {"visibility": "public"}),
    "deleteOpenAPISpecBySlug": _by_slug,
    "listSpacesOfOpenAPISpec": _shown,
    "listOpenAPISpecVersions": _versions,
    "getLatestOpenAPISpecVersion": _by_slug,
    "getLatestOpenAPISpecVersionContent": _by_slug,
    "getLatestOpenAPISpecVersionRaw": _by_slug,
    "getOpenAPISpecVersionById": _version,
    "getOpenAPISpecVersionContentById": _version,
    "listTranslationSettings": _several_settings,
    "createTranslationSettings": lambda cast: _in_organization(
        cast, {"title": "Guides", "languages": ["ja", "zh-tw"]}
    ),
    "getTranslationSettingsById": _settings,
    "updateTranslationSettingsById": lambda cast: _settings(cast, {"title": "Guides", "languages": ["ja"]}),
    "deleteTranslationSettingsById": _settings,
}
