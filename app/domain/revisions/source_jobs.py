"""Pages of content sources, computed by jobs: the script is asked outside any transaction, and what it says
is written as one revision.

A source is asked again where the integration has a new version or what it depends on has changed, and a
page's text only where its own source has; somebody may also ask for all of it. Where that fails, the pages
stay as they are, and the placed page says why.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from hashlib import sha256
from typing import Any, Protocol

import orjson
from sqlalchemy import select

from app.access.audit_actions import AuditAction
from app.access.context import Context
from app.domain.content.bodies import page_text_of
from app.domain.integrations import content_sources
from app.domain.integrations.event_destinations import EventDestination
from app.domain.jobs import NOBODY, JobRuntime, Postponed
from app.domain.revisions import computed_pages, source_files, source_renewals
from app.domain.revisions.batch import FileFetching, NewFile
from app.domain.revisions.commit import commit
from app.domain.revisions.computed_pages import (
    INTEGRATION,
    ComputedPage,
    is_of_integration,
    is_placed,
    line_to_write,
)
from app.domain.revisions.drafts import PAGE_VERSIONS, Draft
from app.domain.revisions.records import PageRecord
from app.domain.revisions.source_answers import (
    AnsweredPage,
    AnswerReader,
    with_references,
    with_text_references,
)
from app.domain.revisions.source_pages import ask_again
from app.domain.revisions.source_renewals import seed_of
from app.domain.revisions.source_turns import take_turn
from app.kit import workers
from app.kit.clock import wire_time
from app.kit.database.statements import given, rows
from app.kit.errors import BadGateway, Problem, Unavailable
from app.models.checks import checked
from app.models.documents import Body
from app.models.jobs import Job

ACTION = AuditAction("job", "computeContent")
PATIENCE = timedelta(hours=1)  # that pages wait for a server that fails all the time
SECONDS = 300.0  # for all pages of one source
MOST_NESTED = 20  # sources within the answer of a source
LONGEST_ERROR = 500
NO_TEXT = "\n"
_PLACED = rows(
    lambda: (
        select(PAGE_VERSIONS.c.line_id, PAGE_VERSIONS.c.page_id)
        .where(
            PAGE_VERSIONS.c.computed_seed == given("seed"),
            PAGE_VERSIONS.c.valid_to.is_(None),
            ~PAGE_VERSIONS.c.deleted,
        )
        .order_by(PAGE_VERSIONS.c.line_id, PAGE_VERSIONS.c.page_id)
    )
)


class PlacedRow(Protocol):
    """A page that was placed for a source, on a line."""

    line_id: str
    page_id: str


@dataclass(slots=True)
class ComputedContent:
    """The answer of a source: the pages below the placed one, what they were computed with, or why not."""

    page: PageRecord
    computed: dict[str, Any]
    below: list[ComputedPage] | None = None
    files: dict[str, NewFile] = field(default_factory=dict)


async def perform(runtime: JobRuntime, job: Job) -> None:
    """Compute the placed page that a job names, or all of an integration in an organization that changed."""
    asked = job.payload
    await take_turn(runtime, job)
    cx = runtime.context(NOBODY)
    if "page" in asked:
        await _compute(runtime, asked["line"], asked["page"], again=asked["again"], since=job.created_at)
        return
    ends = time.monotonic() + SECONDS
    for row in await cx.db.all(_PLACED, seed=seed_of(job.organization_id, job.subject)):
        if time.monotonic() > ends:  # a job may not outlive its lease
            await runtime.write(NOBODY, partial(_ask_later, job=job, row=row), ACTION)
            continue
        again = asked.get("again", False)
        await _compute(runtime, row.line_id, row.page_id, again=again, since=job.created_at)


async def _ask_later(cx: Context, *, job: Job, row: PlacedRow) -> None:
    """Have a placed page computed by a job of its own."""
    type_, again = f"{INTEGRATION}{job.subject}:", job.payload.get("again", False)
    await source_renewals.ask(cx, row.line_id, job.organization_id, row.page_id, type_, again=again)


async def _compute(runtime: JobRuntime, line_id: str, page_id: str, *, again: bool, since: datetime) -> None:
    cx = runtime.context(NOBODY)
    line = await line_to_write(cx, line_id, merged=True)
    if line is None:
        return
    draft = Draft(cx, line)
    page = await draft.page(page_id)
    if page is None or not is_of_integration(page) or not is_placed(page):
        return
    held = {each.page_id: each for each in await draft.under(page_id)}
    try:
        again = again or "computedAt" not in (page.computed or {})
        found = await _Asking(cx, line.space.id, line.space.organization_id, page, held, again).ask()
    except Unavailable as busy:
        if since + PATIENCE > runtime.clock():
            retry_at = runtime.clock() + timedelta(seconds=busy.retry_after)
            raise Postponed(retry_at, busy.message) from None
        found = _failed(page, busy)
    except Problem as problem:
        found = _failed(page, problem)
    if found is None:
        return
    try:
        await runtime.write(NOBODY, partial(_write, line_id=line_id, found=found), ACTION)
    except Unavailable:
        raise
    except Problem as refused:  # a quota, or a path that is too long
        failed = partial(_write, line_id=line_id, found=_failed(page, refused))
        await runtime.write(NOBODY, failed, ACTION)


def _failed(page: PageRecord, problem: Problem) -> ComputedContent:
    """Return that a page stays as it is, and why."""
    said = problem.message[:LONGEST_ERROR].replace("\0", "")
    return ComputedContent(page, {**(page.computed or {}), "error": said})


async def _write(cx: Context, *, line_id: str, found: ComputedContent) -> None:
    """Write what a source said, unless the page is gone or computed from something else meanwhile."""
    line = await line_to_write(cx, line_id, merged=True)
    if line is None:
        return
    draft = Draft(cx, line)
    page = await draft.page(found.page.page_id)
    if page is None or page.computed is None or page.computed_seed != found.page.computed_seed:
        return
    if page.computed != found.page.computed:  # it was brought back from another time meanwhile
        await ask_again(draft, page)
        return
    page.computed = found.computed
    if found.below is not None:
        page.computed = {**found.computed, "computedAt": wire_time(cx.now)}
        await source_files.keep(draft, page.page_id, found.files)
        await computed_pages.fill(draft, page, NO_TEXT, found.below)
    if draft.changed or draft.gone or draft.bodies or draft.files:
        cx.note("space", line.space.id, line.space.organization_id, line.space.title)
        await commit(draft, type="computed")


@dataclass(slots=True)
class _Asking:
    """Asks a source for its pages, and for the texts of those that are new or computed from other things."""

    cx: Context
    space_id: str
    organization_id: str
    page: PageRecord
    held: dict[str, PageRecord]
    again: bool
    _ends: float = field(default_factory=lambda: time.monotonic() + SECONDS)
    _now: dict[str, Any] = field(default_factory=dict)
    _nested: int = 0

    async def ask(self) -> ComputedContent | None:
        """Return what the source says; None where it need not be asked."""
        before = self.page.computed or {}
        refs = {name: {"ref": each["ref"]} for name, each in before["dependencies"].items()}
        to = await content_sources.source_of(self.cx, self.space_id, before["type"])
        self._now = await content_sources.resolved(self.cx, self.organization_id, refs)
        current = {**before, "dependencies": self._now, "version": to.integration.version}
        current.pop("error", None)
        if before == current and not self.again:
            return None
        reader = AnswerReader(self.page.page_id, before["type"])
        pages = await self._pages(to, reader, before["type"], before["props"], "")
        ready = [await self._filled(to, reader, each, refs) for each in pages]
        fetching = FileFetching(self.cx.settings, self._ends, source_files.LARGEST)
        files = await source_files.fetched(fetching, list(reader.files.values()))
        return ComputedContent(self.page, current, ready, files)

    async def _pages(
        self, to: EventDestination, reader: AnswerReader, type_: str, props: dict[str, Any], parent: str
    ) -> list[AnsweredPage]:
        """Return the pages of a source below a page, with those of the sources that it names."""
        self._nested += 1
        if self._nested > MOST_NESTED:
            raise BadGateway(f"An answer may name at most {MOST_NESTED} further sources.")
        answer = await self._asked(to, "content_compute_revision", type_, props)
        found: list[AnsweredPage] = []
        for each in reader.read(answer, parent):
            found.append(each)
            if each.kind == "computed" and each.computed is not None:
                found += await self._pages(
                    to, reader, each.computed["type"], each.computed["props"], each.key
                )
        return found

    async def _filled(
        self, to: EventDestination, reader: AnswerReader, each: AnsweredPage, refs: dict[str, Any]
    ) -> ComputedPage:
        source = each.computed if each.kind == "document" else None
        made_from = [to.integration.version, source, self._now, reader.ids, reader.file_ids]
        seed = sha256(orjson.dumps(made_from, option=orjson.OPT_SORT_KEYS)).hexdigest()[:20]
        page_id = computed_pages.page_id_of(self.page.page_id, each.key)
        held = self.held.get(page_id)
        kept = not self.again and held is not None and held.computed_seed == seed
        body = None if each.kind == "link" or kept else NO_TEXT
        if source is not None and not kept:
            answer = await self._asked(to, "content_compute_document", source["type"], source["props"])
            body = await _text(answer.get("document"), reader)
        return ComputedPage(
            key=each.key,
            parent=each.parent,
            title=each.title,
            slug=each.slug,
            kind="link" if each.kind == "link" else "document",
            description=each.description,
            emoji=each.emoji,
            icon=each.icon,
            href=each.href,
            computed={**(each.computed or {"type": reader.type, "props": {}}), "dependencies": refs},
            seed=seed,
            body=body,
        )

    async def _asked(
        self, to: EventDestination, event: str, type_: str, props: dict[str, Any]
    ) -> dict[str, Any]:
        if time.monotonic() > self._ends:
            raise BadGateway(f"The source took longer than {SECONDS:.0f} seconds for its pages.")
        _, source = content_sources.names_of(type_)
        return await content_sources.ask(self.cx, to, event, self.space_id, source, props, self._now)


async def _text(document: object, reader: AnswerReader) -> str:
    """Return the Markdown of a document that a source answered with."""
    if isinstance(document, dict) and "document" not in document and "markdown" not in document:
        document = {"document": document}
    if not isinstance(document, dict):
        raise BadGateway("The integration answered without a document.")
    sent = {name: value for name, value in document.items() if name in ("document", "markdown")}
    try:
        body = checked(Body, with_references(sent, reader), strict=True)
        text = await page_text_of(body, "document") or NO_TEXT
        return await workers.run(len(text), with_text_references, text, reader) if body.markdown else text
    except Problem as wrong:
        path = str(getattr(wrong, "path", None) or "").replace("document.document", "document")
        said = f"{path}: {wrong.message}" if path else wrong.message
        raise BadGateway(f"The integration's document cannot be read: {said}") from None
