"""Reading of GraphQL requests and writing of answers (GraphQL over HTTP, sections 5 and 6).

A request is a POST with JSON, or a GET with the same parts in its query string. Only queries run by GET, and
no form can be sent, so that no link and no foreign page can cause a change (threats, 49).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from app.access.context import Actor
from app.api.graphql.errors import extensions as typed
from app.api.graphql.errors import with_levels
from app.api.graphql.persisted import persisted
from app.api.graphql.trusted import TrustedDocuments
from app.bodies import body_bytes, cost_of, json_of, json_value
from app.kit import workers
from app.kit.clock import to_json
from app.kit.deadlines import check
from app.kit.errors import Invalid, Problem
from app.kit.http.headers import NO_STORE, PUBLIC, KeptTag, KeptTags, etag, matches

RESPONSE = "application/graphql-response+json"
JSON = "application/json"
EVENTS = "text/event-stream"
KEPT_TYPES = 200
MOST_ITEMS = 5_000  # of one list in the variables, documents aside
GET_LIMIT = 100_000  # bytes of a query string
BRIEF = 4_000
"""Bytes of a request whose reading nothing has to bound."""


@dataclass(slots=True, frozen=True)
class GraphQLRequest:
    """A request of a client; `size` is what reading it costs in the worker pool, 0 for brief ones."""

    text: str | None
    variables: dict[str, Any]
    operation: str | None
    extensions: dict[str, Any]
    size: int

    def document(self, trusted: TrustedDocuments) -> str:
        """Return the document that was sent, or what is known by its hash; raises as `persisted` does."""
        return persisted(self.text, self.extensions, trusted)


async def read(request: Request, limit: int) -> GraphQLRequest:
    """Read a request whose body has at most `limit` bytes.

    Raises Invalid, NotJson and TooLarge.
    """
    if request.method != "POST":
        raw = request.scope["query_string"]
        if len(raw) <= BRIEF:
            return _from_query(dict(request.query_params), len(raw))
        return await workers.run(len(raw), _from_query, dict(request.query_params), len(raw))
    raw = await body_bytes(request, limit)
    if len(raw) <= BRIEF:
        return _from_body(raw, request.headers.get("content-type", ""))
    return await workers.run(cost_of(raw), _from_body, raw, request.headers.get("content-type", ""))


def _from_body(raw: bytes, content_type: str) -> GraphQLRequest:
    value = json_of(raw, content_type)
    if not isinstance(value, dict):
        raise Invalid("Send one JSON object with `query`.", path="body")
    return _asked(value, 0 if len(raw) <= BRIEF else cost_of(raw))


def _from_query(sent: Mapping[str, str], size: int) -> GraphQLRequest:
    if size > GET_LIMIT:
        raise Invalid(f"A query string may have at most {GET_LIMIT:,} bytes; send a POST.", path="query")
    value: dict[str, Any] = {name: sent[name] for name in ("query", "operationName") if name in sent}
    for name in ("variables", "extensions"):
        if sent.get(name):
            value[name] = json_value(sent[name].encode(), name)
    return _asked(value, 0 if size <= BRIEF else size)


def _asked(value: Mapping[str, Any], size: int) -> GraphQLRequest:
    text, variables, operation = value.get("query"), value.get("variables"), value.get("operationName")
    if not isinstance(text, str | None):
        raise Invalid("`query` must be text.", path="query")
    if not isinstance(variables, dict | None):
        raise Invalid("`variables` must be an object.", path="variables")
    if not isinstance(operation, str | None):
        raise Invalid("`operationName` must be text.", path="operationName")
    extensions = value.get("extensions")
    if not isinstance(extensions, dict | None):
        raise Invalid("`extensions` must be an object.", path="extensions")
    _check_lists(variables)
    return GraphQLRequest(text, variables or {}, operation, extensions or {}, size)


def _check_lists(variables: Any) -> None:
    """Refuse lists that no input takes, before each of their items is converted."""
    waiting = [variables]
    while waiting:
        check()
        value = waiting.pop()
        if isinstance(value, list):
            if len(value) > MOST_ITEMS:
                raise Invalid(f"A list may have at most {MOST_ITEMS:,} items.", path="variables")
            waiting += value
        elif isinstance(value, dict):
            waiting += [inner for name, inner in value.items() if name != "document"]


def answered(request: Request, body: Mapping[str, Any], headers: Mapping[str, str]) -> Response:
    """Return the answer to an operation that ran."""
    return _response(request, to_json(body), 200, headers)


def answered_get(request: Request, body: Mapping[str, Any], *, is_public: bool) -> Response:
    """Return the answer to a query by GET: without errors it has an ETag, or is 304 to who holds it."""
    content = to_json(body)
    if "errors" in body:
        return _response(request, content, 200)
    headers = conditional(etag(content), is_public=is_public)
    if matches(request.headers.get("if-none-match"), headers["etag"]):
        return Response(status_code=304, headers=headers)
    return _response(request, content, 200, headers)


def conditional(tag: str, *, is_public: bool) -> dict[str, str]:
    """Return the headers that tell caches what to do with an answer, which all may read if `is_public`."""
    return {
        "etag": tag,
        "cache-control": PUBLIC if is_public else "private, no-cache",
        "vary": "Accept, Authorization, Cookie, Origin",
    }


def key(request: Request, actor: Actor) -> Hashable:
    """Return what a query by GET asks, and who asks it."""
    asked = blake2b(request.scope["query_string"], digest_size=16).digest()
    return asked, actor.user_id, actor.token_id, actor.installation


def keep(
    tags: KeptTags[Actor], request: Request, response: Response, version: Hashable, actor: Actor
) -> None:
    """Keep the tag of an answer that was made while the database stayed at this version."""
    tag = response.headers.get("etag")
    if tag is not None:
        tags.put(key(request, actor), KeptTag(tag, version, actor, tuple(actor.counted or ())))


def reads_events(request: Request) -> bool:
    """Tell whether a client reads server-sent events, among others perhaps: it may subscribe."""
    return EVENTS in _accepted(request).lower()


def wants_events(request: Request) -> bool:
    """Tell whether a client reads nothing but server-sent events."""
    accept = _accepted(request).lower()
    return EVENTS in accept and RESPONSE not in accept and JSON not in accept


def _accepted(request: Request) -> str:
    """Return the header `Accept`, which every answer asks for several times."""
    for name, value in request.scope["headers"]:
        if name == b"accept":
            return str(value, "latin-1")
    return ""


def not_run(request: Request, errors: list[dict[str, Any]]) -> Response:
    """Return the answer to a well-formed request that could not be run.

    Its status is 400, but 200 in the older media type, whose clients take others for faults of the server.
    """
    media = media_type(_accepted(request))
    status = 400 if media == RESPONSE or wants_events(request) else 200
    return _response(request, to_json({"errors": errors}), status)


def refused(request: Request, problem: Problem) -> Response:
    """Return the answer to a request that was refused as a whole, with the status that REST has for it."""
    body = {"errors": [{"message": with_levels(problem.message), "extensions": typed(problem)}]}
    return _response(request, to_json(body), problem.status, problem.headers)


@lru_cache(KEPT_TYPES)
def media_type(accept: str) -> str:
    """Return the media type to answer in: the newer one to clients that prefer it to plain JSON."""
    quality: dict[str, float] = {}
    for part in accept.lower().split(","):
        name, *parameters = (each.strip() for each in part.split(";"))
        weights = [each[2:] for each in parameters if each.startswith("q=")]
        quality[name] = float(weights[0]) if weights and weights[0].replace(".", "", 1).isdecimal() else 1.0
    wanted = quality.get(RESPONSE, 0.0)
    return RESPONSE if wanted > 0 and wanted >= quality.get(JSON, 0.0) else JSON


def _response(
    request: Request, content: bytes, status: int, headers: Mapping[str, str] | None = None
) -> Response:
    """Return an answer, or the one event that clients of events want: of a status they understand nothing.

    (GraphQL over SSE, distinct connections mode.) Statuses on which they come again are statuses.
    """
    if wants_events(request) and status < 500 and status not in _COME_AGAIN:
        return _event(content)
    media = media_type(_accepted(request))
    return Response(content, status, headers, media_type=media)


def _event(content: bytes) -> Response:
    """Return a result as a stream of one event."""
    from app.kit.http.event_streams import COMPLETE, StreamEvent, encode  # few clients read events alone

    content = encode(StreamEvent(content)) + COMPLETE
    return Response(content, media_type=EVENTS, headers={"cache-control": NO_STORE})


_COME_AGAIN = frozenset({401, 405, 429})  # with another token, another method, or later
