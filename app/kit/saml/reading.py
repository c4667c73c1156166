"""Reading a response: only what is signed comes out of here.

A signature says that one element is genuine; wrapping attacks leave that element somewhere and put another
where the program looks. So the document's structure is checked first, then each signature with the one
certificate that is trusted, and everything later is read from what the verification itself gives back: the
canonical form of the signed element, parsed anew. Comments, document types and other encodings, in which two
readers may see different things, are refused outright.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cryptography import x509
from lxml import etree
from signxml.algorithms import DigestAlgorithm, SignatureMethod
from signxml.verifier import SignatureConfiguration, VerifyResult, XMLVerifier

from app.kit.saml.requests import ASSERTION, ENVELOPED, EXCLUSIVE, PROTOCOL, SIGNATURE, SamlRefused

MOST_ELEMENTS, MOST_NAMESPACES = 2000, 100
METHODS = frozenset(
    {
        SignatureMethod.RSA_SHA256, SignatureMethod.RSA_SHA384, SignatureMethod.RSA_SHA512,
        SignatureMethod.ECDSA_SHA256, SignatureMethod.ECDSA_SHA384, SignatureMethod.ECDSA_SHA512,
        SignatureMethod.SHA256_RSA_MGF1, SignatureMethod.SHA384_RSA_MGF1, SignatureMethod.SHA512_RSA_MGF1,
    }
)  # fmt: skip
DIGESTS = frozenset({DigestAlgorithm.SHA256, DigestAlgorithm.SHA384, DigestAlgorithm.SHA512})
ROOT_AT, ASSERTION_AT = "./", f"./{{{ASSERTION}}}Assertion/"
_IDS = ("id", "xml:id")


@dataclass(frozen=True, slots=True)
class Verified:
    """`assertion` is signed, by itself or with the response; `response` is to be believed if `whole`."""

    response: etree._Element
    assertion: etree._Element
    whole: bool


def read(raw: bytes, trusted: x509.Certificate) -> Verified:
    """Return the parts of a response that this certificate's key has signed; raises SamlRefused."""
    root = _parsed(raw)
    found = _structure(root)
    whole = assertion = None
    for signature in found:
        parent = signature.getparent()
        assert parent is not None
        _check_form(signature, parent)
        if parent is root:
            whole = _signed(root, trusted, ROOT_AT, root.tag)
        else:
            assertion = _signed(root, trusted, ASSERTION_AT, parent.tag)
    if assertion is None:
        if whole is None:
            raise SamlRefused("Neither the response nor its assertion is signed.")
        (assertion,) = whole.findall(f"{{{ASSERTION}}}Assertion")
    return Verified(root if whole is None else whole, assertion, whole is not None)


def _parsed(raw: bytes) -> etree._Element:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        raise SamlRefused("The response is not XML in UTF-8.") from None
    if "<!--" in text or "<!D" in text or text.count("xmlns") > MOST_NAMESPACES:
        raise SamlRefused("The response holds comments, a document type or too many namespaces.")
    try:
        root = etree.fromstring(raw, _parser(encoding="utf-8"))  # whatever else it declares
    except (etree.XMLSyntaxError, ValueError):
        raise SamlRefused("The response is not XML in UTF-8.") from None
    about = root.getroottree().docinfo
    if about.doctype or about.internalDTD is not None or about.externalDTD is not None:
        raise SamlRefused("The response holds a document type.")
    return root


def _structure(root: etree._Element) -> list[etree._Element]:
    """Return the signatures of a response that is built as it must be: one assertion, nothing hidden."""
    if root.tag != f"{{{PROTOCOL}}}Response":
        raise SamlRefused("This is not a SAML response.")
    nodes = list(root.getroottree().iter())
    if len(nodes) > MOST_ELEMENTS:
        raise SamlRefused("The response has too many elements.")
    if any(not isinstance(node.tag, str) for node in nodes):
        raise SamlRefused("The response holds comments, instructions or entities.")
    named = [(etree.QName(node).localname, node) for node in nodes]
    if any(name in ("EncryptedAssertion", "EncryptedID", "EncryptedAttribute") for name, _ in named):
        raise SamlRefused("The response is encrypted, which is not supported: send it signed.")
    assertions = [node for name, node in named if name == "Assertion"]
    if [node.tag for node in assertions] != [f"{{{ASSERTION}}}Assertion"]:
        raise SamlRefused("A response must hold exactly one assertion.")
    if assertions[0].getparent() is not root:
        raise SamlRefused("The assertion is not where it belongs.")
    _refuse_repeated(nodes)
    signatures = [node for name, node in named if name == "Signature"]
    if any(node.tag != f"{{{SIGNATURE}}}Signature" for node in signatures):
        raise SamlRefused("A signature is not where it belongs.")
    parents = [node.getparent() for node in signatures]
    if any(parent is not root and parent is not assertions[0] for parent in parents):
        raise SamlRefused("A signature is not where it belongs.")
    if len(parents) > 2 or (len(parents) == 2 and parents[0] is parents[1]):
        raise SamlRefused("There are more signatures than elements to sign.")
    return signatures


def _refuse_repeated(nodes: list[etree._Element]) -> None:
    ids = [
        value
        for node in nodes
        for name, value in node.attrib.items()
        if etree.QName(name).localname.lower() in _IDS
    ]
    if len(set(ids)) != len(ids):
        raise SamlRefused("The response uses an id twice.")


def _check_form(signature: etree._Element, parent: etree._Element) -> None:
    """Check that a signature is of its parent as a whole and of nothing else (SAML core, 5.4)."""
    ds = f"{{{SIGNATURE}}}"
    references = signature.findall(f"{ds}SignedInfo/{ds}Reference")
    if len(references) != 1 or len(signature.findall(f".//{ds}Reference")) != 1:
        raise SamlRefused("A signature must be of one element.")
    if not parent.get("ID") or references[0].get("URI") != f"#{parent.get('ID')}":
        raise SamlRefused("A signature is of another element than the one that it is in.")
    transforms = [t.get("Algorithm") for t in references[0].findall(f"{ds}Transforms/{ds}Transform")]
    if transforms[:1] != [ENVELOPED] or transforms[1:] not in ([], [EXCLUSIVE]):
        raise SamlRefused("A signature transforms what it is of.")
    if signature.find(f".//{ds}Object") is not None:
        raise SamlRefused("A signature carries an object.")


def _signed(root: etree._Element, trusted: x509.Certificate, location: str, tag: Any) -> etree._Element:
    expected = SignatureConfiguration(
        require_x509=True,
        location=location,
        expect_references=1,
        signature_methods=METHODS,
        digest_algorithms=DIGESTS,
        ignore_ambiguous_key_info=True,  # keys that come along say nothing, so they contradict nothing
    )
    try:
        result = XMLVerifier().verify(
            root, x509_cert=trusted, id_attribute="ID", expect_config=expected, parser=_parser()
        )
    except Exception as error:  # whatever the library stumbles over was not verified
        raise SamlRefused("The signature is not one of the provider's certificate.") from error
    assert isinstance(result, VerifyResult)
    if result.signed_xml is None or result.signed_xml.tag != tag:
        raise SamlRefused("A signature is of another element than the one that it is in.")
    return result.signed_xml


def _parser(**options: Any) -> etree.XMLParser:
    return etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, **options
    )
