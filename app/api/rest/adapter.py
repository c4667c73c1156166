"""The request cycle of REST: find the operation, authenticate, read the input, call, serialize the result.

Conditional requests (RFC 9110, section 13) and replays of retried writes are handled here for all operations.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qsl

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from app.access import scopes
from app.access.audiences import challenge
from app.access.audit_actions import AuditAction
from app.access.context import Actor, Context
from app.api.operation import Operation
from app.api.rest.errors import render, unexpected
from app.api.rest.reading import body_as, query_as
from app.api.rest.routing import Families
from app.api.versions import content_of, refuse_stale
from app.bodies import body_bytes, cost_of
from app.cookies import credentials, may_be_shared
from app.kit import workers
from app.kit.callers import address_of
from app.kit.clock import to_json
from app.kit.errors import MethodNotAllowed, NotFound, Problem
from app.kit.http.headers import NO_STORE, PUBLIC, etag, matches
from app.kit.logs import ASKED
from app.present.shape import showing
from app.runtime import Runtime, may_write

log = logging.getLogger("docyard.rest")
NOBODY = Actor("")
PREFIX = "/v1/"
IGNORED = "docyard.ignored_fields"


class Rest:
    """The REST face: answers everything under `/v1/`, and hands everything else on.

    It stands before the application's router, whose regular expressions would cost as much as the read.
    """

    def __init__(
        self, app: ASGIApp, *, runtime: Runtime, families: Families, besides: frozenset[str] = frozenset()
    ) -> None:
        self._app = app
        self._runtime = runtime
        self._families = families
        self._besides = besides

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        if scope["type"] != "http" or not path.startswith(PREFIX) or path in self._besides:
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        try:
            response = await self._answer(request)
        except Problem as problem:
            response = render(challenge(self._runtime.settings, problem))
        except Exception:
            log.exception("%s %s failed", scope["method"], scope["path"])
            response = unexpected()
        await response(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        found = self._families.find(request.scope["path"][len(PREFIX) :])
        if found is None or any("\x00" in value for value in found[1]):
            raise NotFound("There is nothing at this address.")
        methods, parameters = found
        asked = request.method
        operation = methods.get("GET" if asked == "HEAD" else asked)
        if operation is None:
            raise MethodNotAllowed(sorted(methods))
        request.scope[ASKED] = operation.id
        actor = await self._caller(request, operation)
        scopes.permit(actor, operation)
        if operation.writes:
            return await self._write(request, operation, methods.get("GET"), actor, parameters)
        arguments = operation.arguments(parameters)
        if operation.query is not None:
            arguments.append(query_as(operation.query, request.scope["query_string"]))
        if operation.asks and operation.body is not None:
            raw = await body_bytes(request, self._runtime.settings.body_limit)
            arguments.append(await _read_body(request, operation, raw))
        cx = self._runtime.context(actor)
        result = await operation.call(cx, *arguments)
        content = await showing(result, content_of, cx, operation, result)
        kept = getattr(result, "max_age", 0)  # seconds that the caller may keep the answer
        is_public = actor.is_nobody and may_be_shared(request, self._runtime.settings)
        return _read_answer(request, operation, content, kept, is_public=is_public)

    async def _caller(self, request: Request, operation: Operation) -> Actor:
        sent = (None, None) if operation.public else credentials(request, self._runtime.settings)
        if sent == (None, None) and (operation.public or operation.is_published):
            self._runtime.throttle.take("anonymous", request.scope)
            return NOBODY
        return await self._runtime.caller(request.scope, *sent)

    async def _write(
        self,
        request: Request,
        operation: Operation,
        reading: Operation | None,
        actor: Actor,
        parameters: list[str],
    ) -> Response:
        limit = self._runtime.settings.body_limit * (2 if operation.large else 1)
        raw = await body_bytes(request, limit)
        arguments = operation.arguments(parameters)
        if operation.query is not None:
            arguments.append(query_as(operation.query, request.scope["query_string"]))
        if operation.body is not None:
            arguments.append(await _read_body(request, operation, raw))

        expected = header(request, b"if-match")

        async def prepare() -> None:
            may_write(actor)
            if operation.prepare is not None:
                arguments.append(await operation.prepare(self._runtime.context(actor), *arguments))

        async def act(cx: Context) -> Response:
            if expected is not None and reading is not None:
                asked = reading.arguments(parameters)
                if reading.query is not None:
                    asked.append(query_as(reading.query, request.scope["query_string"]))
                await refuse_stale(cx, reading, asked, expected)
            result = await operation.call(cx, *arguments)
            if operation.show is None:
                return Response(status_code=operation.status, headers=_headers(request, operation))
            shown = operation.show(cx, result)
            if cx.notes is not None:
                cx.notes.shown = shown
            return _json(to_json(shown), operation.status, _headers(request, operation))

        address = address_of(request.scope, self._runtime.settings.proxies)
        path = tuple(zip(operation.parameters, parameters, strict=True))
        action = AuditAction("rest", operation.id, path, address)

        key = header(request, b"idempotency-key")
        if key is not None:
            return await _once(self._runtime, actor, request, key, raw, prepare, act, action)
        await prepare()
        return await self._runtime.write(actor, act, action)


async def _once(
    runtime: Runtime,
    actor: Actor,
    request: Request,
    key: str,
    raw: bytes,
    prepare: Callable[[], Awaitable[None]],
    act: Callable[[Context], Awaitable[Response]],
    action: AuditAction,
) -> Response:
    """Run a write once for an `Idempotency-Key`, however often it is sent."""
    from app.api.replays import WriteAnswer, replayed

    async def fingerprint() -> str:
        return await workers.run(cost_of(raw), _fingerprint, request, raw)

    async def answer(cx: Context) -> WriteAnswer:
        response = await act(cx)
        headers = {name: value for name, value in response.headers.items() if name != "content-length"}
        return WriteAnswer(bytes(response.body), response.status_code, headers)

    found = await replayed(runtime, actor, key, "Idempotency-Key", fingerprint, prepare, answer, action)
    replay = {"idempotency-replayed": "true"} if found.is_replay else {}
    return Response(found.body, found.status, {**(found.headers or {}), **replay})


def _fingerprint(request: Request, raw: bytes) -> str:
    """Return a hash of what was asked: the order of JSON keys and query parameters does not count."""
    scope = request.scope
    parameters = sorted(parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True))
    asked = [scope["method"], scope["path"], parameters, _canonical(raw)]
    return sha256(orjson.dumps(asked)).hexdigest()


def _canonical(raw: bytes) -> str:
    try:
        return orjson.dumps(orjson.loads(raw), option=orjson.OPT_SORT_KEYS).decode()
    except orjson.JSONDecodeError:  # some operations take a body that is not JSON, or none
        return raw.decode("latin-1")


def _read_answer(
    request: Request, operation: Operation, content: bytes, kept: int = 0, *, is_public: bool = False
) -> Response:
    is_published = is_public and operation.is_published
    if operation.asks or (operation.paged and not is_published):
        return _json(content, 200, _headers(request, operation))
    tag = etag(content)
    keeping = NO_STORE if operation.secret else f"private, max-age={kept}" if kept else "private, no-cache"
    headers = {**_headers(request, operation), "etag": tag, "cache-control": keeping}
    if is_published:
        headers |= {"cache-control": PUBLIC, "vary": "Authorization, Cookie, Origin"}
    if matches(header(request, b"if-none-match"), tag):
        return Response(status_code=304, headers=headers)
    return _json(content, 200, headers)


async def _read_body(request: Request, operation: Operation, raw: bytes) -> Any:
    assert operation.body is not None
    media = header(request, b"content-type") or ""
    body, ignored = await workers.run(cost_of(raw), body_as, operation.body, raw, media, operation.id)
    if ignored:
        request.scope[IGNORED] = ignored
    return body


def _headers(request: Request, operation: Operation) -> dict[str, str]:
    headers = {"deprecation": "true"} if operation.deprecated else {}
    if ignored := request.scope.get(IGNORED):
        headers["docyard-ignored-fields"] = ", ".join(ignored)
    return headers


def header(request: Request, name: bytes) -> str | None:
    """Return a request's header by its lower-case name, without decoding all the others."""
    for key, value in request.scope["headers"]:
        if key == name:
            return str(value, "latin-1")
    return None


def _json(content: bytes, status: int, headers: Mapping[str, str]) -> Response:
    return JsonResponse(content, status, headers)


class JsonResponse(Response):
    """JSON that is ready, with headers of our own, in lower case: the general case takes twice as long."""

    def __init__(self, content: bytes, status: int, headers: Mapping[str, str]) -> None:
        self.body, self.status_code, self.background = content, status, None
        self.raw_headers = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
        self.raw_headers += ((b"content-length", b"%d" % len(content)), _MEDIA_TYPE)


_MEDIA_TYPE = (b"content-type", b"application/json")
