"""What other tools write into Markdown, as the pages of a site show it."""

from __future__ import annotations

import re
from time import process_time
from typing import Any

import pytest

from app.formats.markdown.dialects import understood
from tests import make
from tests.cast import Cast
from tests.reader.rendering import Element, body, parsed
from tests.visitors import PublishedSite


def page(markdown: str) -> Element:
    """The elements of a body as a site shows it."""
    return parsed(body(understood(markdown)))


def every(root: Element, name: str, **attributes: str) -> list[Element]:
    """The elements of a name that have these attributes."""
    found = root.every(name)
    return [each for each in found if all(each.attributes.get(k) == v for k, v in attributes.items())]


@pytest.mark.parametrize(
    ("markdown", "style"),
    [
        ("> [!NOTE]\n> The body of it", "info"),
        ("> [!tip]\n> The body of it", "success"),
        ("> **Info** The body of it", "info"),
        (">[!Caution]\n>The body of it", "warning"),
        ("> **Warning** The body of it", "warning"),
        ("> **Note** The\n  body of it\n\nAfter", "info"),
        ("> **Note** The body of it\n# After", "info"),
        (":::danger\nThe body of it\n:::", "danger"),
        ("::: info\nThe body of it\n:::", "info"),
        (":::tip[Title]{.class}\n\nThe body of it\n\n:::", "success"),
        ("!!! note\n    The body of it", "info"),
        ('!!! warning "Title"\n\n    The body of it\n\nAfter', "warning"),
    ],
)
def test_alerts_and_admonitions_are_hints(markdown: str, style: str) -> None:
    (hint,) = page(f"Before\n\n{markdown}").every("aside")
    windows = f"Before\n\n{markdown}".replace("\n", "\r\n")
    assert understood(windows) == understood(f"Before\n\n{markdown}")
    assert hint.attributes["class"] == f"hint {style}"
    assert "The body of it" in hint.all_text
    assert "After" not in hint.all_text
    assert ("Title" in hint.all_text) == ("Title" in markdown)
    assert not {"!", "[", ":::"} & set(hint.all_text.replace(": ", ""))


def test_an_admonition_holds_blocks_and_other_admonitions() -> None:
    markdown = "::::note\n\n* one\n* two\n\n:::tip\nInner\n:::\n\n```\n:::\n```\n\n::::\n\nAfter"
    outer, inner = page(markdown).every("aside")
    assert [each.all_text for each in outer.every("li")] == ["one", "two"]
    assert "Inner" in inner.all_text
    assert "After" not in outer.all_text
    assert [each.all_text.strip() for each in outer.every("code")] == [":::"]


def test_details_are_expandable() -> None:
    for markdown in (":::details Show me\nHidden\n:::", '??? note "Show me"\n    Hidden'):
        (details,) = page(markdown).every("details")
        assert next(details.every("summary")).all_text == "Show me"
        assert "Hidden" in details.all_text


@pytest.mark.parametrize(
    "markdown",
    [
        "```\n> [!NOTE]\n> x\n```",
        "~~~\n:::tip\nx\n:::\n~~~",
        "> [!NOBODY]\n> x",
        ":::unknown\nx\n:::",
        ":::tip\nnever closed",
        "A time: 12\n\n: not after a term",
        "> a quotation\n> **Note** inside of it",
        "* item\n: no term",
    ],
)
def test_what_is_not_quite_like_this_stays(markdown: str) -> None:
    assert understood(markdown) == markdown


def test_terms_have_definitions() -> None:
    markdown = "Term\n: [Link](x.md)\n: Another\n\nTwo\n: Second\n  goes on\n\nAfter"
    (found,) = page(markdown).every("dl")
    assert [each.all_text for each in found.inside] == [
        *("Term", "Link", "Another"),
        *("Two", "Second goes on"),
    ]
    assert [each.name for each in found.inside] == ["dt", "dd", "dd", "dt", "dd"]
    assert next(found.every("a")).attributes["href"] == "/acme/guide/x"
    assert "After" not in found.all_text


def test_definitions_have_marks_and_addresses() -> None:
    root = page("Term\n: ==Marked **x**== [at https://a.example](b.md) and ==this== https://c.example/d_e.\n")
    assert [each.all_text for each in every(root, "mark")] == ["this"]
    assert [each.attributes["href"] for each in every(root, "a")][1:] == ["https://c.example/d_e"]


@pytest.mark.parametrize(
    ("written", "columns"),
    [
        ("| a | b |\n|---|:-:|---|\n| 1 | 2 |", 2),
        ("a | `b|c` \\| d | e\n--- | ---\n1 | 2 | 3", 4),
        ("Text\n\n> **Note** x\n\na | b\n--- | --- | --- | ---\n1 | 2", 2),
    ],
)
def test_tables_have_as_many_columns_as_their_first_line(written: str, columns: int) -> None:
    (table,) = page(written).every("table")
    assert len(list(table.every("th"))) == columns
    assert len(list(table.every("td"))) == columns


def test_lines_below_no_row_are_no_tables() -> None:
    for markdown in ("a | b\n---\n", "words\n--- | ---\n", "```\na | b\n---|---|---\n```", "|---|---|"):
        assert understood(markdown) == markdown


def test_a_page_that_leads_elsewhere_is_a_link() -> None:
    (link,) = every(page('!REDIRECT "https://example.org/new"\r\n\r\nOld'), "a")
    assert link.attributes["href"] == "https://example.org/new"


@pytest.mark.parametrize(
    ("written", "href", "rest"),
    [
        ("See https://example.com/x.", "https://example.com/x", "."),
        ("(https://example.com/a_(b))", "https://example.com/a_(b)", ")"),
        ("https://example.com/x?y=1&z=2, and", "https://example.com/x?y=1&z=2", ", and"),
        ("见https://example.com/x。后面", "https://example.com/x", "。后面"),
    ],
)
def test_bare_addresses_are_links(written: str, href: str, rest: str) -> None:
    root = page(written)
    (link,) = every(root, "a")
    assert link.attributes["href"] == link.all_text == href
    assert root.inside[0].text.endswith(rest)


def test_addresses_in_links_and_code_stay() -> None:
    root = page("[https://example.com/a](https://example.com/b) `https://example.com/c`")
    assert [each.attributes["href"] for each in every(root, "a")] == ["https://example.com/b"]


def test_marks_are_marked() -> None:
    root = page("a ==marked one== b == c == d x==y==z")
    assert [each.all_text for each in every(root, "mark")] == ["marked one"]


@pytest.mark.parametrize(
    "meta", ['title="app.js" {1,3-4} showLineNumbers', 'title=\'app.js\' hl_lines="1 3-4" linenums="1"']
)
def test_fences_have_titles_marked_lines_and_numbers(meta: str) -> None:
    html = body(f"```js {meta}\nlet a = 1;\n\nb();\nc();\n```")
    (figure,) = parsed(html).every("figure")
    assert next(figure.every("figcaption")).all_text == "app.js"
    rows = list(figure.every("span"))
    marked = [str(each.attributes["class"]) == "row line hl" for each in rows]
    assert marked == [True, False, True, True]
    assert re.sub("<[^>]+>", "", html.partition("<pre")[2]).partition(">")[2] == "let a = 1;\n\nb();\nc();\n"


def test_differences_have_colours() -> None:
    (figure,) = page("```diff\n-old\n+new\n same\n```").every("figure")
    assert [each.attributes["class"] for each in figure.every("span")] == ["row del", "row add", "row"]


def test_films_and_sounds_play_in_the_page() -> None:
    root = page('<video src="a.mp4" autoplay onplay="x()"></video>\n\nText <audio src="b.mp3"></audio>')
    (film,), (sound,) = every(root, "video"), every(root, "audio")
    assert film.attributes["src"] == "/acme/guide/~/files/a.mp4"
    assert "controls" in film.attributes
    assert not {"autoplay", "onplay"} & film.attributes.keys()
    assert sound.attributes["src"] == "/acme/guide/~/files/b.mp3"


def test_columns_have_the_widths_that_were_given() -> None:
    columns = '<colgroup><col style="width: 20%"><col style="width:80px"></colgroup>'
    cells = '<tr><th width="200">A</th><td style="color:red;width:3.5px">B</td></tr>'
    root = page(f"<table>{columns}{cells}</table>")
    assert [each.attributes["width"] for each in root.every("col")] == ["20%", "80"]
    assert [each.attributes["width"] for each in every(root, "th")] == ["200"]
    assert [each.attributes["width"] for each in every(root, "td")] == ["4"]
    assert "style" not in str([each.attributes for each in root.every()])
    given: list[Any] = ['<th width="150">A</th><th>B</th>', "<td>1</td><td>2</td>"]
    table = f"<table><thead><tr>{given[0]}</tr></thead><tbody><tr>{given[1]}</tr></tbody></table>"
    assert [each.attributes.get("width") for each in page(table).every("col")] == ["150", None]


def test_vectors_are_bold_and_accents_stand_in_the_middle() -> None:
    root = page("$$\\boldsymbol{\\mathrm{r}} + \\mathbf{v} + \\dot{x} + \\hat{y}$$")
    assert [each.all_text for each in every(root, "mtext")] == ["𝐫"]
    assert {"˙", "ˆ"} <= {each.all_text for each in every(root, "mo")}
    greek = page("$$\\boldsymbol{\\omega} + \\mathbf{\\Omega} + \\omega$$")
    assert [each.all_text for each in every(greek, "mi")] == ["𝝎", "𝛀", "ω"]


def test_a_site_understands_them(cast: Cast) -> None:
    site = PublishedSite(cast)
    site.page(title="Foreign", document={"markdown": "> [!NOTE]\n> Mind the gap\n\n:::tip\nDo it\n:::\n"})
    html = site.open("/foreign").text
    assert html.count('<aside class="hint') == 2
    assert "[!NOTE]" not in html
    assert "> [!NOTE]" in site.open("/foreign.md").text, "Markdown stays as it was written"


def test_fenced_mathematics_is_a_formula() -> None:
    assert len(every(page("Before\n\n```math\na^2\n\n+ b\n```\n\nAfter"), "math")) == 1
    for markdown in ("```math\nnever closed", "```\n```math\n```", "```math\n$$\n```", "```math\n```"):
        assert understood(markdown) == markdown


def test_many_admonitions_that_never_end_are_read_in_linear_time() -> None:
    few, many = (":::tip\n" * size for size in (2_000, 40_000))
    took = []
    for body_ in (few, many):
        began = process_time()
        assert understood(body_) == body_
        took.append(process_time() - began)
    assert took[1] < 60 * took[0] + 1


FOREIGN = """> [!WARNING]
> Mind the gap

Term
: What it means

See https://example.com/x. This is ==marked==.

```js title="app.js" {1}
go();
```
"""


def test_the_api_understands_them_wherever_it_renders_html(cast: Cast) -> None:
    space = make.filled_space(cast, {"README.md": f"# Start\n\n{FOREIGN}"})
    comment = {"body": {"markdown": FOREIGN}}
    assert cast.ada.post(f"/v1/spaces/{space}/comments", json=comment).is_success
    asked = """query ($id: ID!) { space(id: $id) { page(path: "readme") { html document }
        comments { nodes { body { html } } } } }"""
    found = cast.ria.ask(asked, id=space)["space"]
    shown = [found["page"]["html"], found["comments"]["nodes"][0]["body"]["html"]]
    asked = "query ($id: ID!, $text: Markdown!) { space(id: $id) { preview(markdown: $text) } }"
    shown.append(cast.ada.ask(asked, id=space, text=FOREIGN)["space"]["preview"])
    for html in shown:
        tree = parsed(html)
        assert [each.attributes["class"] for each in tree.every("aside")] == ["hint warning"]
        assert [each.all_text for each in tree.every("dd")] == ["What it means"]
        assert [each.attributes["href"] for each in tree.every("a")][-1] == "https://example.com/x"
        assert [each.all_text for each in tree.every("mark")] == ["marked"]
        assert [each.all_text for each in tree.every("figcaption")] == ["app.js"]
    written = cast.ria.get(f"/v1/spaces/{space}/content/path/readme?format=document").json()["document"]
    assert written == found["page"]["document"], "the document has what was written"
    assert "[!WARNING]" in str(written)
