"""What this side sends: a request by redirect (saml-bindings-2.0-os, 3.4) and our metadata."""

from __future__ import annotations

import zlib
from base64 import b64encode
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from urllib.parse import urlencode
from xml.sax.saxutils import quoteattr

from app.kit.clock import wire_time
from app.kit.saml.names import ASSERTION, METADATA, POST, PROTOCOL, SIGNATURE

if TYPE_CHECKING:
    from app.kit.saml.certificates import RequestSigningKey

RELAY_STATE_BYTES = 80  # more than that need not come back (bindings, 3.4.3)


@dataclass(frozen=True, slots=True)
class ServiceProvider:
    """This side, as one identity provider knows it."""

    entity_id: str
    acs_url: str


def address(
    service: ServiceProvider,
    sso_url: str,
    request_id: str,
    now: datetime,
    *,
    relay_state: str = "",
    key: RequestSigningKey | None = None,
) -> str:
    """The address at the provider to which the browser takes a request; signed where there is a key."""
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
    message = _request(service, sso_url, request_id, now).encode()
    deflated = compressor.compress(message) + compressor.flush()
    sent = {"SAMLRequest": b64encode(deflated).decode()}
    if relay_state and len(relay_state.encode()) <= RELAY_STATE_BYTES:
        sent["RelayState"] = relay_state
    if key is not None:
        sent["SigAlg"] = key.algorithm
    query = urlencode(sent)
    if key is not None:
        query = f"{query}&{urlencode({'Signature': b64encode(key.sign(query.encode())).decode()})}"
    return f"{sso_url}{'&' if '?' in sso_url else '?'}{query}"


def _request(service: ServiceProvider, sso_url: str, request_id: str, now: datetime) -> str:
    return (
        f"<samlp:AuthnRequest xmlns:samlp={quoteattr(PROTOCOL)} xmlns:saml={quoteattr(ASSERTION)}"
        f' ID={quoteattr(request_id)} Version="2.0" IssueInstant={quoteattr(wire_time(now))}'
        f" Destination={quoteattr(sso_url)} ProtocolBinding={quoteattr(POST)}"
        f" AssertionConsumerServiceURL={quoteattr(service.acs_url)}>"
        f"<saml:Issuer>{_text(service.entity_id)}</saml:Issuer></samlp:AuthnRequest>"
    )


def metadata(service: ServiceProvider, key: RequestSigningKey | None = None) -> str:
    """Our metadata, for a provider that reads it: where answers go, and that assertions are to be signed."""
    certificate = key.certificate if key else None
    described = (
        f'<md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds={quoteattr(SIGNATURE)}><ds:X509Data>'
        f"<ds:X509Certificate>{certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>"
        if certificate
        else ""
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f"<md:EntityDescriptor xmlns:md={quoteattr(METADATA)} entityID={quoteattr(service.entity_id)}>"
        f'<md:SPSSODescriptor AuthnRequestsSigned="{"true" if key else "false"}" WantAssertionsSigned="true"'
        f" protocolSupportEnumeration={quoteattr(PROTOCOL)}>{described}"
        "<md:NameIDFormat>urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress</md:NameIDFormat>"
        f"<md:AssertionConsumerService Binding={quoteattr(POST)} Location={quoteattr(service.acs_url)}"
        ' index="0" isDefault="true"/></md:SPSSODescriptor></md:EntityDescriptor>\n'
    )


def _text(value: str) -> str:
    return value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
