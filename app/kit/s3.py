"""Objects in a bucket of Amazon S3, or of a server that speaks its protocol.

A bucket is written as `s3://bucket/prefix?region=…&endpoint=…`. Credentials come from the environment as for
other programs: `AWS_ACCESS_KEY_ID` and its companions, or the role of the machine, container or function.
Addresses are path-style (`endpoint/bucket/…`), which every such server understands.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, cached_property
from importlib.util import find_spec
from typing import IO, TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from app.kit.errors import Unavailable

if TYPE_CHECKING:
    from datetime import timedelta
    from pathlib import Path

    from obstore.store import ClientConfig, S3Config

log = logging.getLogger("docyard.s3")
_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_PREFIX = re.compile(r"[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)*")
_REGION = re.compile(r"[a-z0-9-]{1,40}")
_ENDPOINT = re.compile(r"https?://(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_.-]+)(?::[0-9]{1,5})?/?")
# Writes are made while a transaction waits, so a bucket that does not answer must soon be given up.
_CONNECTING, _REQUEST, _TRYING = "3s", "20s", 20
AT_ONCE = 8  # objects on their way to the bucket together


class BucketAddress(NamedTuple):
    """The location of a bucket. Without a region, `AWS_REGION` or `AWS_DEFAULT_REGION` names it."""

    bucket: str
    prefix: str | None
    region: str | None
    endpoint: str | None


def parse_address(address: str) -> BucketAddress:
    """Return the bucket that an address names; raises ValueError with a sentence where it is none."""
    parts = urlsplit(address)
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    prefix = parts.path.strip("/")
    if parts.scheme != "s3" or not _BUCKET.fullmatch(parts.netloc) or parts.fragment:
        raise ValueError("must be s3://bucket/prefix?region=…&endpoint=…")
    if prefix and (not _PREFIX.fullmatch(prefix) or {".", ".."} & set(prefix.split("/"))):
        raise ValueError(f"“{prefix}” is no prefix: letters, digits, - _ . between slashes")
    if unknown := sorted(set(options) - {"region", "endpoint"}):
        raise ValueError(f"knows region and endpoint, not “{unknown[0]}”")
    for name, pattern in (("region", _REGION), ("endpoint", _ENDPOINT)):
        if name in options and not pattern.fullmatch(options[name]):
            raise ValueError(f"“{options[name]}” is no {name}")
    if find_spec("obstore") is None:
        raise ValueError("needs the library obstore: pip install 'docyard[s3]'")
    return BucketAddress(parts.netloc, prefix or None, options.get("region"), options.get("endpoint"))


class S3Bucket:
    """Reads and writes whole objects, or parts of them. Every method raises Unavailable where that fails."""

    def __init__(self, address: BucketAddress) -> None:
        from datetime import timedelta

        from obstore.store import S3Store

        self._address = address
        config: S3Config = {"virtual_hosted_style_request": False}
        client: ClientConfig = {"connect_timeout": _CONNECTING, "timeout": _REQUEST}
        if address.region:
            config["region"] = address.region
        if address.endpoint:
            # By this name, it wins over what the environment says.
            config["aws_endpoint_url_s3"] = address.endpoint.rstrip("/")
            client["allow_http"] = address.endpoint.startswith("http://")
        self._store = S3Store(
            address.bucket,
            prefix=address.prefix,
            config=config,
            client_options=client,
            retry_config={"max_retries": 3, "retry_timeout": timedelta(seconds=_TRYING)},
        )

    async def write(self, objects: Mapping[str, bytes]) -> None:
        """Store objects by their names; when this returns, all of them are there."""
        import obstore

        names = list(objects)
        with _plain_errors("stored"):
            for start in range(0, len(names), AT_ONCE):
                puts = [
                    obstore.put_async(self._store, name, objects[name], use_multipart=False)
                    for name in names[start : start + AT_ONCE]
                ]
                # All of them end before one that failed is reported, so that none goes on by itself.
                for ended in await asyncio.gather(*puts, return_exceptions=True):
                    if isinstance(ended, BaseException):
                        raise ended

    async def read(self, name: str) -> bytes:
        """Return a whole object."""
        import obstore

        with _plain_errors("read"):
            found = await obstore.get_async(self._store, name)
            return bytes(await found.bytes_async())

    async def read_range(self, name: str, start: int, end: int) -> bytes:
        """Return the bytes from `start` until before `end`, of which there is at least one."""
        import obstore

        with _plain_errors("read"):
            return bytes(await obstore.get_range_async(self._store, name, start=start, end=end))

    async def write_file(self, name: str, file: Path | IO[bytes]) -> None:
        """Store a file of any size as an object; one that is open from where it is."""
        import obstore

        with _plain_errors("stored"):
            await obstore.put_async(self._store, name, file)

    async def read_file(self, name: str, file: Path) -> None:
        """Write an object of any size into a file."""
        import obstore

        with _plain_errors("read"), file.open("wb") as written:
            found = await obstore.get_async(self._store, name)
            async for chunk in found.stream():
                written.write(chunk)

    async def size(self, name: str) -> int | None:
        """Return the size of an object in bytes, or None where there is none of this name."""
        import obstore
        from obstore.exceptions import PermissionDeniedError

        with _plain_errors("read"):
            try:
                return (await obstore.head_async(self._store, name))["size"]
            except (FileNotFoundError, PermissionDeniedError):  # said of nothing to who may not list
                return None

    async def copy(self, name: str, other: str) -> None:
        """Copy an object to another name, inside of the bucket."""
        import obstore

        with _plain_errors("copied"):
            await obstore.copy_async(self._store, name, other)

    async def signed_put(self, name: str, valid: timedelta) -> str:
        """Return an address to which whoever has it can PUT an object, for so long."""
        import obstore

        with _plain_errors("received"):
            return await obstore.sign_async(self._store, "PUT", name, valid)

    async def signed_get(self, name: str, valid: timedelta, headers: Mapping[str, str]) -> str:
        """Return an address at which whoever has it can GET an object, for so long.

        The bucket answers with these headers: `content-type`, `content-disposition`, `cache-control`.
        """
        answered = {f"Response{header.title().replace('-', '')}": value for header, value in headers.items()}
        prefix = f"{self._address.prefix}/" if self._address.prefix else ""
        asked = {"Bucket": self._address.bucket, "Key": f"{prefix}{name}", **answered}
        return await asyncio.to_thread(self._sign_get, asked, int(valid.total_seconds()))

    def _sign_get(self, asked: dict[str, str], seconds: int) -> str:
        signed: str = self._client.generate_presigned_url("get_object", Params=asked, ExpiresIn=seconds)
        return signed

    @cached_property
    def _client(self) -> Any:
        """Return the client of the library that signs what a bucket answers with, as the other does not."""
        import boto3
        from botocore.config import Config

        return boto3.client(
            "s3",
            region_name=self._address.region or os.environ.get("AWS_REGION"),
            endpoint_url=self._address.endpoint,
            config=Config(signature_version="s3v4", s3={"addressing_style": "path"}),
        )

    async def remove(self, names: Sequence[str]) -> None:
        """Remove objects; those that are gone already are no error."""
        import obstore

        with _plain_errors("removed"):
            await obstore.delete_async(self._store, list(names))


@cache
def open_bucket(address: str) -> S3Bucket:
    """Return the bucket behind an address that `parse_address` takes; its connections are kept for good."""
    return S3Bucket(parse_address(address))


@contextmanager
def _plain_errors(done: str) -> Iterator[None]:
    """Log the library's errors, which name addresses and keys, and raise ones without."""
    from obstore.exceptions import BaseError

    try:
        yield
    except (BaseError, OSError, ValueError) as error:
        log.error("objects cannot be %s: %s", done, error)
        raise Unavailable(f"The bytes of a file cannot be {done} now; try again shortly.") from error
