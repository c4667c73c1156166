"""Slugs, file names, titles, and the report."""

from __future__ import annotations

import time
from typing import Any

import pytest

from app.formats.repository.import_report import MAX_PROBLEMS, Report
from app.formats.repository.names import Unique, natural, plain, safe_file_name, slug
from app.formats.repository.source_text import title_in


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Getting Started", "getting-started"),
        ("update-from-v0.12", "update-from-v0.12"),
        ("in_http", "in_http"),
        ("Straße Ænigma Łódź", "strasse-aenigma-lodz"),
        ("日本語 ページ", "日本語-ページ"),
        ("हिन्दी", "हिन्दी"),
        ("한국어", "한국어"),
        ("../..", "page"),
        ("🚀", "page"),
        ("x" * 300, "x" * 100),
        ("a?b#c%d/e\\f", "a-b-c-d-e-f"),
        ("e\u0301 x\u0302", "e-x"),
    ],
)
def test_slugs(text: str, expected: str) -> None:
    assert slug(text) == expected
    assert slug(expected) == expected


def test_a_hundred_thousand_equal_names_are_told_apart() -> None:
    names = Unique()
    assert len({names.take("x" * 100) for _ in range(100_000)}) == 100_000


def test_names_sort_as_people_count() -> None:
    assert sorted(["page-10", "Page-2", "page-1", "a", "page"], key=natural) == [
        "a",
        "page",
        "page-1",
        "Page-2",
        "page-10",
    ]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("../../x", "x"),
        ("C:\\x", "C-x"),
        ("a\0b\u202egnp.exe", "a-b-gnp.exe"),
        ("NUL.txt", "_NUL.txt"),
        (".hidden", "hidden"),
        ("", "file"),
        ("é" * 300, "é" * 90),
    ],
)
def test_made_file_names_are_safe(name: str, expected: str) -> None:
    assert safe_file_name(name) == expected


def test_titles_survive_hostile_markup() -> None:
    for piece in ("*", "`", "[", "](", "<a ", "&", "_", "\\", "![", "**a "):
        assert len(plain(piece * 100_000)) <= 500


def test_the_report_is_for_programs_and_people() -> None:
    report = Report(pages=2, files=1)
    report.add("broken-link", "a.md", "“x.md” is\nmissing\x1b[31m.", 3)
    expected: dict[str, Any] = {
        "kind": "broken-link",
        "file": "a.md",
        "message": "“x.md” is�missing�[31m.",
        "line": 3,
    }
    assert report.as_json()["problems"] == [expected]
    assert report.as_text() == (
        "2 pages (0 not in the table of contents), 0 groups, 0 links, 1 file, 0 reusable contents.\n\n"
        "Links that lead nowhere (1)\n  a.md:3: “x.md” is�missing�[31m.\n"
    )


def test_problems_of_one_cause_are_told_together_with_their_first_places() -> None:
    report = Report()
    for number in range(7):
        report.add("broken-link", f"{number}.md", f"“{number}” leads nowhere.", number + 1)
    report.add("skipped", "z", "Left out.")
    report.add("broken-link", "a.md", "“z” leads to no place in the page.")
    lead, skipped, other = report.as_json()["causes"]
    assert lead == {
        "kind": "broken-link",
        "message": "“…” leads nowhere.",
        "count": 7,
        "places": ["0.md:1", "1.md:2", "2.md:3", "3.md:4", "4.md:5"],
    }
    assert (other["count"], skipped["kind"]) == (1, "skipped")
    lines = report.as_text().splitlines()
    assert lines[2] == "Links that lead nowhere (8)"
    assert lines[7:9] == [
        "  4.md:5: “4” leads nowhere.",
        "  and 2 more: “…” leads nowhere.",
    ]


def test_the_report_holds_so_many_problems_and_counts_the_rest() -> None:
    report = Report()
    for _ in range(MAX_PROBLEMS + 5):
        report.add("skipped", "a", "b")
    assert (len(report.problems), report.as_json()["moreProblems"]) == (MAX_PROBLEMS, 5)
    assert "5 more problems not shown." in report.as_text()


@pytest.mark.parametrize("unit", [" ", "\t", " #", " {#"])
def test_the_title_of_a_hostile_heading_takes_time_in_proportion_to_its_length(unit: str) -> None:
    # Eight times the text may take sixteen times as long, not sixty-four times; short runs are noise.
    def seconds(length: int) -> float:
        head = "# a" + unit * (length // len(unit)) + "b"
        start = time.thread_time()
        assert title_in("", head).startswith("a")
        return time.thread_time() - start

    assert any(seconds(16_000) < 16 * max(seconds(2_000), 0.001) for _ in range(3))


@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("# a ##", "a"),
        ("# a##", "a##"),
        ("#  #", "#"),
        ("# a {#b} #", "a"),
        ("# a  # b", "a # b"),
        ("#a", ""),
    ],
)
def test_a_heading_is_a_title_without_what_closes_it(heading: str, title: str) -> None:
    assert title_in("", heading) == title
