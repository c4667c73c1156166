"""Packs made by hand: what git itself never writes is refused, within bounded memory."""

from __future__ import annotations

import hashlib
import itertools
import tempfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from app.kit.git.limits import GitLimits, GitProblem, RepositoryTooLarge
from app.kit.git.objects import BLOB, Objects, object_id
from app.kit.git.work import unpack
from tests.memory import peak_memory


def entry(kind: int, content: bytes, *, size: int | None = None, base: bytes = b"") -> bytes:
    size = len(content) if size is None else size
    head = [kind << 4 | size & 15]
    size >>= 4
    while size:
        head[-1] |= 128
        head.append(size & 127)
        size >>= 7
    return bytes(head) + base + zlib.compress(content)


def packed(*entries: bytes, count: int | None = None) -> bytes:
    body = b"PACK\0\0\0\2" + (len(entries) if count is None else count).to_bytes(4) + b"".join(entries)
    return body + hashlib.sha1(body).digest()


def number(value: int) -> bytes:
    out = []
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def copy_all(size: int) -> bytes:
    """A delta instruction: copy `size` bytes from the start (less than 2 ** 24)."""
    return bytes([0x80 | 0x70]) + size.to_bytes(3, "little")


def opened(tmp_path: Path, data: bytes, limits: GitLimits | None = None) -> Objects:
    folder = Path(tempfile.mkdtemp(dir=tmp_path))
    (folder / "pack").write_bytes(data)
    objects = Objects(folder, limits or GitLimits())
    try:
        unpack(folder / "pack", objects, limits or GitLimits(), lambda: None)
    except BaseException:
        objects.close()
        raise
    return objects


def test_deltas_by_id_and_by_place_are_applied_in_any_order(tmp_path: Path) -> None:
    base, text = b"0123456789" * 10, b"0123456789" * 10 + b"abc"
    oid = object_id(BLOB, base)
    delta = number(100) + number(103) + copy_all(100) + b"\x03abc"
    first = entry(7, delta, base=oid)
    objects = opened(tmp_path, packed(first, entry(BLOB, base)))
    assert objects.of_kind(object_id(BLOB, text), BLOB) == text
    objects.close()
    whole = entry(BLOB, base)
    objects = opened(tmp_path, packed(whole, entry(6, delta, base=bytes([len(whole)]))))
    assert objects.of_kind(object_id(BLOB, text), BLOB) == text
    objects.close()


def hostile_packs() -> dict[str, bytes]:
    base = b"x" * 100
    oid, whole = object_id(BLOB, base), entry(BLOB, base)
    good = packed(whole)
    return {
        "nothing": b"",
        "no pack": b"x" * 100,
        "cut off": good[:-21],
        "a wrong checksum": good[:-1] + bytes([good[-1] ^ 1]),
        "more than announced": packed(whole, whole, count=1),
        "less than announced": packed(whole, count=2),
        "more bytes than said": packed(entry(BLOB, base, size=99)),
        "fewer bytes than said": packed(entry(BLOB, base, size=101)),
        "an unknown kind": packed(entry(5, base)),
        "no zlib": packed(bytes([BLOB << 4 | 3]) + b"abcdefgh"),
        "a base that is missing": packed(entry(7, number(1) + number(0), base=b"q" * 20)),
        "a base before the pack": packed(entry(6, b"\0\0", base=b"\xff\xff\x7f")),
        "a base that is itself": packed(entry(6, b"\0\0", base=b"\0")),
        "a base of another size": packed(whole, entry(7, number(99) + number(1) + b"\x01a", base=oid)),
        "a copy beyond the base": packed(
            whole, entry(7, number(100) + number(101) + copy_all(101), base=oid)
        ),
        "an insert cut off": packed(whole, entry(7, number(100) + number(9) + b"\x09abc", base=oid)),
        "a reserved instruction": packed(whole, entry(7, number(100) + number(1) + b"\0", base=oid)),
        "a delta longer than said": packed(
            whole, entry(7, number(100) + number(1) + copy_all(100), base=oid)
        ),
        "a delta shorter than said": packed(
            whole, entry(7, number(100) + number(101) + copy_all(100), base=oid)
        ),
        "a number without end": packed(bytes([BLOB << 4 | 128]) + b"\xff" * 100_000),
        "a delta of nothing": packed(whole, entry(7, b"", base=oid)),
    }


@pytest.mark.parametrize("name", hostile_packs())
def test_a_broken_pack_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(GitProblem):
        opened(tmp_path, hostile_packs()[name])


def test_random_damage_never_ends_in_another_error(tmp_path: Path) -> None:
    base = b"some words, again and again. " * 20
    delta = number(len(base)) + number(len(base) + 1) + copy_all(len(base)) + b"\x01!"
    sound = packed(entry(BLOB, base), entry(7, delta, base=object_id(BLOB, base)))[:-20]
    for position, value in itertools.product(range(0, len(sound), 2), (0, 0x7F, 0x80, 0xFF)):
        harmed = sound[:position] + bytes([value]) + sound[position + 1 :]
        with suppress(GitProblem):
            opened(tmp_path, harmed + hashlib.sha1(harmed).digest(), GitLimits(objects=100)).close()


def bombs() -> dict[str, Callable[[], object]]:
    """Return what opens packs that expand beyond these limits, and is refused."""
    small = GitLimits(blob=1 << 20, expanded=4 << 20, objects=50)
    base = bytes(1 << 20)
    oid = object_id(BLOB, base)

    def grown(start: int) -> bytes:
        return number(1 << 20) + number(1 << 20) + b"\x04%04d" % start + copy_all((1 << 20) - 4)

    many = packed(entry(BLOB, base), *(entry(7, grown(n), base=oid) for n in range(40)))
    doubling = packed(
        entry(BLOB, base), entry(7, number(1 << 20) + number(1 << 40) + copy_all(1 << 20) * 9, base=oid)
    )
    packs = {
        "one large file": packed(entry(BLOB, bytes(30 << 20))),
        "a file larger than it says": packed(entry(BLOB, bytes(30 << 20), size=10)),
        "many deltas of one base": many,
        "a delta that grows": doubling,
        "too many objects": packed(*(entry(BLOB, b"%d" % n) for n in range(60))),
    }

    def refused(pack: bytes) -> None:
        with tempfile.TemporaryDirectory() as folder, pytest.raises(GitProblem):
            opened(Path(folder), pack, small)

    return {name: partial(refused, pack) for name, pack in packs.items()}


def test_what_expands_beyond_the_limits_is_refused_without_being_held() -> None:
    for name, peak in peak_memory(bombs).items():
        assert peak < 6 << 20, name


def test_a_long_chain_of_deltas_is_no_deep_call(tmp_path: Path) -> None:
    text, entries = b"x" * 50, [entry(BLOB, b"x" * 50)]
    for step in range(3_000):
        delta = number(len(text)) + number(len(text)) + b"\x04%04d" % step + copy_all(len(text) - 4)
        entries.append(entry(7, delta, base=object_id(BLOB, text)))
        text = b"%04d" % step + text[:-4]
    objects = opened(tmp_path, packed(*entries))
    assert objects.of_kind(object_id(BLOB, text), BLOB) == text
    objects.close()


def test_each_limit_holds_by_itself(tmp_path: Path) -> None:
    size = 1 << 20
    base = bytes(size)
    same = entry(7, number(size) + number(size) + copy_all(size), base=object_id(BLOB, base))
    over = {
        "one file": packed(entry(BLOB, bytes(size + 1))),
        "a file made by a delta": packed(
            entry(BLOB, base),
            entry(7, number(size) + number(size + 1) + copy_all(size) + b"\x01x", base=object_id(BLOB, base)),
        ),
        "all files": packed(*(entry(BLOB, bytes([n]) * size) for n in range(5))),
        "the same file made again and again": packed(entry(BLOB, base), *itertools.repeat(same, 30)),
        "objects": packed(*(entry(BLOB, b"%d" % n) for n in range(60))),
    }
    for pack in over.values():
        with pytest.raises(RepositoryTooLarge):
            opened(tmp_path, pack, GitLimits(blob=size, expanded=4 * size, objects=50)).close()
        opened(tmp_path, pack).close()
