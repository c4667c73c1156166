"""Client metadata, from a registration or from a metadata document (RFC 7591, section 2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from app.domain.accounts.oauth import redirects
from app.domain.accounts.oauth.metadata import DEVICE
from app.kit.http.urls import is_url
from app.models.oauth import DESCRIPTIONS, MOST_REDIRECTS, REDIRECT_WORDS, OAuthApplicationCreate
from app.models.texts import without_hidden

UNNAMED = "An application without a name"
Method = Literal["none", "client_secret_basic", "client_secret_post"]
Text = Annotated[str, StringConstraints(max_length=2048)]


class _ClientMetadata(BaseModel):
    """The fields that this server knows. Others are ignored, as the RFC asks."""

    model_config = ConfigDict(extra="ignore", strict=True)

    redirect_uris: list[Text] = Field(default=[], max_length=MOST_REDIRECTS)
    token_endpoint_auth_method: Method | None = None
    grant_types: list[Text] = Field(default=["authorization_code"], max_length=20)
    response_types: list[Text] = Field(default=["code"], max_length=20)
    client_name: Text = ""
    client_uri: Text = ""
    scope: Text = ""


class BadMetadata(Exception):
    """The metadata cannot be taken. `of_redirects`: because of the redirect addresses."""

    def __init__(self, message: str, *, of_redirects: bool = False) -> None:
        super().__init__(message)
        self.message, self.of_redirects = message, of_redirects


@dataclass(frozen=True, slots=True)
class Described:
    """An application as its metadata describe it, and how it identifies itself."""

    new: OAuthApplicationCreate
    method: Method
    grant_types: list[str]


def read(sent: Any, default: Method) -> Described:
    """Return the application that metadata describe; raises BadMetadata.

    `default` is how an application identifies itself whose metadata do not say so.
    """
    try:
        said = _ClientMetadata.model_validate(sent)
    except ValidationError as error:
        place = error.errors()[0]["loc"]
        name = str(place[0]) if place else ""
        message = f"{name or 'The body'} cannot be read."
        raise BadMetadata(message, of_redirects=name == "redirect_uris") from None
    asked = said.scope.split()
    known = {"authorization_code", "refresh_token", DEVICE}
    kinds = [kind for kind in said.grant_types if kind in known]
    if not {"authorization_code", DEVICE} & set(kinds) or "code" not in (said.response_types or ["code"]):
        raise BadMetadata("Only the authorization code flow and the device flow are known here.")
    if not set(asked) <= DESCRIPTIONS.keys():
        raise BadMetadata("A scope is unknown.")
    if "authorization_code" in kinds and not said.redirect_uris:
        raise BadMetadata("redirect_uris needs an address.", of_redirects=True)
    if not all(map(redirects.is_acceptable, said.redirect_uris)):
        raise BadMetadata(f"redirect_uris must each be {REDIRECT_WORDS}.", of_redirects=True)
    method = said.token_endpoint_auth_method or default
    new = OAuthApplicationCreate.model_construct(
        name=without_hidden(said.client_name)[:64].strip() or UNNAMED,
        homepage=said.client_uri if is_url(said.client_uri) else None,
        redirect_uris=said.redirect_uris,
        kind="public" if method == "none" else "confidential",
        scopes=asked or None,
        device_flow=DEVICE in kinds,
    )
    return Described(new, method, kinds)
