"""Factories for imports: sources, import runs from their start to their end, and what they created."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from app.domain import lanes
from app.domain.imports import import_jobs
from app.domain.imports.import_runs import RUN
from app.domain.jobs import NOBODY
from app.kit.clock import utc_now
from app.models.jobs import Job
from app.runtime import Runtime
from tests import make
from tests.cast import Cast, Person
from tests.factories.openapi import at_work
from tests.timing import TIMEOUT, until

MARKDOWN = "text/markdown; charset=utf-8"
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"


def docx(title: str, text: str, picture: bytes | None = None) -> bytes:
    """A Word document with a title, a paragraph and perhaps a picture."""
    shown = f"""<w:p><w:r><w:drawing><wp:inline xmlns:wp="{DRAWING}/wordprocessingDrawing">
        <wp:docPr id="1" name="p" descr="A picture"/><a:graphic xmlns:a="{DRAWING}/main"><a:graphicData>
        <pic:pic xmlns:pic="{DRAWING}/picture"><pic:blipFill><a:blip r:embed="p"/></pic:blipFill></pic:pic>
        </a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>"""
    body = f"""<w:p><w:pPr><w:pStyle w:val="Title"/></w:pPr><w:r><w:t>{title}</w:t></w:r></w:p>
        <w:p><w:r><w:t>{text}</w:t></w:r></w:p>{shown if picture else ""}"""
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        '<Default Extension="png" ContentType="image/png"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="d" '
        f'Type="{OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/document.xml": f'<w:document xmlns:w="{WORD}" xmlns:r="{OFFICE}">'
        f"<w:body>{body}</w:body></w:document>",
        "word/styles.xml": f'<w:styles xmlns:w="{WORD}"><w:style w:type="paragraph" w:styleId="Title">'
        '<w:name w:val="Title"/></w:style></w:styles>',
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships">'
        f'<Relationship Id="s" Type="{OFFICE}/styles" Target="styles.xml"/>'
        f'<Relationship Id="p" Type="{OFFICE}/image" Target="media/p.png"/></Relationships>',
    }
    return make.zipped({**parts, **({"word/media/p.png": picture} if picture else {})})


def brings(person: Person, space: str, url: str, source: str, page: str | None = None) -> httpx.Response:
    """An import from an address, into a space or one of its pages."""
    place = f"content/page/{page}/import" if page else "content/import"
    return person.post(f"/v1/spaces/{space}/{place}", {"url": url, "source": source})


def done(answer: httpx.Response) -> dict[str, Any]:
    """Return the answer of an import that must succeed."""
    assert answer.status_code == 201, answer.text
    said: dict[str, Any] = answer.json()
    return said


def page(person: Person, space: str, path: str) -> dict[str, Any]:
    """A page with its body."""
    answer = person.get(f"/v1/spaces/{space}/content/path/{path}")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def tree(person: Person, space: str) -> list[Any]:
    """The paths of a space's pages; a page with children as a pair."""

    def told(found: list[dict[str, Any]]) -> list[Any]:
        named = [(p.get("path", p["title"]), told(p.get("pages", []))) for p in found]
        return [(path, below) if below else path for path, below in named]

    return told(person.get(f"/v1/spaces/{space}/content/pages").json()["pages"])


def files(person: Person, space: str) -> dict[str, bytes]:
    """The bytes of a space's files by their path in the repository."""
    found = person.get(f"/v1/spaces/{space}/content/files").json()["items"]
    return {file["git"]["path"]: httpx.get(file["downloadURL"], timeout=TIMEOUT).content for file in found}


def path(cast: Cast, *tail: str) -> str:
    """The address of the organization's import runs, or of something below."""
    return "/".join([f"/v1/orgs/{cast.organization}/imports", *tail])


def started(cast: Cast, source: dict[str, Any], target: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """A run that Ed has started."""
    answer = cast.ed.post(path(cast), {"source": source, "target": target, **fields})
    assert answer.status_code == 201, answer.text
    run: dict[str, Any] = answer.json()
    assert run["status"] == "pending"
    return run


def website(url: str) -> dict[str, str]:
    """A website as a source."""
    return {"type": "website", "url": url}


def got(cast: Cast, run: dict[str, Any], person: Person | None = None) -> dict[str, Any]:
    """A run as it stands."""
    answer = (person or cast.ada).get(path(cast, run["id"]))
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def ended(cast: Cast, run: dict[str, Any]) -> dict[str, Any]:
    """A run once it has ended."""

    until(lambda: got(cast, run)["status"] not in ("pending", "in-progress"), "the import run does not end")
    return got(cast, run)


@contextmanager
def left_alone() -> Iterator[None]:
    """The running product leaves import runs to the test meanwhile."""
    with pytest.MonkeyPatch.context() as patch:
        for lane in lanes.LANES:
            if RUN in lane.kinds:
                patch.delitem(lane.kinds, RUN)
        yield


def begin(cast: Cast, run: dict[str, Any], attempts: int = 1) -> None:
    """Begin a run, as a process does that dies then."""

    async def first(runtime: Runtime) -> None:
        held = job(run, attempts)
        await runtime.write(NOBODY, lambda cx: import_jobs._begin(cx, held), import_jobs.ACTION)

    at_work(cast, first)


def job(run: dict[str, Any], attempts: int = 1) -> Job:
    """The job of a run, leased for the first time or again."""
    now = utc_now()
    return Job(
        id="job", kind=RUN, subject=run["id"], organization_id=run["organization"], payload={},
        state="running", attempts=attempts, due_at=now, created_at=now,
    )  # fmt: skip


def performed(cast: Cast, run: dict[str, Any], attempts: int = 1, **settings: Any) -> dict[str, Any]:
    """A run after its job was done."""
    at_work(cast, lambda runtime: import_jobs.perform(runtime, job(run, attempts)), **settings)
    return got(cast, run)
