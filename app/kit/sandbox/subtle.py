"""The keys and algorithms of `crypto.subtle`, computed by the host's cryptography library.

A key is its bytes: the secret itself, or the DER of a private (PKCS #8) or public (SPKI) key. What comes from
scripts is bounded, since nothing interrupts the library: sizes of RSA keys, and the rounds of PBKDF2.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec, rsa

HASHES = {"SHA-1": "SHA1", "SHA-256": "SHA256", "SHA-384": "SHA384", "SHA-512": "SHA512"}
CURVES = {"P-256": "SECP256R1", "P-384": "SECP384R1", "P-521": "SECP521R1"}
RSA = ("RSASSA-PKCS1-v1_5", "RSA-PSS", "RSA-OAEP")
EC = ("ECDSA", "ECDH")
LARGEST_RSA, LARGEST_NEW_RSA = 4096, 2048  # bits
MOST_ROUNDS = 200_000  # of PBKDF2, in all blocks together
BLOCK = 16  # bytes of AES
Parts = Sequence[bytes]
Asked = Mapping[str, Any]
T = TypeVar("T")


class Refused(Exception):
    """What was asked cannot be done; `name` is that of the DOMException which the script gets."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name


def answer(text: str, data: bytes) -> str | bytes:
    """Return what an operation makes of its parts, or as text why it is refused: `Name:message`.

    `text` is JSON: the operation, its parameters, and the sizes of the parts that `data` consists of.
    """
    try:
        asked = json.loads(text)
        parts, start = [], 0
        for size in asked["sizes"]:
            parts.append(data[start : start + size])
            start += size
        return _OPERATIONS[asked["operation"]](asked, parts)
    except Refused as refused:
        return f"{refused.name}:{refused}"
    except ImportError:
        return "NotSupportedError:The server lacks its cryptography library."
    except Exception as error:  # the library has many ways to say that something is malformed
        return f"OperationError:{type(error).__name__}"


def _sign(asked: Asked, parts: Parts) -> bytes:
    from cryptography.hazmat.primitives.asymmetric import padding
    from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

    name, (key, data) = asked["name"], parts
    if name == "HMAC":
        return hmac.digest(key, data, HASHES[asked["hash"]].lower())
    private = _private(key)
    if name == "ECDSA":
        size = _size(private.curve)
        halves = decode_dss_signature(private.sign(data, _ecdsa(asked)))
        return b"".join(half.to_bytes(size, "big") for half in halves)
    if name == "Ed25519":
        return bytes(private.sign(data))
    hash_ = _hash(asked["hash"])
    if name == "RSA-PSS":
        return bytes(private.sign(data, _pss(asked), hash_))
    return bytes(private.sign(data, padding.PKCS1v15(), hash_))


def _verify(asked: Asked, parts: Parts) -> bytes:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric import padding
    from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

    name, (key, signature, data) = asked["name"], parts
    if name == "HMAC":
        right = hmac.digest(key, data, HASHES[asked["hash"]].lower())
        return bytes([hmac.compare_digest(right, signature)])
    public = _public(key)
    try:
        if name == "ECDSA":
            size = _size(public.curve)
            if len(signature) != 2 * size:
                return b"\0"
            r, s = (int.from_bytes(half, "big") for half in (signature[:size], signature[size:]))
            public.verify(encode_dss_signature(r, s), data, _ecdsa(asked))
        elif name == "Ed25519":
            public.verify(signature, data)
        elif name == "RSA-PSS":
            public.verify(signature, data, _pss(asked), _hash(asked["hash"]))
        else:
            public.verify(signature, data, padding.PKCS1v15(), _hash(asked["hash"]))
    except InvalidSignature:
        return b"\0"
    return b"\1"


def _encrypt(asked: Asked, parts: Parts) -> bytes:
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    name, key, data = asked["name"], parts[0], parts[1]
    if name == "RSA-OAEP":
        return bytes(_public(key).encrypt(data, _oaep(asked, parts[2])))
    if name == "AES-GCM":
        sealing = Cipher(algorithms.AES(key), modes.GCM(parts[2])).encryptor()
        sealing.authenticate_additional_data(parts[3])
        return sealing.update(data) + sealing.finalize() + sealing.tag[: _tag(asked)]
    if name == "AES-CBC":
        fill = BLOCK - len(data) % BLOCK
        encryptor = Cipher(algorithms.AES(key), modes.CBC(parts[2])).encryptor()
        return encryptor.update(data + bytes([fill]) * fill) + encryptor.finalize()
    encryptor = Cipher(algorithms.AES(key), modes.CTR(parts[2])).encryptor()
    return encryptor.update(data) + encryptor.finalize()


def _decrypt(asked: Asked, parts: Parts) -> bytes:
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    name, key, data = asked["name"], parts[0], parts[1]
    if name == "RSA-OAEP":
        return bytes(_private(key).decrypt(data, _oaep(asked, parts[2])))
    if name == "AES-GCM":
        size = _tag(asked)
        if len(data) < size:
            raise Refused("OperationError", "The data is shorter than its tag.")
        sealed, tag = data[:-size], data[-size:]
        opening = Cipher(algorithms.AES(key), modes.GCM(parts[2], tag, min_tag_length=size)).decryptor()
        opening.authenticate_additional_data(parts[3])
        return opening.update(sealed) + opening.finalize()
    if name == "AES-CBC":
        decryptor = Cipher(algorithms.AES(key), modes.CBC(parts[2])).decryptor()
        padded = decryptor.update(data) + decryptor.finalize()
        fill = padded[-1] if padded else 0
        if not 1 <= fill <= BLOCK or padded[-fill:] != bytes([fill]) * fill:
            raise Refused("OperationError", "The data was not encrypted with this key.")
        return padded[:-fill]
    return _encrypt(asked, parts)


def _derive_bits(asked: Asked, parts: Parts) -> bytes:
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    name, key = asked["name"], parts[0]
    size = (asked["length"] or 0) // 8
    if name == "PBKDF2":
        hash_ = HASHES[asked["hash"]].lower()
        blocks = -(-size // hashlib.new(hash_).digest_size)
        if not 0 < asked["iterations"] * blocks <= MOST_ROUNDS:
            raise Refused(
                "NotSupportedError", f"PBKDF2 may take {MOST_ROUNDS:,} rounds, of all blocks together."
            )
        return hashlib.pbkdf2_hmac(hash_, key, parts[1], asked["iterations"], size)
    if name == "HKDF":
        return HKDF(_hash(asked["hash"]), size, parts[1], parts[2]).derive(key)
    secret = bytes(_private(key).exchange(ec.ECDH(), _public(parts[1])))
    if size > len(secret):
        raise Refused("OperationError", f"The secret that is shared has {len(secret) * 8} bits.")
    return secret[:size] if asked["length"] else secret


def _generate(asked: Asked, parts: Parts) -> bytes:
    """Return a private and a public key, with a line before them that says how long the first is."""
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

    name = asked["name"]
    made: Any
    if name in RSA:
        bits = asked["modulusLength"]
        if bits > LARGEST_NEW_RSA:
            raise Refused("NotSupportedError", f"New RSA keys may have {LARGEST_NEW_RSA} bits.")
        made = rsa.generate_private_key(int.from_bytes(parts[0], "big"), bits)
    elif name in EC:
        made = ec.generate_private_key(_curve(asked["namedCurve"]))
    else:
        made = ed25519.Ed25519PrivateKey.generate()
    private = _der(made)
    return f"{len(private)}\n".encode() + private + _der(made.public_key())


def _import(asked: Asked, parts: Parts) -> bytes:
    """Return the DER of a key that is read from another format, after a line of JSON that says what it is."""
    try:
        key = _read(asked, parts[0])
        facts = _facts(asked["name"], key)
    except Refused:
        raise
    except Exception:
        raise Refused("DataError", "The key is malformed, or of another kind.") from None
    if facts.get("namedCurve") != asked.get("namedCurve"):
        raise Refused("DataError", "The key is on another curve.")
    return json.dumps(facts).encode() + b"\n" + _der(key)


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
            return ec.EllipticCurvePublicKey.from_encoded_point(_curve(asked["namedCurve"]), data)
        case "jwk":
            return _of_jwk(json.loads(data))
    raise Refused("NotSupportedError", f"Such keys cannot be read as {asked['format']}.")


def _facts(name: str, key: Any) -> dict[str, Any]:
    """Return what a key says of itself; raises where it is none for the algorithm."""
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

    is_private = hasattr(key, "private_bytes")
    public = key.public_key() if is_private else key
    facts: dict[str, Any] = {"type": "private" if is_private else "public"}
    if name in RSA and isinstance(public, rsa.RSAPublicKey):
        if public.key_size > LARGEST_RSA:
            raise Refused("NotSupportedError", f"RSA keys may have {LARGEST_RSA} bits.")
        exponent = public.public_numbers().e
        size = (exponent.bit_length() + 7) // 8
        return {
            **facts,
            "modulusLength": public.key_size,
            "publicExponent": list(exponent.to_bytes(size, "big")),
        }
    if name in EC and isinstance(public, ec.EllipticCurvePublicKey):
        known = {of: curve for curve, of in CURVES.items()}
        return {**facts, "namedCurve": known[type(public.curve).__name__]}
    if name == "Ed25519" and isinstance(public, ed25519.Ed25519PublicKey):
        return facts
    raise Refused("DataError", f"This is no key for {name}.")


def _export(asked: Asked, parts: Parts) -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    der = parts[0]
    if asked["format"] in ("pkcs8", "spki"):
        return der
    key = _private(der) if asked["type"] == "private" else _public(der)
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
        point = ec.EllipticCurvePublicNumbers(_number(jwk["x"]), _number(jwk["y"]), _curve(jwk["crv"]))
        if "d" in jwk:
            return ec.EllipticCurvePrivateNumbers(_number(jwk["d"]), point).private_key()
        return point.public_key()
    if jwk["kty"] != "RSA" or len(jwk["n"]) > LARGEST_RSA // 4:
        raise Refused("DataError", "The key is too large, or of another kind.")
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
        size, point = _size(public.curve), public.public_numbers()
        curve = next(name for name, of in CURVES.items() if of == type(public.curve).__name__)
        found = {"kty": "EC", "crv": curve, "x": _text(point.x, size), "y": _text(point.y, size)}
        return {**found, "d": _text(key.private_numbers().private_value, size)} if is_private else found
    raw = public.public_bytes(Encoding.Raw, PublicFormat.Raw)
    found = {"kty": "OKP", "crv": "Ed25519", "x": _base64(raw)}
    return {**found, "d": _base64(key.private_bytes_raw())} if is_private else found


def _der(key: Any) -> bytes:
    from cryptography.hazmat.primitives import serialization

    der = serialization.Encoding.DER
    if hasattr(key, "private_bytes"):
        plain = serialization.NoEncryption()
        return bytes(key.private_bytes(der, serialization.PrivateFormat.PKCS8, plain))
    return bytes(key.public_bytes(der, serialization.PublicFormat.SubjectPublicKeyInfo))


# Reading a private key proves that its parts fit, which takes longer than signing with it.
@lru_cache(64)
def _private(der: bytes) -> Any:
    from cryptography.hazmat.primitives.serialization import load_der_private_key

    return _bounded(load_der_private_key(der, None))


@lru_cache(64)
def _public(der: bytes) -> Any:
    from cryptography.hazmat.primitives.serialization import load_der_public_key

    return _bounded(load_der_public_key(der))


def _bounded(key: T) -> T:
    """Return a key; a script that broke out of its engine could hand over any."""
    if getattr(key, "key_size", 0) > LARGEST_RSA:
        raise Refused("NotSupportedError", f"RSA keys may have {LARGEST_RSA} bits.")
    return key


def _hash(name: str) -> hashes.HashAlgorithm:
    from cryptography.hazmat.primitives import hashes

    found: hashes.HashAlgorithm = getattr(hashes, HASHES[name])()
    return found


def _curve(name: str) -> ec.EllipticCurve:
    from cryptography.hazmat.primitives.asymmetric import ec

    if name not in CURVES:
        raise Refused("NotSupportedError", f"The curve {name} is not here.")
    found: ec.EllipticCurve = getattr(ec, CURVES[name])()
    return found


def _ecdsa(asked: Asked) -> ec.ECDSA:
    from cryptography.hazmat.primitives.asymmetric import ec

    return ec.ECDSA(_hash(asked["hash"]))


def _pss(asked: Asked) -> Any:
    from cryptography.hazmat.primitives.asymmetric import padding

    return padding.PSS(padding.MGF1(_hash(asked["hash"])), asked["saltLength"])


def _oaep(asked: Asked, label: bytes) -> Any:
    from cryptography.hazmat.primitives.asymmetric import padding

    hash_ = _hash(asked["hash"])
    return padding.OAEP(padding.MGF1(hash_), hash_, label or None)


def _tag(asked: Asked) -> int:
    """Return the bytes of a tag of AES-GCM."""
    bits = asked["tagLength"]
    if bits not in (96, 104, 112, 120, 128):
        raise Refused("OperationError", "A tag has 96 to 128 bits.")
    return int(bits) // 8


def _size(curve: ec.EllipticCurve) -> int:
    return (curve.key_size + 7) // 8


def _bytes(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _number(text: str) -> int:
    return int.from_bytes(_bytes(text), "big")


def _base64(data: bytes) -> str:
    return urlsafe_b64encode(data).decode().rstrip("=")


def _text(number: int, size: int = 0) -> str:
    return _base64(number.to_bytes(size or (number.bit_length() + 7) // 8, "big"))


_OPERATIONS: Mapping[str, Callable[[Asked, Parts], bytes]] = {
    "sign": _sign,
    "verify": _verify,
    "encrypt": _encrypt,
    "decrypt": _decrypt,
    "deriveBits": _derive_bits,
    "generateKey": _generate,
    "importKey": _import,
    "exportKey": _export,
}
