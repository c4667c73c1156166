"""What a line of Markdown is by its own writing: the patterns of the block rules, and measures of a line."""

from __future__ import annotations

import re

_FRONT_MATTER = re.compile(r"---[ \t]*+\n")
_FRONT_MATTER_END = re.compile(r"\n---[ \t]*+(?:\n|\Z)")
PROSE = re.compile(r"(?:[^\W\d_][^\n]*+\n?+)++")
BLANK = re.compile(r"^[ \t]*+(?=\n|\Z)", re.MULTILINE)
INDENTED = re.compile(r"(?:(?: {4}| {0,3}\t)[^\n]*+(?:\n|\Z))++")
SPACES = re.compile(r"[ \t]*+")
ITEM = re.compile(r"(?:[-+*]|(\d{1,9})[.)])(?=[ \t\n]|\Z)")
RULE = re.compile(r"(?:(?:\*[ \t]*+){3,}+|(?:-[ \t]*+){3,}+|(?:_[ \t]*+){3,}+)(?=\n|\Z)")
ATX = re.compile(r"(#{1,6}+)(?=[ \t\n]|\Z)")
UNDERLINE = re.compile(r"(?:=++|-++)[ \t]*+(?=\n|\Z)")
FENCE = re.compile(r"(`{3,}+)[^`\n]*+(?=\n|\Z)|(~{3,}+)")
FENCE_END = re.compile(r"(`{3,}+|~{3,}+)[ \t]*+(?=\n|\Z)")
FENCE_CLOSERS = {mark: re.compile(rf"\n {{0,3}}({mark}{{3,}}+)[ \t]*+(?=\n|\Z)") for mark in "`~"}
COLUMNS = re.compile(r"\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*+(?=\n|\Z)")
_PIPE = re.compile(r"(?<!\\)\|")

_BLOCK_TAGS = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|"
    "dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|"
    "menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|"
    "title|tr|track|ul"
)
HTML = re.compile(
    rf"(?P<verbatim><(?:script|pre|style|textarea)(?=[\s>]|\Z))|(?P<comment><!--)|(?P<instruction><\?)"
    rf"|(?P<declaration><![a-z])|(?P<cdata><!\[CDATA\[)|(?P<block></?(?:{_BLOCK_TAGS})(?=\s|/?>|\Z))",
    re.IGNORECASE,
)
_ATTRIBUTE = r"""[ \t]++[A-Za-z_:][\w:.-]*+(?:[ \t]*+=[ \t]*+(?:[^\s"'=<>`]++|'[^'\n]*+'|"[^"\n]*+"))?+"""
LONE_TAG = re.compile(
    rf"<(?:/[A-Za-z][A-Za-z0-9-]*+[ \t]*+|[A-Za-z][A-Za-z0-9-]*+(?:{_ATTRIBUTE})*+[ \t]*+/?)>[ \t]*+(?=\n|\Z)"
)
HTML_ENDS = {
    "verbatim": re.compile(r"</(?:script|pre|style|textarea)>", re.IGNORECASE),
    "comment": re.compile(r"-->"),
    "instruction": re.compile(r"\?>"),
    "declaration": re.compile(r">"),
    "cdata": re.compile(r"\]\]>"),
}


def after_front_matter(text: str) -> int:
    """Where a page begins: behind its front matter if it has any."""
    if _FRONT_MATTER.match(text) and (end := _FRONT_MATTER_END.search(text, 3)):
        return end.end()
    return 0


def indent(text: str, at: int, column: int) -> tuple[int, int]:
    """Offset and column of the first character from `at` on that is neither space nor tab."""
    gap = SPACES.match(text, at)
    word = gap.end() if gap else at
    blank = text[at:word]
    if "\t" not in blank:
        return word, column + word - at
    for mark in blank:
        column = column + 1 if mark == " " else column // 4 * 4 + 4
    return word, column


def heading_content(line: str) -> str:
    """What follows the marks of a heading, without the marks that may close it."""
    content = line.rstrip(" \t")
    bare = content.rstrip("#")
    return bare.rstrip(" \t") if not bare or bare[-1] in " \t" else content


def cells(row: str) -> list[tuple[int, int]]:
    """Where the cells of a table row lie, as (start, end) in the row; what is outside of its pipes too."""
    marks = [pipe.start() for pipe in _PIPE.finditer(row)]
    return list(zip([0, *(at + 1 for at in marks)], [*marks, len(row)], strict=True))


def is_header(row: str, underline: str) -> bool:
    """Whether two lines begin a table: as many cells above as dashes below."""
    return "|" in row and _width(row) == _width(underline)


def _width(row: str) -> int:
    row = row.strip()
    return len(_PIPE.findall(row)) + 1 - row.startswith("|") - (row.endswith("|") and not row.endswith("\\|"))
