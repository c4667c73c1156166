"""A Markdown file made ready to store: its parts, links resolved, text folded; files that cannot be imported.

Files that cannot be imported: each is named with its reason, and an import goes on without it.

What can be foreseen is told by the plan of an import. These are the other ones: texts that the scanner or
the database refuses. To find them, texts are written one at a time once writing them together has failed.

A Markdown file made ready to store: its parts, its links resolved, its text folded for search.

Nothing here touches the database, so that large imports prepare in processes beside it.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha1, sha256
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from app.domain.revisions.link_targets import LinkTargets, ResolvedLink, resolved_links
from app.formats.markdown.hrefs import ANY_ANCHOR
from app.formats.markdown.passages import Passage, conditions_of, passages
from app.formats.markdown.scanner import Scan, scan
from app.formats.repository.import_report import ImportProblem, Report
from app.formats.repository.metadata import Metadata
from app.formats.repository.source_text import read_source
from app.kit.errors import Conflict, Problem, Unprocessable

if TYPE_CHECKING:
    from app.formats.markdown.conditions import Conditions


MOST = 20  # files that an import does without
REFUSED = "the database does not take it"
LONGEST = 200  # characters of a name or an href that is told
T = TypeVar("T")
log = logging.getLogger("docyard.import")


class FileFault(Unprocessable):
    """One file, or a link in it, cannot be imported."""

    def __init__(self, file: str, reason: str, href: str | None = None) -> None:
        self.file, self.reason, self.href = file, reason, href
        super().__init__(f"{file[:LONGEST]}: {self.told}", path=file)

    @property
    def told(self) -> str:
        """Return the reason, with the link where it is one's."""
        return self.reason if self.href is None else f"link “{self.href[:LONGEST]}”: {self.reason}"

    def __reduce__(self) -> tuple[type[FileFault], tuple[str, str, str | None]]:
        return FileFault, (self.file, self.reason, self.href)  # texts are read in other processes too


@dataclass(slots=True)
class SkippedFiles:
    """The files that an import does without, and whether it writes texts one at a time.

    What is held of those that are `kept` stays, since they are too large.
    """

    faults: list[FileFault] = field(default_factory=list)
    one_by_one: bool = False
    kept: frozenset[str] = frozenset()

    @property
    def files(self) -> set[str]:
        """Return the paths of the files."""
        return {fault.file for fault in self.faults} | self.kept

    @property
    def told(self) -> str:
        """Return the files with the reasons, as a sentence."""
        reasons = "; ".join(fault.message for fault in self.faults)
        return f"Not imported: {reasons}."


@contextmanager
def blamed(file: str, href: str | None = None, reason: str = "it cannot be read") -> Iterator[None]:
    """Raise FileFault for whatever goes wrong inside, but for a Problem, which has a sentence of its own."""
    try:
        yield
    except Problem:
        raise
    except Exception as error:
        from app.kit.database.interface import Retry  # the processes that read texts should not load it

        if isinstance(error, Retry):
            raise
        log.exception("the file %r cannot be imported", file)
        raise FileFault(file, reason, href) from error


async def around_faults(attempt: Callable[[SkippedFiles], Awaitable[T]]) -> T:
    """Run an import, again and again without the files that it fails at.

    Raises FileFault where they are too many, and whatever else goes wrong.
    """
    from app.kit.database.interface import Clash

    leaving = SkippedFiles()
    while True:
        try:
            return await attempt(leaving)
        except FileFault as fault:
            if len(leaving.faults) == MOST or fault.file in leaving.files:
                raise
            leaving = SkippedFiles([*leaving.faults, fault], leaving.one_by_one)
        except Exception as error:
            is_told = isinstance(error, Problem | TimeoutError)
            is_clash = isinstance(error, Conflict) and isinstance(error.__cause__, Clash)
            if leaving.one_by_one or (is_told and not is_clash):
                raise
            log.warning("an import failed; its texts are written one at a time now", exc_info=error)
            leaving = SkippedFiles(leaving.faults, one_by_one=True)


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
    problems: Sequence[ImportProblem] = ()


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
    """Return a file without the links and passages of its body:
    enough to tell whether it says anything new.
    """
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
