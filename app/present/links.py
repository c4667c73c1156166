"""Every address we hand out: the API's (`location`), the application's (`app`), files'."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import quote, urlencode

from app.access.context import Context

if TYPE_CHECKING:  # few ask for documents in print
    from app.domain.printing import Offer

HOUR = 3600  # seconds


def api(cx: Context, path: str) -> str:
    """An address of this API."""
    return f"{cx.settings.api_base}{path}"


def app(cx: Context, path: str) -> str:
    """An address in the application that people use."""
    return f"{cx.settings.app_base}{path}"


def user(cx: Context, user_id: str) -> dict[str, Any]:
    """`urls` of a person."""
    return {"location": api(cx, f"/users/{user_id}")}


def organization(cx: Context, row: Any) -> dict[str, Any]:
    """`urls` of an organization."""
    urls = {"location": api(cx, f"/orgs/{row.id}"), "app": app(cx, f"/o/{row.id}")}
    return {**urls, "logo": row.logo} if row.logo else urls


def collection(cx: Context, row: Any) -> dict[str, Any]:
    """`urls` of a collection."""
    return {
        "location": api(cx, f"/collections/{row.id}"),
        "app": app(cx, f"/o/{row.organization_id}/c/{row.id}"),
    }


def space(cx: Context, row: Any) -> dict[str, Any]:
    """`urls` of a space."""
    settings, space_id = cx.settings, row.id
    urls = {
        "location": f"{settings.api_base}/spaces/{space_id}",
        "app": f"{settings.app_base}/o/{row.organization_id}/s/{space_id}",
    }
    if row.icon:
        urls["icon"] = row.icon
    return urls


class Place(Protocol):
    """Where content was read: in a space, and `at` a change request or revision of it if not now."""

    @property
    def space(self) -> Any: ...

    @property
    def at(self) -> Any: ...


def place(cx: Context, held: Place) -> str:
    """The application's address of a space, a change request or a revision."""
    space_row, at = held.space, held.at
    here = app(cx, f"/o/{space_row.organization_id}/s/{space_row.id}")
    if at is None:
        return here
    return f"{here}/~/changes/{at.number}" if at.kind == "changeRequest" else f"{here}/~/revisions/{at.id}"


def page(cx: Context, held: Place, path: str | None) -> dict[str, Any]:
    """`urls` of a page that was read there."""
    return {"app": f"{place(cx, held)}/{quote(path or '')}"}


def change_request(cx: Context, space_row: Any, row: Any) -> dict[str, Any]:
    """`urls` of a change request."""
    return {
        "app": app(cx, f"/o/{space_row.organization_id}/s/{space_row.id}/~/changes/{row.number}"),
        "location": api(cx, f"/spaces/{space_row.id}/change-requests/{row.id}"),
    }


def download(cx: Context, space_id: str, file_id: str, name: str, version: str = "") -> str:
    """A signed address of a file's bytes: good for a day at least, two at most, and the same all day long.

    It leads to what the file is now, or with a `version` (the hash of its bytes) to what it was then. The
    name at its end is for people, and for programs that save the file under it.
    """
    until = cx.now.toordinal() + 2
    text = f"{space_id} {file_id} {until}"
    if version:
        signature = f"{until}.{cx.signer.sign('version', f'{text} {version}')}.{version}"
    else:
        signature = f"{until}.{cx.signer.sign('file', text)}"
    return f"{cx.settings.base_url}/files/{signature}/{space_id}/{file_id}/{_shown(name)}"


def pdf(cx: Context, offer: Offer) -> str:
    """A signed address of a document in print, good for an hour. The name at its end is for people."""
    edition = offer.edition
    until = int(cx.now.timestamp()) + HOUR
    signature = f"{until}.{cx.signer.sign('pdf', f'{edition.text} {until}')}"
    part = {"changeRequest": edition.request, "page": edition.page, "only": edition.only and "true"}
    query = urlencode({name: value for name, value in part.items() if value})
    path = f"/pdf/{signature}/{edition.space}/{edition.revision}/{_shown(offer.name)}"
    return f"{cx.settings.base_url}{path}{query and '?'}{query}"


def _shown(name: str) -> str:
    """A file's name as the last part of an address."""
    return quote(name.replace("/", "_") if name.strip("./") else "file", safe="")
