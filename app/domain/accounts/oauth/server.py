"""The authorization server: authlib's protocol over the rows of this package.

authlib is synchronous. Its functions run in a greenlet (`spawn`), from which every callback awaits our
statements with `await_only`. A server lives for one transaction.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from authlib.common.urls import add_params_to_uri
from authlib.consts import default_json_headers
from authlib.oauth2 import AuthorizationServer
from authlib.oauth2.rfc6749 import (
    AccessDeniedError,
    InvalidGrantError,
    InvalidRequestError,
    InvalidScopeError,
    UnauthorizedClientError,
)
from authlib.oauth2.rfc6749.grants import AuthorizationCodeGrant, RefreshTokenGrant
from authlib.oauth2.rfc7009 import RevocationEndpoint
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oauth2.rfc8628 import (
    DEVICE_CODE_GRANT_TYPE,
    AuthorizationPendingError,
    DeviceAuthorizationEndpoint,
    DeviceCodeGrant,
    ExpiredTokenError,
    SlowDownError,
)
from sqlalchemy.util import await_only, greenlet_spawn

from app.access.context import Context
from app.domain.accounts import tokens
from app.domain.accounts.oauth import applications, authorizations, devices, grants
from app.domain.accounts.oauth.authorizations import Asked, Code, SignedInWith
from app.domain.accounts.oauth.requests import Application, InvalidTarget, OAuthRequest, OAuthResponse
from app.kit.signing import new_secret
from app.models.oauth import DESCRIPTIONS

T = TypeVar("T")
METHODS = ["client_secret_basic", "client_secret_post", "none"]
CODE_GRANT, REFRESH_GRANT = "authorization_code", "refresh_token"


async def spawn(call: Callable[..., T], *arguments: Any, **named: Any) -> T:
    """Run a function of authlib, whose callbacks await."""
    return await greenlet_spawn(call, *arguments, **named)


class OAuthServer(AuthorizationServer):
    """The server within one transaction."""

    def __init__(self, cx: Context) -> None:
        super().__init__(scopes_supported=list(DESCRIPTIONS))
        self.cx = cx
        self.register_grant(CodeGrant, [Pkce()])
        self.register_grant(RefreshGrant)
        self.register_grant(DeviceGrant)
        self.register_endpoint(Revocation)
        self.register_endpoint(DeviceAuthorization)

    def query_client(self, client_id: str) -> Application | None:
        found = await_only(applications.find(self.cx, client_id))
        return None if found is None else Application(found)

    def create_oauth2_request(self, request: OAuthRequest) -> OAuthRequest:
        return request

    def send_signal(self, name: str, *args: Any, **kwargs: Any) -> None:
        """Tell nobody."""

    def save_token(self, token: Any, request: OAuthRequest) -> None:
        """Do nothing: tokens are stored where they are made."""

    def handle_response(self, status: int, body: Any, headers: Any) -> OAuthResponse:
        """Return an answer; a redirect says who sends it (RFC 9207)."""
        answer = OAuthResponse(status, body or None, dict(headers))
        if answer.location:
            named = add_params_to_uri(answer.location, [("iss", self.cx.settings.base_url)])
            answer.headers["Location"] = named
        return answer

    def issue(
        self, request: OAuthRequest, found: Any, scope: str, after: str | None = None
    ) -> dict[str, Any]:
        """Return the answer with new tokens of an authorization."""
        name, asked = request.client.row.name, scope.split()
        pair = await_only(authorizations.issue(self.cx, found, application=name, scopes=asked, after=after))
        return {
            "token_type": "Bearer",
            "access_token": pair.access,
            "expires_in": pair.seconds,
            "refresh_token": pair.refresh,
            "scope": " ".join(asked),
        }


class Pkce(CodeChallenge):
    """Requires PKCE with S256 of every application."""

    SUPPORTED_CODE_CHALLENGE_METHOD = ("S256",)

    def validate_code_challenge(self, grant: Any, redirect_uri: str) -> None:
        sent = grant.request.payload.data
        if not sent.get("code_challenge") or sent.get("code_challenge_method") != "S256":
            raise InvalidRequestError("PKCE with code_challenge_method S256 is required.")
        super().validate_code_challenge(grant, redirect_uri)


class _Authorization:
    """An authorization as authlib asks about it."""

    code_challenge_method = "S256"

    def __init__(self, row: Any, scope: str) -> None:
        self.row = row
        self.code_challenge = row.challenge
        self._scope = scope

    def get_redirect_uri(self) -> str:
        return str(self.row.redirect_uri)

    def get_scope(self) -> str:
        return self._scope

    def check_client(self, client: Application) -> bool:
        return bool(self.row.application_id == client.get_client_id())


def _same_target(request: OAuthRequest, row: Any) -> None:
    if request.payload.datalist.get("resource") and request.audience() != row.audience:
        raise InvalidTarget()


class CodeGrant(AuthorizationCodeGrant):
    """The authorization code flow."""

    TOKEN_ENDPOINT_AUTH_METHODS = METHODS

    def generate_authorization_code(self) -> str:
        return new_secret("a")

    def validate_authorization_request(self) -> str:
        redirect_uri: str = super().validate_authorization_request()
        try:
            self.request.audience()
        except InvalidTarget as error:
            error.redirect_uri = redirect_uri
            raise
        return redirect_uri

    def save_authorization_code(self, code: str, request: OAuthRequest) -> None:
        cx, sent, came = self.server.cx, request.payload, request.user
        asked = Asked(scopes=request.scope.split(), audience=request.audience())
        given = grants.give(cx, came.user.id, request.client.row.id, asked.scopes, request.organization_id)
        made = Code(secret=code, redirect_uri=self.redirect_uri, challenge=sent.data["code_challenge"])
        provider = SignedInWith(came.provider_id, came.until)
        await_only(authorizations.begin(cx, await_only(given), asked, provider, made))

    def query_authorization_code(self, code: str, client: Application) -> _Authorization | None:
        row = await_only(authorizations.use_code(self.server.cx, client.get_client_id(), code))
        if row is None:
            return None
        _same_target(self.request, row)
        return _Authorization(row, " ".join(row.scopes))

    def authenticate_user(self, authorization_code: _Authorization) -> str:
        return str(authorization_code.row.user_id)

    def generate_token(self, user: Any = None, scope: str = "", **options: Any) -> dict[str, Any]:
        made: dict[str, Any] = self.server.issue(self.request, self.request.authorization_code.row, scope)
        return made

    def delete_authorization_code(self, authorization_code: _Authorization) -> None:
        """Keep the code as long as its tokens, so that a second use is noticed."""


class RefreshGrant(RefreshTokenGrant):
    """The refresh of tokens."""

    TOKEN_ENDPOINT_AUTH_METHODS = METHODS
    INCLUDE_NEW_REFRESH_TOKEN = True

    def authenticate_refresh_token(self, refresh_token: str) -> _Authorization | None:
        client_id = self.request.client.get_client_id()
        row = await_only(authorizations.use_refresh(self.server.cx, client_id, refresh_token))
        if row is None:
            return None
        _same_target(self.request, row)
        return _Authorization(row, " ".join(row.scopes))

    def authenticate_user(self, refresh_token: _Authorization) -> str:
        return str(refresh_token.row.user_id)

    def issue_token(self, user: str, refresh_token: _Authorization) -> dict[str, Any]:
        scope = self.request.payload.scope or refresh_token.get_scope()
        after = self.request.form["refresh_token"]
        made: dict[str, Any] = self.server.issue(self.request, refresh_token.row, scope, after)
        return made

    def revoke_old_credential(self, refresh_token: _Authorization) -> None:
        """Do nothing: a refresh token is used up by its use."""


class DeviceGrant(DeviceCodeGrant):
    """The device flow, as the device asks for its tokens."""

    TOKEN_ENDPOINT_AUTH_METHODS = METHODS

    def query_device_credential(self, device_code: str) -> _Device | None:
        row = await_only(devices.get(self.server.cx, device_code))
        return None if row is None else _Device(row)

    def validate_device_credential(self, credential: _Device) -> str:
        state = await_only(devices.poll(self.server.cx, credential.row))
        if state == "expired":
            raise ExpiredTokenError()
        if state == "denied":
            raise AccessDeniedError()
        if state == "hasty":
            raise SlowDownError()
        if state == "pending" or not await_only(devices.take(self.server.cx, credential.row)):
            raise AuthorizationPendingError()
        return str(credential.row.authorization_id)

    def generate_token(self, user: Any = None, scope: str = "", **options: Any) -> dict[str, Any]:
        row = await_only(authorizations.get(self.server.cx, user))
        if row is None:
            raise InvalidGrantError()
        made: dict[str, Any] = self.server.issue(self.request, row, scope)
        return made


class _Device:
    """A device that waits, as authlib asks about it."""

    def __init__(self, row: Any) -> None:
        self.row = row

    def get_client_id(self) -> str:
        return str(self.row.application_id)

    def get_scope(self) -> str:
        return " ".join(self.row.scopes)


class DeviceAuthorization(DeviceAuthorizationEndpoint):
    """The device flow, as the device asks for its codes."""

    EXPIRES_IN = int(devices.LASTS.total_seconds())
    INTERVAL = int(devices.INTERVAL.total_seconds())

    def create_endpoint_response(self, request: OAuthRequest) -> tuple[int, dict[str, Any], Any]:
        client = self.authenticate_client(request)
        if not client.check_grant_type(DEVICE_CODE_GRANT_TYPE):
            raise UnauthorizedClientError()
        scope = client.get_allowed_scope(request.payload.scope)
        if scope is None:
            raise InvalidScopeError()
        cx, asked = self.server.cx, Asked(scopes=scope.split(), audience=request.audience())
        codes = await_only(devices.begin(cx, client.get_client_id(), asked, request.address))
        page = f"{cx.settings.base_url}/oauth/device"
        data = {
            "device_code": codes.device,
            "user_code": codes.user,
            "verification_uri": page,
            "verification_uri_complete": f"{page}?user_code={codes.user}",
            "expires_in": self.EXPIRES_IN,
            "interval": self.INTERVAL,
        }
        return 200, data, default_json_headers


class _Presented:
    """A token that an application wants to end."""

    def __init__(self, application_id: str, id: str, refreshes: bool) -> None:
        self.id, self.refreshes, self._application_id = id, refreshes, application_id

    def check_client(self, client: Application) -> bool:
        return self._application_id == client.get_client_id()


class Revocation(RevocationEndpoint):
    """The end of a token, and of all that came of the same sign-in."""

    CLIENT_AUTH_METHODS = METHODS

    def check_params(self, request: OAuthRequest, client: Application) -> None:
        """Require a token; what kind it is, its secret says."""
        if "token" not in request.form:
            raise InvalidRequestError("Missing 'token' in request.")

    def query_token(self, token_string: str, token_type_hint: str | None) -> _Presented | None:
        found = await_only(authorizations.held_by(self.server.cx, token_string))
        return None if found is None else _Presented(*found)

    def revoke_token(self, token: _Presented, request: OAuthRequest) -> None:
        if token.refreshes:
            await_only(authorizations.end(self.server.cx, token.id))
        else:
            await_only(tokens.revoke(self.server.cx, token.id))


async def token_response(request: OAuthRequest) -> OAuthResponse:
    """Answer the token endpoint."""
    answer: OAuthResponse = await spawn(OAuthServer(request.cx).create_token_response, request)
    return answer


async def revocation_response(request: OAuthRequest) -> OAuthResponse:
    """Answer the revocation endpoint."""
    answer: OAuthResponse = await spawn(
        OAuthServer(request.cx).create_endpoint_response, "revocation", request
    )
    return answer


async def device_response(request: OAuthRequest) -> OAuthResponse:
    """Answer the device authorization endpoint."""
    name = DeviceAuthorization.ENDPOINT_NAME
    answer: OAuthResponse = await spawn(OAuthServer(request.cx).create_endpoint_response, name, request)
    return answer
