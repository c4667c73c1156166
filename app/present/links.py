"""Every address we hand out: the API's (`location`), the application's (`app`), files'."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from app.access.context import Context


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


def page(cx: Context, space_row: Any, path: str | None) -> dict[str, Any]:
    """`urls` of a page of a space."""
    return {"app": app(cx, f"/o/{space_row.organization_id}/s/{space_row.id}/{quote(path or '')}")}


def download(cx: Context, space_id: str, file_id: str, name: str) -> str:
    """A signed address of a file's bytes: good for a day at least, two at most, and the same all day long."""
    until = cx.now.toordinal() + 2
    signature = cx.signer.sign("file", f"{space_id} {file_id} {until}")
    return f"{cx.settings.base_url}/files/{until}.{signature}/{space_id}/{file_id}/{quote(name, safe='')}"
