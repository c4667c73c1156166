"""A Markdown file made ready to store: its parts, its links resolved, its text folded for search.

Nothing here touches the database, so that large imports prepare in processes beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha1, sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from app.domain.revisions.file_faults import blamed
from app.domain.revisions.link_targets import LinkTargets, ResolvedLink, resolved_links
from app.formats.markdown.hrefs import ANY_ANCHOR
from app.formats.markdown.passages import Passage, conditions_of, passages
from app.formats.markdown.scanner import Scan, scan
from app.formats.repository.import_report import Problem, Report
from app.formats.repository.metadata import Metadata
from app.formats.repository.source_text import read_source

if TYPE_CHECKING:
    from app.formats.markdown.conditions import Conditions


class PreparedText(NamedTuple):
    """A page or reusable content, ready to store.

    `anchors` are the places in it, one to a line; `conditional`: what it says depends on who reads it. `raw`
    are the bytes of a body that is no text.
    """

    source: str
    front_matter: str
    metadata: Metadata
    body: str
    document_id: str
    git_oid: str
    anchors: str = ""
    conditional: bool = False
    raw: bytes | None = None
    links: Sequence[ResolvedLink] = ()
    passages: Sequence[Passage] = ()
    problems: Sequence[Problem] = ()


def prepare(files: Sequence[tuple[str, bytes]], targets: LinkTargets) -> list[PreparedText]:
    """Make files ready, in their order; what cannot be kept is among each one's problems.

    Raises FileFault for a file that cannot be read.
    """
    prepared = []
    for source, content in files:
        with blamed(source):
            prepared.append(_prepare(source, content, targets))
    return prepared


def taken_apart(source: str, content: bytes) -> PreparedText:
    """A file without the links and passages of its body: enough to tell whether it says anything new."""
    report = Report()
    loaded = read_source(content, source, report)
    return PreparedText(
        source,
        loaded.front_matter_raw,
        loaded.metadata,
        loaded.body,
        document_id(loaded.body if loaded.raw is None else loaded.raw),
        git_oid(content),
        raw=loaded.raw,
        problems=report.problems,
    )


def note_broken(report: Report, source: str, front_matter: str, broken: Iterable[Any]) -> None:
    """Note links of a file, which begins with the front matter, as leading nowhere."""
    above = front_matter.count("\n")
    for link in broken:
        leads = "nowhere" if link.target_id is None else "to no place in the page"
        report.add("broken-link", source, f"“{link.href}” leads {leads}.", link.line + above)


def note_mistakes(report: Report, source: str, front_matter: str, conditions: Conditions | None) -> None:
    """Note what looks like a condition in a file and cannot be read; what it may be meant for is hidden."""
    above = front_matter.count("\n")
    for mistake in conditions.mistakes if conditions else ():
        report.add("condition", source, f"Hidden: {mistake.message}", mistake.line + above)


def _prepare(source: str, content: bytes, targets: LinkTargets) -> PreparedText:
    page = taken_apart(source, content)
    found, conditions = scan(page.body), conditions_of(page.body)
    links = resolved_links(page.body, found, conditions, source, targets)
    report = Report(problems=list(page.problems))
    note_broken(report, source, page.front_matter, [link for link in links if link.status == "broken"])
    note_mistakes(report, source, page.front_matter, conditions)
    return page._replace(
        anchors=anchors_of(found),
        conditional=conditions is not None,
        links=links,
        passages=passages(found, conditions),
        problems=report.problems,
    )


def anchors_of(found: Scan) -> str:
    """Return the places of a text that links may lead to, one to a line."""
    names = [*(heading.anchor for heading in found.headings), *found.ids]
    if any(link.kind == "openapi" for link in found.links):
        names.append(ANY_ANCHOR)  # what is shown there has places of its own
    return "\n".join(dict.fromkeys(name for name in names if "\n" not in name and "\0" not in name))


def document_id(body: str | bytes) -> str:
    """Return the hash by which a body is kept: of its text, or of its bytes where it is none."""
    data = body if isinstance(body, bytes) else body.encode("utf-8", "surrogatepass")
    return sha256(data).hexdigest()


def git_oid(content: bytes) -> str:
    """Return the name that git gives a file of this content."""
    return sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
