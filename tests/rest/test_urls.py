"""Addresses of the web are refused by one rule wherever callers send them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests import make
from tests.cast import Cast
from tests.factories import integrations
from tests.factories.sites import ManagedSite

WRONG = (
    "http:///etc/passwd", "https://", "http://?host", "http://user:secret@example.org/",
    "https://example.org\\@evil.example/", "http://:80/", "https://example.org:99999/", "https://[::1/",
    "javascript:alert(1)",
)  # fmt: skip
Place = tuple[str, str, Callable[[str], dict[str, Any]], str]
"""Method, path, the body with an address in it, and the field that is wrong then."""


def of_people(cast: Cast) -> list[Place]:
    org = f"/v1/orgs/{cast.organization}"
    return [
        ("PATCH", org, lambda url: {"logo": url}, "logo"),
        ("PATCH", f"/v1/users/{cast.ada.id}", lambda url: {"photoURL": url}, "photoURL"),
        ("POST", f"{org}/saml", lambda url: {"label": "Works", "ssoURL": url}, "ssoURL"),
    ]


def of_content(cast: Cast) -> list[Place]:
    space = f"/v1/spaces/{make.space(cast.ada, cast.organization)['id']}"

    def change(**fields: Any) -> dict[str, Any]:
        return {"changes": [{"operation": "insert_page", "title": "A", **fields}]}

    def cover(url: str) -> dict[str, Any]:
        return change(document={"markdown": "A"}, cover={"ref": {"kind": "url", "url": url}})

    def git(url: str) -> dict[str, Any]:
        return {"url": "https://git.example.org/a.git", "ref": "main", "repoTreeURL": url}

    return [
        ("PATCH", space, lambda url: {"icon": url}, "icon"),
        ("POST", f"{space}/content", lambda url: change(type="link", href=url), "changes.0.href"),
        ("POST", f"{space}/content", cover, "changes.0.cover.ref.url"),
        ("POST", f"{space}/content/import", lambda url: {"url": url, "source": "website"}, "url"),
        ("POST", f"{space}/git/import", git, "repoTreeURL"),
        (
            "POST",
            f"/v1/orgs/{cast.organization}/openapi",
            lambda url: {"slug": "api", "source": {"url": url}},
            "source.url",
        ),
    ]


def of_sites(cast: Cast) -> list[Place]:
    site = ManagedSite(cast, "Guide").path
    fine = "https://example.org/logo.png"

    def redirect(url: str) -> dict[str, Any]:
        return {"source": "/old", "destination": {"kind": "external", "url": url}}

    def auth(url: str) -> dict[str, Any]:
        return {"backend": "custom", "fallbackURL": url}

    def logo(url: str) -> dict[str, Any]:
        return {"header": {"logo": {"light": url, "dark": fine}}}

    def header(url: str) -> dict[str, Any]:
        return {"header": {"links": [{"title": "Home", "url": fine}, {"title": "Home", "url": url}]}}

    return [
        ("PATCH", site, lambda url: {"icon": {"icon": {"light": fine, "dark": url}}}, "icon.icon.dark"),
        ("PATCH", f"{site}/publishing/auth", auth, "fallbackURL"),
        ("PUT", f"{site}/customization", logo, "header.logo.light"),
        ("PUT", f"{site}/customization", header, "header.links.1.url"),
        ("POST", f"{site}/external-links", lambda url: {"title": "Shop", "url": url}, "url"),
        ("POST", f"{site}/redirects", redirect, "destination.url"),
    ]


def of_integrations(cast: Cast) -> list[Place]:
    name = f"/v1/integrations/lamps-{cast.organization}"
    block = {"id": "lamp", "title": "Lamp"}
    made = cast.ada.post(name, integrations.manifest(cast))
    assert made.status_code == 200, made.text
    return [
        ("PUT", f"{name}/dev", lambda url: {"tunnelUrl": url}, "tunnelUrl"),
        (
            "POST",
            name,
            lambda url: integrations.manifest(cast, externalLinks=[{"label": "Home", "url": url}]),
            "externalLinks.0.url",
        ),
        (
            "POST",
            name,
            lambda url: integrations.manifest(cast, blocks=[{**block, "urlUnfurl": [url]}]),
            "blocks.0.urlUnfurl.0",
        ),
    ]


@pytest.mark.parametrize("family", [of_people, of_content, of_sites, of_integrations])
def test_what_is_no_whole_address_is_refused_by_name(
    cast: Cast, family: Callable[[Cast], list[Place]]
) -> None:
    for method, path, body, field in family(cast):
        for wrong in WRONG:
            answer = cast.ada.call(method, path, json=body(wrong))
            assert answer.status_code == 400, (path, wrong, answer.text)
            error = answer.json()["error"]
            assert error["details"][0]["path"] == field, (path, wrong, error)
