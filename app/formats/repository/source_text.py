"""Markdown files as text: whole for their bodies, the head alone for their titles.

Rules: bytes that are not UTF-8, and NUL characters, are replaced and told; the bytes themselves are kept
beside the text. A title is the front matter's, else the first heading of level one, else made from the file's
name; the first 8 kB are searched for it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.formats.repository.file_tree import Tree
from app.formats.repository.front_matter import parse, split
from app.formats.repository.import_report import Report
from app.formats.repository.metadata import Metadata, metadata_from
from app.formats.repository.names import clean_title, plain, title_from_name

MAX_MARKDOWN = 5 << 20
HEAD = 8 * 1024

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}#[ \t]++(.*)$")
_UNDERLINE = re.compile(r" {0,3}=+[ \t]*$")
_ANCHOR = re.compile(r"(?<![ \t])[ \t]*\{#[^{}\s]*\}[ \t]*$")
_NOT_A_TITLE = re.compile(r"[ \t]*$| {4}|\t| {0,3}(?:[>#|]|[-+*][ \t]|\{%|<)")


@dataclass(frozen=True, slots=True)
class LoadedPage:
    """A page's file in its two parts, which together are the file.

    Where no text says what the body has, `raw` are its bytes, and `body` is what can be shown of them.
    """

    front_matter_raw: str
    metadata: Metadata
    body: str
    raw: bytes | None = None


def load_source(tree: Tree, source: str, report: Report | None = None) -> LoadedPage:
    """Read one Markdown file, noting in the report what cannot be kept."""
    return read_source(tree.read(source), source, report if report is not None else Report())


def read_source(content: bytes, source: str, report: Report) -> LoadedPage:
    """Take one Markdown file's bytes apart, noting in the report what cannot be kept."""
    text = decode(content, source, report)
    front, body = split(text)
    raw = _raw(content, text, front)
    if raw is not None and len(raw) == len(content):
        front, body = "", text  # front matter that is no text is part of the body
    values, problem = parse(front)
    if problem:
        report.add("unsupported", source, problem[0], problem[1])
    metadata, problems = metadata_from(values)
    for message in problems:
        report.add("unsupported", source, message, 1)
    return LoadedPage(front, metadata, body, raw)


def _raw(content: bytes, text: str, front: str) -> bytes | None:
    """Return the bytes after the front matter where the text does not say them all; None where it does."""
    if "\ufffd" not in text or text.encode() == content:
        return None
    head = front.encode()
    return content[len(head) :] if head and content.startswith(head) else content


def decode(content: bytes, source: str, report: Report) -> str:
    """Return the file as text, with replacement characters for what no text may hold."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        report.add("undecodable", source, "Not valid UTF-8; kept with replacement characters.", line)
        text = content.decode("utf-8", "replace")
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        report.add("undecodable", source, "Has NUL characters; kept with replacement characters.", line)
        text = text.replace("\0", "\ufffd")
    return text


def read_title(tree: Tree, source: str, name: str) -> str:
    """Return the title a file gives itself; `name` is the file's or folder's name to fall back on."""
    content = tree.read(source, HEAD)
    text = content.decode("utf-8", "ignore")
    raw, body = split(text)
    if not raw.strip("\ufeff") and len(content) == HEAD and text.lstrip("\ufeff").startswith("---"):
        raw, body = split(tree.read(source, MAX_MARKDOWN).decode("utf-8", "ignore"))
    return title_in(raw, body[:HEAD]) or title_from_name(name)


def title_in(raw: str, head: str) -> str:
    """Return the title in a front matter block or the beginning of a body, "" when there is none."""
    if "title" in raw and (said := metadata_from(parse(raw)[0])[0].title):
        return clean_title(said)
    return _first_heading(head)


def _first_heading(head: str) -> str:
    fence = ""
    above = ""
    for line in head.replace("\0", "\ufffd").splitlines():
        if mark := _FENCE.match(line):
            if not fence:
                fence = mark[1]
            elif line.strip().startswith(fence):
                fence = ""
            above = ""
        elif not fence:
            if heading := _HEADING.match(line):
                return plain(_ANCHOR.sub("", _without_closing(heading[1])))
            if above and _UNDERLINE.match(line):
                return plain(_ANCHOR.sub("", above))
            above = "" if _NOT_A_TITLE.match(line) else line
    return ""


def _without_closing(heading: str) -> str:
    """Return the words of a heading without the number signs that may close it."""
    text = heading.rstrip(" \t")
    words = text.rstrip("#")
    return words.rstrip(" \t") if words.endswith((" ", "\t")) else text
