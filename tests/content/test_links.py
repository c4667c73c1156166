"""The meaning of hrefs in a repository of Markdown files, and the round trip of those that are written."""

from __future__ import annotations

import posixpath

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.formats.markdown.hrefs import (
    HrefKind,
    Target,
    candidates,
    classify,
    relative,
    replace_hrefs,
    resolve,
)
from app.formats.markdown.scanner import scan


@pytest.mark.parametrize(
    ("href", "kind"),
    [
        ("https://example.org/a.md", "external"),
        ("mailto:a@example.org", "external"),
        ("//example.org/a", "external"),
        ("javascript:alert(1)", "external"),
        ("tel:+49", "external"),
        ("#part", "fragment"),
        ("#", "fragment"),
        ("", "broken"),
        ("broken-reference", "broken"),
        ("broken-reference/", "broken"),
        ("../broken-reference#x", "broken"),
        ("/broken/pages/abc123", "broken"),
        ("../../broken/files/abc", "broken"),
        ("broken-references.md", "repository"),
        ("a/broken/pages/x.md", "repository"),
        ("a.md", "repository"),
        ("/a/b.md#c", "repository"),
        ("../a b.md", "repository"),
        ("?q=1", "repository"),
    ],
)
def test_an_href_says_what_kind_it_is(href: str, kind: HrefKind) -> None:
    assert classify(href) == kind


@pytest.mark.parametrize(
    ("href", "target"),
    [
        ("page.md", Target("guides/page.md", None)),
        ("./page.md#part", Target("guides/page.md", "part")),
        ("../page.md", Target("page.md", None)),
        ("/page.md", Target("page.md", None)),
        ("/", Target("", None)),
        ("./", Target("guides", None)),
        ("../", Target("", None)),
        ("deep/er/", Target("guides/deep/er", None)),
        ("deep//./er/../x.md", Target("guides/deep/x.md", None)),
        ("#part", Target("guides/README.md", "part")),
        ("?raw=true", Target("guides", None)),
        ("page.md?plain=1#L3", Target("guides/page.md", "L3")),
        ("page.md#", Target("guides/page.md", None)),
        ("a%20b%28c%29.md#d%20e", Target("guides/a b(c).md", "d e")),
        ("snake\\_case\\(1\\).md", Target("guides/snake_case(1).md", None)),
        ("a&amp;b.md", Target("guides/a&b.md", None)),
        ("caf%C3%A9.md", Target("guides/café.md", None)),
        ("%2E%2E/page.md", Target("page.md", None)),
        (" page.md ", Target("guides/page.md", None)),
        ("../../page.md", None),
        ("/../page.md", None),
        ("..%2F..%2Fetc", None),
        ("\\../\\../etc", None),
        ("a%00.md", None),
        ("https://example.org", None),
        ("/broken/pages/x", None),
        ("", None),
    ],
)
def test_an_href_leads_to_a_path_of_the_repository(href: str, target: Target | None) -> None:
    assert resolve(href, "guides/README.md") == target


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.text("./%2eEfF5cC\\#?ab _", max_size=30), st.sampled_from(["a.md", "a/b.md", "a/b/c.md"]))
@example("&#46;&#46;/&#46;&#46;/x", "a/b.md")
def test_no_href_leads_out_of_the_repository(href: str, source: str) -> None:
    target = resolve(href, source)
    if target is not None:
        assert not target.path.startswith("/")
        assert ".." not in target.path.split("/")
        assert target.path in ("", posixpath.normpath(target.path))


@settings(deadline=None, derandomize=True)
@given(st.text(max_size=60))
def test_no_href_is_refused(href: str) -> None:
    assert classify(href) in ("external", "fragment", "broken", "repository")
    resolve(href, "a/b.md")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a/b.md", ["a/b.md"]),
        ("a/b.png", ["a/b.png"]),
        ("a/b.html", ["a/b.html", "a/b.md"]),
        ("a/index.html", ["a/index.html", "a/index.md", "a/README.md"]),
        ("a/b", ["a/b", "a/b.md", "a/b/README.md", "a/b/readme.md", "a/b/index.md"]),
        ("a/v1.2", ["a/v1.2", "a/v1.2.md", "a/v1.2/README.md", "a/v1.2/readme.md", "a/v1.2/index.md"]),
        ("", ["README.md", "readme.md", "index.md"]),
    ],
)
def test_a_path_may_mean_several_files(path: str, expected: list[str]) -> None:
    assert candidates(path) == expected


@pytest.mark.parametrize(
    ("target", "source", "anchor", "href"),
    [
        ("a.md", "b.md", None, "a.md"),
        ("a/README.md", "b.md", None, "a/README.md"),
        ("a.md", "x/y/b.md", "part", "../../a.md#part"),
        ("x/a.md", "x/b.md", None, "a.md"),
        ("b.md", "b.md", "part", "#part"),
        ("b.md", "b.md", None, "b.md"),
        ("a b(c)é.md", "b.md", None, "a%20b%28c%29é.md"),
        ("100%?#.md", "b.md", None, "100%25%3F%23.md"),
        ("a:b.md", "c.md", None, "./a:b.md"),
    ],
)
def test_a_link_is_written_from_file_to_file(target: str, source: str, anchor: str | None, href: str) -> None:
    assert relative(target, source, anchor) == href


NAME = st.text(st.characters(exclude_categories=["Cc", "Cs"], exclude_characters="/"), min_size=1, max_size=8)
PATH = st.lists(NAME.filter(lambda name: name not in (".", "..")), min_size=1, max_size=4).map("/".join)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(PATH, PATH, st.none() | NAME)
@example("broken-reference", "x.md", None)
@example("broken/pages/x", "x.md", None)
@example("a|b`c<d>{% e %}&amp;\"'.md", "x/y.md", "(z)")
def test_what_is_written_leads_where_it_should(target: str, source: str, anchor: str | None) -> None:
    href = relative(target, source, anchor)
    assert resolve(href, source) == Target(target, anchor)
    assert [link.href for link in scan(f"[a]({href})").links] == [href]
    assert [link.href for link in scan(f'<a href="{href}">a</a>').links] == [href]


def test_only_the_given_spans_are_replaced() -> None:
    page = "# é\r\n[a](one.md) and\t![b](<two.md> 'x')\r\n\r\n[c]: three.md\0"
    links = scan(page).links
    moved = replace_hrefs(page, [(link.start, link.end, f"../{link.href}") for link in reversed(links)])
    assert moved == "# é\r\n[a](../one.md) and\t![b](<../two.md> 'x')\r\n\r\n[c]: ../three.md\0"
    assert replace_hrefs(page, []) == page


@pytest.mark.parametrize("spans", [[(0, 2, "x"), (1, 3, "y")], [(2, 1, "x")], [(0, 99, "x")], [(-1, 1, "x")]])
def test_spans_that_cannot_be_are_refused(spans: list[tuple[int, int, str]]) -> None:
    with pytest.raises(ValueError, match="overlaps another or lies outside"):
        replace_hrefs("text", spans)
