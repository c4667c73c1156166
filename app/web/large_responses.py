"""Responses that are larger than a function can send: the bucket sends them instead.

A function answers with one event, whose size is limited. What fits is sent as it is. The body of anything
larger, whatever made it, is put into the bucket for a while, and the caller is redirected there. Where there
is no bucket, and for pages, which a browser would show at the wrong place, it is an error that says so.
"""

from __future__ import annotations

import logging
from contextlib import closing
from datetime import timedelta
from tempfile import SpooledTemporaryFile

import orjson
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.access.audit_actions import AuditAction
from app.access.context import Actor
from app.api.rest.errors import render
from app.kit.errors import Problem, TooLarge
from app.kit.http.headers import NO_STORE
from app.kit.ids import new_id
from app.runtime import Runtime

MOST_BYTES = 4_500_000  # of a body: in base64, as bytes are in an event, 6 MB
MOST_ESCAPED = 6_000_000  # bytes of a text as it is in an event, where quotes and line breaks are escaped
SURE = 1_000_000  # bytes of a body that fit however they are escaped
KEPT = timedelta(hours=1)  # for which the bucket has a body; whoever fetches it has begun by then
CONTROLS = bytes(range(32))
TOLD = ("content-type", "content-disposition", "content-encoding")
"""Headers that the bucket sends."""
OF_BODY = {*TOLD, "accept-ranges", "cache-control", "content-length", "content-range", "etag", "vary"}
log = logging.getLogger("docyard.web")


class LargeResponses:
    """Sends what is too large for one event to the bucket, and whoever asked for it after it."""

    def __init__(self, app: ASGIApp, runtime: Runtime) -> None:
        self._app, self._runtime = app, runtime

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        with closing(HeldResponse()) as held:
            await self._app(scope, receive, held.take)
            if held.fits():
                await send(held.start)
                await send({"type": "http.response.body", "body": held.body()})
                return
            answer = await self._redirect(scope, held)
        await answer(scope, receive, send)

    async def _redirect(self, scope: Scope, held: HeldResponse) -> Response:
        """Return what leads to the body in the bucket, or the reason why nothing does."""
        headers = Headers(raw=held.start["headers"])
        is_page = headers.get("content-type", "").startswith("text/html")
        if held.start["status"] != 200 or is_page or not self._runtime.settings.blobs:
            return _refusal(scope, TooLarge(_too_large(held.size, bool(self._runtime.settings.blobs))))
        try:
            url = await self._put(held, {name: headers[name] for name in TOLD if name in headers})
        except Problem as problem:
            return _refusal(scope, problem)
        log.info("a response of %d bytes to %s is in the bucket", held.size, scope["path"])
        answer = Response(status_code=307 if scope["method"] == "GET" else 303)
        others = [each for each in headers.raw if each[0].decode("latin-1").lower() not in OF_BODY]
        answer.raw_headers = [*others, (b"location", url.encode()), (b"cache-control", NO_STORE.encode())]
        return answer

    async def _put(self, held: HeldResponse, headers: dict[str, str]) -> str:
        """Put a body into the bucket, from which a job will remove it; return where it can be fetched."""
        from app.domain.infrastructure import blobs

        place, runtime = f"responses/{new_id()}", self._runtime
        remove = AuditAction("job", "removeObjects")
        await runtime.write(
            Actor(""), lambda cx: blobs.remove_later(cx, [place], due_at=cx.now + KEPT), remove
        )
        bucket = blobs.bucket(runtime.settings)
        await bucket.write_file(place, held.file())
        return await bucket.signed_get(place, blobs.SIGNED_FOR, headers)


class HeldResponse:
    """A response that is complete before any of it is sent; a large body is in a file."""

    def __init__(self) -> None:
        self.start: Message = {}
        self.size = 0
        self._body = SpooledTemporaryFile(MOST_BYTES)  # noqa: SIM115 - `close` closes it

    async def take(self, message: Message) -> None:
        """Hold what the application sends."""
        if message["type"] == "http.response.start":
            self.start = {"headers": [], **message}
        else:
            self.size += self._body.write(message.get("body", b""))

    def fits(self) -> bool:
        """Tell whether an event has room for it."""
        if self.size <= SURE or self.size > MOST_BYTES:
            return self.size <= SURE
        body = self.body()
        try:
            body.decode()
        except UnicodeDecodeError:
            return True  # as base64
        escaped = body.count(b'"') + body.count(b"\\") + body.count(b"\n")
        others = self.size - len(body.translate(None, CONTROLS)) - body.count(b"\n")
        return self.size + escaped + others * 5 <= MOST_ESCAPED

    def body(self) -> bytes:
        """Return the whole body."""
        self._body.seek(0)
        return self._body.read()

    def file(self) -> SpooledTemporaryFile[bytes]:
        """Return the body as a file, to be read from its beginning."""
        self._body.seek(0)
        return self._body

    def close(self) -> None:
        """Forget the body."""
        self._body.close()


def _too_large(size: int, has_bucket: bool) -> str:
    more = "ask for less at a time"
    if not has_bucket:
        more += "; larger ones need a bucket, which the server's operator names in DOCYARD_BLOBS"
    return f"The response has {size:,} bytes, and this server sends {MOST_BYTES:,} at most: {more}."


def _refusal(scope: Scope, problem: Problem) -> Response:
    """Return the error in the form of the API that was asked."""
    if scope["path"] != "/graphql":
        return render(problem)
    error = {"message": problem.message, "extensions": {"code": problem.code, "status": problem.status}}
    return Response(
        orjson.dumps({"errors": [error]}), problem.status, problem.headers, media_type="application/json"
    )
