"""Addresses of ours at which integrations answer: their public endpoints, pictures, and scripts for sites.

An integration answers at an origin of its own where the settings give it one, and at the origin of sites in
any case, where no session of ours is. Since others' sites are there, a browser is told to keep apart what a
stranger's script answers there: in a sandbox without an origin. Cookies are read by no page, and of its
headers a closed list is sent on.
"""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from app.api.rest.errors import render
from app.bodies import body_bytes
from app.domain.infrastructure import blobs
from app.domain.integrations import endpoint_cookies, endpoints, integration_pictures
from app.domain.integrations.dispatch import BODY
from app.domain.integrations.endpoints import EndpointCall, EndpointPath
from app.domain.site_addresses import addresses, own_origins
from app.domain.site_addresses.addresses import ENDPOINTS
from app.domain.sites import site_integrations
from app.formats.images import SHOWN
from app.kit.errors import Problem
from app.kit.http.headers import ENDPOINT, FILE, FOR_EVER, OWN_ENDPOINT, matches
from app.kit.settings import Settings
from app.runtime import Runtime
from app.web.files import disposition
from app.web.origins import asked_for

_SENT = """
    access-control-allow-headers access-control-allow-methods access-control-allow-origin
    access-control-expose-headers access-control-max-age cache-control content-disposition content-language
    content-type etag expires last-modified location retry-after vary www-authenticate
"""
SENT = frozenset(_SENT.split())


async def endpoint(runtime: Runtime, request: Request) -> Response:
    """Answer as the integration does at its public endpoint."""
    values = request.path_params
    door = EndpointPath(
        values["name"], values.get("installation"), _KINDS.get(values.get("kind", "")), values.get("object")
    )
    own = own_origins.asked(request.scope)
    is_elsewhere = own and own != own_origins.label("i", door.integration)
    if is_elsewhere or ("kind" in values and door.kind is None):
        return Response(status_code=404)
    try:
        runtime.throttle.take("endpoint", request.scope)
        limit = min(BODY, runtime.settings.body_limit)
        asked = EndpointCall(
            request.method,
            _url(runtime.settings, request, door.integration),
            _headers(request),
            await body_bytes(request, limit),
            is_own=bool(own),
        )
        result, policy = await endpoints.answer(runtime.context_of_nobody(), door, asked)
    except Problem as problem:
        return render(problem)
    response = Response(result.body, result.status, OWN_ENDPOINT if own else ENDPOINT)
    if policy is not None:  # a second policy only takes away
        response.headers.append("content-security-policy", policy)
    for name, value in result.headers:
        if name.lower() in SENT:
            response.headers.append(name, value)
    for cookie in endpoint_cookies.to_set(
        runtime.settings, door.integration, result.headers, is_own=bool(own)
    ):
        response.headers.append("set-cookie", cookie)
    return response


async def carry_on(runtime: Runtime, request: Request) -> Response:
    """Set the cookies of an answer that a visitor got at a site, and lead on to where it leads."""
    name, cx, query = request.path_params["name"], runtime.context_of_nobody(), request.query_params
    own = own_origins.asked(request.scope)
    if own and own != own_origins.label("i", name):
        return Response(status_code=404)
    try:
        to, said = endpoint_cookies.brought(cx, name, query.get("seal", ""), query.get("with", ""))
    except Problem as problem:
        return render(problem)
    response = RedirectResponse(to, 303)
    headers = [("set-cookie", each) for each in said]
    for cookie in endpoint_cookies.to_set(runtime.settings, name, headers, is_own=bool(own)):
        response.headers.append("set-cookie", cookie)
    return response


async def picture(runtime: Runtime, request: Request) -> Response:
    """Return a picture of an integration. Its name is the hash of its bytes, so it never changes."""
    values, cx = request.path_params, runtime.context_of_nobody()
    try:
        found = await integration_pictures.get(cx, values["integration"], values["name"])
        headers = {
            **FILE,
            "content-type": found.content_type,
            "content-disposition": disposition(
                "inline" if found.content_type in SHOWN else "attachment", found.name
            ),
            "cache-control": FOR_EVER,
            "etag": f'"{found.blob_id}"',
        }
        if matches(request.headers.get("if-none-match"), headers["etag"]):
            return Response(status_code=304, headers=headers)
        return Response(await blobs.read(cx, found.blob_id), headers=headers)
    except Problem as problem:
        return render(problem)


async def site_script(runtime: Runtime, request: Request) -> Response:
    """Return a script for the pages of a site. Its name is the hash of its text, so it never changes."""
    values, cx = request.path_params, runtime.context_of_nobody()
    try:
        script = await site_integrations.get(cx, values["installation"], values["site"], values["name"])
    except Problem as problem:
        return render(problem)
    headers = {"cache-control": FOR_EVER, "cross-origin-resource-policy": "cross-origin"}
    return Response(script, media_type="text/javascript", headers=headers)


_KINDS = {"spaces": "space", "sites": "site"}


def _url(settings: Settings, request: Request, integration: str) -> str:
    """Return the address asked for, under the configured base: `Host` is anybody's word."""
    is_own = own_origins.asked(request.scope)
    at = (addresses.of_own_endpoints if is_own else addresses.of_endpoints_beside)(settings, integration)
    return f"{at}/{asked_for(request).partition(f'/{ENDPOINTS}/')[2].partition('/')[2]}"


def _headers(request: Request) -> list[tuple[str, str]]:
    return [(str(name, "latin-1"), str(value, "latin-1")) for name, value in request.scope["headers"]]
