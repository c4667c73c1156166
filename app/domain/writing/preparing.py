"""A Markdown file made ready to store: its parts, its links resolved, its text folded for search.

Nothing here touches the database, so that large imports prepare in processes beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha1, sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from app.content.conditional import conditions_of
from app.content.links import Target, candidates, follow
from app.content.passages import Passage, passages
from app.content.repository.metadata import Metadata
from app.content.repository.reading import read_source
from app.content.repository.report import Problem, Report
from app.content.scan import Link as Found
from app.content.scan import scan

if TYPE_CHECKING:
    from app.content.dialect.conditions import Conditions

DEPENDS = {"image", "file", "embed", "include", "openapi"}


@dataclass(slots=True, frozen=True)
class Targets:
    """What hrefs may lead to: ids by repository path, and the addresses that are this product's own."""

    pages: dict[str, str]
    files: dict[str, str]
    reusable: dict[str, str]
    own: tuple[str, ...] = ()

    def find(self, path: str) -> tuple[str, str] | None:
        """The kind and id of what a path means."""
        if path in self.pages:  # of its candidates a path itself comes first
            return "page", self.pages[path]
        for candidate in candidates(path):
            if candidate in self.pages:
                return "page", self.pages[candidate]
            if candidate in self.files:
                return "file", self.files[candidate]
            if candidate in self.reusable:
                return "reusable-content", self.reusable[candidate]
        return None


class Resolved(NamedTuple):  # a plain tuple, since large imports send many from process to process
    """A link of a body with what it leads to."""

    href: str
    line: int
    status: str
    relation: str
    target_kind: str
    target_page: str | None = None
    target_file: str | None = None
    target_reusable: str | None = None
    target_anchor: str | None = None


class Prepared(NamedTuple):
    """A page or reusable content, ready to store."""

    source: str
    front_matter: str
    metadata: Metadata
    body: str
    document_id: str
    git_oid: str
    conditional: bool = False
    links: Sequence[Resolved] = ()
    passages: Sequence[Passage] = ()
    problems: Sequence[Problem] = ()


def prepare(files: Sequence[tuple[str, bytes]], targets: Targets) -> list[Prepared]:
    """Make files ready, in their order; what cannot be kept is among each one's problems."""
    return [_prepare(source, content, targets) for source, content in files]


def taken_apart(source: str, content: bytes) -> Prepared:
    """A file without the links and passages of its body: enough to tell whether it says anything new."""
    report = Report()
    loaded = read_source(content, source, report)
    return Prepared(
        source,
        loaded.front_matter_raw,
        loaded.metadata,
        loaded.body,
        document_id(loaded.body),
        git_oid(content),
        problems=report.problems,
    )


def note_broken(report: Report, source: str, front_matter: str, broken: Iterable[Any]) -> None:
    """Note links of a file, which begins with the front matter, as leading nowhere."""
    above = front_matter.count("\n")
    for link in broken:
        report.add("broken-link", source, f"“{link.href}” leads nowhere.", link.line + above)


def note_mistakes(report: Report, source: str, front_matter: str, conditions: Conditions | None) -> None:
    """Note what looks like a condition in a file and cannot be read; what it may be meant for is hidden."""
    above = front_matter.count("\n")
    for mistake in conditions.mistakes if conditions else ():
        report.add("condition", source, f"Hidden: {mistake.message}", mistake.line + above)


def _prepare(source: str, content: bytes, targets: Targets) -> Prepared:
    page = taken_apart(source, content)
    found, conditions = scan(page.body), conditions_of(page.body)
    links = [resolved(link, source, targets) for link in found.links]
    report = Report(problems=list(page.problems))
    note_broken(report, source, page.front_matter, [link for link in links if link.status == "broken"])
    note_mistakes(report, source, page.front_matter, conditions)
    return page._replace(
        conditional=conditions is not None,
        links=links,
        passages=passages(found, conditions),
        problems=report.problems,
    )


def document_id(body: str) -> str:
    """The hash by which a body is kept."""
    return sha256(body.encode("utf-8", "surrogatepass")).hexdigest()


def document_row(body: str, *, conditional: bool) -> dict[str, Any]:
    """A body as it is kept."""
    return {"id": document_id(body), "markdown": body, "conditional": conditional}


def git_oid(content: bytes) -> str:
    """The name that git gives a file of this content."""
    return sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def resolved(link: Found, source: str, targets: Targets) -> Resolved:
    """What a link of the file `source` leads to."""
    relation = "dependsOn" if link.kind in DEPENDS else "reference"
    kind, target = follow(link.href, source)
    if kind == "external":
        own = link.href.startswith(targets.own) if targets.own else False
        return Resolved(link.href, link.line, "in-app" if own else "ok", relation, "url")
    found = targets.find(target.path) if target else None
    if target is None or found is None:
        return Resolved(link.href, link.line, "broken", relation, "page")
    return _to(link, relation, found, target)


def _to(link: Found, relation: str, found: tuple[str, str], target: Target) -> Resolved:
    kind, target_id = found
    anchor = target.anchor if kind == "page" and "\0" not in (target.anchor or "") else None
    return Resolved(
        link.href,
        link.line,
        "ok",
        relation,
        "anchor" if anchor else kind,
        target_page=target_id if kind == "page" else None,
        target_file=target_id if kind == "file" else None,
        target_reusable=target_id if kind == "reusable-content" else None,
        target_anchor=anchor,
    )
