"""Places of the files that commands write and read: on a disk, or objects in a bucket."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from app.cli.command_settings import CommandRefused
from app.kit import s3
from app.kit.s3 import S3Bucket

BUCKET = "s3://"
SUFFIX = ".db"


@asynccontextmanager
async def written(target: str, name: str) -> AsyncIterator[tuple[Path, str]]:
    """Give the file to write within the block, which does not exist yet, and the place that is told.

    In a folder, or a bucket without a file's name, it has this name. Raises CommandRefused.
    """
    if not target.startswith(BUCKET):
        place = Path(target, name) if Path(target).is_dir() else Path(target)
        yield place, str(place)
        return
    bucket, object_name = _in_bucket(target, name)
    if await bucket.size(object_name) is not None:
        raise CommandRefused(f"{target} exists already. Name one that does not.")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, name)
        yield file, target if target.endswith(object_name) else f"{_without_options(target)}/{object_name}"
        await bucket.write_file(object_name, file)


@asynccontextmanager
async def fetched(source: str, kind: str) -> AsyncIterator[Path]:
    """Have a backup, or another kind of file, on the disk until the block ends; raises CommandRefused."""
    if not source.startswith(BUCKET):
        if not Path(source).is_file():
            raise CommandRefused(f"There is no file {source}.")
        yield Path(source)
        return
    bucket, name = _in_bucket(source)
    if not name or await bucket.size(name) is None:
        raise CommandRefused(f"There is no {kind} {source}.")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, name)
        await bucket.read_file(name, file)
        yield file


def _in_bucket(address: str, name: str = "") -> tuple[S3Bucket, str]:
    """Return a bucket and the name of an object; `name` is for an address that ends with a folder."""
    place, _, options = address.partition("?")
    folder, _, last = place.removeprefix(BUCKET).rpartition("/")
    if not folder or not last.endswith(SUFFIX):
        folder, last = place.removeprefix(BUCKET).rstrip("/"), name
    try:
        return s3.open_bucket(f"{BUCKET}{folder}{'?' if options else ''}{options}"), last
    except ValueError as error:
        raise CommandRefused(f"{address}: {error}.") from None


def _without_options(address: str) -> str:
    return address.partition("?")[0].rstrip("/")
