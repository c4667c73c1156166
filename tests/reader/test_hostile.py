"""Nothing that people write runs in a page, wherever they write it (threats 33 and 34)."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.formats.markdown import nodes
from app.present.html_links import LinkTarget
from app.site_reader.rendering import highlighting, theme
from app.site_reader.rendering.page import error_html
from app.site_reader.rendering.render_context import (
    ErrorView,
    FoundPages,
    NavigationItem,
    SearchHit,
    SearchView,
    SectionHit,
    SiteView,
    SpaceVariant,
)
from app.site_reader.rendering.search_page import search_html
from tests.reader.rendering import Element, Written, body, browsed, looks, parsed, reading, row, whole

PAYLOADS = (
    "<script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "<svg onload=alert(1)><a xlink:href='javascript:alert(1)'>x</a></svg>",
    "<math><mtext></mtext><mglyph><style><img src=x onerror=alert(1)></style></mglyph></math>",
    "<iframe srcdoc='<script>alert(1)</script>' src='javascript:alert(1)'></iframe>",
    "<base href='https://evil.example/'><meta http-equiv=refresh content='0;url=https://evil.example'>",
    "<form action='https://evil.example'><input name=password><button formaction='javascript:alert(1)'>x",
    "<a href='jav\tascript:alert(1)'>x</a><a href='&#106;avascript:alert(1)'>y</a>",
    "<link rel=stylesheet href='https://evil.example/x.css'><style>@import 'https://evil.example'</style>",
    "<p style='position:fixed;inset:0' class='top' data-menu>x</p>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'></noscript>",
    "<xmp><img src=x onerror=alert(1)></xmp><template><script>1</script></template>",
    "<img src='a.png' alt='<table onclick=alert(1) x'><b title='<img> <img src=x onerror=alert(1)>'>x</b>",
    "<table><tr><td title='</table><table onclick=alert(1)>'>x</td></tr></table>",
    "<img alt='<script>alert(1)</script>'><a id='\"><img src=x onerror=alert(1)>' name='x y'>x</a>",
    '<abbr lang="<img alt=" title=" ><script src=/x.js></script>">hi</abbr>',
    "{{7*7}} {% raw %} ${7*7} <%= 7*7 %> [[x]]",
    "javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "\x00\x1b[31m\ud800\u202ereversed\ufeff",
)
SCRIPTS = re.compile(r"/acme/guide/~/static/[0-9a-f]+/(?:theme|navigation|reader|blocks)\.js")
STYLES = re.compile(r"(?:/acme/guide/)?~/(?:static|looks)/[\w/-]+(?:/(?:reader|api|blocks))?\.css")
FOLLOWED = re.compile(r"(?:https?://[^/\\]|mailto:|tel:|~?/(?![/\\])|#)")
FOREIGN = {
    "iframe",
    "object",
    "embed",
    "base",
    "applet",
    "style",
    "template",
    "frame",
    "noscript",
    "textarea",
    "select",
}


def is_inert(html: str, forms: Collection[str] = ("/acme/guide/~/search",)) -> Element:
    """Fail unless a page does nothing but what our own files make it do."""
    html.encode()  # no half of a surrogate pair
    return elements_are_inert(parsed(html), forms)


def elements_are_inert(page: Element, forms: Collection[str] = ("/acme/guide/~/search",)) -> Element:
    """Return the same of a page that was read already."""
    for element in page.every():
        assert element.name not in FOREIGN, element
        given = element.attributes
        assert not [
            name
            for name in given
            if name.startswith("on") or name in ("style", "srcdoc", "formaction", "srcset")
        ], given
        for name in ("href", "src", "action", "xlink:href"):
            if given.get(name):
                assert FOLLOWED.match(str(given[name])), given
                assert not re.search(r"[\x00-\x20\x7f]", str(given[name])), given
        if element.name == "script" and given.get("type") == "application/ld+json":
            assert json.loads(element.text)["@context"] == "https://schema.org"
            assert "<" not in element.text
        elif element.name == "script":
            assert SCRIPTS.fullmatch(str(given["src"]))
            assert not element.text.strip()
        if element.name == "link" and given["rel"] == "stylesheet":
            assert STYLES.fullmatch(str(given["href"]))
        if element.name == "meta":
            assert "http-equiv" not in given
        if element.name == "form":
            assert given["action"] in forms
        if element.name == "svg":
            assert {each.name for each in element.every()} <= {"svg", "path"}
    return page


@pytest.mark.parametrize("payload", PAYLOADS)
@pytest.mark.parametrize("name", ["hostile.md", "hostile-tags.md"])
def test_markdown_is_inert(name: str, payload: str) -> None:
    """The files have the payload wherever the dialect takes a text, an address or an argument."""
    markdown = (Path(__file__).parent / name).read_text()
    for word, said in (
        ("QUOTED", payload.replace('"', "&quot;")),
        ("ADDRESS", payload),
        ("PAYLOAD", payload),
    ):
        markdown = markdown.replace(word, said)
    html = whole(markdown)
    is_inert(html)
    elements_are_inert(browsed(html))


@pytest.mark.parametrize("payload", PAYLOADS)
def test_what_is_said_about_a_page_and_its_site_is_inert(payload: str) -> None:
    reference = {"kind": "url", "url": payload}
    page = row(
        title=payload,
        description=payload,
        emoji=payload,
        icon=payload,
        link_title=payload,
        cover={"ref": reference, "refDark": reference},
        path=payload,
    )
    link = row(1, kind="link", title=payload, href=payload, parent_id="p0")
    group = row(2, kind="group", title=payload, emoji=payload)
    site = {
        "title": payload,
        "icon": {"emoji": payload, "icon": {"light": payload, "dark": payload}},
        "navigation": [
            NavigationItem("section", payload, payload, payload, payload, current=True),
            NavigationItem(
                "group", payload, icon=payload, children=[NavigationItem("link", payload, payload)]
            ),
        ],
        "variants": [SpaceVariant(payload, payload, current=True), SpaceVariant(payload, payload)],
        "looks": hostile_looks(payload),
    }
    for shown in (page, replace_kind(page, "group")):
        is_inert(
            whole(
                "words",
                page=shown,
                rows=[shown, link, group, row(3, parent_id="p2", title=payload)],
                site=site,
                canonical=payload,
                markdown_href=payload,
                pdf_href=payload,
                alternates=[(payload, payload)],
            )
        )


def replace_kind(page: Any, kind: str) -> Any:
    """Return the same page as another kind."""
    return type(page)(**{**vars(page), "kind": kind})


def hostile_looks(payload: str) -> dict[str, Any]:
    """Looks as no check has seen them."""
    link = {"title": payload, "url": payload}
    themed = {"light": payload, "dark": payload}
    return {
        "themes": {"default": payload},
        "styling": {
            "theme": payload, "primaryColor": themed, "infoColor": themed, "corners": payload,
            "font": payload,
        },
        "favicon": {"emoji": payload, "icon": themed},
        "header": {
            "preset": payload, "logo": themed, "backgroundColor": themed, "primaryLink": link,
            "links": [{**link, "style": payload}, {**link, "links": [link]}],
        },
        "footer": {"logo": themed, "groups": [{"title": payload, "links": [link]}], "copyright": payload},
        "announcement": {"message": payload, "style": payload, "link": link},
        "privacyPolicy": {"url": payload},
        "socialPreview": {"url": payload},
    }  # fmt: skip


@pytest.mark.parametrize("payload", PAYLOADS)
def test_what_a_link_leads_to_is_inert(payload: str) -> None:
    target = LinkTarget("page", payload, payload, payload, payload, payload)

    class Hostile(Written):
        def target(self, href: str) -> LinkTarget:
            """Everything leads to the same."""
            return target

    tags = "".join(f'{{% {name} url="x" src="x" %}}\n\n' for name in ("content-ref", "file", "embed"))
    is_inert(
        whole(f"[](x) ![a](x)\n\n![](x)\n\n{tags}<div><a href=x>x</a><img src=x></div>", links=Hostile())
    )


@pytest.mark.parametrize("payload", PAYLOADS)
def test_refusals_and_search_results_are_inert(payload: str) -> None:
    site = SiteView(payload, "/acme/guide", hostile_looks(payload))
    is_inert(error_html(ErrorView(404, payload, payload, site, (payload, payload))))
    is_inert(error_html(ErrorView(404, payload, payload, None, (payload, payload))))
    parts = [payload, payload, payload]
    section = SectionHit(payload, payload, payload, parts, parts)
    hits = [SearchHit(payload, payload, parts, payload, parts, payload, [section])]
    is_inert(search_html(SearchView(site, payload, FoundPages(hits), reading().tree)))


@pytest.mark.parametrize("payload", PAYLOADS)
def test_looks_say_nothing_but_colours(payload: str) -> None:
    sheet = theme.stylesheet(hostile_looks(payload))
    assert sheet == theme.stylesheet({})
    icon = parsed(theme.favicon(hostile_looks(payload), {"emoji": payload}, payload))
    assert {element.name for element in icon.every()} <= {"", "svg", "rect", "text"}


def test_documents_that_no_markdown_makes_are_inert() -> None:
    payload = PAYLOADS[2]
    data: dict[str, Any] = dict.fromkeys(
        ("id", "title", "style", "icon", "url", "syntax", "formula", "alt", "size", "width", "date"), payload
    )
    kinds = (
        "heading-2",
        "hint",
        "tabs",
        "code",
        "images",
        "image",
        "file",
        "embed",
        "math",
        "update",
        "column",
    )
    data["ref"] = {"kind": "url", "url": payload}
    made = [nodes.block(kind, [], **data) for kind in kinds]
    tabs = nodes.block("tabs", [nodes.block("tabs-item", [], **data)])
    figure = nodes.block(
        "images", [nodes.block("image", [], **(data | {"ref": {"kind": "url", "url": "a.png"}}))]
    )
    is_inert(whole(nodes.document([*made, tabs, figure])))


def test_tags_in_a_line_are_closed_where_the_line_ends() -> None:
    assert body("<u>one\n\ntwo</u> </span></div></article>").startswith("<p><u>one</u></p><p>two ")


def test_an_author_cannot_take_the_names_that_the_page_uses_itself() -> None:
    page = is_inert(whole('<div id="~content"></div>\n\n## A {#~menu}\n\n<a id="~hits"></a>x'))
    ids = [element.attributes["id"] for element in page.every() if element.attributes.get("id")]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize(
    "markdown",
    [
        "<div>" * 20_000,
        "<b>" * 5_000 + "x",
        "<table>" * 3_000,
        "> " * 3_000 + "x",
        "- " * 2_000 + "x",
        "[" * 5_000,
    ],
    ids=["divs", "marks", "tables", "quotes", "lists", "brackets"],
)
def test_deep_nesting_is_written_and_stays_closed(markdown: str) -> None:
    parsed(whole(markdown))


def test_looks_of_a_site_are_what_was_checked() -> None:
    assert "--primary:#123456" in theme.stylesheet(
        looks(styling={"primaryColor": {"light": "#123456", "dark": "#abcdef"}})
    )
    assert replace(reading(), noindex=True).noindex


@pytest.mark.parametrize("language", ["python", "ts", "c#", "shell", "dockerfile", "jsonc", "r", "makefile"])
def test_code_of_a_language_that_was_tried_is_coloured(
    language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(highlighting, "PATIENCE", 60.0)  # however slow the machine
    assert highlighting.lines(["'a' = 1 # b"], language, 100)[1] > 0


@pytest.mark.parametrize("language", ["easytrieve", "tnt", "xpp", "autohotkey", "no-such"])
def test_code_whose_rules_take_minutes_for_some_lines_stays_plain(language: str) -> None:
    line = "\t" * 1_900 + "!"
    assert highlighting.lines([line] * 5, language, 10_000) == ([line] * 5, 0)


def test_code_that_takes_too_long_is_plain_and_the_last_of_its_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(highlighting, "PATIENCE", -1.0)  # whatever the machine, this is too long
    line = "public static final int LATE = 1;"
    assert highlighting.lines([line] * 3, "java", 10_000) == ([line] * 3, 10_000)
