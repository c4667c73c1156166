"""Conditions in bodies: where they are understood, and that what only looks like one never shows its text."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from app.formats.markdown.conditions import read
from app.formats.markdown.evaluation import evaluate_document, evaluate_markdown, holds
from app.formats.markdown.parser import to_document
from app.formats.markdown.passages import NOBODY, conditions_of, passages
from app.formats.markdown.scanner import scan
from app.formats.markdown.scanner_syntax import may_be
from app.formats.markdown.writer import to_markdown
from tests.condition_spellings import CONDITIONAL, SHOWN, Case

FREE: dict[str, Any] = {"visitor": {"claims": {"plan": "free"}}}
PRO: dict[str, Any] = {"visitor": {"claims": {"plan": "pro"}}}


def told(body: str, scope: dict[str, Any]) -> dict[str, str]:
    """All that is made of a body for a visitor, by its kind."""
    found = [
        each
        for each in passages(scan(body), conditions_of(body))
        if each.condition is None or holds(each.condition, scope)
    ]
    return {
        "markdown": evaluate_markdown(body, scope),
        "document": json.dumps(evaluate_document(body, scope), ensure_ascii=False),
        "passages": " ".join(f"{each.heading} {each.anchor} {each.body}" for each in found),
    }


def where(case: Case, scope: dict[str, Any]) -> set[str]:
    return {kind for kind, text in told(case.body, scope).items() if case.word in text}


def test_nobody_without_the_claim_is_told_in_any_spelling_anywhere() -> None:
    assert {case.name: where(case, FREE) for case in CONDITIONAL if where(case, FREE)} == {}


def test_whoever_has_the_claim_is_told_what_is_understood_everywhere() -> None:
    everywhere = {"markdown", "document", "passages"}
    wanted = {case.name: everywhere if case.is_understood else set() for case in CONDITIONAL}
    assert {case.name: where(case, PRO) for case in CONDITIONAL} == wanted


def test_what_is_not_understood_is_a_mistake_and_nothing_else_is() -> None:
    wrong = {case.name for case in CONDITIONAL if read(case.body).mistakes}
    assert wrong == {case.name for case in CONDITIONAL if not case.is_understood}


def test_in_code_a_condition_is_text() -> None:
    for case in SHOWN:
        assert conditions_of(case.body) is None, case.name
        assert where(case, FREE) == {"markdown", "document", "passages"}, case.name


def test_every_body_with_a_condition_is_looked_at() -> None:
    assert [case.name for case in CONDITIONAL if conditions_of(case.body) is None] == []
    for plain in ("100% sure {if you} like", "{% hint %}\nx\n{% endhint %}", "{% iframe %}", "a `{%` if b"):
        assert not may_be(plain), plain


@pytest.mark.parametrize(
    ("body", "line", "said"),
    [
        ("One\n\nTwo {% if a %}three{% endif %}\n", 3, "begin a line"),
        ("---\ntitle: x\n---\n\n{% if a %}\nOne\n", 5, "no `{% endif %}`"),
        ("One\r\n\r\n* {% if a %}\r\n  Two\r\n\r\n{% endif %}\r\n", 3, "no `{% endif %}`"),
        ("One\n{% endif %}\n", 2, "belongs to no condition"),
        ("{% if a %}\nOne\n{% elif b && %}\nTwo\n{% endif %}\n", 3, "unexpected"),
        ("{% if a %}\nOne\n{% else if b %}\nTwo\n{% endif %}\n", 3, "`elif`"),
        ('One <code class=expression>visitor.claims.plan ? "a" : "b"</code>\n', 1, "expression"),
    ],
)
def test_a_mistake_has_its_line(body: str, line: int, said: str) -> None:
    first = read(body).mistakes[0]
    assert first.line == line
    assert said in first.message


@pytest.mark.parametrize(
    "body",
    [
        "See[^n] it.\n\n{% if x %}\n[^n]: The secret.\n{% endif %}\n",
        "{% if x %}\n[See]: https://secret.example/ 'secret'\n{% endif %}\n\n[See] it.\n",
        "> " * 52 + "{% if x %} secret {% endif %}\n",
        "* " * 70 + "{% if x %} secret {% endif %}\n",
        "* [ ] {% if x %} secret {% endif %}\n",
        "{% if x %}\n# secret\n{% endif %}\n\nText.\n",
        "Text\n{% if x %} secret\n{% endif %}\n===\n",
        'A <code class="expression">x ? "secret" : ""</code>.\n',
        '<div>A <code class="expression">x ? "secret" : ""</code>.</div>\n',
        "A <CODE class=expression>x ? 'secret' : ''</CODE>.\n",
        "{% code title='{% if x %}secret{% endif %}' %}\n```\na\n```\n{% endcode %}\n",
        "\ufeff{% if x %}\nsecret\n{% endif %}\n",
        "```\n{% if x %}\n```\nsecret\n\n{% endif %}\n",
        "`{% if x %}` secret {% endif %}\n",
        "{% raw %}\n* {% endraw %}\n\n{% if x %}\nsecret\n{% endif %}\n",
        "* {% raw %}\n* a {% if x %} secret {% endif %}\n* {% endraw %}\n",
        "{% foo %}\n{% if x %}\nsecret\n{% endif %}\n{% endfoo %}\n",
        "> {% if x %}\n> secret {%\n> endif %}\n",
    ],
)
def test_what_is_hidden_shows_up_nowhere_else(body: str) -> None:
    assert {kind for kind, text in told(body, {}).items() if "secret" in text} == set()


def test_passages_stand_under_headings_that_whoever_finds_them_may_read() -> None:
    body = (
        "# Top\n\nall\n\n{% if a %}\none\n\n## Inner\n\ntwo\n\n"
        "{% if b %}\nthree\n{% endif %}\n{% endif %}\n\nmore\n"
    )
    found = [(each.heading, each.body, each.condition) for each in passages(scan(body), conditions_of(body))]
    assert found == [
        ("Top", "all more", None),
        ("Top", "one", "a"),
        ("Inner", "two", "a"),
        ("Top", "three", "a\nb"),
    ]


def test_more_conditions_than_are_kept_apart_are_found_by_no_visitor() -> None:
    body = (
        "{% if true %}\nword\n{% endif %}\n\n" * 300
        + "{% if true %}\n" * 20
        + "deep\n"
        + "{% endif %}\n" * 20
    )
    found = passages(scan(body), conditions_of(body))
    assert len(found) < 220
    assert [each.condition for each in found if "deep" in each.body] == [NOBODY]


@pytest.mark.parametrize(
    "source",
    [
        "WORD",
        "# WORD",
        "* WORD",
        "`WORD`",
        "[WORD](/b 'WORD')",
        "![WORD](/b)",
        "a[^1]\n\n[^1]: WORD",
        "| WORD |\n|-|\n| WORD |\n",
        "<table><thead><tr><th>A</th></tr></thead><tbody><tr><td><p>a</p><p>WORD</p></td></tr></tbody></table>",
        '<figure><img src="/b" alt="WORD"><figcaption><p>WORD</p></figcaption></figure>',
        "<details><summary>WORD</summary>\n\nx\n\n</details>",
    ],
)
def test_text_of_a_structured_document_is_no_condition(source: str) -> None:
    document = json.loads(json.dumps(to_document(source)).replace("WORD", "{% if a %} b {%- endif"))
    body = to_markdown(document)
    assert conditions_of(body) is None, body
    assert json.dumps(evaluate_document(body, {})).count("{% if a %} b {%- endif") == source.count("WORD")


@pytest.mark.parametrize(
    "unit",
    [
        "{% if a %}x{% endif %}\n",
        "{% if a %}\n",
        "`{% if %}` ",
        "a {% if b %}\n",
        "{%",
        "<code class=",
        "\\{% if",
    ],
)
def test_reading_takes_time_in_proportion_to_the_text(unit: str) -> None:
    def seconds(length: int) -> float:
        body = unit * (length // len(unit))
        start = time.thread_time()
        passages(scan(body), conditions_of(body))
        return time.thread_time() - start

    assert any(seconds(64_000) < 16 * max(seconds(8_000), 0.003) for _ in range(3))
