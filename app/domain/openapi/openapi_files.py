"""Getting the files of an OpenAPI specification, each only where it changed since the last version.

All of them together have a limit of time and of bytes; other files are of the same server as the first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from app.access.context import Context
from app.domain.infrastructure import blobs
from app.kit.http.outbound import Outbound, OutboundError
from app.models.openapi_specs import OpenAPIFile

ACCEPT = "application/json, application/yaml, application/vnd.oai.openapi, text/yaml, */*;q=0.1"
LONGEST_HEADER = 500


class Failure(NamedTuple):
    """Why there is no version: a code for programs, sentences for people."""

    code: str
    messages: tuple[str, ...]


class SpecificationRefused(Exception):
    """The specification cannot be had, or not be used. `outage`: its server fails."""

    def __init__(self, code: str, *messages: str, outage: bool = False) -> None:
        super().__init__(" ".join(messages))
        self.failure = Failure(code, messages)
        self.outage = outage


@dataclass(slots=True)
class FetchedFile:
    """A file as it came: `url` is what was asked for, `base` what its references are relative to."""

    base: str
    data: bytes
    url: str | None = None
    etag: str | None = None
    modified: str | None = None


@dataclass(slots=True)
class SpecificationFiles:
    """The files so far by what their references are relative to."""

    files: dict[str, FetchedFile]
    entry: str

    async def get(self, url: str) -> None:
        """Get another file."""
        raise AssertionError("a text needs no other files")


class FetchedFiles(SpecificationFiles):
    """Files that are fetched, each only where it changed since the last version."""

    def __init__(self, cx: Context, held: Mapping[str, OpenAPIFile], ends: float) -> None:
        super().__init__({}, "")
        self._cx, self._held, self._ends = cx, held, ends
        settings = cx.settings
        self._left = settings.openapi_max_bytes
        self._outbound = Outbound(settings.allowed_hosts, timeout=settings.openapi_timeout)
        self._ahead: dict[str, FetchedFile] = {}
        self.is_unchanged = True

    async def get_entry(self, url: str) -> None:
        """Get the file to begin with."""
        self.entry = (await self._fetch(url)).base

    async def get(self, url: str) -> None:
        from app.formats.openapi.documents import origin

        if url in self._ahead:
            self.files[url] = self._ahead.pop(url)
            return
        file = await self._fetch(url)
        if origin(file.base) != origin(self.entry):
            raise SpecificationRefused(
                "FETCH_ERROR", f"{url} leads to another server than the specification's own."
            )
        if file.base != url:  # what refers to it calls it so
            self.files[url] = FetchedFile(url, file.data, url, file.etag, file.modified)
            del self.files[file.base]

    async def others_unchanged(self) -> bool:
        """Tell whether the other files of the last version are as they were.

        Where one is not, those that are still needed are told anew: one that is gone may be none of them.
        """
        others = [url for url, file in self._held.items() if not file.entrypoint]
        for url in others:
            try:
                await self.get(url)
            except SpecificationRefused:
                self.is_unchanged = False
        if not self.is_unchanged:
            known = [url for url in others if url in self.files and url != self.entry]
            self._ahead = {url: self.files.pop(url) for url in known}
        return self.is_unchanged

    async def _fetch(self, url: str) -> FetchedFile:
        held = self._held.get(url)
        headers = {}
        if held is not None and held.etag:
            headers["if-none-match"] = held.etag
        if held is not None and held.modified:
            headers["if-modified-since"] = held.modified
        try:
            got = await self._outbound.fetch(
                url, accept=ACCEPT, max_bytes=self._left, headers=headers, deadline=self._ends
            )
        except OutboundError as error:
            raise SpecificationRefused(error.code, error.message, outage=error.outage) from None
        if got.status == 304 and held is not None:
            data, etag, modified = await blobs.read(self._cx, held.blob_id), held.etag, held.modified
        elif got.status == 200:
            data, self.is_unchanged = got.body, False
            etag, modified = got.headers.get("etag"), got.headers.get("last-modified")
        else:
            raise SpecificationRefused("FETCH_ERROR", f"{url} answered with status {got.status}.")
        self._left -= len(data)
        if self._left < 0:
            most = f"{self._cx.settings.openapi_max_bytes:,}"
            raise SpecificationRefused("FETCH_ERROR", f"The specification has more than {most} bytes.")
        file = FetchedFile(got.url, data, url, _header(etag), _header(modified))
        self.files[file.base] = file
        return file


def _header(value: str | None) -> str | None:
    return value if value and len(value) <= LONGEST_HEADER and value.isprintable() else None
