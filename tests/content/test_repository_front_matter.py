"""Front matter: split to the byte, read with care, changed line by line."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.formats.repository.front_matter import guarded, parse, render, split
from app.formats.repository.metadata import DEFAULT_LAYOUT, PRESETS, Metadata, metadata_from


def metadata(raw: str) -> Metadata:
    return metadata_from(parse(raw)[0])[0]


def problems(raw: str) -> list[str]:
    return metadata_from(parse(raw)[0])[1]


@pytest.mark.parametrize(
    ("text", "raw"),
    [
        ("---\na: b\n---\nbody", "---\na: b\n---\n"),
        ("---\r\na: b\r\n---\r\nbody", "---\r\na: b\r\n---\r\n"),
        ("\ufeff---\na: b\n---", "\ufeff---\na: b\n---"),
        ("---\na: b\n...\nbody", "---\na: b\n...\n"),
        ("---\n---\nbody", "---\n---\n"),
        ("---\n# remark\n\n'a': b\n---\n", "---\n# remark\n\n'a': b\n---\n"),
        ("\ufeffbody", "\ufeff"),
        ("---\na: b\n", ""),
        ("---\n\nJust a rule\n\n---\n", ""),
        ("---\n- a list\n---\n", ""),
        (" ---\na: b\n---\n", ""),
        ("----\na: b\n----\n", ""),
        ("text\n---\na: b\n---\n", ""),
    ],
)
def test_the_block_is_what_stands_between_the_first_rules(text: str, raw: str) -> None:
    assert split(text) == (raw, text[len(raw) :])


@given(st.text(alphabet="-\n\r :a#\ufeff.'{", max_size=40))
def test_block_and_body_are_the_file(text: str) -> None:
    raw, body = split(text)
    assert raw + body == text
    parse(raw)
    assert split(guarded(raw, body) + body)[1] == body


@given(st.text(alphabet="-\n\r :a#\ufeff.'{", max_size=40))
def test_a_body_never_becomes_front_matter(body: str) -> None:
    assert split(guarded("", body) + body)[1] == body


def test_every_field_is_read() -> None:
    raw = (
        "---\ntitle: 1.10\ndescription: >-\n  two\n  lines\nicon: book\nemoji: 📘\n"
        "hidden: yes\nnoindex: true\n"
        "noRobotsIndex: true\nif: visitor.claims.x\nslug: s\nvars:\n  a: 007\n  b: 1.5\n  c: true\n  d: 3\n"
        "cover: ../a b.png\ncoverDark: https://x/y.png\ncoverY: -12.5\ncoverHeight: 300\n---\n"
    )
    assert metadata(raw) == Metadata(
        title="1.10",
        description="two lines",
        icon="book",
        emoji="📘",
        hidden=True,
        no_index=True,
        no_robots_index=True,
        condition="visitor.claims.x",
        slug="s",
        variables={"a": "007", "b": 1.5, "c": True, "d": 3},
        cover="../a b.png",
        cover_dark="https://x/y.png",
        cover_y=-12.5,
        cover_height=300,
    )
    assert problems(raw) == []


def test_both_forms_of_layout_give_the_wire_shape() -> None:
    assert metadata("---\nlayout: landing\n---\n").layout == PRESETS["landing"]
    raw = (
        "---\nlayout:\n  width: wide\n  cover:\n    visible: false\n    size: full\n"
        "  title: false\n  tags:\n    visible: true\n---\n"
    )
    assert metadata(raw).layout == DEFAULT_LAYOUT | {
        "width": "wide",
        "cover": False,
        "coverSize": "full",
        "title": False,
        "tags": True,
    }


@pytest.mark.parametrize(
    "lines",
    [
        "unknown: 1", "hidden: perhaps", "layout: odd", "layout: [1]", "layout:\n  title: 3",
        "layout:\n  what: true",
        "layout:\n  cover:\n    size: huge", "coverY: top", "coverHeight: 9", "vars: [1]", "vars:\n  a: [1]",
        "description: [a]",
    ],
)  # fmt: skip
def test_what_is_not_understood_is_told(lines: str) -> None:
    assert len(problems(f"---\n{lines}\n---\n")) == 1


@pytest.mark.parametrize(
    "lines",
    [
        "a: &x 1\nb: *x", "a: !!python/object:os.system x", "a: !!binary aGk=", "a: [", "a: b: c",
        "a: 1\na: 2",
        "{a: {b: " * 100, "? [a]\n: b", "a: \x01", "a: " + "x" * 70_000, "- a", "a: 1\n--- \nb: 2",
        "a:\n" + "".join(" " * n + "- \n" for n in range(1, 60)),
    ],
)  # fmt: skip
def test_dangerous_or_broken_yaml_is_a_problem_and_no_error(lines: str) -> None:
    raw = f"---\n{lines}\n---\n"
    values, problem = parse(raw)
    assert (values, problem is None) in [({}, False), ({"a": 1}, True)]
    assert render(raw, Metadata()) == raw or values


def test_a_broken_block_is_kept_as_remarks_when_something_must_be_said() -> None:
    written = render("---\na: [\n---\n", Metadata(icon="star"))
    assert written == "---\n# a: [\nicon: star\n---\n"


def test_only_changed_lines_differ() -> None:
    raw = (
        "---\n# head\ntitle: 'Old'   # why\nhidden: true\n\n# about icons\nicon: book\n"
        "extra:\n- 1\n- 2\n---\n"
    )
    changed = replace(metadata(raw), icon="star", hidden=False, description="New: yes")
    assert render(raw, changed) == (
        "---\n# head\ntitle: 'Old'   # why\n\n# about icons\nicon: star\nextra:\n- 1\n- 2\n"
        "description: 'New: yes'\n---\n"
    )


def test_an_older_key_keeps_its_name_and_line_ends_stay() -> None:
    raw = "---\r\nvariables:\r\n  a: 1\r\nnoindex: true\r\n---\r\n"
    changed = replace(metadata(raw), variables={"a": 2}, no_index=False)
    assert render(raw, changed) == "---\r\nvariables:\r\n  a: 2\r\n---\r\n"


def test_a_block_that_says_the_same_is_untouched() -> None:
    raw = '---\n\nlayout: docs\nhidden: no\ntitle:   "x"\n---  \n'
    assert render(raw, metadata(raw)) == raw
    assert render("", Metadata()) == ""
    assert render("---\nicon: x\n---\n", Metadata()) == ""


def test_a_block_on_one_line_is_written_anew() -> None:
    raw = "---\n{icon: book, other: [1]}\n---\n"
    written = render(raw, replace(metadata(raw), title="T"))
    assert parse(written)[0] == {"icon": "book", "other": [1], "title": "T"}


TEXT = st.text(max_size=12).filter(lambda text: text == "".join(text.split("\ud800")))
METADATA = st.builds(
    Metadata,
    title=st.none() | TEXT.filter(bool),
    icon=st.none() | TEXT.filter(bool),
    description=st.none() | TEXT.filter(bool),
    hidden=st.booleans(),
    no_index=st.booleans(),
    condition=st.none() | TEXT.filter(bool),
    variables=st.dictionaries(
        TEXT,
        TEXT
        | st.booleans()
        | st.integers(-(2**63), 2**63 - 1)
        | st.floats(allow_nan=False, allow_infinity=False),
        max_size=3,
    ),
    cover=st.none() | TEXT.filter(bool),
    cover_y=st.none() | st.floats(-999, 999),
    cover_height=st.none() | st.integers(10, 700),
    layout=st.none()
    | st.sampled_from([dict(each) for each in PRESETS.values()] + [DEFAULT_LAYOUT | {"tags": False}]),
)
RAW = st.sampled_from(
    [
        "", "---\n---\n", "\ufeff", "---\nicon: a\nunknown: [1]\n# end\n---\n", "---\r\ntitle: b\r\n---\r\n",
        "---\n{icon: a}\n---\n", "---\nbroken: [\n---\n",
        "---\nvars:\n  a: 1\nx: |\n  # text\n\n  more\n\nhidden: true\n---",
        "---\n? odd\n: key\nnoindex: true\n---\n",
        "---\nlayout: landing\ncoverY: 0\ndescription: \"a\n\n  b\"\n---\n",
    ]
)  # fmt: skip


def known(values: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if key in ("unknown", "x", "odd")}


@settings(max_examples=300, deadline=None)
@given(RAW, METADATA)
def test_a_rendered_block_says_what_it_should(raw: str, wanted: Metadata) -> None:
    written = render(raw, wanted)
    assert split(written + "body") == (written, "body") or written == raw
    assert metadata(written) == wanted
    assert known(parse(written)[0]) == known(parse(raw)[0])
    assert render(written, wanted) == written
