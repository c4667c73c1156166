"""Markdown as other tools write it, understood where a page is shown: what it says stays as it was written.

Alerts in quotations (`> [!NOTE]`), admonitions between colons (`:::tip`) and by indentation (`!!! note`),
lists of definitions, fenced mathematics, tables whose second line has too many or too few columns, and pages
that only lead elsewhere (`!REDIRECT`). They become hints, expandable parts, HTML, formulas, tables and links
of our own dialect. What is in other fenced code, or is not quite like this, stays. Bare addresses and
`==marks==` are found by `told` where a text is shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from itertools import islice
from typing import Any, Literal

from app.kit.deadlines import check

STYLES = {
    "note": "info", "info": "info", "abstract": "info", "summary": "info", "important": "info",
    "todo": "info", "seealso": "info", "question": "info", "example": "info", "quote": "info",
    "tip": "success", "hint": "success", "success": "success", "check": "success", "done": "success",
    "warning": "warning", "attention": "warning", "caution": "warning",
    "danger": "danger", "error": "danger", "bug": "danger",
    "failure": "danger",
}  # fmt: skip
FOLDED = ("details", "collapse")
DEEPEST = 5
MOST_LINES = 200_000  # of a body that are looked at for the ends of admonitions
_ANY = re.compile(
    r"^[ ]{0,3}(?:>[ ]?(?:\[!|\*\*)|:{3,}[ ]*[A-Za-z]|[!?]{3}\+?[ ]|:[ ]|!REDIRECT[ ]|`{3}math[ ]*$"
    r"|\|?[ ]*:?-+:?[ ]*\|)",
    re.MULTILINE,
)
_FENCE = re.compile(r"[ ]{0,3}(`{3,}|~{3,})")
_ALERT = re.compile(r"[ ]{0,3}>[ ]?\[!([A-Za-z]+)\][+-]?[ ]*(.*)\Z")
_BOLD = re.compile(
    r"[ ]{0,3}>[ ]?\*\*(Note|Info|Tip|Important|Warning|Caution|Danger)(?::\*\*|\*\*)", re.IGNORECASE
)
_QUOTED = re.compile(r"[ ]{0,3}>[ ]?")
_COLONS = re.compile(r"[ ]{0,3}(:{3,})[ ]*([A-Za-z]+)(?:\[([^\]]*)\])?(?:\{[^}]*\})?[ ]*(.*)\Z")
_END = re.compile(r"[ ]{0,3}(:{3,})[ ]*\Z")
_MARKED = re.compile(r"(!!!|\?\?\?\+?)[ ]+([A-Za-z]+)[^\"]*(?:\"([^\"]*)\")?[ ]*\Z")
_DEFINITION = re.compile(r"[ ]{0,3}:[ ]+(\S.*)\Z")
_NO_TERM = re.compile(r"[ ]{0,3}(?:[#>|:<!{]|[-*+][ ]|[0-9]+[.)][ ]|`{3})|[ ]{4}|\t")
_MATH, _MATH_END = re.compile(r"[ ]{0,3}`{3}math[ ]*\Z"), re.compile(r"[ ]{0,3}`{3,}[ ]*\Z")
_DELIMITERS = re.compile(r"[ ]{0,3}\|?[ ]*:?-+:?[ ]*(?:\|[ ]*:?-+:?[ ]*)+\|?[ ]*\Z")
_CELL_END = re.compile(r"(?<!\\)\|")
_REDIRECT = re.compile(r"[ ]{0,3}!REDIRECT[ ]+\"(https?://[^\s\"]+)\"[ ]*\Z")


def understood(body: str) -> str:
    """Return a body in which other dialects are written in ours, whatever its lines end with."""
    body = body.replace("\r\n", "\n")
    return "\n".join(_DialectReader().read(body.split("\n"), 0)) if _ANY.search(body) else body


class _DialectReader:
    """Reads one body; `room` is how many lines it may still look ahead."""

    def __init__(self) -> None:
        self.room = MOST_LINES

    def read(self, lines: Sequence[str], depth: int) -> list[str]:
        made: list[str] = []
        at, fence = 0, ""
        while at < len(lines):
            check()
            line = lines[at]
            if not fence and _MATH.match(line) and (formula := _formula(lines, at)):
                made += formula[0]
                at = formula[1]
                continue
            if found := _FENCE.match(line):
                closes = fence and found[1].startswith(fence) and not line.strip().strip(fence[0])
                fence = "" if closes else fence or found[1]
            read = None if fence or depth >= DEEPEST else self._container(lines, at, depth)
            if read is None:
                is_second = not fence and at > 0 and _DELIMITERS.match(line)
                made.append(_delimiters(lines[at - 1], line) if is_second else line)
                at += 1
            else:
                made += read[0]
                at = read[1]
        return made

    def _container(self, lines: Sequence[str], at: int, depth: int) -> tuple[list[str], int] | None:
        """Return what begins at a line in our dialect, and the line after it; None for what is ours."""
        line = lines[at]
        start = line.lstrip(" ")[:1]
        if start == ">":
            return self._quoted(lines, at, depth)
        if start == ":" and (opened := _COLONS.match(line)) and _is_known(opened[2]):
            closed = self._closed(lines, at, len(opened[1]))
            if closed is not None:
                inside = lines[at + 1 : closed]
                return self._shown(opened[2], opened[3] or opened[4], inside, depth), closed + 1
        if start in ("!", "?") and (marked := _MARKED.match(line)) and _is_known(marked[2]):
            end = _after(lines, at + 1, lambda each: not each.strip() or each.startswith(("    ", "\t")))
            inside = [each[1:] if each.startswith("\t") else each[4:] for each in lines[at + 1 : end]]
            name = marked[2] if marked[1] == "!!!" else FOLDED[0]
            title = marked[3] or marked[2].capitalize() * (name in FOLDED)
            return self._shown(name, title, inside, depth), end
        if start == "!" and (redirect := _REDIRECT.match(line)):
            return ["", f'{{% embed url="{redirect[1]}" %}}', ""], at + 1
        return _definitions(lines, at)

    def _quoted(self, lines: Sequence[str], at: int, depth: int) -> tuple[list[str], int] | None:
        """Return an alert that is written as a quotation; None for any other quotation."""
        if (alert := _ALERT.match(lines[at])) and alert[1].lower() in STYLES:
            end = _quotation(lines, at + 1)
            inside = [_QUOTED.sub("", each, count=1) for each in lines[at + 1 : end]]
            return self._shown(alert[1], alert[2], inside, depth), end
        if (bold := _BOLD.match(lines[at])) and not (at and _QUOTED.match(lines[at - 1])):
            end = _quotation(lines, at + 1)
            inside = [_QUOTED.sub("", each, count=1) for each in lines[at:end]]
            return self._shown(bold[1], "", inside, depth), end
        return None

    def _closed(self, lines: Sequence[str], at: int, colons: int) -> int | None:
        """Return the line that closes what colons open; what is inside may open and close, too."""
        open_ = 0
        for number, line in enumerate(islice(lines, at + 1, at + 1 + self.room), at + 1):
            self.room -= 1
            if (end := _END.match(line)) and len(end[1]) >= colons:
                if not open_:
                    return number
                open_ -= 1
            elif (inner := _COLONS.match(line)) and len(inner[1]) == colons and _is_known(inner[2]):
                open_ += 1
        return None

    def _shown(self, name: str, title: str, inside: Sequence[str], depth: int) -> list[str]:
        body = self.read(inside, depth + 1)
        words = title.strip()
        if name.lower() in FOLDED:
            summary = words.replace("<", "&lt;") or "…"
            return ["", "<details>", "", f"<summary>{summary}</summary>", "", *body, "", "</details>", ""]
        heading = [f"**{words}**", ""] if words else []
        return ["", f'{{% hint style="{STYLES[name.lower()]}" %}}', *heading, *body, "{% endhint %}", ""]


def _is_known(name: str) -> bool:
    return name.lower() in STYLES or name.lower() in FOLDED


def _after(lines: Sequence[str], at: int, belongs: Any) -> int:
    """Return the first line from `at` on that does not belong to what began before."""
    while at < len(lines) and belongs(lines[at]):
        at += 1
    return at


def _quotation(lines: Sequence[str], at: int) -> int:
    """Return the line after a quotation: its last paragraph may go on without the sign of one."""
    while at < len(lines):
        is_quoted = _QUOTED.match(lines[at]) is not None
        goes_on = bool(_QUOTED.sub("", lines[at - 1], count=1).strip()) and bool(lines[at].strip())
        if not is_quoted and (not goes_on or _NO_TERM.match(lines[at].lstrip()) or _FENCE.match(lines[at])):
            break
        at += 1
    return at


def _delimiters(header: str, line: str) -> str:
    """Return the second line of a table with as many columns as its first."""
    if "|" not in header:
        return line
    wanted, given = len(_cells(header)), _cells(line)
    if wanted == len(given):
        return line
    return f"|{'|'.join([*given, *['---'] * wanted][:wanted])}|"


def _cells(row: str) -> list[str]:
    return _CELL_END.split(row.strip().removeprefix("|").removesuffix("|"))


def _formula(lines: Sequence[str], at: int) -> tuple[list[str], int] | None:
    """Return fenced mathematics as a formula, and the line after it."""
    end = _after(lines, at + 1, lambda each: _MATH_END.match(each) is None)
    inside = [line for line in lines[at + 1 : end] if line.strip()]
    if end >= len(lines) or not inside or any("$$" in line for line in inside):
        return None
    return ["", "$$", *inside, "$$", ""], end + 1


def _definitions(lines: Sequence[str], at: int) -> tuple[list[str], int] | None:
    """Return a list of definitions that begins with a term, as HTML."""
    made: list[str] = []
    end = at
    if at and lines[at - 1].strip():
        return None
    while (read := _definition(lines, end)) is not None:
        made += read[0]
        end = _after(lines, read[1], lambda each: not each.strip())
    return (["", f"<dl>{''.join(made)}</dl>", ""], end) if made else None


def _definition(lines: Sequence[str], at: int) -> tuple[list[str], int] | None:
    """Return a term with its definitions, and the line after them."""
    if at + 1 >= len(lines) or not lines[at].strip() or _NO_TERM.match(lines[at]):
        return None
    made = [f"<dt>{_inline(lines[at].strip())}</dt>"]
    at += 1
    while at < len(lines) and (found := _DEFINITION.match(lines[at])):
        end = _after(lines, at + 1, lambda each: each.startswith(("  ", "\t")) and bool(each.strip()))
        said = " ".join([found[1], *(each.strip() for each in lines[at + 1 : end])])
        made.append(f"<dd>{_inline(said)}</dd>")
        at = end
    return (made, at) if len(made) > 1 else None


@cache
def _parser() -> Any:
    from markdown_it import MarkdownIt

    from app.formats.markdown.bounded_parsers import inlines

    made = MarkdownIt("commonmark", {"html": False})
    made.inline = inlines(made.inline)
    made.add_render_rule("text", _told_as_html)
    return made


def _told_as_html(_renderer: Any, tokens: Sequence[Any], at: int, _options: Any, _env: Any) -> str:
    """Write a text with what is marked in it, and with addresses as links outside of everything else."""
    signs = {"text": "{}", "marked": "<mark>{}</mark>"}
    if tokens[at].level == 0:
        signs["address"] = '<a href="{0}">{0}</a>'
    return "".join(signs.get(kind, "{}").format(escape(piece)) for kind, piece in told(tokens[at].content))


def _inline(words: str) -> str:
    made: str = _parser().renderInline(words)
    return made.replace("\n", " ")


Kind = Literal["text", "marked", "address"]
_TOLD = re.compile(
    r"(?<![A-Za-z0-9_/])(?P<href>https?://[A-Za-z0-9\[][^\s<>\"`{}|\\^\u3000-\u303f\uff00-\uffef]{2,2000})"
    r"|(?<![=\w])==(?P<marked>[^\s=](?:[^=\n]{0,500}[^\s=])?)==(?![=\w])"
)


def told(content: str) -> Iterator[tuple[Kind, str]]:
    """Yield the pieces of a text: bare addresses, what is marked between `==`, and what is around them."""
    if "://" not in content and "==" not in content:
        yield "text", content
        return
    at = 0
    for found in _TOLD.finditer(content):
        if found.start() > at:
            yield "text", content[at : found.start()]
        if found["marked"]:
            yield "marked", found["marked"]
            at = found.end()
        else:
            href = _without_end(found["href"])
            yield "address", href
            at = found.start() + len(href)
    if at < len(content):
        yield "text", content[at:]


def _without_end(href: str) -> str:
    """Return an address without the punctuation after it, which is its sentence's."""
    while href[-1] in ".,;:!?*_~'\"" or (
        href[-1] in ")]" and href.count(href[-1]) > href.count("(["[href[-1] == "]"])
    ):
        href = href[:-1]
    return href
