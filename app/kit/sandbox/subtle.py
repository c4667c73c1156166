"""The keys and algorithms of `crypto.subtle`, computed by the host's cryptography library.

What comes from scripts is bounded, since nothing interrupts the library: the sizes of new RSA keys, and the
rounds of PBKDF2.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from app.kit.sandbox.crypto_keys import (
    EC,
    RSA,
    Asked,
    CryptoRefused,
    Parts,
    curve,
    der,
    exported,
    imported,
    private_key,
    public_key,
    size_of,
)

if TYPE_CHECKING:
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec

HASHES = {"SHA-1": "SHA1", "SHA-256": "SHA256", "SHA-384": "SHA384", "SHA-512": "SHA512"}
LARGEST_NEW_RSA = 2048  # bits
MOST_ROUNDS = 200_000  # of PBKDF2, in all blocks together
BLOCK = 16  # bytes of AES


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
    except CryptoRefused as refused:
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
    private = private_key(key)
    if name == "ECDSA":
        size = size_of(private.curve)
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
    public = public_key(key)
    try:
        if name == "ECDSA":
            size = size_of(public.curve)
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
        return bytes(public_key(key).encrypt(data, _oaep(asked, parts[2])))
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
        return bytes(private_key(key).decrypt(data, _oaep(asked, parts[2])))
    if name == "AES-GCM":
        size = _tag(asked)
        if len(data) < size:
            raise CryptoRefused("OperationError", "The data is shorter than its tag.")
        sealed, tag = data[:-size], data[-size:]
        opening = Cipher(algorithms.AES(key), modes.GCM(parts[2], tag, min_tag_length=size)).decryptor()
        opening.authenticate_additional_data(parts[3])
        return opening.update(sealed) + opening.finalize()
    if name == "AES-CBC":
        decryptor = Cipher(algorithms.AES(key), modes.CBC(parts[2])).decryptor()
        padded = decryptor.update(data) + decryptor.finalize()
        fill = padded[-1] if padded else 0
        if not 1 <= fill <= BLOCK or padded[-fill:] != bytes([fill]) * fill:
            raise CryptoRefused("OperationError", "The data was not encrypted with this key.")
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
            raise CryptoRefused(
                "NotSupportedError", f"PBKDF2 may take {MOST_ROUNDS:,} rounds, of all blocks together."
            )
        return hashlib.pbkdf2_hmac(hash_, key, parts[1], asked["iterations"], size)
    if name == "HKDF":
        return HKDF(_hash(asked["hash"]), size, parts[1], parts[2]).derive(key)
    secret = bytes(private_key(key).exchange(ec.ECDH(), public_key(parts[1])))
    if size > len(secret):
        raise CryptoRefused("OperationError", f"The secret that is shared has {len(secret) * 8} bits.")
    return secret[:size] if asked["length"] else secret


def _generate(asked: Asked, parts: Parts) -> bytes:
    """Return a private and a public key, with a line before them that says how long the first is."""
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

    name = asked["name"]
    made: Any
    if name in RSA:
        bits = asked["modulusLength"]
        if bits > LARGEST_NEW_RSA:
            raise CryptoRefused("NotSupportedError", f"New RSA keys may have {LARGEST_NEW_RSA} bits.")
        made = rsa.generate_private_key(int.from_bytes(parts[0], "big"), bits)
    elif name in EC:
        made = ec.generate_private_key(curve(asked["namedCurve"]))
    else:
        made = ed25519.Ed25519PrivateKey.generate()
    private = der(made)
    return f"{len(private)}\n".encode() + private + der(made.public_key())


def _hash(name: str) -> hashes.HashAlgorithm:
    from cryptography.hazmat.primitives import hashes

    found: hashes.HashAlgorithm = getattr(hashes, HASHES[name])()
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
        raise CryptoRefused("OperationError", "A tag has 96 to 128 bits.")
    return int(bits) // 8


_OPERATIONS: Mapping[str, Callable[[Asked, Parts], bytes]] = {
    "sign": _sign,
    "verify": _verify,
    "encrypt": _encrypt,
    "decrypt": _decrypt,
    "deriveBits": _derive_bits,
    "generateKey": _generate,
    "importKey": imported,
    "exportKey": exported,
}
