"""The metadata of an identity provider (saml-metadata-2.0-os), from which an administrator sets it up.

Its signature is not checked: whoever gives it could as well type what is in it.
"""

from __future__ import annotations

from dataclasses import dataclass

from lxml import etree

from app.kit.saml.requests import METADATA, SIGNATURE

REDIRECT = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect"
_MD, _DS = f"{{{METADATA}}}", f"{{{SIGNATURE}}}"


@dataclass(frozen=True, slots=True)
class ProviderMetadata:
    """The parts of a provider's metadata that are used."""

    entity_id: str
    sso_url: str
    certificate: str


def read(text: str) -> ProviderMetadata:
    """Return what the metadata of a single identity provider says; raises ValueError with a sentence."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(text.strip().encode(), parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise ValueError("must be XML in UTF-8") from error
    if root.getroottree().docinfo.doctype:
        raise ValueError("must not have a document type")
    found = [
        (entity, role)
        for entity in root.iter(f"{_MD}EntityDescriptor")
        for role in entity.findall(f"{_MD}IDPSSODescriptor")
    ]
    if len(found) != 1:
        raise ValueError("must describe one identity provider")
    entity, role = found[0]
    services = role.findall(f"{_MD}SingleSignOnService")
    addresses = [each.get("Location") for each in services if each.get("Binding") == REDIRECT]
    keys = [each for each in role.findall(f"{_MD}KeyDescriptor") if each.get("use") in (None, "signing")]
    certificates = [each.text for key in keys for each in key.iter(f"{_DS}X509Certificate")]
    return ProviderMetadata(
        entity_id=_stated(entity.get("entityID"), "an entity ID"),
        sso_url=_stated(next(iter(addresses), None), "an address for sign-in requests by redirect"),
        certificate="".join(_stated(next(iter(certificates), None), "a signing certificate").split()),
    )


def _stated(value: str | None, what: str) -> str:
    if not value or not value.strip():
        raise ValueError(f"must state {what}")
    return value.strip()
