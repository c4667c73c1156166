"""The table of contents: what is read, and that what is written is read back."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from app.formats.repository.import_report import Report
from app.formats.repository.names import clean_title
from app.formats.repository.summary import MAX_DEPTH, Entry, parse_summary, write_summary
from tests.scale import scaled

Short = tuple[str, str, str | None, list["Short"]]


def short(entries: list[Entry]) -> list[Short]:
    return [(each.kind, each.title, each.target, short(each.children)) for each in entries]


def one(line: str) -> Entry:
    [entry] = parse_summary(line)
    return entry


def test_lists_of_every_marker_and_indentation_nest() -> None:
    text = "# Contents\n\n* [A](a.md)\n  - [B](b.md)\n     + [C](c.md)\n"
    text += "\t* [D](d.md)\n  1. [E](e.md)\n* [F](f.md)\n"
    assert short(parse_summary(text)) == [
        (
            "page", "A", "a.md",
            [
                ("page", "B", "b.md", [("page", "C", "c.md", []), ("page", "D", "d.md", [])]),
                ("page", "E", "e.md", []),
            ],
        ),
        ("page", "F", "f.md", []),
    ]  # fmt: skip


def test_one_space_does_not_nest() -> None:
    assert [each.title for each in parse_summary("* [A](a.md)\n * [B](b.md)\n")] == ["A", "B"]


def test_headings_and_items_without_a_link_are_groups() -> None:
    text = "* [A](a.md)\n\n## Part \\#1 ##\n* [B](b.md)\n* Plain\n  * [C](c.md)\n\n***\n\n* [D](d.md)\n"
    assert short(parse_summary(text)) == [
        ("page", "A", "a.md", []),
        (
            "group",
            "Part #1",
            None,
            [("page", "B", "b.md", []), ("group", "Plain", None, [("page", "C", "c.md", [])])],
        ),
        ("page", "D", "d.md", []),
    ]


def test_titles_are_plain_text() -> None:
    assert one(r"* [Install \(Linux\) \[x\]](a.md)").title == "Install (Linux) [x]"
    assert one("* [`code` and **bold** in_http &amp; more](a.md)").title == "code and bold in_http & more"
    assert one("* [![badge](b.svg) Text](a.md)").title == "badge Text"
    assert one("* **[Bold](a.md)**").title == "Bold"


def test_targets_in_every_spelling() -> None:
    assert one("* [A](<my page (1).md>)").target == "my page (1).md"
    assert one("* [A](my%20page.md#part)").target == "my page.md"
    assert one("* [A](my page.md)").target == "my page.md"
    assert one("* [A](a(1).md)").target == "a(1).md"
    assert one(r"* [A](a\(1.md)").target == "a(1.md"
    assert one("* [A]()").kind == "group"


def test_link_titles_are_read_apart() -> None:
    entry = one('* [Page](a.md "A \\"short\\" one")')
    assert (entry.title, entry.target, entry.link_title) == ("Page", "a.md", 'A "short" one')
    assert one("* [Page](<a b.md> 'Short')").link_title == "Short"


def test_addresses_with_a_scheme_are_links() -> None:
    assert short([one("* [Site](https://example.org/a_(b)?c=d#e)")]) == [
        ("link", "Site", "https://example.org/a_(b)?c=d#e", [])
    ]


def test_comments_are_skipped_and_lines_still_count() -> None:
    entries = parse_summary(
        "* [A](a.md)\n<!-- * [B](b.md)\n* [C](c.md)\n-->* [D](d.md) <!-- x -->\n* \\<!-- kept\n"
    )
    assert [(each.title, each.line) for each in entries] == [("A", 1), ("D", 4), ("<!-- kept", 5)]


def test_lines_that_are_no_entries_are_told() -> None:
    report = Report()
    parse_summary('!REDIRECT "x"\n\n* [A](a.md) and [B](b.md)\n', report)
    assert [(each.kind, each.line) for each in report.problems] == [("unsupported", 1), ("unsupported", 3)]


def test_depth_is_capped_and_nothing_is_lost() -> None:
    text = "".join(f"{'  ' * depth}* [P{depth}](p{depth}.md)\n" for depth in range(300))
    entries = parse_summary(text)
    depth = count = 0
    while entries:
        depth += 1
        count += len(entries)
        entries = entries[0].children
    assert (depth, count) == (MAX_DEPTH, 300)


def test_hostile_lines_end() -> None:
    for piece in ("[", "](", "<!--", "\\", "*", "`", '("', " ", "[a](", "&#", "<", "_a", "> "):
        parse_summary("* " + piece * 50_000)
        parse_summary(("* " + piece * 2_000 + "\n") * 10)


def test_a_large_table_of_contents_is_read_whole() -> None:
    text = "".join(f"* [Page {number}](p{number}.md)\n" for number in range(100_001))
    report = Report()
    assert len(parse_summary(text, report)) == 100_000
    assert [each.line for each in report.problems] == [100_001]


def test_what_is_written_reads_like_the_usual_file() -> None:
    entries = [
        Entry("page", "Home", "README.md"),
        Entry(
            "group",
            "Guides",
            children=[Entry("page", "One (1)", "a b.md", "1", children=[Entry("group", "G")])],
        ),
        Entry("link", "Site", "https://example.org/"),
    ]
    assert write_summary(entries) == (
        "# Table of contents\n\n* [Home](README.md)\n\n## Guides\n\n"
        '* [One (1)](<a b.md> "1")\n  * G\n\n***\n\n* [Site](https://example.org/)\n'
    )


TITLES = st.one_of(
    st.text(max_size=20),
    st.text(alphabet="*_`[]()<>!&#\\\"'~- .1a)+", max_size=12),
).map(clean_title)
TARGETS = st.text(alphabet=st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)


@st.composite
def entry_lists(draw: st.DrawFn, depth: int = 0) -> list[Entry]:
    entries = []
    for _ in range(draw(st.integers(0, 3 if depth < 3 else 0))):
        kind = draw(st.sampled_from(["page", "group", "link"]))
        title = draw(TITLES.filter(bool))
        link_title = draw(st.none() | TITLES.filter(bool))
        children = draw(entry_lists(depth=depth + 1))
        if kind == "group":
            entries.append(Entry("group", title, children=children))
        elif kind == "link":
            address = "https://x/" + draw(TARGETS.filter(lambda text: text.isprintable()))
            entries.append(Entry("link", title, address, link_title, children=children))
        else:
            target = draw(TARGETS.filter(lambda text: not text.startswith(("#", "//"))))
            entries.append(Entry("page", title, target, link_title, children=children))
    return entries


@settings(max_examples=scaled(60, full=1000), deadline=None)
@given(entry_lists())
def test_what_is_written_is_read_back(entries: list[Entry]) -> None:
    report = Report()
    assert parse_summary(write_summary(entries), report) == entries
    assert report.problems == []


@settings(max_examples=scaled(60, full=1000), deadline=None)
@given(st.text(alphabet="[]()*-+# \t\n<>!\\\"'ab.md1&_`", max_size=80))
def test_any_text_is_read_and_what_was_read_survives_writing(text: str) -> None:
    entries = parse_summary(text)
    assert parse_summary(write_summary(entries)) == entries
