"""Diagrams that are written as text, on the pages of a site and in print."""

from __future__ import annotations

import io
import re
from typing import Any

import pypdf
import pytest

from app.formats.diagrams import drawing
from app.formats.diagrams.drawing import NotDrawn, draw
from app.formats.pdf.book import Book, BookPage
from app.formats.pdf.renderer import render
from tests import anonymous, make
from tests.cast import Cast
from tests.reader.rendering import Element, body, browsed, parsed
from tests.visitors import PublishedSite

FLOW = "flowchart LR\n  accTitle: From here to there\n  A[Start here] --> B{Is it?}\n  B -->|Yes| C[Done]"
PAGE = f"# Drawn\n\nBefore\n\n```mermaid\n{FLOW}\n```\n\nAfter\n"
KINDS = {
    "flowchart": FLOW,
    "sequence": "sequenceDiagram\n  Ada->>Ben: Hello\n  Ben-->>Ada: Hi",
    "class": "classDiagram\n  Animal <|-- Duck\n  Animal : +int age",
    "state": "stateDiagram-v2\n  [*] --> Still\n  Still --> [*]",
    "entities": "erDiagram\n  CUSTOMER ||--o{ ORDER : places",
    "gantt": "gantt\n  dateFormat YYYY-MM-DD\n  section One\n  A task :a1, 2026-01-01, 30d",
    "pie": 'pie title Pets\n  "Dogs" : 3\n  "Cats" : 2',
    "mindmap": "mindmap\n  root((Top))\n    One\n    Two",
    "with front matter": f"---\ntitle: Named\n---\n{FLOW}",
    "Chinese": "flowchart TD\n  A[开始] --> B[结束]",
}
HOSTILE = (
    'flowchart LR\n  A["<img src=x onerror=alert(1)>"] --> B["<script>alert(1)</script>"]\n'
    '  click A "javascript:alert(1)"\n  click B call alert(1)\n  style A fill:url(https://evil.example/x)'
)


def pictures(root: Element) -> list[dict[str, Any]]:
    """The attributes of the pictures of the diagrams of a page."""
    figures = [each for each in root.every("figure") if each.attributes.get("class") == "diagram"]
    return [image.attributes for figure in figures for image in figure.every("img")]


@pytest.mark.parametrize("kind", KINDS)
def test_diagrams_of_all_kinds_are_drawn_for_light_and_dark_pages(kind: str) -> None:
    light, dark = draw(KINDS[kind]), draw(KINDS[kind], dark=True)
    assert light.svg != dark.svg
    for made in (light, dark):
        assert made.svg.startswith(f'<svg width="{made.width}" height="{made.height}" ')
        assert "foreignObject" not in made.svg
        assert made.width > 20
        assert made.height > 20


@pytest.mark.parametrize(
    "source",
    ["nonsense", "flowchart LR\n  A --> [[", "flowchart LR\n" + "subgraph a\n" * 1_500,
     "flowchart LR\n" + "\n".join(f"a{n}-->a{m}" for n in range(40) for m in range(40))],
)  # fmt: skip
def test_what_is_no_diagram_or_too_much_of_one_says_so(source: str) -> None:
    with pytest.raises(NotDrawn):
        draw(source)


def test_a_hostile_diagram_comes_to_nothing() -> None:
    root = browsed(draw(HOSTILE).svg)
    names = {each.name for each in root.every()}
    assert not names & {"script", "img", "iframe", "foreignObject", "image"}
    values = [value for each in root.every() for value in each.attributes.values() if value]
    assert not [value for value in values if "javascript:" in value or "evil.example" in value]
    assert not [name for each in root.every() for name in each.attributes if name.startswith("on")]


def test_a_page_shows_its_diagrams_and_their_text(cast: Cast) -> None:
    site = PublishedSite(cast, files={"README.md": PAGE})
    html = site.open().text
    light, dark = pictures(browsed(html))
    assert (light["class"], dark["class"]) == ("on-light", "on-dark")
    assert light["alt"] == "From here to there"
    assert "A[Start here]" in re.sub("<[^>]+>", "", html)
    drawn = []
    for given in (light, dark):
        answer = anonymous.get(site.url.removesuffix(site.base) + given["src"])
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "image/svg+xml"
        assert "immutable" in answer.headers["cache-control"]
        policy = answer.headers["content-security-policy"]
        assert policy == "default-src 'none'; style-src 'unsafe-inline'; sandbox"
        assert "Start here" in re.sub("<[^>]+>", " ", answer.text)
        drawn.append(answer.text)
    assert drawn[0] != drawn[1]


def test_a_diagram_in_a_reusable_content_is_drawn_on_the_pages_that_show_it(cast: Cast) -> None:
    files: make.Files = {
        "README.md": '# Start\n\n{% include ".gitbook/includes/part.md" %}\n',
        ".gitbook/includes/part.md": f"---\ntitle: Part\n---\n\n```mermaid\n{FLOW}\n```\n",
    }
    site = PublishedSite(cast, files=files)
    found = re.findall(r'src="([^"]*/~/diagrams/[^"]*)"', site.open().text)
    assert len(found) == 2
    assert anonymous.get(site.url.removesuffix(site.base) + found[0]).status_code == 200


def test_what_cannot_be_drawn_says_why_in_its_place(cast: Cast) -> None:
    site = PublishedSite(cast, files={"README.md": "# Start\n\n```mermaid\nflowchart LR\nA --> [[\n```\n"})
    (address, _) = re.findall(r'src="([^"]*/~/diagrams/[^"]*)"', site.open().text)
    answer = anonymous.get(site.url.removesuffix(site.base) + address)
    assert answer.status_code == 200
    assert "cannot be drawn" in answer.text
    assert "immutable" not in answer.headers["cache-control"]


def test_a_diagram_is_drawn_for_nobody_who_cannot_read_its_page(cast: Cast) -> None:
    site = PublishedSite(cast, files={"README.md": PAGE})
    address = re.findall(r'src="[^"]*(/~/diagrams/[^"]*)"', site.open().text)[0]
    other = PublishedSite(cast, files={"README.md": PAGE})
    for wrong in (
        address.replace("-light", "-blue"),
        re.sub(r"[0-9a-f]{24}-", f"{drawing.key('flowchart LR')}-", address),
        "/".join([*address.split("/")[:-2], "nothing", address.split("/")[-1]]),
    ):
        assert site.open(wrong).status_code == 404
    assert other.open(address).status_code == 404, "the page is of another site"
    assert site.open(address).status_code == 200
    site.patch("", {"visibility": "share-link"})
    assert site.open(address).status_code != 200
    _, key = site.share()
    with site.browser() as reader:
        reader.get(f"?shareKey={key}")
        shown = reader.get(address)
        assert shown.status_code == 200
        assert shown.headers["cache-control"] == "private, no-store"


def test_without_the_library_the_text_is_shown() -> None:
    assert not pictures(parsed(body(PAGE)))
    assert "Start here" in body(PAGE)


def test_diagrams_are_in_print() -> None:
    printed = render(Book("B", [BookPage("a", "Page", body_markdown=PAGE)]), {})
    words = pypdf.PdfReader(io.BytesIO(printed)).pages[1].extract_text()
    assert "Start here" in " ".join(words.split())
    assert "flowchart" not in words
