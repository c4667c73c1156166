"""Whatever colours a site has, its pages can be read."""

from __future__ import annotations

import re
from itertools import product

import pytest

from app.site_reader.rendering.theme import ENOUGH, contrast, favicon, key, readable, stylesheet
from tests.reader.rendering import looks, parsed, whole

COLORS = [
    "#ffffff",
    "#000000",
    "#ffff00",
    "#00ff00",
    "#7f7f7f",
    "#ff0000",
    "#346ddb",
    "#f2f2f2",
    "#123456",
    "#ff69b4",
]
HERE = "https://x.example/here"
GROUNDS = {"light": "#ffffff", "dark": "#14161a"}


def variables(sheet: str) -> dict[str, dict[str, str]]:
    """The variables of the stylesheet on light and on dark pages."""
    light, _, dark = sheet.partition("}\n")
    found = {"light": light, "dark": dark.rpartition(":root[data-theme=dark]")[2]}
    return {mode: dict(re.findall(r"--([\w-]+):(#[0-9a-f]{6})", text)) for mode, text in found.items()}


@pytest.mark.parametrize("color", COLORS)
@pytest.mark.parametrize("preset", ["default", "bold", "contrast", "custom"])
def test_words_stand_out_from_their_ground(color: str, preset: str) -> None:
    both = {"light": color, "dark": color}
    tones = dict.fromkeys(("primaryColor", "infoColor", "successColor", "warningColor", "dangerColor"), both)
    header = {"preset": preset, "backgroundColor": both, "linkColor": both}
    for mode, said in variables(stylesheet(looks(styling=tones, header=header))).items():
        pairs = [("on-primary", said["primary"]), ("link", GROUNDS[mode]), ("on-tint", said["tint"])]
        pairs += [(tone, said[f"{tone}-soft"]) for tone in ("info", "success", "warning", "danger")]
        pairs += [("on-header", said["header"])] if preset != "default" else []
        for words, ground in pairs:
            assert contrast(said[words], ground) >= ENOUGH, (mode, words)


def test_a_colour_that_can_be_read_stays_as_it_was_chosen() -> None:
    assert readable("#0f6e84", "#ffffff") == "#0f6e84"
    assert all(contrast(readable(a, b), b) >= ENOUGH for a, b in product(COLORS, COLORS))


def test_the_address_changes_with_the_looks_and_only_then() -> None:
    blue = looks(styling={"primaryColor": {"light": "#0000ff", "dark": "#0000ff"}})
    assert key(looks()) == key(looks())
    assert key(blue) != key(looks())
    assert key(looks(favicon={"emoji": "1f4d8"})) != key(looks())


def test_fonts_and_corners_are_the_sites() -> None:
    made = stylesheet(looks(styling={"font": "serif", "corners": "straight"}))
    assert "Georgia" in made
    assert "--corner:0;" in made


def test_a_site_without_a_picture_has_its_letter_or_emoji() -> None:
    assert "📘" in favicon(looks(favicon={"emoji": "1f4d8"}), None, "Guide")
    assert ">G</text>" in favicon(looks(), None, "guide")
    assert "<path" in favicon(looks(), "gear", "Guide"), "an icon by its name"
    assert ">G</text>" in favicon(looks(), "no-such-icon", "Guide")


def test_the_head_and_foot_are_the_sites() -> None:
    page = parsed(
        whole(
            site={
                "looks": looks(
                    header={
                        "logo": {"light": "https://x.example/l.png", "dark": "https://x.example/d.png"},
                        "links": [{"title": "Menu", "url": HERE, "links": [{"title": "In", "url": HERE}]}],
                        "primaryLink": {"title": "Sign up", "url": "https://x.example/up"},
                    },
                    footer={
                        "groups": [{"title": "More", "links": [{"title": "Blog", "url": HERE}]}],
                        "copyright": "© Us",
                    },
                    announcement={"message": "New!", "style": "success"},
                    privacyPolicy={"url": "https://x.example/privacy"},
                    themes={"default": "dark", "toggleable": False},
                    pagination={"enabled": False},
                    pageActions={"enabled": False},
                )
            },
            markdown_href="/acme/guide/page.md",
        )
    )  # fmt: skip
    words = page.all_text
    assert all(said in words for said in ("Sign up", "In", "More", "Blog", "© Us", "New!", "Privacy policy"))
    (html,) = page.every("html")
    assert html.attributes["data-theme"] == "dark"
    assert "data-fixed" in html.attributes
    assert not [b for b in page.every("button") if "data-switch" in b.attributes]
    assert not [a for a in page.every("a") if a.attributes.get("rel") == "next" or a.text == "Markdown"]
    assert [img.attributes["src"] for img in page.every("img")] == [
        "https://x.example/l.png",
        "https://x.example/d.png",
    ]
