"""The key of this server with which it signs its requests, if an identity provider asks for that."""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa

RSA_SHA256 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"
_PRIVATE = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.+?-----END [A-Z ]*PRIVATE KEY-----", re.DOTALL)
_CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", re.DOTALL)


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A private key, and its certificate in base64 if one stands beside it."""

    private: rsa.RSAPrivateKey
    certificate: str | None
    algorithm: str = RSA_SHA256

    def sign(self, text: bytes) -> bytes:
        """The signature of a text."""
        return self.private.sign(text, padding.PKCS1v15(), hashes.SHA256())


def signing_key(pem: str) -> SigningKey:
    """The key in a text of PEM, or in the file of that name; raises ValueError with a sentence."""
    if "-----BEGIN" not in pem:
        try:
            pem = Path(pem).read_text(encoding="ascii")
        except (OSError, ValueError) as error:
            raise ValueError("must be a PEM file that can be read") from error
    block = _PRIVATE.search(pem)
    try:
        private = serialization.load_pem_private_key(block[0].encode() if block else b"", password=None)
    except (ValueError, TypeError) as error:
        raise ValueError("must hold a private key without a password") from error
    if not isinstance(private, rsa.RSAPrivateKey) or private.key_size < 2048:
        raise ValueError("must hold an RSA key of at least 2048 bits")
    found = _CERTIFICATE.search(pem)
    if found is None:
        return SigningKey(private, None)
    certificate = x509.load_pem_x509_certificate(found[0].encode())
    if certificate.public_key() != private.public_key():
        raise ValueError("must hold the certificate of its own key")
    der = certificate.public_bytes(serialization.Encoding.DER)
    return SigningKey(private, b64encode(der).decode())
