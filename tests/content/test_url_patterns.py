"""Which addresses a pattern of addresses names."""

from __future__ import annotations

import pytest

from app.formats.text.url_patterns import host_of, matches

FIGMA = "https://www.figma.com/file/**"


@pytest.mark.parametrize(
    ("pattern", "url"),
    [
        (FIGMA, "https://www.figma.com/file/abc/Title?node-id=1/2"),
        (FIGMA, "https://WWW.figma.com/file/abc"),
        ("https://**/lamps/**", "https://any.example.org/lamps/1"),
        ("https://*.example.org/**", "https://a.b.example.org/x/y"),
        ("https://example.org/*/pen/*", "https://example.org/team/pen/PNaGbb?editors=1/2"),
        ("https://example.org/watch?v=*", "https://example.org/watch?v=1&t=2"),
        ("https://example.org/a/**/z", "https://example.org/a/b/z/c/z"),
        ("https://example.org/file**", "https://example.org/files/1/2"),
        ("https://example.org/lamp", "https://example.org/lamp/7"),
        ("https://example.org/**", "https://example.org/"),
    ],
)
def test_an_address_that_a_pattern_names(pattern: str, url: str) -> None:
    assert matches(pattern, url)


@pytest.mark.parametrize(
    ("pattern", "url"),
    [
        (FIGMA, "http://www.figma.com/file/abc"),
        (FIGMA, "https://www.figma.com/files/abc"),
        (FIGMA, "https://www.figma.com.evil.example/file/abc"),
        ("https://*.example.org/**", "https://evil.example/a.example.org/x"),
        ("https://*.example.org/**", "https://example.org/x"),
        ("https://example.org/*/pen/*", "https://example.org/a/b/pen/c"),
        ("https://example.org/watch?v=*", "https://example.org/watchmaker"),
        ("https://example.org/a/**/z", "https://example.org/a/b"),
        ("https://example.org/lamp", "https://example.org/lampshade"),
    ],
)
def test_an_address_that_it_does_not(pattern: str, url: str) -> None:
    assert not matches(pattern, url)


def test_no_pattern_takes_long() -> None:
    pattern = "https://example.org/" + "*a" * 200 + "/**" * 40
    assert not matches(pattern, "https://example.org/" + "a" * 1000 + "b/" * 500)


def test_the_host_of_a_pattern() -> None:
    assert [host_of(each) for each in (FIGMA, "https://*.example.org/**", "https://**/x")] == [
        "www.figma.com",
        "example.org",
        "",
    ]
