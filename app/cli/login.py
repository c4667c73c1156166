"""`docyard login`, `logout` and `whoami`: this command line as a program of somebody at a server."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import httpx
from cyclopts import App, Parameter

from app.cli import login_profile
from app.cli.command_settings import CommandRefused
from app.cli.login_profile import AGAIN, CLIENT_ID, Profile, calling, connected
from app.cli.output import give, say, table
from app.cli.session import OrganizationOption

GRANT = "urn:ietf:params:oauth:grant-type:device_code"
_ENDED = {
    "access_denied": "The request was denied in the browser. You are not logged in.",
    "expired_token": f"The code has expired. {AGAIN}",
}


async def login(
    url: Annotated[str, Parameter(help="URL of the server")],
    /,
    *,
    read_only: Annotated[bool, Parameter(negative="", help="request read-only access")] = False,
) -> None:
    """Log in to a server, by a code that you enter in a browser."""
    base = login_profile.checked_address(url)
    async with calling() as http:
        known = await _metadata(http, base)
        codes = await _codes(http, known, "read" if read_only else "read write")
        say(f"Open {codes['verification_uri_complete']} in a browser and check that it shows this code:")
        say(codes["user_code"])
        got = await _tokens(http, known, codes)
        empty = Profile(base, "", "", 0, known["token_endpoint"], known["revocation_endpoint"])
        profile = login_profile.with_tokens(empty, got)
        login_profile.save(profile)
        me = await login_profile.RemoteServer(profile, http).call("GET", "/user")
    say(f"You are {me['displayName']} at {base}. The tokens are stored in {login_profile.file()}.")


async def _metadata(http: httpx.AsyncClient, base: str) -> dict[str, Any]:
    """Return what the server says of itself; raises CommandRefused for another's word."""
    found = httpx.URL(base)
    path = found.path.rstrip("/")
    place = found.copy_with(path=f"/.well-known/oauth-authorization-server{path}")
    answer = await http.get(place)
    try:
        known: Any = answer.json()
    except ValueError:
        known = None
    if answer.is_error or not isinstance(known, dict) or known.get("issuer") != base:
        raise CommandRefused(
            f"There is no Docyard at {base}, or its public URL is a different one (DOCYARD_BASE_URL)."
        )
    for name in ("token_endpoint", "revocation_endpoint", "device_authorization_endpoint"):
        if not str(known.get(name)).startswith(f"{base}/"):
            raise CommandRefused(f"The server at {base} gives a {name} of a different server.")
    return known


async def _codes(http: httpx.AsyncClient, known: dict[str, Any], scope: str) -> dict[str, Any]:
    sent = {"client_id": CLIENT_ID, "scope": scope}
    answer = await http.post(known["device_authorization_endpoint"], data=sent)
    if answer.is_error:
        raise CommandRefused(f"The server did not return a code (status {answer.status_code}).")
    codes: dict[str, Any] = answer.json()
    return codes


async def _tokens(http: httpx.AsyncClient, known: dict[str, Any], codes: dict[str, Any]) -> dict[str, Any]:
    """Wait until somebody has answered in the browser."""
    seconds = codes["interval"]
    sent = {"grant_type": GRANT, "client_id": CLIENT_ID, "device_code": codes["device_code"]}
    while True:
        await asyncio.sleep(seconds)
        answer = await http.post(known["token_endpoint"], data=sent)
        got: dict[str, Any] = answer.json()
        if answer.is_success:
            return got
        error = str(got.get("error"))
        if error == "slow_down":
            seconds += 5
        elif error != "authorization_pending":
            raise CommandRefused(_ENDED.get(error, f"The server refused the login: {error}."))


async def logout() -> None:
    """End the login on the server, and delete its tokens."""
    profile = login_profile.load()
    try:
        async with calling() as http:
            sent = {"client_id": CLIENT_ID, "token": profile.refresh}
            answer = await http.post(profile.revocation_endpoint, data=sent)
            answer.raise_for_status()
    except CommandRefused:
        say(f"{profile.url} does not answer. Revoke the access there, under connected applications.")
    login_profile.forget()
    say(f"You are logged out of {profile.url}.")


async def whoami() -> None:
    """Show who is logged in, and to which server."""
    profile = login_profile.load()
    async with connected(profile) as server:
        me = await server.call("GET", "/user")
    give(str(me.get("email", me["id"])))
    say(f"{me['displayName']} at {profile.url}")


space_app = App(name="space")


@space_app.command(name="list")
async def list_spaces(*, org: OrganizationOption) -> None:
    """List the spaces of an organization on the server you are logged in to."""
    async with connected(login_profile.load()) as server:
        found = [each async for each in server.items(f"/orgs/{org}/spaces")]
    table(("id", "title", "visibility"), ((s["id"], s["title"], s["visibility"]) for s in found))
