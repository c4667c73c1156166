"""Certificates of identity providers. One is trusted because an administrator named it, not because of who
issued it; so it must be a single one, of a strong key, and of now. And the key of this server, with which it
signs its requests if an identity provider asks for that."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa

LEAST_RSA, LEAST_EC = 2048, 256  # bits
_PEM = re.compile(r"-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----")


def certificate(text: str) -> x509.Certificate:
    """Return the certificate in a text of PEM or of bare base64; raises ValueError with a sentence."""
    found = _PEM.fullmatch(text.strip())
    body = found[1] if found else text
    try:
        loaded = x509.load_der_x509_certificate(b64decode("".join(body.split()), validate=True))
        key = loaded.public_key()
    except (ValueError, Base64Error, TypeError) as error:
        raise ValueError("must be one X.509 certificate, as PEM or as bare base64") from error
    except Exception as error:  # of an unknown algorithm
        raise ValueError("must be a certificate with an RSA or elliptic curve key") from error
    if not isinstance(key, rsa.RSAPublicKey | ec.EllipticCurvePublicKey):
        raise ValueError("must be a certificate with an RSA or elliptic curve key")
    least = LEAST_RSA if isinstance(key, rsa.RSAPublicKey) else LEAST_EC
    if key.key_size < least:
        raise ValueError(f"must have a key of at least {least} bits")
    return loaded


def current(text: str, now: datetime) -> x509.Certificate:
    """Return the same of one that has begun and has not run out; raises ValueError with a sentence."""
    loaded = certificate(text)
    if now < loaded.not_valid_before_utc:
        raise ValueError(f"is not valid before {loaded.not_valid_before_utc:%Y-%m-%d %H:%M} UTC")
    if now > loaded.not_valid_after_utc:
        raise ValueError(f"ran out at {loaded.not_valid_after_utc:%Y-%m-%d %H:%M} UTC")
    return loaded


RSA_SHA256 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"
_PRIVATE = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.+?-----END [A-Z ]*PRIVATE KEY-----", re.DOTALL)
_CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", re.DOTALL)


@dataclass(frozen=True, slots=True)
class RequestSigningKey:
    """A private key, and its certificate in base64 if one stands beside it."""

    private: rsa.RSAPrivateKey
    certificate: str | None
    algorithm: str = RSA_SHA256

    def sign(self, text: bytes) -> bytes:
        """Return the signature of a text."""
        return self.private.sign(text, padding.PKCS1v15(), hashes.SHA256())


def signing_key(pem: str) -> RequestSigningKey:
    """Return the key in a text of PEM, or in the file of that name; raises ValueError with a sentence."""
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
        return RequestSigningKey(private, None)
    certificate = x509.load_pem_x509_certificate(found[0].encode())
    if certificate.public_key() != private.public_key():
        raise ValueError("must hold the certificate of its own key")
    der = certificate.public_bytes(serialization.Encoding.DER)
    return RequestSigningKey(private, b64encode(der).decode())
