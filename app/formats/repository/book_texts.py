"""Texts of a book with `book.json`, whose templates and plugins are written in our dialect at an import.

Rules: `{{ book.name }}` becomes the value of the variable, in code, too; a condition on variables of the book
is decided; videos, page references, formulas and tabs of code become what we have for them. What is `raw` or
in code keeps its tags. A tag of another kind is taken out, its content stays, and each is told. Texts without
any of this stay to the byte.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from app.formats.expressions import expression as expressions
from app.formats.markdown.tags import ENDED, ENDED_OR_NOT, MIDDLES, SINGLE, read_arguments
from app.formats.repository.file_tree import MAX_SETTINGS, OLD_SETTINGS, Tree, TreeOfTexts
from app.formats.repository.import_report import Kind, Report
from app.formats.repository.navigation.navigation import is_markdown
from app.kit.errors import Invalid

Variables = Mapping[str, str | int | float | bool]
Note = Callable[[Kind, str, int], None]
MOST_NESTED = 50
LONGEST_LINE = 20_000  # characters of a line in which a block gets lines of its own
_TAG = re.compile(r"\{%-?[ \t]*(?P<name>@?[A-Za-z][\w./-]*)(?P<rest>(?:[^%\n{]|%(?!\})|\{(?!%))*+)%\}")
_VALUE = re.compile(r"\{\{-?[ \t]*book\.(?P<name>[\w.-]+)[ \t]*(?:\|[^{}\n]*)?-?\}\}")
_FENCE = re.compile(r"[ \t>]*(?:[-*+][ \t]+|[0-9]{1,9}[.)][ \t]+)?(`{3,}|~{3,})")
_SPAN = re.compile(r"(?<!`)(`{1,5})(?!`)[^`\n]+(?<!`)\1(?!`)")
_LEAD = re.compile(r"((?:[ \t]*>)*)([ \t]*)((?:[-*+]|[0-9]{1,9}[.)])[ \t]+)?")
_WORDS = ((re.compile(r"\band\b"), "&&"), (re.compile(r"\bor\b"), "||"), (re.compile(r"\bnot\s"), "!"))
_OURS = ENDED | ENDED_OR_NOT | SINGLE | MIDDLES
_RENAMED = {"code-tabs": "tabs", "code-tabs-item": "tab"}
_VIDEOS = {"youtube", "vimeo", "video"}


class BookTexts(TreeOfTexts):
    """The files of a book, with its texts in our dialect; what they have beyond it goes to the report."""

    def __init__(self, tree: Tree, variables: Variables, report: Report) -> None:
        super().__init__(tree)
        self._variables, self._report = variables, report
        self._told: set[str] = set()

    def read(self, path: str, limit: int | None = None) -> bytes:
        content = self._tree.read(path, limit)
        if not is_markdown(path) or (b"{%" not in content and b"{{" not in content):
            return content
        whole = content if limit is None else self._tree.read(path)
        try:
            text = whole.decode("utf-8")
        except UnicodeDecodeError:
            return content
        return in_our_dialect(text, self._variables, self._note(path)).encode()[:limit]

    def _note(self, path: str) -> Note:
        is_new = path not in self._told
        self._told.add(path)

        def note(kind: Kind, message: str, line: int) -> None:
            if is_new:
                self._report.add(kind, path, message, line)

        return note


def book_variables(tree: Tree, folder: str = "") -> Variables | None:
    """Return the variables that `book.json` sets; None where there is none."""
    paths = set(tree.paths())
    places = [path for path in (OLD_SETTINGS, f"{folder}/{OLD_SETTINGS}".lstrip("/")) if path in paths]
    if not places:
        return None
    found: dict[str, str | int | float | bool] = {}
    for path in dict.fromkeys(places):
        try:
            said = json.loads(tree.read(path, MAX_SETTINGS + 1))
        except (ValueError, RecursionError):
            continue
        values = said.get("variables") if isinstance(said, dict) else None
        for name, value in values.items() if isinstance(values, dict) else ():
            if isinstance(value, str | int | float | bool):
                found[name] = value
    return found


def in_our_dialect(text: str, variables: Variables, note: Note) -> str:
    """Return a text of a book with its templates carried out."""
    reading = _Templates(text, variables, note)
    return reading.read()


@dataclass(slots=True)
class _Templates:
    """Reads the tags of a text one after another."""

    text: str
    variables: Variables
    note: Note
    at: int = 0
    code: list[tuple[int, int]] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: dict[str, list[int]] = field(default_factory=dict)
    conditions: dict[int, list[int]] = field(default_factory=dict)
    decided: dict[str, bool | None] = field(default_factory=dict)

    def read(self) -> str:
        self.code, self.starts = _code(self.text)
        tags = [tag for tag in _TAG.finditer(self.text) if not self._in_code(tag.start())]
        self._pair(tags)
        made, _ = self._until(tags, 0, 0, len(self.text), 0)
        return made

    def _pair(self, tags: Sequence[re.Match[str]]) -> None:
        """Note where tags end, and of each condition its branches and its end."""
        opened: list[list[int]] = []
        for index, tag in enumerate(tags):
            name = tag["name"].lower()
            if name.startswith("end"):
                self.ends.setdefault(name, []).append(index)
            if name == "if":
                opened.append([index])
            elif opened and (name in MIDDLES or name == "endif"):
                opened[-1].append(index)
                if name == "endif":
                    found = opened.pop()
                    self.conditions[found[0]] = found

    def _in_code(self, at: int) -> bool:
        index = bisect_right(self.code, (at, len(self.text))) - 1
        return index >= 0 and at < self.code[index][1]

    def _line(self, at: int) -> int:
        return bisect_right(self.starts, at)

    def _until(
        self, tags: Sequence[re.Match[str]], index: int, start: int, end: int, depth: int
    ) -> tuple[str, int]:
        """Return what the text from `start` to `end` becomes, whose tags are those from `index` on."""
        made: list[str] = []
        at = start
        while index < len(tags) and tags[index].start() < end:
            tag = tags[index]
            if tag.start() < at:
                index += 1
                continue
            made.append(self._plain(at, tag.start()))
            new, at, index = self._tag(tags, index, depth)
            made.append(new)
        made.append(self._plain(at, end) if at < end else "")
        return "".join(made), index

    def _tag(self, tags: Sequence[re.Match[str]], index: int, depth: int) -> tuple[str, int, int]:
        """Return what a tag becomes with what belongs to it, where the text goes on, and the next tag."""
        tag, name = tags[index], tags[index]["name"].lower()
        if name == "raw":
            end = self._end(index, "raw")
            if end is not None:
                inner = self.text[tag.end() : tags[end].start()]
                is_needed = "{{" in inner or "{%" in inner
                whole = self.text[tag.start() : tags[end].end()]
                return (whole if is_needed else inner), tags[end].end(), end + 1
        elif name in _VIDEOS or name in ("math", "mermaid"):
            end = self._end(index, name)
            if end is not None:
                inner = self.text[tag.end() : tags[end].start()].strip()
                return self._block(name, inner, tag.start(), tags[end].end()), tags[end].end(), end + 1
        elif name == "if" and depth < MOST_NESTED:
            decided = self._condition(tags, index, depth)
            if decided is not None:
                return decided
        return self._single(tag, name), tag.end(), index + 1

    def _end(self, index: int, name: str) -> int | None:
        """Return the tag that ends what a tag with this name begins."""
        ends = self.ends.get(f"end{name}", [])
        place = bisect_right(ends, index)
        return ends[place] if place < len(ends) else None

    def _condition(
        self, tags: Sequence[re.Match[str]], index: int, depth: int
    ) -> tuple[str, int, int] | None:
        """Decide a condition on the book's variables; None for one on something else, or without an end."""
        found = self.conditions.get(index)
        verdicts = [self._holds(tags[branch]) for branch in found[:-1]] if found else [None]
        if found is None or None in verdicts:
            return None
        end = found[-1]
        shown = next((n for n, holds in enumerate(verdicts) if holds), None)
        if shown is None:
            return "", tags[end].end(), end + 1
        start, stop = tags[found[shown]].end(), tags[found[shown + 1]].start()
        made, _ = self._until(tags, found[shown] + 1, start, stop, depth + 1)
        return made, tags[end].end(), end + 1

    def _holds(self, tag: re.Match[str]) -> bool | None:
        if tag["name"].lower() == "else":
            return True
        said = tag["rest"]
        if said not in self.decided:
            self.decided[said] = self._decision(said)
        return self.decided[said]

    def _decision(self, said: str) -> bool | None:
        """Return whether a condition holds; None for one on something else than variables of the book."""
        condition = said.strip().rstrip("-")
        for word, sign in _WORDS:
            condition = word.sub(sign, condition)
        try:
            read = expressions.parse(condition)
        except Invalid:
            return None
        return read.holds({"book": dict(self.variables)}) if set(read.names()) <= {"book"} else None

    def _single(self, tag: re.Match[str], name: str) -> str:
        is_end = name.startswith("end")
        bare = name.removeprefix("end") if is_end else name
        if bare in _RENAMED:
            renamed = ("end" if is_end else "") + _RENAMED[bare]
            return f"{{% {renamed}{tag['rest'].rstrip().rstrip('-').rstrip()} %}}"
        if name == "page-ref":
            said = read_arguments(tag["rest"])
            page = said.get("page", said.get("0", ""))
            return f'{{% content-ref url="{page}" %}}\n[{page}]({page})\n{{% endcontent-ref %}}'
        if name == "include":
            return self._alone(self.text[tag.start() : tag.end()], tag.start(), tag.end())
        if bare in _OURS or "/" in name:
            return self.text[tag.start() : tag.end()]
        if not is_end:
            self.note(
                "unsupported",
                f"The tag “{name[:50]}” is not known; it was taken out.",
                self._line(tag.start()),
            )
        return ""

    def _block(self, name: str, inner: str, start: int, end: int) -> str:
        if name == "math":
            return f"$${inner}$$" if "\n" not in inner else self._alone(f"$$\n{inner}\n$$", start, end)
        if name == "mermaid":
            return self._alone(f"```mermaid\n{inner}\n```", start, end)
        address = inner.split()[0] if inner else ""
        if not address.startswith(("http://", "https://")) or '"' in address:
            self.note("unsupported", f"The {name} tag has no address; it was taken out.", self._line(start))
            return ""
        return self._alone(f'{{% embed url="{address}" %}}', start, end)

    def _alone(self, block: str, start: int, end: int) -> str:
        """Return a block on lines of its own, in the list or quotation that it stands in."""
        line = self.text.rfind("\n", 0, start) + 1
        found_end = self.text.find("\n", end)
        stop = found_end if found_end >= 0 else len(self.text)
        if stop - line > LONGEST_LINE:
            return block
        before, after = self.text[line:start], self.text[end:stop]
        if not before.strip() and not after.strip():
            return block
        found = _LEAD.match(before)
        assert found is not None  # it matches the empty text
        quote, column, item = found[1], found[2], found[3] or ""
        lead = f"{quote}{column}{' ' * len(item)}"
        made = block.replace("\n", f"\n{lead}")
        is_first = len(before) == found.end()
        head = "" if is_first else f"\n{quote}\n{lead}"
        tail = f"\n{quote}\n{lead}" if after.strip() else ""
        return f"{head}{made}{tail}"

    def _plain(self, start: int, end: int) -> str:
        """Return a text without tags, with the values of variables in it."""
        text = self.text[start:end]
        return _VALUE.sub(lambda found: self._value(found, start), text) if "{{" in text else text

    def _value(self, found: re.Match[str], start: int) -> str:
        name, at = found["name"], start + found.start()
        if name in self.variables:
            value = self.variables[name]
            return str(value).lower() if isinstance(value, bool) else str(value)
        if self._in_code(at):
            return found[0]
        message = f"The variable “book.{name[:50]}” is not set; it was left out."
        self.note("unsupported", message, self._line(at))
        return ""


def _code(text: str) -> tuple[list[tuple[int, int]], list[int]]:
    """Return where fenced code and code in lines stands, and where each line begins."""
    found: list[tuple[int, int]] = []
    starts: list[int] = []
    at, opened, fence = 0, 0, ""
    for line in text.splitlines(keepends=True):
        starts.append(at)
        mark = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if mark and not fence:
            fence, opened = mark[1], at
        elif mark and mark[1].startswith(fence) and not line[mark.end() :].strip().strip(fence[0]):
            found.append((opened, at + len(line)))
            fence = ""
        elif not fence and "`" in line:
            found += [(at + span.start(), at + span.end()) for span in _SPAN.finditer(line)]
        at += len(line)
    if fence:
        found.append((opened, at))
    return found, starts
