"""The output of the sanitizer is sent unchanged (threats, 70)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.formats.markdown.safe_html import followed
from tests.reader.rendering import body, browsed, whole
from tests.reader.test_hostile import PAYLOADS, elements_are_inert
from tests.scale import scaled

READER = Path(__file__).parents[2] / "app" / "site_reader"
SCRIPT_IN_AN_ATTRIBUTE = (
    '<div>\n<abbr lang="<img alt=" title=" ><script src=/integrations/evil/endpoint/x.js></script>">hi</abbr>'
    "\n</div>"
)

# Pieces that mean something to one of the parsers on the way: Markdown, tags, the sanitizer, the browser.
NAMES = (
    "div",
    "img",
    "h1",
    "abbr",
    "a",
    "script",
    "svg",
    "math",
    "style",
    "table",
    "td",
    "noscript",
    "mtext",
)
PIECES = (
    *(f"<{name} " for name in NAMES), *(f"</{name}>" for name in NAMES), *PAYLOADS,
    ">", "/>", "<", "=", '"', "'", "`", " ", "\n", "\n\n", "&quot;", "&lt;", "&#106;", "-->", "<!--", "]]>",
    "alt=", "src=", "src=a.png", "title=", "lang=", "id=", "name=", "href=", "onerror=alert(1)", "x",
    "javascript:alert(1)", "data:text/html,x", "**", "](", "[", "![", "{% hint %}", "{% endhint %}", "| ",
)  # fmt: skip


def test_what_stands_in_an_attribute_stays_there() -> None:
    found = browsed(body(SCRIPT_IN_AN_ATTRIBUTE))
    assert [*found.every("script")] == [*found.every("img")] == []
    (abbr,) = found.every("abbr")
    assert (abbr.text, abbr.attributes["lang"]) == ("hi", "<img alt=")


@pytest.mark.parametrize("href", ["/\\evil.example", "//evil.example", "/\t/evil.example", "javascript:x"])
def test_an_address_of_this_host_leads_nowhere_else(href: str) -> None:
    assert followed(href) is None
    assert followed("/guide") == "/guide"


@settings(max_examples=scaled(50, full=750))
@given(st.lists(st.sampled_from(PIECES), max_size=25), st.sampled_from(["{}", "<div>\n{}\n</div>", "a {} b"]))
def test_whatever_is_written_a_browser_finds_nothing_that_runs(pieces: list[str], around: str) -> None:
    elements_are_inert(browsed(whole(around.format("".join(pieces)))))


def test_html_is_made_of_a_variable_by_the_markup_and_by_the_sanitizer_alone() -> None:
    made = {(place, function) for place, function in _made_of_variables()}
    assert made - {("rendering/inlines.py", "_sanitized")} == {
        ("rendering/markup.py", name) for name in ("text", "el", "opening", "closing", "joined", "data_block")
    }


def _made_of_variables() -> Iterator[tuple[str, str]]:
    """The files and functions that call `Html` with anything but a text that stands there."""
    for path in READER.rglob("*.py"):
        for function in ast.walk(ast.parse(path.read_text())):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                for call in ast.walk(function):
                    if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "Html":
                        (argument,) = call.args
                        if not isinstance(argument, ast.Constant):
                            yield path.relative_to(READER).as_posix(), function.name
