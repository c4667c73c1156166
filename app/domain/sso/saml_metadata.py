"""The metadata of SAML providers: fetched from where providers publish it, and read into their columns."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from app.access.context import Context
from app.domain.organizations import sso_requirements
from app.kit.errors import Conflict, Invalid
from app.kit.http.urls import safe_server
from app.models.sso import LONGEST_METADATA, SAMLProviderCreate, SAMLProviderUpdate


async def fetch(cx: Context, body: SAMLProviderCreate | SAMLProviderUpdate) -> str | None:
    """Return the metadata at the `metadataURL` of a body; None if it names none.

    It says whose signatures count, so it is only taken over `https`, from the very server that was named.
    Raises Invalid for `metadataURL`.
    """
    url = body.metadata_url
    if url is None:
        return None
    if body.metadata is not None:
        raise Invalid("Send either `metadata` or `metadataURL`.", path="metadataURL")
    safe_server(url, cx.settings.allowed_hosts, path="metadataURL")
    from app.kit.http.outbound import Outbound, OutboundError

    outbound = Outbound(cx.settings.allowed_hosts, cx.settings.outbound_timeout, LONGEST_METADATA)
    try:
        found = await outbound.fetch(url, accept="application/samlmetadata+xml, */*;q=0.5", any_redirect=True)
        text = found.body.decode()
    except OutboundError as error:
        raise Invalid(error.message, path="metadataURL") from None
    except UnicodeDecodeError:
        raise Invalid("The metadata must be XML in UTF-8.", path="metadataURL") from None
    if found.status >= 300:
        raise Invalid("The address redirects. Use the one that it leads to.", path="metadataURL")
    return text


def columns(metadata: str, path: str) -> dict[str, Any]:
    """Return the columns of a provider that its metadata fills; raises Invalid for the field at `path`."""
    try:
        from app.kit.saml import provider_metadata
    except ModuleNotFoundError:
        raise Conflict(sso_requirements.NOT_INSTALLED) from None
    try:
        found = provider_metadata.read(metadata)
        filled = {"entityID": found.entity_id, "ssoURL": found.sso_url, "certificate": found.certificate}
        return SAMLProviderUpdate.model_validate(filled).sent()
    except ValidationError as error:
        reason = error.errors()[0]["msg"]
        raise Invalid(f"The metadata states what is not valid: {reason}.", path=path) from None
    except ValueError as error:
        raise Invalid(f"The metadata {error}.", path=path) from None
