"""Page bodies: as they came, to the byte; as a document; and with their expressions evaluated."""

from __future__ import annotations

from hashlib import sha1
from typing import Any

import pytest

from tests import make
from tests.cast import Cast, Person

BODIES = {
    "crlf": b"# Title\r\n\r\nOne\r\nTwo\r\n",
    "mixed line ends": b"One\nTwo\r\nThree\rFour\n\r\n",
    "no final newline": b"# Title\n\nThe end",
    "empty": b"",
    "only space": b"   \n\n\t\n",
    "trailing space": b"Hard  \nbreak \\\n\n\n\n",
    "tabs": b"\tcode\n\n-\tone\n\n\t\ttwo\n",
    "emoji": "Family 👩‍👩‍👧‍👦 flag 🏴󠁧󠁢󠁳󠁣󠁴󠁿 e\u0301 \u00e9 \u200b\u202e\ufeff end\n".encode(),
    "odd characters": "\u2028\u2029\x85\x0c\x0b\x1b[31m \ue000 \U0010ffff\n".encode(),
    "markup": b"<script>alert(1)</script>\n{% if %}\n{{ x }} `{%` \\\\ $$ &amp; &#0; [[x]]\n",
    "a megabyte": "Zeile mit Umlauten äöü und Text.\n".encode() * 30_000,
}

CONDITIONAL = """\
Written by <code class="expression">space.vars.keeper</code> on <code class="expression">page.vars.day</code>.

{% if space.vars.height > 30 %}
High.
{% else %}
Low.
{% endif %}

{% if visitor.claims.staff %}
Only for staff.
{% endif %}

`<code class="expression">space.vars.keeper</code>`
"""


def body_of(person: Person, space: str, path: str = "readme", **params: Any) -> Any:
    """A page with its body."""
    answer = person.get(f"/v1/spaces/{space}/content/path/{path}", params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


def conditional(cast: Cast) -> str:
    """A space whose first page depends on variables."""
    files = {
        "README.md": f"---\nvars:\n  day: Monday\n---\n{CONDITIONAL}",
        ".gitbook/vars.yaml": "keeper: Ada\nheight: 40\n",
    }
    return make.filled_space(cast, files)


def texts(node: Any) -> str:
    """All text of a document."""
    if isinstance(node, list):
        return "".join(map(texts, node))
    if "leaves" in node:
        return "".join(leaf["text"] for leaf in node["leaves"])
    return "".join(texts(inside) for inside in node.get("nodes", ())) + "\n"


@pytest.mark.parametrize("name", BODIES)
def test_a_body_is_what_it_was_to_the_byte(cast: Cast, name: str) -> None:
    body = BODIES[name]
    space = make.filled_space(cast, {"README.md": body})
    page = body_of(cast.ria, space)
    assert page["markdown"].encode() == body
    assert page["git"]["oid"] == sha1(b"blob %d\0" % len(body) + body).hexdigest()


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_front_matter_and_byte_order_mark_are_no_part_of_the_body(
    cast: Cast, line_end: str, mark: str
) -> None:
    front = line_end.join(["---", "description: Said above", "---", ""])
    file = f"{mark}{front}{line_end}# Title{line_end}"
    space = make.filled_space(cast, {"README.md": file})
    page = body_of(cast.ria, space)
    assert page["markdown"] == f"{line_end}# Title{line_end}"
    assert (page["title"], page["description"]) == ("Title", "Said above")


def test_what_is_no_text_is_replaced_and_told(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    done = make.imported(cast, space, {"README.md": b"a\0b \xff\xfe c\n"})
    assert body_of(cast.ria, space)["markdown"] == "a\ufffdb \ufffd\ufffd c\n"
    assert {problem.kind for problem in done.report.problems} == {"undecodable"}


def test_front_matter_cannot_smuggle_what_is_no_text(cast: Cast) -> None:
    said = [
        'title: "a\\0b"',
        'description: "c\\0d"',
        'icon: "\\0"',
        'cover: "\\0.png"',
        'vars: {"n\\0": "\\0"}',
    ]
    front = "\n".join(["---", *said, "---", ""])
    files = {
        "README.md": front + "[here](#%00) [there](other.md#%00)\n",
        "other.md": '---\ndescription: "\\ud800"\n---\n',
        ".gitbook/vars.yaml": '"k\\0": "v\\0"\n',
        "SUMMARY.md": "* [Top\0](README.md)\n* [Other](other.md)\n* [x](https://example.org/\0)\n",
    }
    space = make.filled_space(cast, files)
    shown = body_of(cast.ria, space)
    assert shown["description"] == "c\ufffdd"
    assert shown["variables"] == {"n\ufffd": "\ufffd"}
    revision = cast.ria.get(f"/v1/spaces/{space}/content").json()
    assert revision["variables"] == {"k\ufffd": "v\ufffd"}
    assert "\\u0000" not in str(revision)
    links = cast.ria.get(f"/v1/spaces/{space}/links").json()["items"]
    assert [link["targetReference"].get("anchor") for link in links] == [None, None]


def test_a_body_can_be_read_as_a_document(cast: Cast) -> None:
    space = make.filled_space(
        cast, {"README.md": '# Title\n\nSome *text*.\n\n{% hint style="info" %}\nMind.\n{% endhint %}\n'}
    )
    page = body_of(cast.ria, space, format="document")
    assert "markdown" not in page
    document = page["document"]
    assert document["object"] == "document"
    assert [block["type"] for block in document["nodes"]] == ["heading-1", "paragraph", "hint"]
    assert texts(document).split("\n")[:2] == ["Title", "Some text."]
    assert body_of(cast.ria, space, format="markdown")["markdown"].startswith("# Title")


def test_groups_and_links_have_no_body_in_any_form(cast: Cast) -> None:
    space = make.filled_space(cast)
    for path in ("machinery", "machinery/its-maker"):
        for params in ({}, {"format": "document"}, {"evaluated": "true"}):
            page = body_of(cast.ria, space, path, **params)
            assert "markdown" not in page
            assert "document" not in page


def test_a_body_is_as_it_came_unless_evaluation_is_asked_for(cast: Cast) -> None:
    space = conditional(cast)
    assert body_of(cast.ria, space)["markdown"] == CONDITIONAL
    assert body_of(cast.ria, space, evaluated="false")["markdown"] == CONDITIONAL


def test_evaluation_settles_variables_and_conditions(cast: Cast) -> None:
    space = conditional(cast)
    said = body_of(cast.ria, space, evaluated="true")["markdown"]
    assert said.startswith("Written by Ada on Monday.\n")
    assert ("High." in said, "Low." in said, "staff" in said) == (True, False, False)
    assert '`<code class="expression">space.vars.keeper</code>`' in said
    document = body_of(cast.ria, space, evaluated="true", format="document")["document"]
    assert texts(document["nodes"][0]) == "Written by Ada on Monday.\n"
    assert "if" not in {block["type"] for block in document["nodes"]}
    assert "Only for staff" not in str(document)


def test_deterministic_evaluation_leaves_what_depends_on_the_visitor(cast: Cast) -> None:
    space = conditional(cast)
    said = body_of(cast.ria, space, evaluated="deterministic-only")["markdown"]
    assert "Written by Ada on Monday." in said
    assert "{% if visitor.claims.staff %}\nOnly for staff.\n{% endif %}" in said
    assert "space.vars.height" not in said
    document = body_of(cast.ria, space, evaluated="deterministic-only", format="document")["document"]
    assert [block["type"] for block in document["nodes"]].count("if") == 1


def test_an_unevaluated_document_keeps_its_conditions(cast: Cast) -> None:
    space = conditional(cast)
    document = body_of(cast.ria, space, format="document")["document"]
    first = body_of(cast.ria, space, format="document")["document"]
    body_of(cast.ria, space, format="document", evaluated="true")
    assert first == document == body_of(cast.ria, space, format="document")["document"]
    assert [block["type"] for block in document["nodes"]].count("if") >= 2


def test_each_page_is_evaluated_with_its_own_variables_and_those_of_its_space(cast: Cast) -> None:
    text = '<code class="expression">page.vars.name</code> <code class="expression">space.vars.name</code>\n'
    files = {f"{name}.md": f"---\nvars:\n  name: {name}\n---\n{text}" for name in "ab"}
    spaces = [make.filled_space(cast, {**files, ".gitbook/vars.yaml": f"name: {n}\n"}) for n in "xy"]
    said = [body_of(cast.ria, s, p, evaluated="true")["markdown"] for s in spaces for p in "ab"]
    assert said == ["a x\n", "b x\n", "a y\n", "b y\n"]


@pytest.mark.parametrize(
    "body",
    [
        ">" * 3000 + " deep",
        "".join("  " * depth + "* x\n" for depth in range(300)),
        "*_" * 2000 + "x" + "_*" * 2000,
        '{% tabs %}\n{% tab title="x" %}\n' * 300 + "x",
        "<details><summary>x</summary>\n\n" * 300 + "x",
        "{% if " + "(" * 5000 + "1" + ")" * 5000 + " %}x{% endif %}\n",
        '<code class="expression">' + "a." * 20_000 + "b</code>\n",
        "[" * 15_000 + "x",
        "{% if a %}" * 2000,
    ],
    ids=["quotes", "lists", "emphasis", "tabs", "details", "parentheses", "member chain", "brackets", "ifs"],
)
def test_hostile_markdown_is_answered_in_every_form(cast: Cast, body: str) -> None:
    space = make.filled_space(cast, {"README.md": body})
    assert body_of(cast.ria, space)["markdown"] == body
    for options in (
        {"format": "document"},
        {"format": "document", "evaluated": "true"},
        {"evaluated": "true"},
    ):
        answer = cast.ria.get(f"/v1/spaces/{space}/content/path/readme", params=options)
        assert answer.status_code in (200, 400), (options, answer.text[:300])


def test_a_body_too_large_to_structure_is_still_read_as_markdown(cast: Cast) -> None:
    body = "word " * 250_000
    space = make.filled_space(cast, {"README.md": body})
    assert body_of(cast.ria, space)["markdown"] == body
    answer = cast.ria.get(f"/v1/spaces/{space}/content/path/readme", params={"format": "document"})
    assert answer.status_code == 400
    assert answer.json()["error"]["details"][0]["path"] == "format"
