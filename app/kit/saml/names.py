"""The protocol's own words (OASIS, saml-core-2.0-os and saml-profiles-2.0-os)."""

from __future__ import annotations

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
    """What a provider sent does not count; `message` says why, in a sentence for people."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
