"""A tree read as a plan: order, titles, slugs, files, and everything that is told."""

from __future__ import annotations

import pytest

from app.formats.repository.file_tree import Memory
from app.formats.repository.import_plan import Plan, PlannedPage, load, read_plan
from app.formats.repository.import_report import Report
from app.kit.errors import Invalid


def plan(files: dict[str, str | bytes], root: str | None = None) -> Plan:
    return read_plan(
        Memory({path: text.encode() if isinstance(text, str) else text for path, text in files.items()}), root
    )


def outline(pages: list[PlannedPage]) -> list[str]:
    """One line a page: its depth, kind (when no document), title, source or address, and if unlisted."""
    lines = []
    for page in pages:
        depth = page.path.count("/")
        kind = "" if page.kind == "document" else f"{page.kind}: "
        place = page.source or page.href
        lines.append(
            f"{'  ' * depth}{kind}{page.title}{f' <{place}>' if place else ''}{'' if page.listed else ' -'}"
        )
    return lines


def told(report: Report) -> list[tuple[str, str, int | None]]:
    return [(each.kind, each.file, each.line) for each in report.problems]


def test_the_table_of_contents_orders_and_names() -> None:
    read = plan(
        {
            "SUMMARY.md": '# T\n\n* [Welcome](README.md)\n* [B first](b.md "B")\n'
            "  * [](guide/a.md)\n\n## More\n\n"
            "* [Guide](guide/)\n* [Site](https://example.org)\n* [Paper](files/p.pdf)\n",
            "README.md": "# Home\n",
            "b.md": "# B\n",
            "guide/README.md": "# G\n",
            "guide/a.md": "---\ntitle: From front\n---\n# A\n",
            "files/p.pdf": "x",
        }
    )
    assert outline(read.pages) == [
        "Welcome <README.md>",
        "B first <b.md>",
        "  From front <guide/a.md>",
        "group: More",
        "  Guide <guide/README.md>",
        "  link: Site <https://example.org>",
        "  link: Paper <files/p.pdf>",
    ]
    assert [page.path for page in read.pages[:5]] == ["readme", "b", "b/a", "more", "more/guide"]
    assert [page.parent for page in read.pages] == [None, None, 1, None, 3, 3, 3]
    assert read.pages[1].link_title == "B"
    assert told(read.report) == []


def test_without_a_table_of_contents_the_folders_order() -> None:
    read = plan(
        {
            "README.md": "# Home\n",
            "page-10.md": "# Ten\n",
            "page-2.md": "# Two\n",
            "api/index.md": "# API\n",
            "api/b.md": "no heading",
            "api/a.md": "Under\n=====\n",
            "deep/er/x.md": "",
            "guide.md": "# Guide\n",
            "guide/one.md": "# One\n",
            "images/x.png": "x",
        }
    )
    assert outline(read.pages) == [
        "Home <README.md>",
        "API <api/index.md>",
        "  Under <api/a.md>",
        "  B <api/b.md>",
        "group: Deep",
        "  group: Er",
        "    X <deep/er/x.md>",
        "Guide <guide.md>",
        "  One <guide/one.md>",
        "Two <page-2.md>",
        "Ten <page-10.md>",
    ]
    assert read.pages[1].path == "api"


def test_files_that_are_not_listed_are_kept_unlisted_near_their_folder() -> None:
    read = plan(
        {
            "SUMMARY.md": "* [Guide](guide/README.md)\n",
            "README.md": "# Home\n",
            "z.md": "# Z\n",
            "guide/README.md": "# Guide\n",
            "guide/b.md": "# B\n",
            "guide/sub/c.md": "# C\n",
            "guide/own/README.md": "# Own\n",
            "guide/own/d.md": "# D\n",
            "guide/SUMMARY.md": "* [B](b.md)\n",
            "other/SUMMARY.md": "",
        }
    )
    assert outline(read.pages) == [
        "Home <README.md>",
        "Guide <guide/README.md>",
        "  SUMMARY <guide/SUMMARY.md> -",
        "  B <guide/b.md> -",
        "  Own <guide/own/README.md> -",
        "    D <guide/own/d.md> -",
        "  C <guide/sub/c.md> -",
        "SUMMARY <other/SUMMARY.md> -",
        "Z <z.md> -",
    ]
    assert told(read.report) == [("navigation", "guide/SUMMARY.md", None)]
    assert read.report.unlisted == 7


def test_missing_and_repeated_entries_are_told() -> None:
    read = plan(
        {
            "SUMMARY.md": "* [Gone](gone.md)\n* [Gone too](away.md)\n  * [A](a.md)\n* [A again](a.md)\n"
            "* [Out](../../etc/passwd.md)\n* [Script](javascript:alert)\n* [Site](https://x.y)\n"
            "  * [B](b.md)\n",
            "a.md": "",
            "b.md": "",
        }
    )
    assert outline(read.pages) == [
        "group: Gone too",
        "  A <a.md>",
        "link: Site <https://x.y>",
        "B <b.md>",
    ]
    assert told(read.report) == [
        ("missing-file", "SUMMARY.md", 1),
        ("missing-file", "SUMMARY.md", 2),
        ("duplicate", "SUMMARY.md", 4),
        ("missing-file", "SUMMARY.md", 5),
        ("unsupported", "SUMMARY.md", 6),
        ("unsupported", "SUMMARY.md", 7),
    ]


def test_settings_say_where_things_are_and_never_lead_out() -> None:
    files: dict[str, str | bytes] = {
        ".gitbook.yaml": "root: ./docs/\n\nstructure:\n  readme: start.md\n  summary: nav/toc.md\n\n"
        "redirects:\n  old/page: new.md\n",
        "docs/nav/toc.md": "* [A](../a.md)\n",
        "docs/start.md": "# Start\n",
        "docs/a.md": "",
        "outside.md": "",
    }
    read = plan(files)
    assert outline(read.pages) == ["Start <start.md>", "A <a.md>"]
    assert read.redirects == {"old/page": "new.md"}
    assert read.settings_raw == files[".gitbook.yaml"]
    for bad in ("../..", "/../x", "nowhere", "[1]", "a\\b"):
        read = plan({".gitbook.yaml": f"root: {bad}\n", "a.md": "", "docs/b.md": ""})
        assert [page.source for page in read.pages if page.source] == ["a.md", "docs/b.md"]
        assert [each.file for each in read.report.problems] == [".gitbook.yaml"]


def test_an_old_settings_file_counts_only_for_its_structure() -> None:
    read = plan({"book.json": '{"root": "./docs", "plugins": []}', "docs/README.md": "# Home\n", "x.md": ""})
    assert outline(read.pages) == ["Home <README.md>"]
    read = plan({"book.json": '{"plugins": []}', "README.md": "# Home\n"})
    assert [file.source for file in read.files] == ["book.json"]
    assert read.settings_raw is None


def test_a_folder_of_the_tree_can_be_the_root() -> None:
    files: dict[str, str | bytes] = {
        "en/README.md": "# Hi\n",
        "en/SUMMARY.md": "* [Hi](README.md)\n",
        "de/README.md": "",
    }
    assert outline(plan(files, "en").pages) == ["Hi <README.md>"]
    for bad in ("fr", "../x", "en/README.md"):
        with pytest.raises(Invalid):
            plan(files, bad)


def test_includes_variables_and_files_are_sorted_out() -> None:
    read = plan(
        {
            "README.md": '# Home\n{% include "parts/_note.md" %}\n',
            "sub/a.md": '{% include "../parts/_other.md" %}\n{% include "sub/b.md" %}',
            "sub/b.md": "# B\n",
            "SUMMARY.md": "* [Home](README.md)\n* [B](sub/b.md)\n",
            "parts/_note.md": "---\ntitle: A note\n---\ntext",
            "parts/_other.md": "text",
            ".gitbook/includes/third.md": "# Third\n",
            ".gitbook/vars.yaml": "name: Docs\nversion: 1.10\ncount: 3\nlong: [1]\n",
            ".gitbook/assets/pic (1).png": "1234",
            ".gitbook/assets/notes.md": "a file",
            ".github/x.md": "",
            ".hidden": "",
            "data.json": "{}",
        }
    )
    assert [page.source for page in read.pages] == ["README.md", "sub/b.md", "sub/a.md"]
    assert [(each.source, each.title) for each in read.reusable] == [
        (".gitbook/includes/third.md", "Third"),
        ("parts/_note.md", "A note"),
        ("parts/_other.md", "Other"),
    ]
    assert [(file.source, file.name, file.size) for file in read.files] == [
        (".gitbook/assets/notes.md", "notes.md", 6),
        (".gitbook/assets/pic (1).png", "pic (1).png", 4),
        ("data.json", "data.json", 2),
    ]
    assert read.variables == {"name": "Docs", "version": "1.10", "count": 3}
    assert told(read.report) == [("unsupported", ".gitbook/vars.yaml", None)]


def test_text_that_is_none_is_kept_and_told() -> None:
    read = plan(
        {
            "a.md": b"# A\nok\n\xff\xfe\n",
            "b.md": b"# B\0\n",
            "c.md": b"---\nx: 1\n---\n",
            "big.md": b"x" * (6 << 20),
        }
    )
    assert [page.title for page in read.pages] == ["A", "B�", "Big", "C"]
    assert read.oversized == {"big.md": 6 << 20}
    sources = [page.source for page in read.pages if page.source and page.source not in read.oversized]
    bodies = [load(read, source).body for source in sources]
    assert bodies == ["# A\nok\n\ufffd\ufffd\n", "# B\ufffd\n", ""]
    assert told(read.report) == [
        ("undecodable", "a.md", 3),
        ("undecodable", "b.md", 1),
        ("unsupported", "c.md", 1),
    ]


def test_an_empty_table_of_contents_leaves_the_order_to_the_folders() -> None:
    read = plan({"SUMMARY.md": "# Contents\n", "b.md": "", "a.md": ""})
    assert outline(read.pages) == ["A <a.md>", "B <b.md>"]
    assert read.summary_raw == "# Contents\n"


def test_long_front_matter_does_not_hide_the_title() -> None:
    front = "---\ndescription: " + "x" * 20_000 + "\ntitle: Far down\n---\n"
    assert plan({"a.md": front}).pages[0].title == "Far down"


def test_an_empty_tree_is_an_empty_plan() -> None:
    read = plan({})
    assert (read.pages, read.files, read.report.as_json()["pages"]) == ([], [], 0)


def test_bodies_are_not_read_where_the_table_of_contents_gives_titles() -> None:
    class Counting(Memory):
        read_paths: list[str] = []  # noqa: RUF012

        def read(self, path: str, limit: int | None = None) -> bytes:
            self.read_paths.append(path)
            return super().read(path, limit)

    files = {f"p{number}.md": b"# P\n" for number in range(20)}
    files["SUMMARY.md"] = "".join(f"* [P]({path})\n" for path in files).encode()
    read_plan(Counting(files))
    assert Counting.read_paths == ["SUMMARY.md"]


def test_sibling_slugs_differ() -> None:
    read = plan({"SUMMARY.md": "* G\n* G\n* g\n* [x](a/g.md)\n* [y](b/g.md)\n", "a/g.md": "", "b/g.md": ""})
    assert [page.slug for page in read.pages] == ["g", "g-1", "g-2", "g-3", "g-4"]
