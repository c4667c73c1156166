"""Signatures over text that travels through callers' hands (page tokens, file addresses), secrets that are
stored encrypted, and the bearer tokens and sessions by which callers are known, of which a hash is stored.
"""

from __future__ import annotations

import hmac
import os
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import blake2b, sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # few secrets are stored
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM


class Signer:
    """Signs and checks with one secret; `purpose` keeps a page token from passing as a file address."""

    def __init__(self, secret: bytes) -> None:
        self._secret = blake2b(secret, digest_size=32).digest()
        self._ciphers: dict[str, AESGCM] = {}

    def sign(self, purpose: str, text: str) -> str:
        """Return a signature: sixteen URL-safe characters, 96 bits."""
        digest = blake2b(
            text.encode(), digest_size=12, key=self._secret, person=purpose.encode()[:16]
        ).digest()
        return urlsafe_b64encode(digest).decode()

    def good(self, purpose: str, text: str, signature: str) -> bool:
        """Tell whether `signature` was made by `sign`, compared in constant time."""
        return hmac.compare_digest(self.sign(purpose, text).encode(), signature.encode())

    def fingerprint(self, purpose: str, text: str) -> str:
        """Return 32 hexadecimal digits by which a text is found that is not stored itself."""
        return blake2b(
            text.encode("utf-8", "surrogatepass"),
            digest_size=16,
            key=self._secret,
            person=purpose.encode()[:16],
        ).hexdigest()

    def seal(self, purpose: str, text: str, about: str = "") -> str:
        """Return the text as it may be stored: AES-256-GCM,
        opened by `unseal` for the same purpose and row only.
        """
        return urlsafe_b64encode(self.seal_bytes(purpose, text.encode(), about)).decode()

    def unseal(self, purpose: str, sealed: str, about: str = "") -> str | None:
        """Return what was sealed, or None where it was sealed with another secret,
        for another purpose or row.
        """
        try:
            opened = self.unseal_bytes(purpose, urlsafe_b64decode(sealed), about)
        except ValueError:  # this was never sealed
            return None
        return None if opened is None else opened.decode()

    def seal_bytes(self, purpose: str, content: bytes, about: str = "") -> bytes:
        """Do as `seal` does, for bytes."""
        nonce = os.urandom(12)
        return nonce + self._cipher(purpose).encrypt(nonce, content, about.encode() or None)

    def unseal_bytes(self, purpose: str, sealed: bytes, about: str = "") -> bytes | None:
        """Do as `unseal` does, for bytes."""
        from cryptography.exceptions import InvalidTag

        try:
            return self._cipher(purpose).decrypt(sealed[:12], sealed[12:], about.encode() or None)
        except InvalidTag:
            return None

    def _cipher(self, purpose: str) -> AESGCM:
        held = self._ciphers.get(purpose)
        if held is None:
            from cryptography.hazmat.primitives.ciphers.aead import AESGCM

            key = blake2b(purpose.encode(), digest_size=32, key=self._secret, person=b"seal").digest()
            held = self._ciphers[purpose] = AESGCM(key)
        return held


def new_token() -> str:
    """Return a secret of 256 bits that is safe in a header and easy to recognise in a leak."""
    return "dcy_" + secrets.token_urlsafe(32)


SESSION = "dcs_"


def new_session() -> str:
    """Return the secret of a browser's session. It counts in a cookie only, and a token in a header only."""
    return SESSION + secrets.token_urlsafe(32)


def new_link_code() -> str:
    """Return the code of a link that signs somebody in."""
    return "dcl_" + secrets.token_urlsafe(32)


AGENT = "dci_"


def new_agent_token() -> str:
    """Return a secret for an integration, told from a person's by how it begins."""
    return AGENT + secrets.token_urlsafe(32)


OAUTH = "dco_"


def new_access_token() -> str:
    """Return a secret for an application that calls for a person."""
    return OAUTH + secrets.token_urlsafe(32)


def new_secret(kind: str) -> str:
    """Return a secret of 256 bits that is no bearer token; the letter of its kind is in its beginning."""
    return f"dc{kind}_{secrets.token_urlsafe(32)}"


def token_hash(token: str) -> str:
    """Return what is stored of a token."""
    return sha256(token.encode()).hexdigest()
