"""Cryptography of the host for scripts: nothing slow, and only valid keys."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app.kit.sandbox import subtle
from tests.integrations.script_calls import call, handler, texts

TRIED = """
    const bytes = (text) => new TextEncoder().encode(text);
    const outcome = async (attempt) => {
      try { return [await attempt()]; } catch (reason) { return `${reason.name}: ${reason.message}`; }
    };
"""


def tried(attempt: str) -> Any:
    """Return what comes of something: a value in a list, or what is thrown."""
    result = call(handler(f"return Response.json(await outcome(async () => {{ {attempt} }}));", before=TRIED))
    assert result.error is None, result.message
    return json.loads(result.body)


@pytest.mark.parametrize(
    "attempt",
    [
        """const key = await crypto.subtle.importKey("raw", bytes("p"), "PBKDF2", false, ["deriveBits"]);
           const algorithm = { name: "PBKDF2", hash: "SHA-512", salt: bytes("s"), iterations: 1e9 };
           return crypto.subtle.deriveBits(algorithm, key, 256);""",
        """const key = await crypto.subtle.importKey("raw", bytes("p"), "PBKDF2", false, ["deriveBits"]);
           const algorithm = { name: "PBKDF2", hash: "SHA-512", salt: bytes("s"), iterations: 1e5 };
           return crypto.subtle.deriveBits(algorithm, key, 8 * 64 * 1000);""",
        """const publicExponent = new Uint8Array([1, 0, 1]);
           const algorithm = { name: "RSA-PSS", hash: "SHA-256", modulusLength: 16384, publicExponent };
           return crypto.subtle.generateKey(algorithm, false, ["sign", "verify"]);""",
        """const n = "f".repeat(20000);
           const algorithm = { name: "RSA-PSS", hash: "SHA-256" };
           const jwk = { kty: "RSA", n, e: "AQAB" };
           return crypto.subtle.importKey("jwk", jwk, algorithm, true, ["verify"]);""",
    ],
)
def test_what_would_take_long_is_refused(attempt: str) -> None:
    assert tried(attempt).split(":")[0] in ("NotSupportedError", "DataError")


def test_keys_cannot_be_made_up() -> None:
    assert tried("return new CryptoKey()") == "TypeError: Illegal constructor"
    assert tried("return Object.getOwnPropertyNames(CryptoKey)") == [["length", "name", "prototype"]]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "{}",
        '{"operation": "sign", "sizes": [1e9]}',
        '{"operation": "none", "sizes": []}',
        '{"operation": "sign", "name": "ECDSA", "hash": "SHA-256", "sizes": [1, 1]}',
        '{"operation": "importKey", "name": "RSA-PSS", "format": "jwk", "sizes": [2]}',
    ],
)
def test_whatever_the_engine_asks_is_answered(text: str) -> None:
    assert isinstance(subtle.answer(text, b"{}"), str)


def test_a_stack_begins_with_its_error_and_names_the_script_alone() -> None:
    result = call(handler("throw new RangeError('too dim');"))
    (line,) = texts(result)
    assert line.startswith("error: RangeError: too dim\n    at fetch (integration:2:")
    assert "eval_script" not in line
    assert result.message is not None
    assert result.message.startswith("RangeError: too dim (line 2, column ")
