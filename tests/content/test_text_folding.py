"""Folding, and searches that SQLite really runs."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.formats.text.search_queries import fts5, plain, tsquery
from app.formats.text.search_text import excerpt, fold, indexable, marked, terms


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Hello,  World!\n", "hello, world!"),
        ("Ünïcödé STRASSE Straße", "unicode strasse strasse"),
        ("e\u0301 é ﬁ ² K", "e e fi 2 k"),
        ("İstanbul ΣΊΣΥΦΟΣ Ёлка", "istanbul σισυφοσ елка"),
        ("安装npm包", "安 装 npm 包"),
        ("한국어 한국", "한 국 어 한 국"),
        ("ガｶﾞが", "ガ ガ が"),
        ("ไทยน้ำ", "ไ ท ย น า"),
        ("a\0b\tc\x1fd", "a b c d"),
        ("so\u00adft zero\u200bwidth \ud800", "soft zero width"),
        ("", ""),
    ],
)
def test_text_is_folded_for_search(text: str, folded: str) -> None:
    assert fold(text) == folded


@settings(deadline=None, derandomize=True)
@given(st.text(max_size=80))
def test_folding_twice_changes_nothing_more(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert indexable(indexable(text)) == indexable(text)
    fold(text).encode()


def test_an_index_holds_nothing_but_words() -> None:
    assert indexable("See https://Example.org/a-b?c=d, <e@f.g> & snake_case!") == (
        "see https example org a b c d e f g snake_case"
    )


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ("Installing  Node", [["installing"], ["node"]]),
        ('"exact Phrase" more', [["exact", "phrase"], ["more"]]),
        ('un"balanced', [["un"], ["balanced"]]),
        ('"', []),
        ("安装 npm包", [["安", "装"], ["npm"], ["包"]]),
        ('"use 安装"', [["use", "安", "装"]]),
        ("snake_case C++ don't", [["snake_case"], ["c"], ["don"], ["t"]]),
        ("cafe\u0301s Äpfel", [["cafes"], ["apfel"]]),
        ("_ -- * ()", []),
        ("a " * 20, [["a"]] * 16),
        ("a b " * 5 + '"c d e f g h"', [["a"], ["b"]] * 5 + [["c", "d", "e", "f", "g", "h"]]),
        ("x" * 100, [["x" * 64]]),
        ("字" * 100, [["字"] * 64]),
    ],
)
def test_a_query_asks_for_words_and_phrases(query: str, asked: list[list[str]]) -> None:
    assert terms(query) == asked


def test_the_engines_are_asked_the_same() -> None:
    asked = terms('node "exact phrase" 安装 snake_case')
    assert fts5(plain(asked)) == '"node"* AND "exact phrase" AND "安 装" AND "snake_case"*'
    assert tsquery(plain(asked)) == "'node':* & 'exact' <-> 'phrase' & '安' <-> '装' & 'snake' <-> 'case':*"
    assert tsquery([[["it's", "a\\b"]]]) == "'it''s' <-> 'a\\\\b'"
    assert tsquery([]) == ""


@pytest.fixture
def index() -> Iterator[sqlite3.Connection]:
    database = sqlite3.connect(":memory:")
    database.execute(
        """CREATE VIRTUAL TABLE t USING fts5(a, tokenize="unicode61 remove_diacritics 2", prefix='2 3')"""
    )
    yield database
    database.close()


def found(index: sqlite3.Connection, text: str, query: str) -> bool:
    index.execute("DELETE FROM t")
    index.execute("INSERT INTO t VALUES (?)", (indexable(text),))
    rows = index.execute("SELECT a FROM t WHERE t MATCH ?", (fts5(plain(terms(query))),)).fetchall()
    return len(rows) == 1


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        ("Installing Node.js", "inst node", True),
        ("Installing Node.js", "node.js", True),
        ("Installing Node.js", "stalling", False),
        ("an exact phrase", '"exact phrase"', True),
        ("a phrase exact", '"exact phrase"', False),
        ("安装指南", "装", True),
        ("安装指南", "装指", True),
        ("安装指南", "指装", False),
        ("한국어 문서", "국어", True),
        ("snake_case_name", "snake_case", True),
        ("हिन्दी दस्तावेज़", "हिन्दी", True),
        ("Größe", "GROSSE", True),
        ("Größe", "größ", True),
        ("anything", "", False),
        ("anything", "*", False),
    ],
)
def test_sqlite_finds_what_is_asked_for(
    index: sqlite3.Connection, text: str, query: str, expected: bool
) -> None:
    assert found(index, text, query) is expected


HOSTILE = [
    '"', '""', '"""', "*", "a*", "^a", "NEAR(", "NEAR(a b, 2)", "-", "-a", "a AND", "AND OR NOT", "a OR b",
    "col:x", "a:b", "{a b}:c", "(", ")", "((", "a + b", "'", "''", ";--", "\\", "a\\", "\0", "\ud800", "²",
    "😀", "_", "%", "\u0300", "\u3099", "x" * 100_000, "x " * 50_000, '"' * 100_000, '"a' * 50_000,
    "字" * 100_000, "\ufdfa" * 100_000, "NOT(" * 25_000,
]  # fmt: skip


@pytest.mark.parametrize("query", HOSTILE, ids=range(len(HOSTILE)))
def test_no_query_is_an_error(index: sqlite3.Connection, query: str) -> None:
    found(index, "text and more text", query)
    words = [word for words in terms(query) for word in words]
    assert all(0 < len(word) <= 64 for word in words)
    assert len(words) <= 16 * 64


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.text(max_size=40))
@example('a "b c" d* NEAR(e)')
def test_sqlite_takes_any_query_and_finds_a_text_by_itself(text: str) -> None:
    database = sqlite3.connect(":memory:")
    database.execute("""CREATE VIRTUAL TABLE t USING fts5(a, tokenize="unicode61 remove_diacritics 2")""")
    try:
        found(database, "other", text)
        if text.isascii() and terms(text):
            assert found(database, text, text)
    finally:
        database.close()


LONG = "The quick brown fox jumps over the lazy dog. " * 20


def test_an_excerpt_shows_the_first_match_between_whole_words() -> None:
    text = f"{LONG}Here Größe matters. {LONG}"
    shown = excerpt(text, terms("grosse"), 100)
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert "Größe matters" in shown
    assert len(shown) <= 102
    assert shown.strip("…") in text
    assert set(shown.strip("…").split()) <= set(text.split())


@pytest.mark.parametrize(
    ("text", "query", "size", "shown"),
    [
        ("short text", "text", 240, "short text"),
        ("short text", "absent", 240, "short text"),
        ("one two three four", "absent", 9, "one two…"),
        ("one two three four", "four", 9, "…four"),
        ("unfit fit", "fit", 5, "…fit"),
        ("多字的安装指南在这里", "安装", 4, "…的安装指…"),
        ("", "a", 240, ""),
        ("text", "", 240, "text"),
    ],
)
def test_an_excerpt_is_cut_to_size(text: str, query: str, size: int, shown: str) -> None:
    assert excerpt(text, terms(query), size) == shown


@settings(deadline=None, derandomize=True)
@given(st.text(max_size=300), st.text(max_size=20), st.integers(1, 60))
def test_an_excerpt_is_part_of_any_text(text: str, query: str, size: int) -> None:
    shown = excerpt(text, terms(query), size)
    assert len(shown) <= size + 2
    assert shown in text or shown.removeprefix("…").removesuffix("…") in text


_AWKWARD = "aAéE\u0301\u3099かが字ß İıſ_-\u00ad\u200b"


@settings(max_examples=500, deadline=None)
@given(st.text(alphabet=st.one_of(st.characters(), st.sampled_from(_AWKWARD))))
def test_the_quick_way_to_index_text_folds_like_the_slow_one(text: str) -> None:
    assert indexable(text) == " ".join(re.sub(r"\W+", " ", fold(text)).split())


@pytest.mark.parametrize(
    ("text", "query", "parts"),
    [
        ("The lamp and LÁMPS", "lamp", ["The ", "lamp", " and ", "LÁMP", "S"]),
        ("a clamp", "lamp", ["a clamp"]),
        ("Straße", "strass", ["", "Straß", "e"]),
        ("安装包", "装", ["安", "装", "包"]),
        ("none", "", ["none"]),
        ("", "lamp", [""]),
    ],
)
def test_what_was_asked_for_is_marked(text: str, query: str, parts: list[str]) -> None:
    assert marked(text, terms(query)) == parts


@settings(deadline=None, derandomize=True)
@given(st.text(max_size=60), st.text(max_size=8))
def test_marking_loses_nothing(text: str, query: str) -> None:
    parts = marked(text, terms(query))
    assert "".join(parts) == text
    assert len(parts) % 2 == 1
