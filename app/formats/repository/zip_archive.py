"""A zip file as a tree, read without trusting a word it says.

Rules: whatever could be written outside, hide another file, or grow without bound refuses the whole archive
with a sentence. Bytes are counted while they are expanded. Zips inside are files like any other.
"""

from __future__ import annotations

import io
import stat
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO

from app.formats.repository.file_tree import unfit
from app.kit.errors import Invalid

_ENTRY_SIGNATURE = b"PK\x01\x02"
_CHUNK = 1 << 20
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_BROKEN = (
    zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError,
    NotImplementedError, IndexError, KeyError, OverflowError, struct.error,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ZipLimits:
    """The limits of an archive, packed and expanded."""

    entries: int = 100_000
    packed: int = 1 << 30
    expanded: int = 1 << 30
    file: int = 50 << 20


class Zip:
    """The files of a zip archive. A single top folder holding everything is left off their paths.

    Raises Invalid when made from a broken or hostile archive, and when a file read from it turns out so.
    """

    passed_over: Sequence[tuple[str, str]] = ()

    def __init__(self, source: BinaryIO | Path | bytes, limits: ZipLimits | None = None) -> None:
        self._limits = limits or ZipLimits()
        self._expanded: dict[str, int] = {}
        self._total = 0
        self._file = _opened(source)
        self._is_ours = self._file is not source
        try:
            _refuse_floods(self._file, self._limits)
            self._zip = _parsed(self._file)
            self._entries = _without_top_folder(_checked(self._zip.infolist(), self._limits))
        except Invalid:
            self._let_go()
            raise

    def paths(self) -> Iterable[str]:
        return self._entries

    def size(self, path: str) -> int:
        return self._entry(path).file_size

    def read(self, path: str, limit: int | None = None) -> bytes:
        entry = self._entry(path)
        most = self._limits.file + 1 if limit is None else min(limit, self._limits.file + 1)
        try:
            with self._zip.open(entry) as file:
                content = _read_at_most(file, most)
        except _BROKEN:
            raise Invalid("The zip is damaged: this file cannot be read.", path=path) from None
        self._count(path, len(content))
        return content

    def close(self) -> None:
        """Let go of the archive; a file object given by the caller stays open."""
        self._zip.close()
        self._let_go()

    def _let_go(self) -> None:
        if self._is_ours:
            self._file.close()

    def _entry(self, path: str) -> zipfile.ZipInfo:
        if path not in self._entries:
            raise Invalid("There is no such file.", path=path)
        return self._entries[path]

    def _count(self, path: str, length: int) -> None:
        """Refuse when the bytes really expanded pass a limit; a file read twice counts once."""
        if length > self._limits.file:
            raise Invalid(f"A file in the zip is larger than {_megabytes(self._limits.file)}.", path=path)
        before = self._expanded.get(path, 0)
        if length > before:
            self._expanded[path] = length
            self._total += length - before
        if self._total > self._limits.expanded:
            raise Invalid(f"The zip expands to more than {_megabytes(self._limits.expanded)}.")


def _opened(source: BinaryIO | Path | bytes) -> BinaryIO:
    if isinstance(source, bytes):
        return io.BytesIO(source)
    if isinstance(source, Path):
        try:
            return source.open("rb")
        except OSError as error:
            raise Invalid(f"The zip cannot be read: {error.strerror}.", path=str(source)) from None
    return source


def _refuse_floods(file: BinaryIO, limits: ZipLimits) -> None:
    """Count entry signatures before `zipfile` makes an object of each: the counts in the headers can lie."""
    file.seek(0)
    size = count = 0
    tail = b""
    while chunk := file.read(_CHUNK):
        size += len(chunk)
        count += (tail + chunk).count(_ENTRY_SIGNATURE)
        tail = chunk[-3:]
        if size > limits.packed:
            raise Invalid(f"The zip is larger than {_megabytes(limits.packed)}.")
        if count > limits.entries:
            raise Invalid(f"The zip has more than {limits.entries:,} entries.")
    file.seek(0)


def _parsed(file: BinaryIO) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(file)
    except UnicodeDecodeError:
        raise Invalid("The zip has file names that are not valid UTF-8.") from None
    except _BROKEN:
        raise Invalid("The file is not a complete zip archive.") from None


def _checked(entries: Iterable[zipfile.ZipInfo], limits: ZipLimits) -> dict[str, zipfile.ZipInfo]:
    files: dict[str, zipfile.ZipInfo] = {}
    names: set[str] = set()
    folders: set[str] = set()
    total = 0
    for entry in entries:
        name = _name(entry)
        _refuse_odd(entry, name, limits)
        total += entry.file_size
        if total > limits.expanded:
            raise Invalid(f"The zip expands to more than {_megabytes(limits.expanded)}.")
        key = _key(name)
        folders.update(_folders_of(key if entry.is_dir() else key.rpartition("/")[0]))
        if entry.is_dir():
            continue
        if key in names:
            raise Invalid("The zip has the same file name twice.", path=name)
        names.add(key)
        if name.startswith("__MACOSX/") or ".git" in name.split("/"):
            continue
        files[name] = entry
    if names & folders:
        raise Invalid("The zip uses one name for a file and a folder.", path=min(names & folders))
    return files


def _name(entry: zipfile.ZipInfo) -> str:
    """Return the entry's path, refused unless it is a plain relative one."""
    name = entry.orig_filename
    if not entry.flag_bits & 0x800 and not name.isascii():
        # Many programs write UTF-8 without saying so; what is not UTF-8 keeps the zip default, cp437.
        try:
            name = name.encode("cp437").decode("utf-8")
        except UnicodeError:
            name = entry.orig_filename
    if reason := unfit(name.removesuffix("/") if entry.is_dir() else name):
        raise Invalid(f"A file in the zip is refused: {reason}.", path=name[:200])
    return name


def _refuse_odd(entry: zipfile.ZipInfo, name: str, limits: ZipLimits) -> None:
    mode = entry.external_attr >> 16
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise Invalid("The zip contains a link or special file, which is not allowed.", path=name)
    if entry.flag_bits & 0x41:
        raise Invalid("The zip is encrypted.", path=name)
    if entry.compress_type not in _METHODS:
        raise Invalid("The zip uses a compression method that is not supported.", path=name)
    if entry.file_size > limits.file:
        raise Invalid(f"A file in the zip is larger than {_megabytes(limits.file)}.", path=name)


def _folders_of(folder: str) -> list[str]:
    parts = folder.strip("/").split("/")
    return ["/".join(parts[: depth + 1]) for depth in range(len(parts)) if parts[0]]


def _key(name: str) -> str:
    """Return what two names must not share: they would be one file on some system."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _without_top_folder(files: dict[str, zipfile.ZipInfo]) -> dict[str, zipfile.ZipInfo]:
    tops = {name.partition("/")[0] if "/" in name else "" for name in files}
    cut = len(tops.pop()) + 1 if len(tops) == 1 and "" not in tops else 0
    return {name[cut:]: files[name] for name in sorted(files)}


def _read_at_most(file: IO[bytes], most: int) -> bytes:
    parts: list[bytes] = []
    while most > 0 and (part := file.read(min(most, _CHUNK))):
        parts.append(part)
        most -= len(part)
    return b"".join(parts)


def _megabytes(size: int) -> str:
    return f"{size / (1 << 20):,.0f} MB"
