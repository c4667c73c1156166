"""Block tags of the dialect, `{% name … %}`, and `<details>`: how they are spelled and found.

A tag is recognised where a line of its container begins. Tags come out as flat tokens
(`tag_open`, `tag_close`, `tag_middle`, `tag_void`, `tag_verbatim`); `pairs` matches openings with ends.
What follows a tag on its line is read as if a new line began there.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

ENDED = {
    "hint", "tabs", "tab", "code", "stepper", "step", "columns", "column", "if", "updates", "update", "raw",
    "content-ref", "details",
}  # fmt: skip
ENDED_OR_NOT = {
    "file", "embed", "openapi", "openapi-operation", "openapi-schemas", "openapi-webhook", "swagger",
}  # fmt: skip
SINGLE = {"include"}
MIDDLES = {"else", "elif", "elseif", "elsif"}

LONGEST_TAG = 4000
_NAME = r"@[A-Za-z0-9_.-]++/[A-Za-z0-9_.-]++|[A-Za-z][\w-]*+"
_TAG = re.compile(
    rf"""\{{%-?\s*({_NAME})((?:"(?:[^"\\]|\\.)*+"|'[^']*+'|[^"'%]|%(?!\}}))*+)%\}}""",
    re.DOTALL,
)
_LOOSE_TAG = re.compile(rf"\{{%-?\s*({_NAME})([^\n]*?)%\}}")
INCLUDE = re.compile(r"\{%-?\s*include", re.IGNORECASE)
"""The beginnings of tags that include something."""
END_TAG = re.compile(r"\{%-?\s*end([A-Za-z][\w-]*+)[^\n%]*+\s*+%\}")
_ARGUMENT = re.compile(
    r"""([A-Za-z_][\w:-]*)\s*=\s*(?:"((?:[^"\\]|\\.)*+)"|'([^']*+)'|([^\s"']+))"""
    r"""|"((?:[^"\\]|\\.)*+)"|'([^']*+)'|([^\s"'=]+)""",
    re.DOTALL,
)
_ESCAPED = re.compile(r"\\([\\\"])")
_DETAILS_TAGS = (
    ("tag_open", re.compile(r"<details((?:\s[^<>]*)?)>", re.IGNORECASE)),
    ("summary", re.compile(r"<summary(?:\s[^<>]*)?>(.*?)</summary\s*>", re.IGNORECASE | re.DOTALL)),
    ("tag_close", re.compile(r"</details\s*>", re.IGNORECASE)),
)


@dataclass(slots=True, frozen=True)
class Tag:
    """One tag as written: its name, the text of its arguments, and where it stands in the source."""

    name: str
    arguments: str
    start: int
    end: int

    def values(self) -> dict[str, str]:
        """Return the arguments by name; those without a name are called `0`, `1` and so on."""
        return read_arguments(self.arguments)


def arguments(written: str) -> Iterator[tuple[str, str, bool]]:
    """Yield each argument's name, or its number where it has none, its value,
    and whether `"` stood around that.
    """
    unnamed = 0
    for match in _ARGUMENT.finditer(written):
        in_quotes = match.group(2) if match.group(1) else match.group(5)
        if in_quotes is not None:
            value = _ESCAPED.sub(r"\1", in_quotes)
        else:
            value = next((part for part in match.group(3, 4, 6, 7) if part is not None), "")
        yield match.group(1) or str(unnamed), value, in_quotes is not None
        unnamed += match.group(1) is None


def read_arguments(written: str) -> dict[str, str]:
    """Split `a="b" c=d "e"` into `{"a": "b", "c": "d", "0": "e"}`."""
    return {name: " ".join(value.split("\n")) for name, value, _ in arguments(written)}


def write_arguments(values: dict[str, str]) -> str:
    """Return the inverse of `read_arguments`, each argument with a space before it."""
    named = ((f"{name}=" if not name.isdigit() else "", quoted(value)) for name, value in values.items())
    return "".join(f" {name}{value}" for name, value in named)


def quoted(value: str) -> str:
    """Return a tag argument's value between quotes."""
    flat = value.replace("\n", " ").replace("\\", "\\\\").replace('"', '\\"')
    return f'"{flat}"'


def read_tag(source: str, start: int, limit: int) -> Tag | None:
    """Return the tag that begins at `start`, if there is a whole one before `limit`."""
    window = source[start : min(limit, start + LONGEST_TAG)]
    match = _TAG.match(window) or _LOOSE_TAG.match(window)
    if match is None:
        return None
    name, written = match.group(1), match.group(2).strip()
    if not name.startswith("@"):
        name = name.rstrip("-").lower()
    return Tag(name, written.removesuffix("-").rstrip(), start, start + match.end())


class Ends:
    """Searches for closing signs that never scan a source twice for one that is not there."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._last: dict[str, int] = {}

    def after(self, sign: str, position: int) -> int:
        """Return where the sign next stands at or after the position, or -1."""
        if sign not in self._last:
            self._last[sign] = self.source.rfind(sign)
        return -1 if self._last[sign] < position else self.source.find(sign, position)


def ends(state: StateBlock | StateInline) -> Ends:
    """Return the searcher that belongs to the source being read."""
    known: Ends | None = state.env.get("closing")
    if known is None or known.source is not state.src:
        known = state.env["closing"] = Ends(state.src)
    return known


class EndTags:
    """The places of each `{% endname %}` in a source, found in one pass."""

    def __init__(self, source: str) -> None:
        self._places: dict[str, list[Tag]] = {}
        if "{%" in source:
            for match in END_TAG.finditer(source):
                name = match.group(1).rstrip("-").lower()
                self._places.setdefault(name, []).append(Tag("end" + name, "", match.start(), match.end()))

    def after(self, name: str, position: int) -> Tag | None:
        """Return the first end of `name` at or after a position."""
        places = self._places.get(name, [])
        index = bisect_left(places, position, key=lambda tag: tag.start)
        return places[index] if index < len(places) else None


def contained_until(state: StateBlock, line: int, end_line: int) -> int:
    """Return the first line after `line` that is no longer inside the container being read."""
    memo: dict[tuple[int, int], tuple[int, int]] = state.env.setdefault("contained", {})
    place = (state.blkIndent, end_line)
    begin, end = memo.get(place, (0, 0))
    if begin <= line < end:
        return end
    end = line + 1
    while end < end_line and (state.sCount[end] >= state.blkIndent or state.isEmpty(end)):
        end += 1
    memo[place] = (line, end)
    return end


def line_of(state: StateBlock, position: int) -> int:
    """Return the line that holds this position of the source."""
    return bisect_left(state.eMarks, position)


def block_tag(state: StateBlock, line: int, end_line: int, silent: bool) -> bool:
    """Return the block rule for `{% … %}` and for the tags of `<details>`."""
    start = state.bMarks[line] + state.tShift[line]
    if state.src[start : start + 1] not in ("{", "<") or state.is_code_block(line):
        return False
    until = _paragraph_end(state, line, end_line)
    if state.src.startswith("{%", start):
        tag = read_tag(state.src, start, until)
        if tag is None or (state.env.get("raw") and tag.name != "endraw"):
            return False
        return silent or _push_tag(state, tag, line, end_line)
    if state.src.startswith("<!--", start):
        return _comment(state, start, line, end_line, silent)
    return _details(state, start, until, line, silent)


def _paragraph_end(state: StateBlock, line: int, end_line: int) -> int:
    """Return where the run of non-empty lines that begins here ends;
    a tag never reaches across an empty line.
    """
    last = line
    while last + 1 < min(end_line, line + 40) and not state.isEmpty(last + 1):
        if state.sCount[last + 1] < state.blkIndent:
            break
        last += 1
    return state.eMarks[last]


def _push_tag(state: StateBlock, tag: Tag, line: int, end_line: int) -> bool:
    if tag.name in ENDED or tag.name in ENDED_OR_NOT:
        _push(state, "tag_open", tag, line)
    elif tag.name in SINGLE or tag.name.startswith("@"):
        _push(state, "tag_void", tag, line)
    elif tag.name in MIDDLES:
        _push(state, "tag_middle", tag, line)
    elif tag.name.startswith("end"):
        _push(state, "tag_close", Tag(tag.name[3:], "", tag.start, tag.end), line)
    else:
        return _push_verbatim(state, tag, line, end_line)
    if tag.name in ("raw", "endraw"):
        state.env["raw"] = tag.name == "raw" and state.env["ends"].after("raw", tag.end) is not None
    return _continue_after(state, tag.end)


def _push_verbatim(state: StateBlock, tag: Tag, line: int, end_line: int) -> bool:
    """Keep an unknown tag as it is written, with everything up to its end if it has one here."""
    last = tag
    end = state.env["ends"].after(tag.name, tag.end)
    if end is not None and line_of(state, end.start) < contained_until(state, line, end_line):
        last = end
    after = line_of(state, last.end) + 1
    source = state.getLines(line, after, state.blkIndent, False)
    token = _push(state, "tag_verbatim", tag, line)
    token.content = source[: len(source) - (state.eMarks[after - 1] - last.end)].lstrip(" \t")
    return _continue_after(state, last.end)


def _comment(state: StateBlock, start: int, line: int, end_line: int, silent: bool) -> bool:
    """Skip a comment; what follows it on its line is read."""
    end = ends(state).after("-->", start + 2)
    if end < 0 or line_of(state, end) >= contained_until(state, line, end_line):
        return False
    return silent or _continue_after(state, end + len("-->"))


def _details(state: StateBlock, start: int, until: int, line: int, silent: bool) -> bool:
    window = state.src[start : min(until, start + LONGEST_TAG)]
    found = ((kind, pattern.match(window)) for kind, pattern in _DETAILS_TAGS)
    kind, match = next((pair for pair in found if pair[1]), ("", None))
    if match is None or silent:
        return match is not None
    arguments = match.group(1) if match.groups() else ""
    tag = Tag("details", arguments.strip(), start, start + match.end())
    _push(state, kind, tag, line).content = tag.arguments
    return _continue_after(state, tag.end)


def _push(state: StateBlock, kind: str, tag: Tag, line: int) -> Token:
    token = state.push(kind, "", 0)
    token.meta = {"tag": tag}
    token.map = [line, line_of(state, tag.end) + 1]
    return token


def _continue_after(state: StateBlock, position: int) -> bool:
    """Go on behind a tag: on the next line, or on the same one if something stands there."""
    line = line_of(state, position)
    rest = state.src[position : state.eMarks[line]]
    if not rest.strip(" \t"):
        state.line = line + 1
        return True
    state.bMarks[line] = position + len(rest) - len(rest.lstrip(" \t"))
    state.tShift[line] = 0
    state.sCount[line] = state.blkIndent
    state.line = line
    return True
