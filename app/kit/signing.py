"""Short signatures over text that travels through callers' hands: page tokens, file addresses."""

from __future__ import annotations

import hmac
from base64 import urlsafe_b64encode
from hashlib import blake2b


class Signer:
    """Signs and checks with one secret; `purpose` keeps a page token from passing as a file address."""

    def __init__(self, secret: bytes) -> None:
        self._secret = blake2b(secret, digest_size=32).digest()

    def sign(self, purpose: str, text: str) -> str:
        """Sixteen URL-safe characters: 96 bits."""
        digest = blake2b(
            text.encode(), digest_size=12, key=self._secret, person=purpose.encode()[:16]
        ).digest()
        return urlsafe_b64encode(digest).decode()

    def good(self, purpose: str, text: str, signature: str) -> bool:
        """Whether `signature` was made by `sign`, compared in constant time."""
        return hmac.compare_digest(self.sign(purpose, text).encode(), signature.encode())
