"""Copies a SQLite database as it is at one moment, while others read and write it.

The file is copied as a file, which takes half of the time and of the processor that SQLite's own copy takes,
page by page. A read that is open meanwhile makes that safe:

- What others commit goes to the write-ahead log. A checkpoint may take from there into the file only what was
  committed before the read began, and the log may not begin anew while the read needs it. So whatever the
  copy of the file has of a page, the copy of the log has what comes after it, and SQLite puts the two
  together as after a crash.
- Where the read began with a log that is in the file already, the file stays as it is. The log may then begin
  anew, once; a copy of it that has something of both is made again.
- Without such a log, a read keeps others from writing.
"""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

BUSY_TIMEOUT = 30  # seconds to wait for another process
CHUNK = 8 << 20  # bytes that may wait for the disk while the next ones are copied
_HEAD = 32  # bytes at the beginning of a write-ahead log, which say whose frames follow
_NOT_BETWEEN = {errno.EXDEV, errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP}  # these two file systems


def copy_file(source: Path, target: Path) -> None:
    """Copy a database to a new file, which is on the disk when this returns.

    This process may have no other connection to the source: a file that is closed gives back the locks that
    its process has on it. Raises OSError and sqlite3.Error, and then leaves what it has written of the file.
    """
    log, copied_log = _beside(source, "-wal"), _beside(target, "-wal")
    try:
        with _opened(source) as file, _read_of(source):
            _copy(file, target)
            if log.exists():
                _copy_log(log, copied_log)
        with closing(sqlite3.connect(target)) as copied:
            copied.execute("PRAGMA synchronous=OFF")
            copied.execute("PRAGMA journal_mode=DELETE")  # takes the log in
        with _opened(target) as file:
            os.fsync(file)
    finally:
        for ending in ("-wal", "-shm"):
            _beside(target, ending).unlink(missing_ok=True)


@contextmanager
def _read_of(source: Path) -> Iterator[None]:
    """Have a read open, so that nothing is lost from the file and its log together."""
    with closing(sqlite3.connect(source, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA busy_timeout={BUSY_TIMEOUT * 1000}")
        connection.execute("BEGIN")
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()  # without this it has not begun
        yield
        connection.execute("ROLLBACK")


def _copy_log(log: Path, target: Path) -> None:
    """Copy a write-ahead log as far as it goes; what is not complete at its end counts as not written."""
    with _opened(log) as frames:
        head = None
        while head != (head := os.pread(frames, _HEAD, 0)):
            os.lseek(frames, 0, os.SEEK_SET)
            _copy(frames, target)


def _copy(source: int, target: Path) -> None:
    """Copy a file from where it is read. While one chunk goes to the disk, the next is copied, so that a
    commit of others never waits for many.
    """
    flushed: Future[None] | None = None
    with _opened(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC) as written, ThreadPoolExecutor(1) as thread:
        while _copy_chunk(source, written):
            if flushed is not None:
                flushed.result()
            flushed = thread.submit(os.fdatasync, written)
        if flushed is not None:
            flushed.result()


def _copy_chunk(source: int, target: int) -> bool:
    """Copy the next bytes; False at the end."""
    left = CHUNK
    while left and (copied := _copy_some(source, target, left)):
        left -= copied
    return left < CHUNK


def _copy_some(source: int, target: int, most: int) -> int:
    """Copy some of the next bytes, within the kernel where the file systems let it; 0 at the end."""
    try:
        return os.copy_file_range(source, target, most)
    except OSError as error:
        if error.errno not in _NOT_BETWEEN:
            raise
    return os.sendfile(target, source, None, most)


@contextmanager
def _opened(path: Path, flags: int = os.O_RDONLY) -> Iterator[int]:
    file = os.open(path, flags, 0o644)
    try:
        yield file
    finally:
        os.close(file)


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)
