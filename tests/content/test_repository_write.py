"""Reading a tree, writing it back and reading it again: nothing moves, nothing is lost."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.formats.repository.export import plan_export
from app.formats.repository.export_rows import ExportFile, ExportPage, ExportReusable, FileRef
from app.formats.repository.file_tree import Memory
from app.formats.repository.import_plan import Plan, load, read_plan
from app.formats.repository.metadata import Metadata
from app.formats.repository.names import clean_title
from tests.scale import scaled


@dataclass
class Space:
    """What an import leaves in a database, as far as an export needs it."""

    pages: list[ExportPage]
    files: list[ExportFile]
    reusable: list[ExportReusable]
    variables: dict[str, Any]
    settings_raw: str | None
    summary_raw: str | None
    variables_raw: str | None

    def export(self) -> dict[str, bytes]:
        items = plan_export(
            self.pages, self.files, self.reusable, self.variables, self.settings_raw, self.summary_raw,
            variables_raw=self.variables_raw,
        )  # fmt: skip
        written: dict[str, bytes] = {}
        for path, content in items:
            assert path not in written
            assert isinstance(content, bytes)
            written[path] = content
        return written


def imported(plan: Plan) -> Space:
    pages = []
    for page in plan.pages:
        loaded = load(plan, page.source) if page.source else None
        pages.append(
            ExportPage(
                id=f"p{page.index}",
                parent=None if page.parent is None else f"p{page.parent}",
                order=page.index,
                kind=page.kind,
                title=page.title,
                path=page.path,
                link_title=page.link_title,
                source=page.source,
                href=page.href,
                hidden=not page.listed or bool(loaded and loaded.metadata.hidden),
                front_matter_raw=loaded.front_matter_raw if loaded else "",
                metadata=loaded.metadata if loaded else Metadata(),
                body=loaded.body if loaded else "",
            )
        )
    reusable = []
    for content in plan.reusable:
        loaded = load(plan, content.source)
        reusable.append(ExportReusable(content.title, content.source, loaded.front_matter_raw, loaded.body))
    files = [ExportFile(file.name, plan.tree.read(file.source), file.source) for file in plan.files]
    return Space(
        pages, files, reusable, plan.variables, plan.settings_raw, plan.summary_raw, plan.variables_raw
    )


def read(files: dict[str, bytes]) -> Space:
    return imported(read_plan(Memory(files)))


NAMES = st.sampled_from(
    [
        "a",
        "b",
        "guide",
        "page-2",
        "page-10",
        "README",
        "index",
        "Straße",
        "日本",
        "with space",
        "(odd) #1%",
        "_x",
    ]
)
BODIES = st.sampled_from(
    [
        "", "# Title\n\nText\n", "Setext\n======\n", "no heading, no newline", "# Same\r\n\r\nwindows\r\n",
        "```\n# not a title\n```\n# `code` and *emphasis*\n", "---\n\nA rule first.\n", "\ufeff# Marked\n",
        '{% include "b.md" %}\n', "# A \\# [link](x.md) &amp; more\n", "<!-- c -->\n# After\n",
    ]
)  # fmt: skip
FRONTS = st.sampled_from(
    [
        "",
        "---\ntitle: From front\nicon: book\n---\n", "---\nhidden: true\n---\n", "---\n---\n",
        "---\n# remark\ndescription: >-\n  two\n  lines\nunknown: [1, 2]\n---\n\n",
        "---\r\nlayout: landing\r\nhidden: false\r\n---\r\n", "---\nbroken: [\n---\n",
        "\ufeff---\nvars:\n  a: 1.10\n---\n",
        "---\ncover: .gitbook/assets/x.png\ncoverY: -12.5\n"
        "layout:\n  cover:\n    visible: true\n    size: full\n---\n",
    ]
)  # fmt: skip
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)
TITLES = st.one_of(
    st.sampled_from(
        ["Plain", "A (b)", "*starred*", "`code`", "1. One", "- dash", "a_b _c_", "[x]", "&amp;", "#"]
    ),
    st.text(max_size=12),
)


@st.composite
def trees(draw: st.DrawFn) -> dict[str, bytes]:
    """A small repository with whatever repositories have, in any state of disorder."""
    files: dict[str, bytes] = {}
    for path in draw(st.lists(PATHS, max_size=10, unique=True)):
        files[f"{path}.md"] = (draw(FRONTS) + draw(BODIES)).encode()
    for path in draw(st.lists(PATHS, max_size=3, unique=True)):
        files[f".gitbook/assets/{path}.png"] = b"\x89PNG"
    if draw(st.booleans()):
        files[".gitbook/includes/note.md"] = draw(BODIES).encode()
        files[".gitbook/vars.yaml"] = b"version: 1.10 # kept\ncount: 3\n"
    if draw(st.booleans()):
        files[".gitbook.yaml"] = b"structure:\n  readme: guide.md\nredirects:\n  old: new.md\n"
    if draw(st.booleans()):
        files["SUMMARY.md"] = draw(summaries(sorted(files))).encode()
    return {path: content for path, content in files.items() if not any(f"{path}/" in each for each in files)}


@st.composite
def summaries(draw: st.DrawFn, paths: list[str]) -> str:
    lines = ["# Table of contents", ""]
    for _ in range(draw(st.integers(0, 12))):
        indent = draw(st.sampled_from(["", "", "  ", "    ", "\t", "      "]))
        title = draw(st.sampled_from(["One", "Two \\(2\\)", "**Three**", ""]))
        target = draw(
            st.sampled_from([*paths, "missing.md", "https://example.org/x", "guide/", "javascript:x"])
        )
        link_title = draw(st.sampled_from(["", ' "Short"']))
        lines.append(
            draw(
                st.sampled_from(
                    [f"{indent}* [{title}](<{target}>{link_title})"] * 4
                    + [f"{indent}- Group", "## Part", "***", "words", "<!-- [x](y.md) -->"]
                )
            )
        )
    return "\n".join(lines) + "\n"


@settings(max_examples=scaled(50, full=750), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(trees())
def test_import_export_import_is_a_fixed_point(tree: dict[str, bytes]) -> None:
    first = read(tree)
    exported = first.export()
    second = read(exported)
    assert second.pages == first.pages
    assert second.files == first.files
    assert second.reusable == first.reusable
    assert second.variables == first.variables
    assert second.export() == exported


@settings(max_examples=scaled(50, full=750), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(trees())
def test_an_unchanged_space_is_written_back_to_the_byte(tree: dict[str, bytes]) -> None:
    assert read(tree).export() == tree


def outline(space: Space) -> list[tuple[Any, ...]]:
    """The pages in the order readers see them, without ids and paths."""
    by_parent: dict[str | None, list[ExportPage]] = {}
    for page in sorted(space.pages, key=lambda page: page.order):
        by_parent.setdefault(page.parent, []).append(page)

    def below(parent: str | None, depth: int) -> Iterable[tuple[Any, ...]]:
        for page in by_parent.get(parent, []):
            said = replace(page.metadata, title=None, hidden=False)
            yield (
                depth,
                page.kind,
                clean_title(page.title),
                page.link_title,
                page.href,
                page.hidden,
                said,
                page.body,
            )
            yield from below(page.id, depth + 1)

    return list(below(None, 0))


@st.composite
def edited_spaces(draw: st.DrawFn) -> Space:
    """An imported space on which people have worked: renamed, hidden, moved, described and added pages."""
    space = read(draw(trees()))
    pages = list(space.pages)
    for number in range(draw(st.integers(0, 3))):
        metadata = Metadata(description=draw(st.none() | st.text(min_size=1, max_size=9)), icon="star")
        body = draw(FRONTS) + draw(BODIES)
        path = draw(st.sampled_from(["new", "guide/new", "readme", "summary", "a/index", "con"]))
        new = ExportPage(
            f"n{number}", None, 1000 + number, "document", "New", path, metadata=metadata, body=body
        )
        pages.append(new)
    for _ in range(draw(st.integers(1, 6)) if pages else 0):
        at = draw(st.integers(0, len(pages) - 1))
        page = pages[at]
        change = draw(st.sampled_from(["title", "hide", "show", "order", "describe", "move", "variables"]))
        if change == "title":
            page = replace(page, title=clean_title(draw(TITLES)) or "Renamed")
        elif change in ("hide", "show") and page.kind == "document":
            page = replace(page, hidden=change == "hide")
        elif change == "order":
            page = replace(page, order=draw(st.integers(-5, 20)))
        elif change == "describe" and page.kind == "document":
            page = replace(
                page, metadata=replace(page.metadata, description=draw(st.text(min_size=1, max_size=9)))
            )
        elif change == "variables" and page.kind == "document":
            page = replace(
                page, metadata=replace(page.metadata, variables={"v": draw(st.text(max_size=9)), "n": 1e20})
            )
        elif change == "move":
            page = replace(page, parent=draw(st.sampled_from([None, *homes(pages, page)])))
        pages[at] = page
    return replace(space, pages=pages)


def homes(pages: list[ExportPage], page: ExportPage) -> list[str]:
    """The pages that may hold a page: no links, and none inside the page itself."""
    inside = {page.id}
    for _ in pages:
        inside |= {each.id for each in pages if each.parent in inside}
    return [each.id for each in pages if each.kind != "link" and each.id not in inside]


@settings(max_examples=scaled(100, full=1500), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(edited_spaces())
def test_an_edited_space_is_read_back_as_it_was_left(space: Space) -> None:
    exported = space.export()
    again = read(exported)
    assert outline(again) == outline(space)
    assert again.export() == exported


def test_hiding_a_listed_page_says_so_in_its_front_matter() -> None:
    space = read(
        {
            "README.md": b"# Home\n",
            "a.md": b"# A\n",
            "b.md": b"# B\n",
            "SUMMARY.md": b"* [A](a.md)\n* [B](b.md)\n",
        }
    )
    hidden = [replace(page, hidden=page.source == "a.md" or page.hidden) for page in space.pages]
    exported = replace(space, pages=hidden).export()
    assert exported["a.md"] == b"---\nhidden: true\n---\n# A\n"
    assert exported["b.md"] == b"# B\n"


def test_hiding_the_last_page_of_a_folder_only_takes_it_off_the_list() -> None:
    tree = {"README.md": b"# Home\n", "a.md": b"# A\n", "SUMMARY.md": b"* [Home](README.md)\n* [A](a.md)\n"}
    space = read(tree)
    hidden = [replace(page, hidden=page.source == "a.md") for page in space.pages]
    exported = replace(space, pages=hidden).export()
    assert exported["a.md"] == b"# A\n"
    assert exported["SUMMARY.md"] == b"# Table of contents\n\n* [Home](README.md)\n"


def test_a_page_made_here_gets_a_safe_file_of_its_own() -> None:
    paths = [
        "../../etc/passwd",
        "con",
        "a/\u202egnp.exe",
        "summary",
        "SUMMARY",
        "readme",
        "x" * 900,
        "b",
        "b/c",
        ".git/x",
    ]
    pages = [ExportPage(str(n), None, n, "document", f"T{n}", path) for n, path in enumerate(paths)]
    pages[8] = replace(pages[8], parent="7")
    exported = Space(pages, [], [], {}, None, None, None).export()
    assert {"etc/passwd.md", "_con.md", "README.md", "b/README.md", "b/c.md"} <= exported.keys()
    assert len({path.casefold() for path in exported}) == len(pages) + 1
    for path in exported:
        assert path.isascii()
        assert not any(part in ("..", ".git") for part in path.split("/"))


def test_pages_nested_beyond_reason_are_written_and_kept() -> None:
    pages = [
        ExportPage(str(n), str(n - 1) if n else None, n, "document", f"T{n}", f"p{n}") for n in range(2_000)
    ]
    exported = Space(pages, [], [], {}, None, None, None).export()
    again = read(exported)
    assert [page.title for page in again.pages] == [page.title for page in pages]
    assert again.export() == exported


def test_an_uploaded_file_without_a_place_goes_to_the_assets() -> None:
    files = [ExportFile(name, FileRef(name)) for name in ("a.png", "A.png", "../up.png", "\0", "SUMMARY.md")]
    items = dict(plan_export([], files, [], {}, None, None))
    assert sorted(path for path, content in items.items() if isinstance(content, FileRef)) == [
        ".gitbook/assets/A-1.png",
        ".gitbook/assets/SUMMARY.md",
        ".gitbook/assets/a.png",
        ".gitbook/assets/file",
        ".gitbook/assets/up.png",
    ]


def test_settings_decide_where_an_export_goes() -> None:
    tree = {
        ".gitbook.yaml": b"root: docs\nstructure:\n  summary: nav/TOC.md\n",
        "docs/nav/TOC.md": b"* [Home](../README.md)\n",
        "docs/README.md": b"# Home\n",
        "docs/pic.png": b"1",
    }
    space = read(tree)
    assert space.export() == tree
    renamed = replace(space, pages=[replace(space.pages[0], title="Start")])
    assert renamed.export()["docs/nav/TOC.md"] == b"# Table of contents\n\n* [Start](../README.md)\n"


def test_bodies_are_fetched_when_their_page_is_due() -> None:
    fetched: list[str] = []

    def body(name: str) -> str:
        fetched.append(name)
        return f"# {name}\n"

    pages = [
        ExportPage(name, None, n, "document", name, name, body=lambda name=name: body(name))  # type: ignore[misc]
        for n, name in enumerate("abc")
    ]
    items = plan_export(pages, [], [], {}, None, None)
    assert next(items)[0] == "SUMMARY.md"
    assert fetched == []
    assert next(items) == ("a.md", b"# a\n")
    assert fetched == ["a"]
