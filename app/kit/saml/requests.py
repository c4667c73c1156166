"""SAML requests by redirect (saml-bindings-2.0-os, 3.4), and the metadata of this service provider."""

from __future__ import annotations

import zlib
from base64 import b64encode
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from urllib.parse import urlencode
from xml.sax.saxutils import quoteattr

from app.kit.clock import wire_time

if TYPE_CHECKING:
    from app.kit.saml.certificates import RequestSigningKey


ASSERTION = "urn:oasis:names:tc:SAML:2.0:assertion"
PROTOCOL = "urn:oasis:names:tc:SAML:2.0:protocol"
METADATA = "urn:oasis:names:tc:SAML:2.0:metadata"
SIGNATURE = "http://www.w3.org/2000/09/xmldsig#"

POST = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST"
BEARER = "urn:oasis:names:tc:SAML:2.0:cm:bearer"
ENTITY = "urn:oasis:names:tc:SAML:2.0:nameid-format:entity"
EMAIL = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress"
SUCCESS = "urn:oasis:names:tc:SAML:2.0:status:Success"

ENVELOPED = "http://www.w3.org/2000/09/xmldsig#enveloped-signature"
EXCLUSIVE = "http://www.w3.org/2001/10/xml-exc-c14n#"

# Attributes in which providers tell an address: by plain name, by object identifier, and as a claim.
MAIL = frozenset(
    {
        "mail",
        "email",
        "emailaddress",
        "urn:oid:0.9.2342.19200300.100.1.3",
        "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress",
    }
)
DISPLAY_NAME = frozenset(
    {
        "displayname",
        "name",
        "cn",
        "urn:oid:2.16.840.1.113730.3.1.241",
        "urn:oid:2.5.4.3",
        "http://schemas.microsoft.com/identity/claims/displayname",
    }
)
GIVEN_NAME = frozenset(
    {
        "givenname",
        "firstname",
        "urn:oid:2.5.4.42",
        "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/givenname",
    }
)
SURNAME = frozenset(
    {
        "sn",
        "surname",
        "lastname",
        "urn:oid:2.5.4.4",
        "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/surname",
    }
)


class SamlRefused(Exception):
    """Raised where a provider's message is not accepted; `message` says why, in a sentence for people."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


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
    """Return the address at the provider to which the browser takes a request;
    signed where there is a key.
    """
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
    """Return our metadata for a provider: where answers go, and that assertions are to be signed."""
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
