"""Texts of a book at an import: variables, conditions and tags of plugins become what we have for them."""

from __future__ import annotations

import time

import pytest

from app.formats.repository.book_texts import Variables, in_our_dialect
from app.formats.repository.file_tree import Memory
from app.formats.repository.import_plan import load, read_plan

VARIABLES: Variables = {"version": "1.2", "beta": False, "n": 3}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("v{{ book.version }} {{book.n}} {{ book.beta }}", "v1.2 3 false"),
        ("[x](https://e.org/{{ book.version }}/a)", "[x](https://e.org/1.2/a)"),
        ("`wget {{ book.version }}`\n\n```\n{{ book.version }} {{ book.no }} {% foo %}\n```\n",
         "`wget 1.2`\n\n```\n1.2 {{ book.no }} {% foo %}\n```\n"),
        ("{{ page.title }} {{.ID}}", "{{ page.title }} {{.ID}}"),
        ("{% if book.version != '1.2' %} old {% else %} new {{ book.n }} {% endif %}.", " new 3 ."),
        ("{% if not book.beta and book.n == 3 %}a{% if book.beta %}b{% endif %}{% endif %}", "a"),
        ("{% if book.beta %}a{% elif book.n %}b{% endif %}", "b"),
        ("{% if visitor.x %}\na\n{% endif %}", "{% if visitor.x %}\na\n{% endif %}"),
        ("{% if book.n %}a", "{% if book.n %}a"),
        ("{% youtube %}https://youtu.be/x{% endyoutube %}", '{% embed url="https://youtu.be/x" %}'),
        ("{% youtube %}\nhttps://youtu.be/x\n{% endyoutube %}\n", '{% embed url="https://youtu.be/x" %}\n'),
        ("1. See: {% youtube %} https://youtu.be/x {% endyoutube %}\n",
         '1. See: \n\n   {% embed url="https://youtu.be/x" %}\n'),
        ("> See {% youtube %}https://youtu.be/x{% endyoutube %} then\n",
         '> See \n>\n> {% embed url="https://youtu.be/x" %}\n>\n>  then\n'),
        ("<!-- a --> {% include \"_x.md\" %}\n", '<!-- a --> \n\n{% include "_x.md" %}\n'),
        ("{% raw %}<b>{% endraw %}", "<b>"),
        ("{% raw %}{{ book.n }}{% endraw %}", "{% raw %}{{ book.n }}{% endraw %}"),
        ('{% page-ref page="a.md" %}', '{% content-ref url="a.md" %}\n[a.md](a.md)\n{% endcontent-ref %}'),
        ('{% code-tabs %}\n{% code-tabs-item title="a" %}\nx\n{% endcode-tabs-item %}\n{% endcode-tabs %}',
         '{% tabs %}\n{% tab title="a" %}\nx\n{% endtab %}\n{% endtabs %}'),
        ("{% math %}x^2{% endmath %}", "$$x^2$$"),
        ("{% mermaid %}\ngraph\n{% endmermaid %}", "```mermaid\ngraph\n```"),
        ("{% hint style='info' %}\na\n{% endhint %}", "{% hint style='info' %}\na\n{% endhint %}"),
        ("{% fancy a=1 %}kept{% endfancy %}", "kept"),
        ("`{% fancy %}` {% @org/block a=1 %}", "`{% fancy %}` {% @org/block a=1 %}"),
        ("a {{ book.lost }} b", "a  b"),
        ("50 %} {% x", "50 %} {% x"),
    ],
)  # fmt: skip
def test_texts_are_written_in_our_dialect(text: str, expected: str) -> None:
    assert in_our_dialect(text, VARIABLES, lambda *_: None) == expected


def test_what_is_unknown_is_told_with_its_line_and_once() -> None:
    tree = Memory(
        {
            "book.json": b'{"variables": {"version": "1.2", "odd": [1]}}',
            "SUMMARY.md": b"* [A](a.md)\n",
            "a.md": b"# A\n\n{% fancy %}{{ book.version }}{% endfancy %}\n\n{{ book.lost }}\n",
        }
    )
    plan = read_plan(tree, of_any_tool=True)
    assert load(plan, "a.md").body == "# A\n\n1.2\n\n\n"
    assert load(plan, "a.md").body == "# A\n\n1.2\n\n\n"
    assert [(each.kind, each.place, each.message) for each in plan.report.problems] == [
        ("unsupported", "a.md:3", "The tag “fancy” is not known; it was taken out."),
        ("unsupported", "a.md:5", "The variable “book.lost” is not set; it was left out."),
    ]


def test_other_trees_stay_to_the_byte() -> None:
    text = b"# A\r\n\r\n{% fancy %}{{ book.version }}\r\n"
    assert load(read_plan(Memory({"a.md": text}), of_any_tool=True), "a.md").body == text.decode()
    book = {"book.json": b'{"variables": {"version": "1"}}', "a.md": text}
    assert load(read_plan(Memory(book)), "a.md").body == text.decode()


@pytest.mark.parametrize(
    "unit",
    ["{% if book.n %}", "{% raw %}", "{% youtube %}", "{{ book.", "{% x ", "`", "{% if book.n %}{% endif %}"],
)
def test_hostile_texts_take_no_long_time(unit: str) -> None:
    began = time.process_time()
    in_our_dialect(unit * (400_000 // len(unit)), VARIABLES, lambda *_: None)
    assert time.process_time() - began < 30
