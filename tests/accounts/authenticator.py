"""A device that keeps one passkey, as browsers pass on what it answers."""

from __future__ import annotations

import json
import os
from hashlib import sha256
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from webauthn.helpers import base64url_to_bytes, bytes_to_base64url, encode_cbor

PRESENT, VERIFIED, WITH_KEY = 0x01, 0x04, 0x40


class Device:
    """A security key whose owner agrees to everything; `counter` is how often it has signed."""

    def __init__(self, origin: str, name: str) -> None:
        self.origin, self.name, self.counter = origin, name, 0
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._id = os.urandom(32)
        self.user = b""

    def create(self, options: dict[str, Any]) -> dict[str, Any]:
        """The answer to a request for a new passkey."""
        numbers = self._key.public_key().public_numbers()
        point = {-2: numbers.x.to_bytes(32, "big"), -3: numbers.y.to_bytes(32, "big")}
        public = encode_cbor({1: 2, 3: -7, -1: 1, **point})
        kept = bytes(16) + len(self._id).to_bytes(2, "big") + self._id + public
        said = self._said(PRESENT | VERIFIED | WITH_KEY) + kept
        attestation = encode_cbor({"fmt": "none", "attStmt": {}, "authData": said})
        self.user = base64url_to_bytes(options["user"]["id"])
        client = self._client("webauthn.create", options)
        return self._answer(client, attestationObject=attestation)

    def get(self, options: dict[str, Any], flags: int = PRESENT | VERIFIED) -> dict[str, Any]:
        """The answer to a request to sign in."""
        self.counter += 1
        said, client = self._said(flags), self._client("webauthn.get", options)
        signature = self._key.sign(said + sha256(client).digest(), ec.ECDSA(SHA256()))
        return self._answer(client, authenticatorData=said, signature=signature, userHandle=self.user)

    def _said(self, flags: int) -> bytes:
        return sha256(self.name.encode()).digest() + bytes([flags]) + self.counter.to_bytes(4, "big")

    def _client(self, kind: str, options: dict[str, Any]) -> bytes:
        return json.dumps({"type": kind, "challenge": options["challenge"], "origin": self.origin}).encode()

    def _answer(self, client: bytes, **parts: bytes) -> dict[str, Any]:
        response = {"clientDataJSON": client, **parts}
        written = {name: bytes_to_base64url(value) for name, value in response.items()}
        known = bytes_to_base64url(self._id)
        return {"id": known, "rawId": known, "type": "public-key", "response": written}
