"""The words around the pages of a site: in its language, in files that others can add to."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import date
from importlib.resources import files
from pathlib import Path

import pytest

from app.site_reader import texts
from tests.cast import Cast
from tests.reader.rendering import parsed, whole
from tests.visitors import PAGES, PublishedSite

LANGUAGES = ("en", "de", "fr", "es", "zh", "ja", "ar")
FORM = re.compile(r"\.(?:one|two|few|many)\Z")
VALUE = re.compile(r"\{\w+\}")


def written(language: str) -> dict[str, str]:
    """Return what stands in the file of a language."""
    found: dict[str, str] = json.loads((files("app.site_reader.texts") / f"{language}.json").read_text())
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_every_text_with_the_same_values(language: str) -> None:
    english, found = written("en"), written(language)
    plain = {name: text for name, text in found.items() if not FORM.search(name)}
    assert plain.keys() == {name for name in english if not FORM.search(name)}
    for name, text in plain.items():
        assert text.strip() or name == "thousands", name
        assert name == "date" or set(VALUE.findall(text)) == set(VALUE.findall(english[name])), name
    assert len(found["months"].split(",")) == 12


@pytest.mark.parametrize(
    ("language", "said", "day", "number"),
    [
        ("en", "2 pages were found for “x”.", "3 November 2026", "12,345 more"),
        ("de", "Zu „x“ wurden 2 Seiten gefunden.", "3. November 2026", "12.345 weitere"),
        ("fr", "2 pages trouvées pour « x ».", "3 novembre 2026", "12\u202f345 de plus"),
        ("ja", "「x」に一致するページが 2 件見つかりました。", "2026年11月3日", "他 12,345 件"),
        ("ar", "عُثر على صفحتين عن «x».", "3 نوفمبر 2026", "12,345 أخرى"),
        ("de-at", "Zu „x“ wurden 2 Seiten gefunden.", "3. November 2026", "12.345 weitere"),
        ("bg", "2 pages were found for “x”.", "3 November 2026", "12,345 more"),
    ],
)
def test_counts_and_days_are_written_as_the_language_does(
    language: str, said: str, day: str, number: str
) -> None:
    found = texts.of_language(language)
    assert found.say("search.found", count=2, query="x") == said
    assert found.day(date(2026, 11, 3)) == day
    assert found.say("more-pages", count=12_345) == number


def test_one_has_a_form_of_its_own() -> None:
    assert texts.of_language("de").say("search.found", count=1, query="x").endswith("eine Seite gefunden.")
    assert texts.of_language("zh").say("search.found", count=1, query="x").startswith("找到 1 个")


@pytest.mark.parametrize("language", [*LANGUAGES, "bg", "he"])
def test_a_page_is_in_the_language_of_its_site(language: str) -> None:
    page = parsed(whole("## One\n\n## Two", site={"language": language}))
    (html,) = page.every("html")
    assert html.attributes["lang"] == language
    assert html.attributes.get("dir") == ("rtl" if language in ("ar", "he") else None)
    (outline,) = (each for each in page.every("nav") if each.attributes.get("class") == "outline")
    assert outline.attributes["aria-label"] == texts.of_language(language).say("outline")
    (body,) = page.every("body")
    assert json.loads(body.attributes["data-texts"] or "")["copy"] == texts.of_language(language).say("copy")


def test_pages_searches_and_refusals_of_a_site_speak_its_language(cast: Cast) -> None:
    site = PublishedSite(cast, "Deutsch", languages=["de"], files=PAGES)
    page = site.open("/guide/install").text
    assert "Zuletzt geändert am" in page
    assert "Zum Inhalt springen" in page
    assert "Zu „installer“ wurde eine Seite gefunden." in site.open("/~/search?q=installer").text
    found = site.open("/~/search?q=installer", accept="application/json").json()
    assert found["said"] == "Zu „installer“ wurde eine Seite gefunden."
    missing = site.open("/nothing")
    assert missing.status_code == 404
    assert "Unter dieser Adresse gibt es keine Seite." in missing.text
    site.patch("", {"visibility": "visitor-auth"})
    assert "Diese Website ist für angemeldete Besucher." in site.open().text


def test_languages_of_one_site_differ(cast: Cast) -> None:
    site = PublishedSite(cast, "English", "Arabic", languages=["en", "ar"])
    assert 'dir="rtl"' not in site.open().text
    arabic = site.open("/arabic").text
    assert '<html lang="ar" dir="rtl"' in arabic
    assert "ابحث في هذا الموقع…" in arabic


@pytest.fixture
def added(tmp_path: Path) -> Iterator[Path]:
    """A folder of texts, that are forgotten afterwards."""
    yield tmp_path
    texts.add("")


def test_others_add_languages_and_change_texts(added: Path) -> None:
    (added / "tlh.json").write_text(json.dumps({"outline": "naDev", "search.found": "{count}: {query}"}))
    (added / "de.json").write_text(json.dumps({"search": "Finden"}))
    texts.add(str(added))
    assert texts.of_language("tlh").say("outline") == "naDev"
    assert texts.of_language("tlh").say("search.found", count=1, query="x") == "1: x", "no English form"
    assert texts.of_language("tlh").say("search") == "Search"
    assert texts.of_language("de").say("search") == "Finden"
    assert texts.of_language("de").say("outline") == "Auf dieser Seite"
    texts.add("")
    assert texts.of_language("tlh").say("outline") == "On this page"


@pytest.mark.parametrize(
    "content",
    [
        b"no JSON",
        b"[]",
        b'{"outline": 1}',
        b'{"outlines": "?"}',
        b'{"outline": "{query}"}',
        b'{"search.title": "{query.__class__}"}',
        b'{"search.title": "{query"}',
        b'{"search.title": "{0}"}',
    ],
)
def test_what_cannot_be_used_is_left_out_and_logged(
    added: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    (added / "de.json").write_bytes(content)
    texts.add(str(added))
    assert texts.of_language("de").say("outline") == "Auf dieser Seite"
    assert texts.of_language("de").say("search.title", query="x") == "Suche: x"
    assert "de.json" in caplog.text
