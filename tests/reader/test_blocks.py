"""Every block and inline of the dialect has its form on a page, and nothing of it is left as a tag."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.demo.cast import GUIDE
from app.formats.markdown import document_validation, nodes
from app.present.html_links import LinkTarget
from app.site_reader.rendering.blocks import _MAKERS
from tests.reader.rendering import BASE, Written, body, parsed, row, whole

SAMPLES = (Path(__file__).parent / "samples.txt").read_text().removesuffix("\n").split("\n=====\n")
BLOCKS = dict(sample.split("\n-->\n") for sample in SAMPLES)
CARDS = """<table data-view="cards" data-card-size="large"><thead><tr><th></th>
<th data-hidden data-card-target data-type="content-ref"></th>
<th data-hidden data-card-cover data-type="files"></th></tr></thead><tbody><tr><td><strong>Begin</strong></td>
<td><a href="start.md">start.md</a></td><td><a href="cover.png">cover.png</a></td></tr></tbody></table>"""


@pytest.mark.parametrize("markdown", BLOCKS)
def test_a_block_has_its_form(markdown: str) -> None:
    made = body(markdown, links=Written({"note.md": "Included words"}))
    assert BLOCKS[markdown] in made
    assert "{%" not in made
    parsed(made)


def test_a_reference_has_the_title_of_its_page_unless_somebody_gave_it_another() -> None:
    made = '{{% content-ref url="../a/start.md" %}}\n[{}](../a/start.md)\n{{% endcontent-ref %}}'
    for written, shown in (
        ("start.md", "Start"),
        ("../a/start.md", "Start"),
        ("How to begin", "How to begin"),
    ):
        assert f"<strong>{shown}</strong>" in body(made.format(written), links=Titled())


class Titled(Written):
    """Everything leads to a page."""

    def target(self, href: str) -> LinkTarget:
        """Return the same for all."""
        return LinkTarget("page", f"{BASE}/start", title="Start")


def test_an_embed_has_the_words_that_were_written_about_it() -> None:
    made = body('{% embed url="https://films.example/1" %}\nThe film\n{% endembed %}')
    assert "<strong>The film</strong>" in made
    assert "figcaption" not in made


def test_tags_of_other_products_inside_a_line_leave_what_they_hold() -> None:
    made = body("See {% youtube %} https://films.example/1 {% endyoutube %} and {% kbd %}Esc{% endkbd %}.")
    link = '<a href="https://films.example/1" rel="noopener noreferrer">https://films.example/1</a>'
    assert made == f"<p>See {link} and Esc.</p>"


def test_who_writes_about_tags_is_left_alone() -> None:
    said = "Write {% hint %} or {% if a %} b {% else %} c {% endif %} or `{% vendor %}x{% endvendor %}`."
    assert body(f"{{% raw %}}\n{said}\n{{% endraw %}}").count("{%") == said.count("{%")


def test_every_block_of_the_dialect_is_known() -> None:
    own = {"heading-1", "heading-2", "heading-3", "code-line"}
    assert document_validation.BLOCKS - own == set(_MAKERS)


def test_every_inline_of_the_dialect_shows_its_words() -> None:
    for kind in sorted(
        document_validation.INLINES
        - {"icon", "annotation", "inline-image", "emoji", "expression", "inline-math"}
    ):
        reference = {"kind": "url", "url": "https://example.org"}
        paragraph = nodes.block("paragraph", [nodes.inline(kind, [nodes.plain("words")], ref=reference)])
        assert "words" in body(nodes.document([paragraph]))


def test_cards_lead_to_their_target_and_show_their_cover() -> None:
    made = parsed(body(CARDS))
    (item,) = (element for element in made.every("li"))
    (link,) = item.every("a")
    assert link.attributes["href"] == "/acme/guide/start"
    assert link.attributes["aria-label"] == "Start"
    assert next(item.every("img")).attributes["src"] == "/acme/guide/~/files/cover.png"
    assert "start.md" not in item.all_text


def test_a_first_heading_that_repeats_the_title_is_shown_once() -> None:
    page = parsed(whole("# Setting up\n\n## First\n\nwords", page=row(title="Setting up")))
    assert [h.all_text for h in page.every("h1")] == ["Setting up"]
    assert sum("Setting up" in h.all_text for name in ("h1", "h2", "h3") for h in page.every(name)) == 1


def test_headings_follow_the_title_without_a_gap() -> None:
    page = parsed(whole("#### Deep\n\n##### Deeper\n\n#### Deep again"))
    assert [h.name for h in page.every() if re.fullmatch("h[1-6]", h.name) and h.attributes] == [
        "h2",
        "h3",
        "h2",
    ]


def test_a_title_is_shown_once_where_something_stands_before_it() -> None:
    text = '{% embed url="https://moved.example/setup" %}\n\n# Setting up\n\n## Setting up\n'
    page = parsed(whole(text, page=row(title="Setting up")))
    titles = [h.all_text.rstrip("#") for name in ("h1", "h2", "h3") for h in page.every(name)]
    assert titles == ["Setting up", "Setting up"], "the second heading says more than the title again"


def test_an_anchor_is_there_once() -> None:
    page = parsed(
        whole('<a id="here"></a>\n\n## Here\n\n<div id="here">x</div>\n\nin <a name="here"></a> a line')
    )
    assert [e.name for e in page.every() if e.attributes.get("id") == "here"] == ["span"]


def test_any_anchor_can_be_linked_to() -> None:
    """Books of older tools mark places with empty spans; what stands in an address is decoded there."""
    page = parsed(whole('<span id="port"></span>\n\n## Half <a href="#50%" id="50%"></a>\n\n## Other\n'))
    assert [e.name for e in page.every() if e.attributes.get("id") in ("port", "50%")] == ["span", "h2"]
    to_half = [link for link in page.every("a") if "50%" in str(link.attributes.get("href"))]
    assert [link.attributes["href"] for link in to_half] == ["#50%25", "#50%25"]


def test_pictures_in_html_have_words_and_what_is_no_picture_is_only_those() -> None:
    assert '<img alt="" src="/acme/guide/~/files/a.png" width="50">' in body(
        '<p align="center"><img src="a.png" width="50"></p>x'
    )
    made = body(
        '<div><img src="javascript:1" alt="A &lt;b&gt; > c"> <img src="data:image/png;base64,AA"></div>'
    )
    assert '<span class="no-picture">A &lt;b&gt; &gt; c</span>' in made
    assert "<img" not in made


def test_the_outline_shows_two_levels_and_nothing_that_is_closed() -> None:
    closed = "<details>\n\n<summary>S</summary>\n\n## Closed\n\n</details>"
    page = parsed(whole(f"## One\n\n### Two\n\n#### Three\n\n{closed}\n\n## Four"))
    (outline,) = (nav for nav in page.every("nav") if nav.attributes.get("aria-label") == "On this page")
    assert [link.text for link in outline.every("a")] == ["One", "Two", "Four"]


def test_an_undecided_condition_hides_what_is_under_it() -> None:
    assert body("{% if visitor.claims.staff %}\nsecret\n{% endif %}\n\nopen") == "<p>open</p>"


def test_reusable_content_that_includes_itself_ends() -> None:
    made = body(
        '{% include "a.md" %}',
        links=Written({"a.md": 'A\n\n{% include "b.md" %}', "b.md": '{% include "a.md" %}\n\nB'}),
    )
    assert made == "<p>A</p><p>B</p>"


def test_notes_are_numbered_as_they_are_read_and_lead_back() -> None:
    made = parsed(body("Two[^b], one[^a], two again[^b].\n\n[^a]: A\n\n[^b]: B[^c]\n\n[^c]: C"))
    (notes,) = made.every("section")
    assert [item.attributes["value"] for item in notes.every("li")] == ["1", "2", "3"]
    targets = {link.attributes["href"] for link in made.every("a")}
    assert {"#~note-1", "#~note-2", "#~note-3", "#~ref-1", "#~ref-2", "#~ref-3"} == targets
    ids = [element.attributes["id"] for element in made.every() if "id" in element.attributes]
    assert len(ids) == len(set(ids))


def test_a_page_with_a_million_nodes_is_cut_and_says_so() -> None:
    cell = [nodes.plain("x")]
    document = nodes.document([nodes.block("paragraph", cell * 1000)] * 200)
    assert "too long to be shown" in body(document)


@pytest.mark.parametrize("path", sorted(GUIDE.rglob("*.md")), ids=lambda path: path.name)
def test_a_page_of_the_guide_is_rendered_whole(path: Path) -> None:
    made = whole(path.read_text(), page=row(title=path.stem))
    parsed(made)
    assert 'class="unknown"' not in made
    prose = re.sub(r"<pre.*?</pre>|<code.*?</code>", "", made, flags=re.DOTALL)
    if path.parent.name != "blocks":  # which explains how to write tags as text
        assert "{%" not in prose
