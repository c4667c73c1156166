"""OAuth requests as programs send them, those programs, and the answers, apart from any web framework."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hmac import compare_digest
from typing import Any
from urllib.parse import parse_qsl

from authlib.oauth2 import OAuth2Request
from authlib.oauth2.rfc6749 import ClientMixin, InvalidRequestError, OAuth2Payload
from authlib.oauth2.rfc8628 import DEVICE_CODE_GRANT_TYPE

from app.access import audiences
from app.access.audiences import Audience
from app.access.context import Context
from app.access.scopes import READ
from app.domain.accounts.oauth import redirects
from app.kit.errors import Invalid
from app.kit.signing import token_hash
from app.models.oauth import DESCRIPTIONS

MOST_PARAMETERS = 50
_REPEATABLE = "resource"  # RFC 8707, section 2
_PLAIN = re.compile(r"[\x20\x21\x23-\x5b\x5d-\x7e]*")  # what authlib may repeat in an error (RFC 6749, 5.2)
_ANYTHING = frozenset({"state", "login_hint"})
_BASIC = re.compile(r"[Bb]asic +([A-Za-z0-9+/]+=*) *")
Pairs = Sequence[tuple[str, str]]


@dataclass(slots=True)
class OAuthResponse:
    """The answer to a program: JSON, or a redirect of somebody's browser."""

    status: int
    body: Mapping[str, Any] | None = None
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def location(self) -> str | None:
        """Return where the browser is sent."""
        return self.headers.get("Location")


def pairs_of(text: str) -> Pairs:
    """Return the parameters of a query or a form; raises Invalid for what is none, or repeats one."""
    try:
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=MOST_PARAMETERS, errors="strict")
    except ValueError:
        raise Invalid("The parameters cannot be read.") from None
    seen: set[str] = set()
    for name, value in pairs:
        if name in seen and name != _REPEATABLE:
            raise Invalid("A parameter can be sent only once.")
        seen.add(name)
        if "\x00" in value or (name not in _ANYTHING and not _PLAIN.fullmatch(value)):
            raise Invalid("A parameter contains invalid characters.")
    return pairs


class OAuthRequest(OAuth2Request):
    """A request to the authorization server within a transaction."""

    def __init__(
        self,
        cx: Context,
        method: str,
        pairs: Pairs,
        authorization: str | None = None,
        address: str | None = None,
    ) -> None:
        super().__init__(method, f"{cx.settings.base_url}/", headers=_login(authorization))
        self.cx, self.address = cx, address
        self.payload = Payload(pairs)
        self.organization_id: str | None = None
        """The only organization that the person allows, once they were asked."""

    @property
    def args(self) -> dict[str, str]:
        return self.payload.data

    @property
    def form(self) -> dict[str, str]:
        return self.payload.data

    def audience(self) -> Audience:
        """Return the part of this server that the request names; raises InvalidTarget."""
        named = {
            audiences.named(self.cx.settings, each) for each in self.payload.datalist.get("resource", [])
        }
        found = named.pop() if named else audiences.API
        if named or found is None:
            raise InvalidTarget()
        return found


class Payload(OAuth2Payload):
    """The parameters of a request."""

    def __init__(self, pairs: Pairs) -> None:
        self._data = dict(pairs)
        self._datalist: dict[str, list[str]] = {}
        for name, value in pairs:
            self._datalist.setdefault(name, []).append(value)

    @property
    def data(self) -> dict[str, str]:
        return self._data

    @property
    def datalist(self) -> dict[str, list[str]]:
        return self._datalist


class Application(ClientMixin):
    """An application as authlib asks about it."""

    def __init__(self, row: Any) -> None:
        self.row = row

    def get_client_id(self) -> str:
        return str(self.row.id)

    def get_default_redirect_uri(self) -> None:
        """Return nothing: every request names its address."""

    def get_allowed_scope(self, scope: str | None) -> str | None:
        """Return the scopes of a request; None if one is unknown, or is not for this application."""
        asked = list(dict.fromkeys((scope or READ).split())) or [READ]
        allowed = DESCRIPTIONS.keys() if self.row.scopes is None else set(self.row.scopes) & set(DESCRIPTIONS)
        return " ".join(asked) if set(asked) <= set(allowed) else None

    def check_redirect_uri(self, redirect_uri: str) -> bool:
        return redirects.is_allowed(redirect_uri, self.row.redirect_uris)

    def check_client_secret(self, client_secret: str) -> bool:
        held: str | None = self.row.secret_hash
        return held is not None and compare_digest(held, token_hash(client_secret))

    def check_endpoint_auth_method(self, method: str, endpoint: str) -> bool:
        return (method == "none") is (self.row.secret_hash is None)

    def check_response_type(self, response_type: str) -> bool:
        return response_type == "code"

    def check_grant_type(self, grant_type: str) -> bool:
        return grant_type != DEVICE_CODE_GRANT_TYPE or bool(self.row.device_flow)


class InvalidTarget(InvalidRequestError):
    """The request names a resource that this server is not (RFC 8707, section 2)."""

    error = "invalid_target"
    description = "The resource is no part of this server."


def _login(authorization: str | None) -> dict[str, str]:
    """Return the header of a client that identifies itself, where it is one that authlib can read."""
    found = _BASIC.fullmatch(authorization or "")
    try:
        if found is None or not b64decode(found[1], validate=True).isascii():
            return {}
    except ValueError:
        return {}
    return {"Authorization": f"Basic {found[1]}"}
