"""Addresses that open something by themselves, being signed: of files, uploads, exports, and PDFs."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

from app.access.context import Context
from app.domain.content import downloads

if TYPE_CHECKING:
    from app.domain.imports.exports import SpaceExport
    from app.domain.pdf.pdf_exports import PdfAddress
    from app.domain.uploads.uploads import CreatedUpload

HOUR = 3600  # seconds


def download(
    cx: Context, space_id: str, file_id: str, name: str, version: str = "", *, published: bool = False
) -> str:
    """Return a signed address of a file's bytes: good for a day at least, two at most.

    It is the same all day long, and leads to what the file is now, or with a `version` (the hash of its
    bytes) to what it was then. As it was `published` it is good while the space is public. The name at its
    end is for people, and for programs that save the file.
    """
    until = cx.now.toordinal() + 2
    text = f"{space_id} {file_id} {until}"
    if version:
        signature = f"{until}.{cx.signer.sign(downloads.VERSION, f'{text} {version}')}.{version}"
    else:
        purpose = downloads.PUBLISHED if published else downloads.FILE
        signature = f"{until}.{cx.signer.sign(purpose, text)}"
    return f"{cx.settings.base_url}/files/{signature}/{space_id}/{file_id}/{_shown(name)}"


def upload(cx: Context, made: CreatedUpload) -> str:
    """Return the signed address to send the bytes of an upload to: the bucket's, if there is one."""
    if made.destination.url is not None:
        return made.destination.url
    row, until = made.row, int(made.expires_at.timestamp())
    signature = f"{until}.{cx.signer.sign('upload', f'{row.id} {until}')}"
    return f"{cx.settings.base_url}/uploads/{signature}/{row.id}/{_shown(row.name)}"


def pdf(cx: Context, offer: PdfAddress) -> str:
    """Return a signed address of a document in print, good for an hour. The name at its end is for people."""
    edition = offer.edition
    until = int(cx.now.timestamp()) + HOUR
    signature = f"{until}.{cx.signer.sign('pdf', f'{edition.text} {until}')}"
    part = {"changeRequest": edition.request, "page": edition.page, "only": edition.only and "true"}
    query = urlencode({name: value for name, value in part.items() if value})
    path = f"/pdf/{signature}/{edition.space}/{edition.revision}/{_shown(offer.name)}"
    return f"{cx.settings.base_url}{path}{query and '?'}{query}"


def space_export(cx: Context, export: SpaceExport) -> str:
    """Return a signed address of a space's content as a zip, good for an hour."""
    until = int(cx.now.timestamp()) + HOUR
    signature = f"{until}.{cx.signer.sign('export', f'{export.space_id} {until}')}"
    return f"{cx.settings.base_url}/exports/{signature}/{export.space_id}/{_shown(export.name)}"


def _shown(name: str) -> str:
    """Return a file's name as the last part of an address."""
    return quote(name.replace("/", "_") if name.strip("./") else "file", safe="")
