"""References as addresses: what stands in a link for a page, a file or a space."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Reference = dict[str, Any]
Address = Callable[[Reference], "str | None"]


def stable(reference: Reference) -> str:
    """An address made of ids, which stays right when pages move; a `url` reference is its own address."""
    space = f"/spaces/{reference['space']}" if reference.get("space") else ""
    match reference.get("kind"):
        case "url":
            return str(reference.get("url", ""))
        case "page":
            return f"{space}/pages/{reference.get('page', '')}"
        case "file":
            return f"{space}/files/{reference.get('file', '')}"
        case "anchor":
            page = f"{space}/pages/{reference['page']}" if reference.get("page") else ""
            return f"{page}#{reference.get('anchor', '')}"
        case "space":
            return f"/spaces/{reference.get('space', '')}"
        case "collection":
            return f"/collections/{reference.get('collection', '')}"
        case "reusable-content":
            return f"{space}/reusable-contents/{reference.get('reusableContent', '')}"
        case "user":
            return f"mention://{reference.get('user', '')}"
        case "tag":
            return f"{space}/tags/{reference.get('tag', '')}"
        case "openapi":
            return f"/openapi/{reference.get('spec', '')}"
    return ""


def address(reference: object, own: Address | None) -> str:
    """Where a reference leads: what the caller says, else its stable address."""
    if not isinstance(reference, dict):
        return ""
    return (own(reference) if own else None) or stable(reference)
