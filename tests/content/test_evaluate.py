"""Content with its expressions and conditions evaluated, as document and as Markdown."""

from __future__ import annotations

import time
from typing import Any

import pytest

from app.formats.markdown import nodes
from app.formats.markdown.evaluation import evaluate_document, evaluate_markdown
from app.formats.markdown.parser import to_document
from app.formats.markdown.writer import to_markdown

SCOPE: dict[str, Any] = {
    "space": {"vars": {"name": "Ada *L*", "count": 2, "on": True}},
    "page": {"vars": {}, "title": "T"},
    "visitor": {"claims": {"plan": "pro"}},
}


def expression(source: str) -> str:
    return f'<code class="expression">{source}</code>'


CASES = [
    (f"Hi {expression('space.vars.name')}!", "Hi Ada \\*L\\*!"),
    (f"{expression('space.vars.count + 1')} {expression('page.title')}", "3 T"),
    (f"[{expression('page.title')}](a)", "[T](a)"),
    (f"`{expression('page.title')}` {expression('page.title')}", f"`{expression('page.title')}` T"),
    (f"```\n{expression('page.title')}\n```\n", None),
    (f"\\{expression('page.title')}", None),
    (expression("page.title +"), ""),
    (expression("1 &lt; 2 ? 'y' : 'n'"), "y"),
    ("{% if space.vars.on %}\nA\n{% endif %}\nB\n", "\nA\n\nB\n"),
    ("{% if !space.vars.on %}\nA\n{% endif %}\nB\n", "\nB\n"),
    ("{% if broken ( %}\nA\n{% endif %}\nB\n", "\nB\n"),
    ("{% if nobody %}\nA\n{% else %}\nB\n{% endif %}\nC\n", "\nB\n\nC\n"),
    ("{% if nobody %}\nA\n{% elif space.vars.on %}\nB\n{% else %}\nC\n{% endif %}\n", "\nB\n\n"),
    ("{% if space.vars.on %}\nA\n{% elif space.vars.on %}\nB\n{% endif %}\n", "\nA\n\n"),
    ("{% if broken ( %}\nA\n{% else %}\nB\n{% endif %}\nC\n", "\nC\n"),
    ("{% if a %}\n{% if space.vars.on %}\nA\n{% endif %}\n{% endif %}\nB\n", "\nB\n"),
    ("{% if space.vars.on %}\n{% if a %}\nA\n{% endif %}\nB\n{% endif %}\n", "\n\nB\n\n"),
    ("{% if a %} A {% endif %}\nB\n", "\nB\n"),
    ("{% if 1 %}A {% endif %}", "A "),
    ("{% if a %}\nA\n{% if 1 %}B{% endif %}\nC {% endif %}\nD\n", "\nD\n"),
    ("> {% if a %} A\n> b {% endif %}\n> c\n", "> \n> c\n"),
    ("{% if a %}\nA\n", ""),
    ("> {% if a %}\n> A\n> {% endif %}\n> B\n", "> \n> B\n"),
    ("* {% if a %}\n  A\n  {% endif %}\n* B\n", "* \n* B\n"),
    ("```\n{% if a %}\nA\n{% endif %}\n```\n", None),
    ("\\{% if a %}\nA\n\n\\{% endif %}\n", None),
    ("{% if a -%}\nA\n{%- endif -%}\nB\n", "\nB\n"),
    # What cannot be read hides the lines that it may have been meant for.
    ("A\ntext {% if 1 %} text {% endif %}\nB\n", "A\n\nB\n"),
    ("A\ntext {% if 1 %} text\nB\n", "A\n"),
    ("{% if 1 %}\nA\n", ""),
    ("A\n\n{% endif %}\n\nB\n", "\n\nB\n"),
    ("A\n{% if 1 %}\nB\n{% else if 1 %}\nC\n{% endif %}\nD\n", "A\n\nD\n"),
    ("<details>{% if 1 %}\nA</details>\nB\n", ""),
    ("{% hint %}\n{% if 1 %}\nA\n{% endhint %}\nB\n", "{% hint %}\n"),
    ("* {% if 1 %}\n  A\n* {% endif %}\n\nB\n", "\n\nB\n"),
    (
        f"| a {expression('1')} | `{expression('2')}` | {expression('3')} |\n|-|-|-|\n",
        f"| a 1 | `{expression('2')}` | 3 |\n|-|-|-|\n",
    ),
    (f"<div>\n{expression('page.title')}\n</div>\n", "<div>\nT\n</div>\n"),
    (f"---\na: b\n---\n{expression('page.title')}\n", "---\na: b\n---\nT\n"),
    (f"A\r\n{{% if a %}}\r\nB\r\n{{% endif %}}\r\nC {expression('1')}\r\n", "A\r\n\r\nC 1\r\n"),
    (f"\0A\tB  {expression('1')} \r\n", "\0A\tB  1 \r\n"),
]


@pytest.mark.parametrize(("source", "expected"), CASES)
def test_markdown(source: str, expected: str | None) -> None:
    assert evaluate_markdown(source, SCOPE) == (source if expected is None else expected)


@pytest.mark.parametrize("source", [source for source, _ in CASES if not source.startswith(("<div>", "|"))])
def test_the_document_says_the_same_as_the_markdown(source: str) -> None:
    document = evaluate_document(source, SCOPE)
    through_markdown = to_document(evaluate_markdown(source, SCOPE))
    texts = ["".join(nodes.plain_text(made["nodes"]).split()) for made in (document, through_markdown)]
    assert texts[0] == texts[1]


def test_expressions_are_evaluated_wherever_nodes_are() -> None:
    source = (
        f"<details><summary>{expression('1')}</summary>\n\nx\n</details>\n\n"
        f"| {expression('2')} |\n|-|\n| {expression('3')} |\n\n[{expression('4')}](a) b[^n]\n\n"
        f"[^n]: {expression('5')}\n"
    )
    made = evaluate_document(source, {})
    assert [node for node in nodes.walk(made) if node.get("type") == "expression"] == []
    assert to_markdown(made) == (
        "<details>\n\n<summary>1</summary>\n\nx\n\n</details>\n\n| 2 |\n| --- |\n| 3 |\n\n"
        "[4](a) b[^n]\n\n[^n]: 5\n"
    )


def test_keys_stay_when_content_is_evaluated() -> None:
    source = f"{{% if no %}}\nhidden\n{{% endif %}}\n\na {expression('1')}\n\nb\n"
    keys = [node["key"] for node in nodes.walk(to_document(source)) if not node["key"].startswith("0")]
    assert [node["key"] for node in nodes.walk(evaluate_document(source, {}))] == keys


def test_deterministic_only_leaves_what_depends_on_the_visitor_or_the_time() -> None:
    visitor = "{% if visitor.claims.plan == 'x' %}\nA\n{% endif %}\n"
    unsettled = f"{expression('visitor.claims.plan')} {expression('now')}"
    source = f"{visitor}{{% if 0 %}}\nB\n{{% endif %}}\n{unsettled} {expression('1')}\n"
    left = f"{visitor}\n{unsettled} 1\n"
    assert evaluate_markdown(source, SCOPE, deterministic_only=True) == left
    made = evaluate_document(source, SCOPE, deterministic_only=True)
    assert [block["type"] for block in made["nodes"]] == ["if", "paragraph"]
    assert [node["type"] for node in made["nodes"][1]["nodes"] if node["object"] == "inline"] == [
        "expression"
    ] * 2


def test_a_value_cannot_bring_markup_of_its_own() -> None:
    scope = {"x": "<b>*a*</b> [b](c) `d` {% e %}\n# f | :smile: $g$"}
    made = to_document(evaluate_markdown(f"{expression('x')}", scope))
    assert [block["type"] for block in made["nodes"]] == ["paragraph"]
    (text,) = made["nodes"][0]["nodes"]
    assert [(leaf["text"], leaf["marks"]) for leaf in text["leaves"]] == [(scope["x"], [])]


@pytest.mark.parametrize(
    "source",
    [
        "{% if a %}\n" * 3000,
        "{% if a %}x {% endif %}\n" * 2000,
        expression("a") * 2000,
        "a {% endif %}" * 3000,
    ],
)
def test_many_conditions_do_no_harm(source: str) -> None:
    assert isinstance(evaluate_markdown(source, {}), str)


@pytest.mark.parametrize(
    ("prefix", "unit", "size"),
    [
        ("{%endif", "a", 16_000),
        ("{%", "a", 500),
        ("", "<code class='expression'>", 4_000),
        ("{% if a %}\n", "{% elif b %}\n", 16_000),
        ("{% if a %}\n", "{% elif %}\n", 8_000),
    ],
)
def test_hostile_text_takes_time_in_proportion_to_its_length(prefix: str, unit: str, size: int) -> None:
    # Eight times the text may take sixteen times as long, not sixty-four times; short runs are noise.
    def seconds(length: int) -> float:
        markdown = prefix + unit * (length // len(unit)) + "\n"
        start = time.thread_time()
        evaluate_markdown(markdown, SCOPE)
        to_document(markdown)
        return time.thread_time() - start

    assert any(seconds(8 * size) < 16 * max(seconds(size), 0.003) for _ in range(3))
