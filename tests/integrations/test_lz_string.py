"""LZ-string as we read it, against npm's lz-string."""

from __future__ import annotations

import json
import random
import string
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.formats.text.lz_string import ALPHABET, NotCompressed, decompress

NPM = """
const { readFileSync } = require("node:fs");
const lz = require("lz-string");
const { texts, packed } = JSON.parse(readFileSync(0, "utf8"));
const back = (text) => { try { return lz.decompressFromEncodedURIComponent(text); } catch { return null; } };
console.log(JSON.stringify({
  packed: texts.map((text) => lz.compressToEncodedURIComponent(text)),
  texts: packed.map(back),
}));
"""
RENDERING = {
    "componentId": "hello",
    "props": {"name": "Ada", "list": [1, None, True]},
    "context": {"theme": "dark"},
}
TEXTS = [
    "",
    "a",
    "aa",
    "\0",
    "ü€😀",
    "\ud800 alone \udc00",
    "\u2028\u2029\uffff\ufeff",
    "a" * 10_000,
    "ab" * 5_000,
    json.dumps(RENDERING),
    json.dumps(RENDERING) * 50,
    "".join(chr(number) for number in range(0, 0xD800, 7)),
    "".join(random.Random(1).choices(string.printable, k=20_000)),
    "".join(random.Random(2).choices("ab", k=20_000)),
    "".join(chr(number) for number in range(256)) * 5,
]


def npm(*, texts: list[str] | None = None, packed: list[str] | None = None) -> dict[str, list[str | None]]:
    made = subprocess.run(
        ["node", "-e", NPM],
        cwd=Path(__file__).parent,
        input=json.dumps({"texts": texts or [], "packed": packed or []}),
        capture_output=True,
        check=True,
        text=True,
        timeout=1800,  # npm's takes long for long texts, and other tests run beside it
    )
    found: dict[str, list[str | None]] = json.loads(made.stdout)
    return found


def test_what_npm_compresses_comes_back() -> None:
    packed = npm(texts=TEXTS)["packed"]
    assert [decompress(str(text), most=100_000) for text in packed] == TEXTS


def test_plus_signs_may_have_become_spaces() -> None:
    packed = [str(text) for text in npm(texts=[json.dumps({"n": n}) for n in range(200)])["packed"]]
    assert any("+" in text for text in packed)
    for n, text in enumerate(packed):
        assert json.loads(decompress(text.replace("+", " "), most=100)) == {"n": n}


def test_what_we_read_from_noise_npm_reads_too() -> None:
    """Where we give a text, it is npm's. Where npm reads past the end, we refuse."""
    chance = random.Random(7)
    noise = ["".join(chance.choices([*ALPHABET], k=chance.randint(1, 60))) for _ in range(3000)]
    theirs = npm(packed=noise)["texts"]
    read = 0
    for text, right in zip(noise, theirs, strict=True):
        try:
            ours = decompress(text, most=10_000)
        except NotCompressed:
            continue
        read += 1
        assert ours == right
    assert read > 10


@given(st.text(max_size=200))
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_no_text_breaks_the_reader(text: str) -> None:
    with suppress(NotCompressed):
        assert len(decompress(text, most=1000)) <= 1000


def test_a_small_request_that_grows_manifold_is_refused() -> None:
    (packed,) = npm(texts=["x" * 1_000_000])["packed"]
    assert packed is not None
    assert len(packed) * 300 < 1_000_000
    with pytest.raises(NotCompressed):
        decompress(packed, most=999_999)
    assert decompress(packed, most=1_000_000) == "x" * 1_000_000


@pytest.mark.parametrize("broken", ["€", "a b!", "A", "N4Ig", "0" * 50])
def test_what_is_not_compressed_is_refused(broken: str) -> None:
    with pytest.raises(NotCompressed):
        decompress(broken, most=1000)
