"""Tables of contents of other tools: each gives pages and their order, and tells what cannot be read."""

from __future__ import annotations

import time
from textwrap import dedent

import pytest

from app.formats.repository.file_tree import Memory
from app.formats.repository.import_plan import Plan, PlannedPage, read_plan
from app.formats.repository.import_report import Report
from app.formats.repository.navigation.literals import UNKNOWN, exported


def plan(files: dict[str, str | bytes], *, of_any_tool: bool = True) -> Plan:
    tree = {path: dedent(text).encode() if isinstance(text, str) else text for path, text in files.items()}
    return read_plan(Memory(tree), of_any_tool=of_any_tool)


def outline(pages: list[PlannedPage]) -> list[str]:
    """One line a page: its depth, kind (when no document), title, source or address, and if unlisted."""
    lines = []
    for page in pages:
        kind = "" if page.kind == "document" else f"{page.kind}: "
        place = page.source or page.href
        title = f"{page.title} ({page.link_title})" if page.link_title else page.title
        said = f"{kind}{title}{f' <{place}>' if place else ''}{'' if page.listed else ' -'}"
        lines.append("  " * page.path.count("/") + said)
    return lines


def told(report: Report) -> list[tuple[str, str, str]]:
    return [(each.kind, each.place, each.message) for each in report.problems]


def test_a_book_of_mdbook_has_parts_drafts_and_chapters_after_them() -> None:
    read = plan(
        {
            "book.toml": '[book]\ntitle = "Tea"\nsrc = "text"\n',
            "README.md": "# Of the code\n",
            "src/main.rs": "fn main() {}\n",
            "text/SUMMARY.md": """\
                # Summary

                [Preface](preface.md)

                # Leaves

                - [Green](green.md)
                  - [Sencha](green/sencha.md)
                - [Oolong]()

                ---

                - [Water](water.md)

                [Thanks](thanks.md)
                """,
            "text/preface.md": "# Before\n",
            "text/green.md": "# Green\n\n![](leaf.png)\n",
            "text/green/sencha.md": "# Sencha\n",
            "text/water.md": "# Water\n",
            "text/thanks.md": "# Thanks\n",
            "text/leaf.png": b"png",
        }
    )
    assert outline(read.pages) == [
        "Preface <preface.md>",
        "group: Leaves",
        "  Green <green.md>",
        "    Sencha <green/sencha.md>",
        "  group: Oolong",
        "Water <water.md>",
        "Thanks <thanks.md>",
    ]
    assert [file.source for file in read.files] == ["leaf.png"]
    assert told(read.report) == [
        (
            "navigation",
            "README.md",
            "text/SUMMARY.md: the documentation is in text; Markdown outside of it was left out (1).",
        )
    ]


def test_the_nav_of_mkdocs_orders_and_names() -> None:
    read = plan(
        {
            "mkdocs.yml": """\
                site_name: !ENV [NAME, "Tea"]
                markdown_extensions:
                  - pymdownx.emoji:
                      emoji_generator: !!python/name:material.extensions.emoji.to_svg
                plugins: &plugins [search]
                more: *plugins
                theme: {name: material, features: [navigation.indexes]}
                docs_dir: text
                nav:
                  - Home: index.md
                  - Leaves:
                      - leaves/index.md
                      - Green: leaves/green.md
                      - leaves/black.md
                  - Shop: https://example.org/shop
                  - Gone: gone.md
                  - {}
                  - Odd: 7
                """,
            "text/index.md": "# Welcome\n",
            "text/leaves/index.md": "# All leaves\n",
            "text/leaves/green.md": "# Sencha\n",
            "text/leaves/black.md": "# Black\n",
            "text/extra.md": "# Extra\n",
            "setup.py": "x",
        }
    )
    assert outline(read.pages) == [
        "Home <index.md>",
        "Leaves <leaves/index.md>",
        "  Green <leaves/green.md>",
        "  Black <leaves/black.md>",
        "link: Shop <https://example.org/shop>",
        "Extra <extra.md> -",
    ]
    assert told(read.report) == [
        ("unsupported", "mkdocs.yml", "“Odd” in `nav` has neither page nor pages."),
        ("missing-file", "mkdocs.yml", "“gone.md” is listed but missing."),
    ]


def test_a_nav_of_mkdocs_may_have_its_older_name() -> None:
    pages = {"docs/a.md": "# A\n", "docs/b.md": "# B\n"}
    read = plan({"mkdocs.yml": "pages:\n  - Leaves: b.md\n  - a.md\n", **pages})
    assert outline(read.pages) == ["Leaves <b.md>", "A <a.md>"]


def test_without_a_nav_the_folders_of_mkdocs_give_the_order() -> None:
    read = plan({"mkdocs.yml": "site_name: Tea\n", "docs/b.md": "# B\n", "docs/index.md": "# Home\n"})
    assert outline(read.pages) == ["Home <index.md>", "B <b.md>"]
    assert not read.report.problems


DOCUSAURUS: dict[str, str | bytes] = {
    "docusaurus.config.ts": """\
        import {themes} from 'prism-react-renderer';
        const config: Config = {
          title: 'Tea',
          presets: [['classic', {docs: {sidebarPath: './sidebars.ts', editUrl: url + '/x'}}]],
          themeConfig: {navbar: {items: [{type: 'docSidebar', sidebarId: 'apiSidebar', label: 'API'}]}},
        };
        export default config;
        """,
    "docs/01-intro.md": "---\nsidebar_label: Start\n---\n# Introduction\n",
    "docs/02-leaves/_category_.json": '{"label": "Kinds of leaves", "link": {"type": "generated-index"}}',
    "docs/02-leaves/green.md": "---\nsidebar_position: 2\n---\n# Green\n",
    "docs/02-leaves/black.mdx": "---\nsidebar_position: 1\n---\n# Black\n",
    "docs/02-leaves/10-white.md": "---\nid: pale\n---\n# White\n",
    "docs/api/index.md": "# Reference\n",
    "docs/api/calls.md": "# Calls\n\n![](/img/a.png)\n",
    "static/img/a.png": b"png",
    "package.json": "{}",
}


def test_the_folders_of_docusaurus_order_by_numbers_and_positions() -> None:
    read = plan(DOCUSAURUS)
    assert outline(read.pages) == [
        "Introduction (Start) <01-intro.md>",
        "group: Kinds of leaves",
        "  Black <02-leaves/black.mdx>",
        "  Green <02-leaves/green.md>",
        "  White <02-leaves/10-white.md>",
        "Reference <api/index.md>",
        "  Calls <api/calls.md>",
    ]
    assert [file.source for file in read.files] == ["img/a.png"]
    assert not read.report.problems


def test_the_sidebars_of_docusaurus_are_read_without_running() -> None:
    sidebars = """\
        // @ts-check
        const leaves = ['leaves/green', {type: 'doc', id: 'leaves/pale', label: 'Pale one'}];
        /** @type {import('@docusaurus/plugin-content-docs').SidebarsConfig} */
        const sidebars: SidebarsConfig = {
          guideSidebar: [
            'intro',
            {type: 'category', label: 'Leaves', link: {type: 'doc', id: 'leaves/black'}, items: leaves},
            {'Elsewhere': [{type: 'link', label: 'Shop', href: 'https://example.org'}]},
            {type: 'html', value: '<hr>'},
            require('./generated.js'),
            'lost',
          ],
          apiSidebar: [{type: 'autogenerated', dirName: 'api'}],
        };
        export default sidebars;
        """
    read = plan(DOCUSAURUS | {"sidebars.ts": sidebars})
    assert outline(read.pages) == [
        "group: Guide",
        "  Introduction (Start) <01-intro.md>",
        "  Black (Leaves) <02-leaves/black.mdx>",
        "    Green <02-leaves/green.md>",
        "    White (Pale one) <02-leaves/10-white.md>",
        "  group: Elsewhere",
        "    link: Shop <https://example.org>",
        "group: API",
        "  Reference <api/index.md>",
        "  Calls <api/calls.md>",
    ]
    assert told(read.report) == [
        ("navigation", "sidebars.ts", "An item of the sidebars is not plain data; left out."),
        ("missing-file", "sidebars.ts", "“lost” is listed but missing."),
    ]


def test_the_sidebar_of_vitepress_is_read_without_running() -> None:
    read = plan(
        {
            "docs/.vitepress/config.mts": """\
                import { defineConfig } from 'vitepress'
                export default defineConfig({
                  title: 'Tea',
                  themeConfig: {
                    nav: [{ text: 'Guide', link: '/guide/' }],
                    sidebar: {
                      '/guide/': { base: '/guide/', items: guide() },
                      '/en/guide/': { base: '/guide/', items: guide() },
                      '/api/': [
                        { text: 'Calls', link: '/api/calls' },
                        { text: 'Shop', link: 'https://example.org' },
                      ],
                    }
                  }
                })

                function guide(): DefaultTheme.SidebarItem[] {
                  return [
                    { text: 'Start &amp; go', collapsed: false, items: [
                      { text: 'What it is', link: 'what' },
                      { text: '<b>Install</b>', link: 'install.html' },
                    ] },
                  ]
                }
                """,
            "docs/index.md": "---\nlayout: home\n---\n",
            "docs/guide/what.md": "# What\n\n![](/leaf.png)\n",
            "docs/guide/install.md": "# Install\n",
            "docs/api/calls.md": "# Calls\n",
            "docs/public/leaf.png": b"png",
            "src/index.ts": "export {}",
        }
    )
    assert outline(read.pages) == [
        "Index <index.md>",
        "group: Start & go",
        "  What it is <guide/what.md>",
        "  Install <guide/install.md>",
        "Calls <api/calls.md>",
        "link: Shop <https://example.org>",
    ]
    assert [file.source for file in read.files] == ["leaf.png", "public/leaf.png"]


def test_a_sidebar_that_is_computed_is_told_and_the_folders_give_the_order() -> None:
    config = "import { side } from './side'\nexport default { themeConfig: { sidebar: side } }\n"
    read = plan({".vitepress/config.js": config, "b.md": "# B\n", "a.md": "# A\n"})
    assert outline(read.pages) == ["A <a.md>", "B <b.md>"]
    assert told(read.report) == [
        (
            "navigation",
            ".vitepress/config.js",
            "It has no sidebar of plain data; the folders give the order.",
        )
    ]


def test_the_contents_of_a_jupyter_book_have_parts_and_sections() -> None:
    read = plan(
        {
            "_toc.yml": """\
                format: jb-book
                root: intro
                parts:
                  - caption: Leaves
                    chapters:
                      - file: leaves/green
                        title: Green ones
                        sections:
                          - file: leaves/sencha
                      - glob: more/*
                  - caption: Elsewhere
                    chapters:
                      - url: https://example.org
                        title: Shop
                      - file: old
                """,
            "_config.yml": "title: Tea\n",
            "intro.md": "# Welcome\n",
            "leaves/green.md": "# Green\n",
            "leaves/sencha.md": "# Sencha\n",
            "more/b10.md": "# Ten\n",
            "more/b9.md": "# Nine\n",
            "old.rst": "Old\n===\n",
        }
    )
    assert outline(read.pages) == [
        "Welcome <intro.md>",
        "group: Leaves",
        "  Green ones <leaves/green.md>",
        "    Sencha <leaves/sencha.md>",
        "  Nine <more/b9.md>",
        "  Ten <more/b10.md>",
        "group: Elsewhere",
        "  link: Shop <https://example.org>",
    ]
    assert told(read.report) == [
        ("unsupported", "old.rst", "reStructuredText is not imported as a page; kept as a file.")
    ]


def test_the_toctrees_of_sphinx_nest_pages_below_those_that_list_them() -> None:
    read = plan(
        {
            "docs/conf.py": "raise SystemExit('never run')\n",
            "docs/index.rst": """\
                Tea
                ===

                .. toctree::
                   :maxdepth: 2
                   :caption: Leaves

                   Green ones <leaves/green>
                   old/index
                   Shop <https://example.org>
                   self

                .. toctree::
                   :glob:

                   more/*
                """,
            "docs/leaves/green.md": """\
                # Green

                ```{toctree}
                ---
                maxdepth: 1
                ---
                sencha
                ```
                """,
            "docs/leaves/sencha.md": "# Sencha\n\n:::{toctree}\n:caption: Back\ngreen\n:::\n",
            "docs/old/index.rst": "Old ways\n--------\n\n.. toctree::\n\n   pot\n",
            "docs/old/pot.md": "# Pot\n",
            "docs/more/a.md": "# A\n",
            "docs/more/b.rst": "B\n=\n",
        }
    )
    assert outline(read.pages) == [
        "group: Leaves",
        "  Green ones <leaves/green.md>",
        "    Sencha <leaves/sencha.md>",
        "  group: Old ways",
        "    Pot <old/pot.md>",
        "  link: Shop <https://example.org>",
        "A <more/a.md>",
    ]
    assert [file.source for file in read.files] == ["index.rst", "more/b.rst", "old/index.rst"]
    assert {message for _, _, message in told(read.report)} == {
        "reStructuredText is not imported as a page; kept as a file."
    }


def test_a_table_of_contents_of_ours_and_settings_of_ours_come_first() -> None:
    files: dict[str, str | bytes] = {
        "mkdocs.yml": "nav: [a.md, b.md]\n",
        "docs/a.md": "# A\n",
        "docs/b.md": "# B\n",
    }
    owns: tuple[dict[str, str | bytes], ...] = (
        {"SUMMARY.md": "* [B](docs/b.md)\n* [A](docs/a.md)\n"},
        {".gitbook.yaml": "root: docs\nredirects: {}\n"},
    )
    for own in owns:
        assert all(problem.file != "mkdocs.yml" for problem in plan(files | own).report.problems)
    assert outline(plan(files | {"SUMMARY.md": "* [B](docs/b.md)\n"}).pages)[0] == "B <docs/b.md>"


def test_a_tree_that_is_written_back_keeps_its_paths() -> None:
    read = plan({"mkdocs.yml": "nav: [a.md]\n", "docs/a.md": "# A\n"}, of_any_tool=False)
    assert outline(read.pages) == ["group: Docs", "  A <docs/a.md>"]
    assert [file.source for file in read.files] == ["mkdocs.yml"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("book.toml", "[book\nsrc ="),
        ("book.toml", "book = 3\n"),
        ("book.toml", '[book]\nsrc = "../../etc"\n'),
        ("mkdocs.yml", "nav: [a.md"),
        ("mkdocs.yml", "nav: {a: b}\ndocs_dir: ../..\n"),
        ("mkdocs.yml", "a: &a [x]\nb: &b [*a, *a]\nnav: *b\n"),
        ("mkdocs.yml", "nav: " + "[" * 5000),
        ("mkdocs.yml", "- 1\n"),
        ("_toc.yml", "{{{"),
        ("_toc.yml", "root: [1]\nparts: [1, {chapters: {a: 1}}, {caption: [2]}]\n"),
        ("myst.yml", "project: {toc: {a: 1}}\n"),
        ("docusaurus.config.js", "module.exports = {presets: 3, themeConfig: [1]}"),
        ("docusaurus.config.js", "export default {presets: [['x', {docs: {path: '../..'}}]]}"),
        (".vitepress/config.js", "export default {srcDir: '../..', themeConfig: {sidebar: {a: 1}}}"),
        (".vitepress/config.js", "export default {themeConfig: {sidebar: [[1], {items: 3}, {}]}}"),
        ("conf.py", "\xff"),
    ],
)
def test_settings_that_cannot_be_read_lose_no_page(name: str, text: str) -> None:
    read = plan({name: text, "docs/a.md": "# A\n", "a.md": "# A\n"})
    assert "A" in {page.title for page in read.pages} | {"A" if not read.pages else ""}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("module.exports = {a: [1, -2.5, 0x10], 'b c': \"\\u0041\\n\"}", {"a": [1, -2.5, 16], "b c": "A\n"}),
        ('{"a": [true, null]}', {"a": [True, None]}),
        ("const x = ['a'];\nexport default {x, y: [...x, 'b'], ...q}", {"x": ["a"], "y": ["a", "b"]}),
        ("export default defineConfig({a: 1})", {"a": 1}),
        ("const f = () => g()\nfunction g(x) { const y = 1; return [2] }\nexport default f()", [2]),
        ("export default {a: 1} satisfies T\nfoo()", {"a": 1}),
        ("const a: {b: string}[] = [{b: 'x'}]; module.exports = a", [{"b": "x"}]),
        ("export default {a: `x`, m() { return {} }, /* c */ b: 2, // d\n}", {"a": "x", "b": 2}),
    ],
)  # fmt: skip
def test_data_in_a_script_is_read(text: str, value: object) -> None:
    assert exported(text) == value


@pytest.mark.parametrize(
    "text", ["", "foo()", "export default a + b", "export default `${x}`", "const a = a; export default a"]
)
def test_what_a_script_computes_is_unknown(text: str) -> None:
    assert exported(text) is UNKNOWN


@pytest.mark.parametrize(
    "text",
    [
        "[" * 200_000,
        "{a:" * 100_000,
        "export default " + "(" * 200_000,
        "export default " + "f(" * 100_000,
        "export default " + "x=>" * 100_000,
        '"\\' * 100_000,
        "`" * 200_001,
        "/*" * 200_000,
        "".join(f"const a{n} = [a{n + 1}, a{n + 1}];" for n in range(60)) + "export default a0",
    ],
)
def test_no_script_takes_long(text: str) -> None:
    began = time.process_time()
    exported(text)
    assert time.process_time() - began < 30
