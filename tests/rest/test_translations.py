"""Settings for translated content, and the translations that a site links to each other."""

from __future__ import annotations

from typing import Any

from app.domain.sites import translations as site_languages
from app.domain.sites.translations import Translation
from tests import make
from tests.cast import Cast
from tests.factories.sites import ManagedSite


def path(cast: Cast, settings_id: str = "") -> str:
    """The address of the organization's translation settings, or of one."""
    return f"/v1/orgs/{cast.organization}/translations" + (f"/{settings_id}" if settings_id else "")


def made(cast: Cast, **body: Any) -> dict[str, Any]:
    """Settings that Cleo made."""
    answer = cast.cleo.post(path(cast), {"title": "Handbook", **body})
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_settings_begin_without_languages(cast: Cast) -> None:
    settings = made(cast)
    assert settings["object"] == "translation-settings"
    assert (settings["title"], settings["languages"]) == ("Handbook", [])
    assert settings["permissions"] == {"view": True, "edit": True}
    assert cast.instance.http.get(
        settings["urls"]["location"], headers={"Authorization": f"Bearer {cast.ria.token}"}
    ).json() == {**settings, "permissions": {"view": True, "edit": False}}


def test_languages_that_are_not_named_stay(cast: Cast) -> None:
    settings = made(cast, languages=["de", "fr", "de", "zh-tw"])
    assert settings["languages"] == ["de", "fr", "zh-tw"]
    place = path(cast, settings["id"])
    named = cast.cleo.put(place, {"title": "Guide"}).json()
    assert (named["title"], named["languages"]) == ("Guide", ["de", "fr", "zh-tw"])
    assert named["updatedAt"] >= settings["updatedAt"]
    assert cast.cleo.put(place, {"title": "Guide", "languages": []}).json()["languages"] == []


def test_what_is_no_language_or_no_title_is_refused(cast: Cast) -> None:
    for body in (
        {"title": ""},
        {"title": "x" * 101},
        {},
        {"title": "A", "languages": ["klingon"]},
        {"title": "A", "languages": None},
        {"title": None},
    ):
        assert cast.cleo.post(path(cast), body).status_code == 400, body


def test_settings_are_listed_and_deleted(cast: Cast) -> None:
    first, second = made(cast), made(cast, title="Guide")
    listed = cast.ria.get(path(cast)).json()
    assert [item["id"] for item in listed["items"]] == [first["id"], second["id"]]
    assert cast.ed.delete(path(cast, first["id"])).status_code == 403
    assert cast.cleo.delete(path(cast, first["id"])).status_code == 205
    assert cast.cleo.get(path(cast, first["id"])).status_code == 404
    assert cast.ria.get(path(cast)).json()["count"] == 1


def translations(cast: Cast, site_id: str) -> dict[str, list[Translation]]:
    """The translations of a site."""
    return cast.instance.inside(lambda cx: site_languages.languages_of(cx, site_id))


def test_spaces_beside_each_other_are_translations_of_each_other(cast: Cast) -> None:
    site = ManagedSite(cast)
    spaces = {
        language: make.space(cast.ada, cast.organization, title=language or "none", language=language)["id"]
        for language in ("en", "de", None)
    }
    items = {name: site.post("/site-spaces", {"spaceId": space})["id"] for name, space in spaces.items()}
    found = translations(cast, site.id)
    assert set(found) == {items["en"], items["de"]}
    assert [(each.language, each.space_id) for each in found[items["de"]]] == [
        ("en", spaces["en"]),
        ("de", spaces["de"]),
    ]
    for language in ("en", "de"):
        make.imported(cast, spaces[language], {"README.md": "# Start\n", "guide.md": "# Guide\n"})
    make.imported(cast, spaces["de"], {"README.md": "# Start\n", "nur.md": "# Nur hier\n"})
    same = cast.instance.inside(lambda cx: site_languages.translations_of_page(cx, found[items["en"]], "nur"))
    assert [(each.language, each.page_id is not None) for each in same] == [("en", False), ("de", True)]
    both = cast.instance.inside(
        lambda cx: site_languages.translations_of_page(cx, found[items["en"]], "guide")
    )
    assert all(each.page_id for each in both)


def test_sections_and_spaces_in_one_language_have_no_translations(cast: Cast) -> None:
    site = ManagedSite(cast)
    for title in ("One", "Two"):
        space = make.space(cast.ada, cast.organization, title=title, language="en")["id"]
        site.post("/sections", {"spaceId": space})
    assert translations(cast, site.id) == {}
