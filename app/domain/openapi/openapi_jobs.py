"""Reading an OpenAPI specification: fetched, checked beside this process, kept as a version where it is new.

A job's work (see `work`). Nothing is locked meanwhile: what comes out is kept only where nobody asked again
in between. Failures end as `complete` with a code, and the last version stays.
"""

from __future__ import annotations

import asyncio
import logging
import os
import posixpath
import subprocess
import sys
import time
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import orjson
from sqlalchemy import select

from app.access.audit_actions import AuditAction
from app.access.context import Context
from app.domain import jobs
from app.domain.infrastructure import blobs, circuit_breakers
from app.domain.infrastructure.circuit_breakers import CircuitOpen
from app.domain.jobs import NOBODY, JobRuntime
from app.domain.openapi.openapi_files import (
    Failure,
    FetchedFile,
    FetchedFiles,
    SpecificationFiles,
    SpecificationRefused,
)
from app.domain.openapi.openapi_specs import (
    BY_ID,
    OPENAPI_FILES,
    OPENAPI_VERSIONS,
    PROCESS,
    RENEW,
    note_change,
)
from app.formats.openapi import messages
from app.kit.database.statements import given, query, rows
from app.kit.ids import new_id
from app.kit.settings import Settings
from app.models.jobs import Job
from app.models.openapi_specs import OpenAPIFile, OpenAPISpec, OpenAPIVersion

ROOT = str(Path(__file__).parents[2])
MEMORY = 2 << 30  # bytes of address space
MOST_ANSWER = 400_000_000  # bytes
LIBRARIES = "LD_LIBRARY_PATH"  # runtimes such as that of AWS Lambda say so where libraries of Python are
TOO_LONG = "Reading the specification takes too long."
TOO_MUCH = "The specification needs too much memory, or cannot be read."
NOT_PROCESSED = "The specification could not be processed. Try again later."
BUSY = 3  # times as long by the clock as of the processor: on a busy machine others go first


def read_in_process(
    files: dict[str, bytes], entry: str, names: dict[str, str], *, seconds: float
) -> dict[str, Any]:
    """Return the answer of the child; blocking. What ends it is one of the answer's `errors`.

    The child may take so many seconds of the processor.
    """
    request = messages.written({"entry": entry, "names": names}, files)
    command = [sys.executable, "-m", "app.formats.openapi.worker", str(int(seconds) + 1), str(MEMORY)]
    places = [ROOT, *filter(None, sys.path)]
    surroundings = {"PYTHONPATH": os.pathsep.join(places), "PATH": os.defpath}
    if LIBRARIES in os.environ:
        surroundings[LIBRARIES] = os.environ[LIBRARIES]
    try:
        done = subprocess.run(
            command,
            input=request,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=surroundings,
            cwd=os.path.sep,
            timeout=BUSY * seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {"errors": [TOO_LONG]}
    if done.returncode != 0 or len(done.stdout) > MOST_ANSWER:
        was_stopped = done.returncode in (-24, -9)  # its time, or more memory than there is
        return {"errors": [TOO_LONG if was_stopped else TOO_MUCH]}
    answer, made = messages.read(done.stdout)
    return {**answer, **made}


log = logging.getLogger("docyard.openapi")
MOST_FILES = 200
MOST_ROUNDS = 12
MOST_TOLD = 20
ACTION = AuditAction("job", "processOpenAPISpec")
_FILES = query(
    OpenAPIFile, lambda: select(*OPENAPI_FILES.c).where(OPENAPI_FILES.c.version_id == given("version"))
)
_HASH = rows(lambda: select(OPENAPI_VERSIONS.c.content_hash).where(OPENAPI_VERSIONS.c.id == given("id")))


@dataclass(slots=True)
class Result:
    """The result of reading a specification: its files, and the answer of the child."""

    files: list[FetchedFile]
    entry: str
    names: dict[str, str]
    answer: dict[str, Any]

    @property
    def content_hash(self) -> str:
        """Return the same for the same bytes under the same names, whenever they were fetched."""
        parts = sorted((self.names[file.base], sha256(file.data).hexdigest()) for file in self.files)
        return sha256(orjson.dumps(parts)).hexdigest()


@dataclass(slots=True)
class Unchanged:
    """The server says that nothing is new."""


@dataclass(slots=True)
class Begun:
    """A specification whose processing began, with the files of its last version by their addresses."""

    spec: OpenAPISpec
    run: str
    held: dict[str, OpenAPIFile] = field(default_factory=dict)


async def process(runtime: JobRuntime, job: Job) -> None:
    """Read a specification, and have it read again by schedule where it has an address."""
    begun = await runtime.write(NOBODY, partial(_begin, run=job.payload["run"], spec_id=job.subject), ACTION)
    if begun is None:
        return
    keep = partial(_keep, runtime, begun)
    again: datetime | None = None
    try:
        if job.attempts > jobs.ATTEMPTS:  # none of them came to an end
            raise SpecificationRefused("PARSE_ERROR", NOT_PROCESSED)
        await keep(await _outcome(runtime, begun))
    except SpecificationRefused as refused:
        failure = refused.failure
    except CircuitOpen as open_:
        failure, again = Failure("FETCH_ERROR", (open_.message,)), open_.retry_at
    except Exception:
        if job.attempts < jobs.ATTEMPTS:
            raise
        log.exception("specification %s could not be processed", job.subject)
        failure = Failure("PARSE_ERROR", (NOT_PROCESSED,))
    else:
        return
    await keep(failure, again)


async def _keep(
    runtime: JobRuntime,
    begun: Begun,
    outcome: Result | Unchanged | Failure,
    again: datetime | None = None,
) -> None:
    await runtime.write(NOBODY, lambda cx: finish(cx, begun, outcome, again=again), ACTION)


async def _begin(cx: Context, *, spec_id: str, run: str) -> Begun | None:
    """Note that processing begins; None where another was asked for since, or there is nothing any more."""
    spec = await cx.db.first(BY_ID, id=spec_id)
    if spec is None or spec.run != run:
        return None
    await cx.tx.put(OpenAPISpec, {"state": "progress"}, id=spec.id)
    note_change(cx, "started", spec)
    held = await cx.db.all(_FILES, version=spec.last_version) if spec.last_version else []
    return Begun(spec, run, {file.url: file for file in held if file.url})


async def _outcome(runtime: JobRuntime, begun: Begun) -> Result | Unchanged:
    cx, spec = runtime.context(NOBODY), begun.spec
    if spec.text_blob_id is not None:
        data = await blobs.read(cx, spec.text_blob_id)
        return await _read(runtime.settings, SpecificationFiles({"": FetchedFile("", data)}, ""))
    assert spec.source_url is not None
    seconds = runtime.settings.openapi_timeout
    circuit = circuit_breakers.key_of("openapi", spec.organization_id, urlsplit(spec.source_url).netloc)
    # Reading takes its time too, and fetches other files meanwhile.
    async with circuit_breakers.guarded(runtime.db, circuit, cx.now, seconds=(1 + BUSY) * seconds) as asked:
        sources = FetchedFiles(cx, begun.held, time.monotonic() + seconds)
        try:
            await sources.get_entry(spec.source_url)
            if sources.is_unchanged and not spec.errors and await sources.others_unchanged():
                return Unchanged()
            return await _read(runtime.settings, sources)
        except SpecificationRefused as refused:
            asked.failed = refused.outage
            raise


async def _read(settings: Settings, sources: SpecificationFiles) -> Result:
    """Return the specification, with the files that it turns out to need; raises Refused."""
    ends = time.monotonic() + BUSY * settings.openapi_timeout
    for _ in range(MOST_ROUNDS):
        files = list(sources.files.values())
        names = _names(sources.entry, [file.base for file in files])
        answer = await asyncio.to_thread(_in_child, files, sources.entry, names, ends)
        if "errors" in answer:
            raise SpecificationRefused("PARSE_ERROR", *answer["errors"][:MOST_TOLD])
        missing = answer.get("needs")
        if not missing:
            return Result(files, sources.entry, _named(names, answer), answer)
        if len(files) + len(missing) > MOST_FILES:
            raise SpecificationRefused("PARSE_ERROR", f"The specification has more than {MOST_FILES} files.")
        for url in missing:
            await sources.get(url)
    raise SpecificationRefused(
        "PARSE_ERROR", f"The files of the specification refer to each other {MOST_ROUNDS} deep."
    )


def _in_child(files: list[FetchedFile], entry: str, names: dict[str, str], ends: float) -> dict[str, Any]:
    left = max(0.1, (ends - time.monotonic()) / BUSY)
    return read_in_process({file.base: file.data for file in files}, entry, names, seconds=left)


def _names(entry: str, urls: list[str]) -> dict[str, str]:
    """Return what the files are called: their paths below the folder that all are in."""
    if entry == "":
        return {"": ""}
    paths = {url: posixpath.normpath(urlsplit(url).path or "/").lstrip("/") for url in urls}
    folder = posixpath.commonpath([posixpath.dirname(path) for path in paths.values()]) if paths else ""
    found: dict[str, str] = {}
    for url, path in paths.items():
        name = posixpath.relpath(path, folder) if folder else path
        name = name if name not in (".", "") else "openapi"
        while name in found.values():
            name += "_"
        found[url] = name
    return found


def _named(names: dict[str, str], answer: dict[str, Any]) -> dict[str, str]:
    """Return the names; a text is called after its format."""
    return {url: name or messages.text_name(answer["formats"][url]) for url, name in names.items()}


async def finish(
    cx: Context, begun: Begun, outcome: Result | Unchanged | Failure, *, again: datetime | None = None
) -> None:
    """Keep what came out, unless somebody asked again meanwhile; have it read again at a time."""
    spec = await cx.db.first(BY_ID, id=begun.spec.id)
    if spec is None or spec.run != begun.run:
        return
    values: dict[str, Any] = {"state": "complete", "processed_at": cx.now, "errors": None}
    if isinstance(outcome, Failure):
        values["errors"] = [
            {"message": message[:1000].replace("\0", ""), "code": outcome.code}
            for message in outcome.messages or ("It is not known what went wrong.",)
        ]
    elif isinstance(outcome, Result):
        values["last_version"] = await _version(cx, spec, outcome)
        values["warnings"] = outcome.answer.get("warnings")
    await cx.tx.put(OpenAPISpec, values, id=spec.id)
    note_change(cx, "failed" if isinstance(outcome, Failure) else "completed", spec)
    if not isinstance(outcome, Failure) or spec.last_version is None:  # then the placed pages say so
        await jobs.cancel(cx, RENEW, spec.id)
        await jobs.enqueue(cx, RENEW, spec.id, spec.organization_id, due_at=cx.now)
    await jobs.cancel(cx, PROCESS, spec.id)  # who does this too finds it done
    if spec.source_url is not None and cx.settings.openapi_hours:
        again = again or cx.now + timedelta(hours=cx.settings.openapi_hours)
    if again is not None:
        payload = {"run": spec.run}
        await jobs.enqueue(cx, PROCESS, spec.id, spec.organization_id, due_at=again, payload=payload)


async def _version(cx: Context, spec: OpenAPISpec, result: Result) -> str:
    """Return the version that says this: the last one, or a new one."""
    last = await cx.db.first(_HASH, id=spec.last_version) if spec.last_version else None
    if spec.last_version and last is not None and last.content_hash == result.content_hash:
        for file in result.files:
            seen = {"etag": file.etag, "modified": file.modified, "url": file.url}
            await cx.tx.put(OpenAPIFile, seen, version_id=spec.last_version, name=result.names[file.base])
        return spec.last_version
    cx.note("openapi-spec", spec.id, spec.organization_id, spec.slug)
    return await _add(cx, spec, result)


async def _add(cx: Context, spec: OpenAPISpec, result: Result) -> str:
    answer, version_id = result.answer, new_id()
    kept: dict[str, bytes] = {}

    def keep(data: bytes) -> str:
        key = sha256(data).hexdigest()
        kept[key] = data
        return key

    row = {
        "id": version_id,
        "spec_id": spec.id,
        "content_hash": result.content_hash,
        "entry": result.names[result.entry],
        "content_blob_id": keep(answer["filesystem"]),
        "bundle_blob_id": keep(answer["bundle"]) if "bundle" in answer else None,
        "pages_blob_id": keep(answer["pages"]),
        "created_at": cx.now,
    }
    files = [
        {
            "version_id": version_id,
            "name": result.names[file.base],
            "url": file.url,
            "format": answer["formats"][file.base],
            "entrypoint": file.base == result.entry,
            "blob_id": keep(file.data),
            "size": len(file.data),
            "etag": file.etag,
            "modified": file.modified,
        }
        for file in result.files
    ]
    await blobs.keep(cx, kept, spec.organization_id, spec.id)
    await cx.tx.add_many(OpenAPIVersion, [row])
    await cx.tx.add_many(OpenAPIFile, files)
    return version_id
