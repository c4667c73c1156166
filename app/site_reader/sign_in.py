"""Authentication of visitors at a site, and the cookies that remember it.

A key or a token in the URL is exchanged for a cookie and removed from the URL. A cookie is limited to one
site by its name and its path, hidden from scripts, and only sent when a person navigates to the site.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from app.access.context import Context
from app.domain.publishing import visitors
from app.domain.sites import site_integrations, site_nodes
from app.formats.markdown.safe_html import followed
from app.kit.errors import Problem
from app.site_reader import request_url, responses, site_navigation
from app.site_reader.responses import SiteResponse
from app.site_reader.state import ReaderState
from app.site_reader.visit import Visit, quoted

KEY, TOKEN = "shareKey", "jwt_token"
SAID = "visitor."
MOST_SAID = 1000  # characters
SAID_FOR = 30 * visitors.DAY


@dataclass(slots=True, frozen=True)
class Credentials:
    """The credentials of a request: what its address says, a token in a header, and cookies by name."""

    query: Mapping[str, str]
    bearer: str
    cookies: Mapping[str, str]

    @property
    def key(self) -> str:
        """Return the share key in the address."""
        return self.query.get(KEY, "")

    @property
    def token(self) -> str:
        """Return a visitor's token: of the address, or for programs of the header."""
        return self.query.get(TOKEN, "") or self.bearer

    @property
    def links(self) -> list[str]:
        """Return the share links that the cookies' passes name."""
        passes = [value for name, value in self.cookies.items() if name.endswith(_PASS)]
        return [link for each in passes[:10] if (link := visitors.link_of(each))]

    def pass_for(self, site: Any) -> str:
        """Return the pass for this site."""
        return self._cookie(site, _PASS)

    def said_of(self, site: Any) -> dict[str, str]:
        """Return what the visitor says of themselves: in the address now, or before."""
        before = dict(request_url.pairs_of(self._cookie(site, _SAYS)[:MOST_SAID]))
        return {**before, **self._said_now()}

    def in_address(self, site: Any) -> bool:
        """Return whether the address has something that is to be remembered and taken out of it."""
        if KEY in self.query and site.visibility == "share-link":
            return True
        if TOKEN in self.query and (site.visibility == "visitor-auth" or site.adaptive_content):
            return True
        return bool(site.adaptive_content and self._said_now())

    def _said_now(self) -> dict[str, str]:
        return {name[len(SAID) :]: value for name, value in self.query.items() if name.startswith(SAID)}

    def _cookie(self, site: Any, kind: str) -> str:
        for prefix in ("__Secure-", ""):
            if value := self.cookies.get(f"{prefix}{site.id}{kind}"):
                return value
        return ""


_PASS, _SAYS = "_visitor", "_says"


def credentials(scope: Any) -> Credentials:
    """Read the credentials of a request."""
    scheme, _, token = request_url.header(scope, b"authorization").partition(" ")
    bearer = token.strip() if scheme.lower() == "bearer" and token.count(".") == 2 else ""
    pairs = (part.partition("=") for part in request_url.header(scope, b"cookie").split(";"))
    cookies = {name.strip(): value.strip() for name, _, value in pairs if name.strip()}
    return Credentials(request_url.query_of(scope), bearer, cookies)


def remember(
    state: ReaderState, visit: Visit, shown: Credentials, unsigned: Mapping[str, Any]
) -> SiteResponse:
    """Send a visitor on to the address without what it said, with cookies that say it from now on."""
    kept = {
        name: value
        for name, value in shown.query.items()
        if name not in (KEY, TOKEN) and not name.startswith(SAID)
    }
    query = f"?{urlencode(kept)}" if kept else ""
    made = responses.redirect((visit.base + quoted(visit.parts) or "/") + query, status=303)
    visitor = visit.visitor
    if visitor.kind != "open":
        seconds = int(visitor.until - visit.cx.now.timestamp())
        _set(made, visit, _PASS, visitors.pass_of(visit.cx, visit.site, visitor), seconds)
    if unsigned:
        said = {name: shown.said_of(visit.site)[name] for name in unsigned}
        if len(urlencode(said)) <= MOST_SAID:
            _set(made, visit, _SAYS, urlencode(said), SAID_FOR)
    return made


def forget(made: SiteResponse, visit: Visit) -> SiteResponse:
    """Take the cookies of a site back."""
    _set(made, visit, _PASS, "", 0)
    return made


def _set(made: SiteResponse, visit: Visit, kind: str, value: str, seconds: int) -> None:
    secure = visit.address.startswith("https://")
    name = f"{'__Secure-' if secure else ''}{visit.site.id}{kind}"
    flags = f"; Path={visit.base or '/'}; Max-Age={max(seconds, 0)}; HttpOnly; SameSite=Lax"
    made.header("set-cookie", f"{name}={value}{flags}{'; Secure' if secure else ''}")


async def sign_in_required(
    state: ReaderState, cx: Context, site: Any, parts: list[str], shown: Credentials
) -> SiteResponse:
    """Answer those who are not let in: where to sign in, or that a link is needed."""
    if site.visibility == "share-link":
        return responses.error_page(
            state.runtime.settings,
            404,
            "needs-link",
            language=site_navigation.language_of(site_nodes.planted(site)),
        )
    wants_page = parts[:1] != ["~"] and not (parts and parts[-1].endswith((".md", ".txt", ".xml")))
    if wants_page:
        sent_on = await _sent_by(cx, site, location=quoted(parts) or "/", search_params=shown.query)
        if sent_on is not None:
            return sent_on
    if site.fallback_url and wants_page:
        return responses.redirect(with_location(site.fallback_url, quoted(parts) or "/"), status=303)
    language = site_navigation.language_of(site_nodes.planted(site))
    made = responses.error_page(state.runtime.settings, 401, "needs-sign-in", language=language)
    return made.header("www-authenticate", "Bearer")


async def sign_out_redirect(cx: Context, site: Any) -> SiteResponse | None:
    """Redirect to where the site's integration sends who signs out; None where it does not say."""
    return await _sent_by(cx, site, logout=True)


async def _sent_by(cx: Context, site: Any, **asked: Any) -> SiteResponse | None:
    """Redirect to where the site's integration sends who signs in, or out; None where it does not say."""
    from app.domain.integrations import endpoint_cookies, endpoints

    installation = site_integrations.signs_in(site)
    if installation is None:
        return None
    door = endpoints.EndpointPath(installation.name, installation.id, "site", site.id)
    try:
        result = await endpoints.authenticate_visitor(cx, door, **asked)
    except Problem:
        return None
    headers = {name.lower(): value for name, value in dict(result.headers).items()}
    address = str(headers.get("location", ""))
    if not address.lower().startswith(("https://", "http://")) or followed(address) is None:
        return None
    return responses.redirect(
        endpoint_cookies.carried(cx, installation.name, address, result.headers), status=303
    )


def with_location(address: str, path: str) -> str:
    """Return the sign-in address with where on the site visitors wanted to go: a path, never more."""
    parts = urlsplit(address)
    query = "&".join(part for part in (parts.query, f"location={quote(path, safe='/')}") if part)
    return parts._replace(query=query).geturl()
