"""Keys of `crypto.subtle`: read from the formats of the web, kept as DER, and written again.

A key is its bytes: the secret itself, or the DER of a private (PKCS #8) or public (SPKI) key. The sizes of
RSA keys are bounded, since nothing interrupts the library.
"""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric import ec, rsa

CURVES = {"P-256": "SECP256R1", "P-384": "SECP384R1", "P-521": "SECP521R1"}
RSA = ("RSASSA-PKCS1-v1_5", "RSA-PSS", "RSA-OAEP")
EC = ("ECDSA", "ECDH")
LARGEST_RSA = 4096  # bits
Parts = Sequence[bytes]
Asked = Mapping[str, Any]
T = TypeVar("T")


class CryptoRefused(Exception):
    """Raised where the operation cannot be done; `name` is that of the DOMException which the script gets."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name


def imported(asked: Asked, parts: Parts) -> bytes:
    """Return the DER of a key that is read from another format, after a line of JSON that says what it is."""
    try:
        key = _read(asked, parts[0])
        facts = _facts(asked["name"], key)
    except CryptoRefused:
        raise
    except Exception:
        raise CryptoRefused("DataError", "The key is malformed, or of another kind.") from None
    if facts.get("namedCurve") != asked.get("namedCurve"):
        raise CryptoRefused("DataError", "The key is on another curve.")
    return json.dumps(facts).encode() + b"\n" + der(key)


def _read(asked: Asked, data: bytes) -> Any:
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519
    from cryptography.hazmat.primitives.serialization import load_der_private_key, load_der_public_key

    match asked["format"]:
        case "pkcs8":
            return load_der_private_key(data, None)
        case "spki":
            return load_der_public_key(data)
        case "raw" if asked["name"] == "Ed25519":
            return ed25519.Ed25519PublicKey.from_public_bytes(data)
        case "raw" if asked["name"] in EC:
            return ec.EllipticCurvePublicKey.from_encoded_point(curve(asked["namedCurve"]), data)
        case "jwk":
            return _of_jwk(json.loads(data))
    raise CryptoRefused("NotSupportedError", f"Such keys cannot be read as {asked['format']}.")


def _facts(name: str, key: Any) -> dict[str, Any]:
    """Return what a key says of itself; raises where it is none for the algorithm."""
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

    is_private = hasattr(key, "private_bytes")
    public = key.public_key() if is_private else key
    facts: dict[str, Any] = {"type": "private" if is_private else "public"}
    if name in RSA and isinstance(public, rsa.RSAPublicKey):
        if public.key_size > LARGEST_RSA:
            raise CryptoRefused("NotSupportedError", f"RSA keys may have {LARGEST_RSA} bits.")
        exponent = public.public_numbers().e
        size = (exponent.bit_length() + 7) // 8
        return {
            **facts,
            "modulusLength": public.key_size,
            "publicExponent": list(exponent.to_bytes(size, "big")),
        }
    if name in EC and isinstance(public, ec.EllipticCurvePublicKey):
        known = {of: name for name, of in CURVES.items()}
        return {**facts, "namedCurve": known[type(public.curve).__name__]}
    if name == "Ed25519" and isinstance(public, ed25519.Ed25519PublicKey):
        return facts
    raise CryptoRefused("DataError", f"This is no key for {name}.")


def exported(asked: Asked, parts: Parts) -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    data = parts[0]
    if asked["format"] in ("pkcs8", "spki"):
        return data
    key = private_key(data) if asked["type"] == "private" else public_key(data)
    if asked["format"] == "jwk":
        return json.dumps(_jwk(key)).encode()
    if asked["name"] == "Ed25519":
        return bytes(key.public_bytes(Encoding.Raw, PublicFormat.Raw))
    return bytes(key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint))


def _of_jwk(jwk: Mapping[str, str]) -> Any:
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

    if jwk["kty"] == "OKP" and jwk["crv"] == "Ed25519":
        if "d" in jwk:
            return ed25519.Ed25519PrivateKey.from_private_bytes(_bytes(jwk["d"]))
        return ed25519.Ed25519PublicKey.from_public_bytes(_bytes(jwk["x"]))
    if jwk["kty"] == "EC":
        point = ec.EllipticCurvePublicNumbers(_number(jwk["x"]), _number(jwk["y"]), curve(jwk["crv"]))
        if "d" in jwk:
            return ec.EllipticCurvePrivateNumbers(_number(jwk["d"]), point).private_key()
        return point.public_key()
    if jwk["kty"] != "RSA" or len(jwk["n"]) > LARGEST_RSA // 4:
        raise CryptoRefused("DataError", "The key is too large, or of another kind.")
    numbers = rsa.RSAPublicNumbers(_number(jwk["e"]), _number(jwk["n"]))
    if "d" not in jwk:
        return numbers.public_key()
    p, q, d, dp, dq, qi = (_number(jwk[name]) for name in ("p", "q", "d", "dp", "dq", "qi"))
    return rsa.RSAPrivateNumbers(p, q, d, dp, dq, qi, numbers).private_key()


def _jwk(key: Any) -> dict[str, str]:
    from cryptography.hazmat.primitives.asymmetric import ec, rsa
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    is_private = hasattr(key, "private_bytes")
    public = key.public_key() if is_private else key
    if isinstance(public, rsa.RSAPublicKey):
        numbers = public.public_numbers()
        found = {"kty": "RSA", "n": _text(numbers.n), "e": _text(numbers.e)}
        if not is_private:
            return found
        inner: rsa.RSAPrivateNumbers = key.private_numbers()
        factors = {
            "d": inner.d,
            "p": inner.p,
            "q": inner.q,
            "dp": inner.dmp1,
            "dq": inner.dmq1,
            "qi": inner.iqmp,
        }
        return found | {name: _text(number) for name, number in factors.items()}
    if isinstance(public, ec.EllipticCurvePublicKey):
        size, point = size_of(public.curve), public.public_numbers()
        named = next(name for name, of in CURVES.items() if of == type(public.curve).__name__)
        found = {"kty": "EC", "crv": named, "x": _text(point.x, size), "y": _text(point.y, size)}
        return {**found, "d": _text(key.private_numbers().private_value, size)} if is_private else found
    raw = public.public_bytes(Encoding.Raw, PublicFormat.Raw)
    found = {"kty": "OKP", "crv": "Ed25519", "x": _base64(raw)}
    return {**found, "d": _base64(key.private_bytes_raw())} if is_private else found


def der(key: Any) -> bytes:
    from cryptography.hazmat.primitives import serialization

    encoding = serialization.Encoding.DER
    if hasattr(key, "private_bytes"):
        plain = serialization.NoEncryption()
        return bytes(key.private_bytes(encoding, serialization.PrivateFormat.PKCS8, plain))
    return bytes(key.public_bytes(encoding, serialization.PublicFormat.SubjectPublicKeyInfo))


# Reading a private key proves that its parts fit, which takes longer than signing with it.
@lru_cache(64)
def private_key(der: bytes) -> Any:
    from cryptography.hazmat.primitives.serialization import load_der_private_key

    return _bounded(load_der_private_key(der, None))


@lru_cache(64)
def public_key(der: bytes) -> Any:
    from cryptography.hazmat.primitives.serialization import load_der_public_key

    return _bounded(load_der_public_key(der))


def _bounded(key: T) -> T:
    """Return a key; a script that broke out of its engine could hand over any."""
    if getattr(key, "key_size", 0) > LARGEST_RSA:
        raise CryptoRefused("NotSupportedError", f"RSA keys may have {LARGEST_RSA} bits.")
    return key


def curve(name: str) -> ec.EllipticCurve:
    from cryptography.hazmat.primitives.asymmetric import ec

    if name not in CURVES:
        raise CryptoRefused("NotSupportedError", f"The curve {name} is not here.")
    found: ec.EllipticCurve = getattr(ec, CURVES[name])()
    return found


def size_of(curve: ec.EllipticCurve) -> int:
    return (curve.key_size + 7) // 8


def _bytes(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _number(text: str) -> int:
    return int.from_bytes(_bytes(text), "big")


def _base64(data: bytes) -> str:
    return urlsafe_b64encode(data).decode().rstrip("=")


def _text(number: int, size: int = 0) -> str:
    return _base64(number.to_bytes(size or (number.bit_length() + 7) // 8, "big"))
