"""Certificates of identity providers. One is trusted because an administrator named it, not because of who
issued it; so it must be a single one, of a strong key, and of now."""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error as Base64Error
from datetime import datetime

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, rsa

LEAST_RSA, LEAST_EC = 2048, 256  # bits
_PEM = re.compile(r"-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----")


def certificate(text: str) -> x509.Certificate:
    """The certificate in a text of PEM or of bare base64; raises ValueError with a sentence."""
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
    """The same of one that has begun and has not run out; raises ValueError with a sentence."""
    loaded = certificate(text)
    if now < loaded.not_valid_before_utc:
        raise ValueError(f"is not valid before {loaded.not_valid_before_utc:%Y-%m-%d %H:%M} UTC")
    if now > loaded.not_valid_after_utc:
        raise ValueError(f"ran out at {loaded.not_valid_after_utc:%Y-%m-%d %H:%M} UTC")
    return loaded
