"""A real identity provider: pysaml2's server, which reads our request and metadata and signs with xmlsec1.

`Idp.answer` gives what its page would post. What the answer says can be changed before it is signed, and the
document after it.
"""

from __future__ import annotations

import atexit
import re
import shutil
from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache, cached_property
from pathlib import Path
from tempfile import mkdtemp
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID
from lxml import etree
from saml2 import BINDING_HTTP_REDIRECT
from saml2.config import IdPConfig
from saml2.metadata import entity_descriptor
from saml2.saml import NAMEID_FORMAT_EMAILADDRESS, NameID
from saml2.server import Server
from saml2.sigver import pre_signature_part

from tests.cast import Cast, Person
from tests.timing import TIMEOUT

ENTITY, SSO = "https://idp.example.org/metadata", "https://idp.example.org/sso"
A = "{urn:oasis:names:tc:SAML:2.0:assertion}"
P = "{urn:oasis:names:tc:SAML:2.0:protocol}"
DS = "{http://www.w3.org/2000/09/xmldsig#}"
RSA_SHA256 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"
SHA256 = "http://www.w3.org/2001/04/xmlenc#sha256"
PAGE = {"Accept": "text/html,application/xhtml+xml"}
Change = Callable[[etree._Element], None]


@dataclass(frozen=True)
class Keys:
    """A key pair with its certificate, in files, as xmlsec1 wants them."""

    private: Path
    public: Path

    @property
    def pem(self) -> str:
        """The certificate."""
        return self.public.read_text()


def keys(*, bits: int = 2048, begins: int = -1, ends: int = 30, name: str = "idp.example.org") -> Keys:
    """A new key with a certificate that is good between these days from now."""
    folder = Path(mkdtemp(dir=_folder()))
    private, public = folder / "key.pem", folder / "cert.pem"
    key = rsa.generate_private_key(public_exponent=65_537, key_size=bits)
    certified = _certified(key, begins, ends, name)
    private.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.TraditionalOpenSSL,
            serialization.NoEncryption(),
        )
    )
    public.write_bytes(certified.public_bytes(serialization.Encoding.PEM))
    return Keys(private, public)


@cache
def _folder() -> str:
    folder = mkdtemp(prefix="docyard-saml-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _certified(key: Any, begins: int, ends: int, name: str) -> x509.Certificate:
    named = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(named)
        .issuer_name(named)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now + timedelta(days=begins))
        .not_valid_after(now + timedelta(days=ends))
        .sign(key, hashes.SHA256())
    )


@cache
def own_keys() -> Keys:
    """The provider's."""
    return keys()


@cache
def other_keys() -> Keys:
    """Those of some other provider."""
    return keys(name="other.example.org")


def certificate() -> str:
    """The provider's certificate."""
    return own_keys().pem


def metadata() -> str:
    """The provider's metadata, as it publishes them."""
    return str(entity_descriptor(_config(None, own_keys(), SSO)))


@dataclass
class Idp:
    """A provider that an organization trusts, and the way in through it."""

    cast: Cast
    id: str
    shown: dict[str, Any]
    keys: Keys = field(default_factory=own_keys)

    @property
    def acs(self) -> str:
        return str(self.shown["service"]["acsURL"])

    @cached_property
    def server(self) -> Server:
        """pysaml2's server, which knows us by our own metadata."""
        metadata = self.cast.instance.http.get(self.shown["service"]["entityID"])
        assert metadata.status_code == 200, metadata.text
        return Server(config=_config(metadata.text, self.keys, self.shown["ssoURL"]))

    def browser(self) -> httpx.Client:
        """A browser with its own cookies."""
        return httpx.Client(base_url=self.cast.instance.base, timeout=TIMEOUT, headers=PAGE)

    def begin(self, browser: httpx.Client, **query: str) -> str:
        """Begin to sign in; the address at the provider to which the browser is sent."""
        answer = browser.get(self.shown["service"]["startURL"], params=query)
        assert answer.status_code == 302, answer.text
        return answer.headers["location"]

    def request_id(self, address: str) -> str:
        """The id of our request, as the provider's own library reads it."""
        query = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        return str(self._read(query).message.id)

    def _read(self, query: dict[str, str]) -> Any:
        return self.server.parse_authn_request(
            query["SAMLRequest"],
            BINDING_HTTP_REDIRECT,
            relay_state=query.get("RelayState"),
            sigalg=query.get("SigAlg"),
            signature=query.get("Signature"),
        )

    def answer(
        self,
        request_id: str,
        email: str,
        *,
        signed: Sequence[str] = ("Assertion",),
        before: Change | None = None,
        after: Change | None = None,
        attributes: dict[str, Any] | None = None,
        **options: Any,
    ) -> bytes:
        """A response about the person with this address: changed `before` it is signed, and `after`."""
        response = self.server.create_authn_response(
            attributes or {},
            in_response_to=request_id,
            destination=self.acs,
            sp_entity_id=self.shown["service"]["entityID"],
            name_id=NameID(format=NAMEID_FORMAT_EMAILADDRESS, text=email),
            authn={"class_ref": "urn:oasis:names:tc:SAML:2.0:ac:classes:Password"},
            sign_response=False,
            sign_assertion=False,
        )
        root = etree.fromstring(str(response).encode())
        if before:
            before(root)
        for name in ("Assertion", "Response"):  # what is inside first
            if name in signed:
                root = self.sign(root, name, **options)
        if after:
            after(root)
        whole: bytes = etree.tostring(root)
        return whole

    def sign(
        self,
        root: etree._Element,
        name: str,
        *,
        keys: Keys | None = None,
        method: str = RSA_SHA256,
        digest: str = SHA256,
    ) -> etree._Element:
        """The document with a signature of its assertion or of all of it, made by xmlsec1."""
        namespace = A if name == "Assertion" else P
        target = root if root.tag == f"{namespace}{name}" else root.find(f"{namespace}{name}")
        assert target is not None
        key = keys or self.keys
        told = "".join(key.pem.split("-----")[2].split())
        number = 1 + len(root.findall(f".//{DS}Signature"))
        template = pre_signature_part(target.get("ID"), told, number, digest_alg=digest, sign_alg=method)
        after_issuer = 0 if target.find(f"{A}Issuer") is None else 1
        target.insert(after_issuer, etree.fromstring(str(template)))
        node = f"{namespace[1:-1]}:{name}"
        text = self.server.sec.sign_statement(
            etree.tostring(root).decode(), node, key_file=str(key.private), node_id=target.get("ID")
        )
        return etree.fromstring(text.encode())

    def post(self, browser: httpx.Client, response: bytes, **fields: str) -> httpx.Response:
        """Post the response to us, as the provider's page has the browser do."""
        form = {"SAMLResponse": b64encode(response).decode(), **fields}
        headers = {"Origin": "https://idp.example.org", "Sec-Fetch-Site": "cross-site"}
        return browser.post(self.acs, data=form, headers=headers)

    def sign_in(self, email: str, **options: Any) -> httpx.Response:
        """The whole way in, for a program: our answer as JSON."""
        with self.browser() as browser:
            request_id = self.request_id(self.begin(browser))
            browser.headers["accept"] = "application/json"
            return self.post(browser, self.answer(request_id, email, **options))

    def token(self, email: str, **options: Any) -> str:
        """The token of somebody who signs in."""
        answer = self.sign_in(email, **options)
        assert answer.status_code == 200, answer.text
        return str(answer.json()["token"])

    def person(self, who: Person) -> Person:
        """Return the same person with a token got by signing in."""
        return Person(who.instance, who.id, who.email, self.token(who.email))


def idp(cast: Cast, *, organization: str | None = None, admin: Person | None = None, **fields: Any) -> Idp:
    """An active provider of an organization, by its administrator."""
    made = keys_ = fields.pop("keys", None) or own_keys()
    body = {"label": "Works", "entityID": ENTITY, "certificate": keys_.pem, "ssoURL": SSO, **fields}
    answer = (admin or cast.ada).post(f"/v1/orgs/{organization or cast.organization}/saml", body)
    assert answer.status_code == 201, answer.text
    shown = answer.json()
    return Idp(cast, shown["id"], shown, made)


def _config(ours: str | None, own: Keys, address: str) -> IdPConfig:
    config = IdPConfig()
    config.load(
        {
            "entityid": ENTITY,
            "service": {
                "idp": {
                    "endpoints": {"single_sign_on_service": [(address, BINDING_HTTP_REDIRECT)]},
                    "policy": {"default": {"lifetime": {"minutes": 15}, "attribute_restrictions": None}},
                }
            },
            "key_file": str(own.private),
            "cert_file": str(own.public),
            "xmlsec_binary": "/usr/bin/xmlsec1",
            "metadata": {"inline": [ours] if ours else []},
            "delete_tmpfiles": True,
        }
    )
    return config


def text_of(page: str) -> str:
    """Return the text of a page, without its tags."""
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())
