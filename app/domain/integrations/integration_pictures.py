"""Pictures of integrations: kept by the hash of their bytes, served from an address that holds it.

What is a picture is told from its bytes, never from what the publisher says (threats, 35).
"""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from sqlalchemy import Select, select

from app.access.context import Context
from app.domain.content.downloads import Download
from app.domain.infrastructure import blobs
from app.formats.images import dimensions
from app.kit.database.statements import given, query, rows, table
from app.kit.errors import Invalid, NotFound
from app.models.integrations import Integration, IntegrationAsset
from app.models.manifests import IntegrationPublish

LARGEST = 1_000_000  # bytes of one picture
ENDINGS = {
    "image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp", "image/avif": "avif",
    "image/svg+xml": "svg",
}  # fmt: skip
_PREFIX = re.compile(r"data:[a-z0-9.+/-]+;base64,", re.IGNORECASE)
INTEGRATION_ASSETS, INTEGRATIONS = table(IntegrationAsset), table(Integration)
_HELD = query(
    IntegrationAsset,
    lambda: select(*INTEGRATION_ASSETS.c).where(INTEGRATION_ASSETS.c.integration_id == given("integration")),
)


def _served() -> Select[Any]:
    return (
        select(INTEGRATION_ASSETS.c.content_type, INTEGRATION_ASSETS.c.size, INTEGRATION_ASSETS.c.blob_id)
        .join(INTEGRATIONS, INTEGRATIONS.c.id == INTEGRATION_ASSETS.c.integration_id)
        .where(
            INTEGRATIONS.c.id == given("integration"),
            INTEGRATION_ASSETS.c.blob_id == given("blob"),
            INTEGRATIONS.c.deleted_at.is_(None),
        )
    )


_SERVED = rows(_served)


@dataclass(slots=True)
class StoredPictures:
    """The parts of a manifest with the names of pictures in place of pictures."""

    icon: str | None = None
    previews: list[str] = field(default_factory=list)
    blocks: list[dict[str, Any]] = field(default_factory=list)
    content_sources: list[dict[str, Any]] = field(default_factory=list)

    def names(self) -> Iterator[str]:
        """Yield all of them that are pictures of ours."""
        icons = [item.get("icon") for item in (*self.blocks, *self.content_sources)]
        for name in (self.icon, *self.previews, *icons):
            if name and not is_address(name):
                yield name


async def keep(cx: Context, row: Integration, manifest: IntegrationPublish) -> StoredPictures:
    """Keep the pictures of a manifest, or those from before where it has none; raises Invalid."""
    taken = _SentPictures()
    before, sent = row.manifest, manifest.model_fields_set
    held = StoredPictures(
        icon=taken.picture(manifest.icon, "icon") if "icon" in sent else before.get("icon"),
        previews=[
            taken.picture(image, f"previewImages.{n}") for n, image in enumerate(manifest.preview_images)
        ]
        if "preview_images" in sent
        else before.get("previewImages", []),
        blocks=[taken.item(block, f"blocks.{n}") for n, block in enumerate(manifest.blocks)],
        content_sources=[
            taken.item(source, f"contentSources.{n}") for n, source in enumerate(manifest.content_sources)
        ],
    )
    known = {asset.blob_id for asset in await cx.db.all(_HELD, integration=row.id)}
    named = {name.partition(".")[0] for name in held.names()}
    new = {key: data for key, (data, _) in taken.bytes.items() if key not in known}
    await blobs.keep(cx, new, row.organization_id, row.id)
    assets = [
        {"integration_id": row.id, "blob_id": key, "content_type": kind, "size": len(data)}
        for key, (data, kind) in taken.bytes.items()
        if key not in known
    ]
    await cx.tx.add_many(IntegrationAsset, assets)
    for gone in sorted(known - named):
        await cx.tx.remove(IntegrationAsset, integration_id=row.id, blob_id=gone)
    await blobs.remove_unused(cx, sorted(known - named))
    return held


async def forget(cx: Context, integration_id: str) -> None:
    """Remove all pictures of an integration."""
    held = [asset.blob_id for asset in await cx.db.all(_HELD, integration=integration_id)]
    await cx.tx.remove(IntegrationAsset, integration_id=integration_id)
    await blobs.remove_unused(cx, held)


async def get(cx: Context, integration_id: str, name: str) -> Download:
    """Return a picture by its name; raises NotFound."""
    blob, _, ending = name.partition(".")
    found = await cx.db.get_by_key(_SERVED, integration=integration_id, blob=blob)
    if not found or ENDINGS[found[0].content_type] != ending:
        raise NotFound("There is no such image.")
    row = found[0]
    return Download(name, row.content_type, row.size, row.blob_id, fixed=True)


def is_address(icon: str) -> bool:
    """Return whether an icon is an address of somebody's, and no picture of ours."""
    return icon.startswith(("https://", "http://"))


class _SentPictures:
    """The pictures of one manifest: bytes and type by hash."""

    def __init__(self) -> None:
        self.bytes: dict[str, tuple[bytes, str]] = {}

    def item(self, item: Any, path: str) -> dict[str, Any]:
        """Return a block or source as it is kept."""
        kept: dict[str, Any] = item.model_dump(mode="json", by_alias=True, exclude_unset=True)
        if "icon" in kept and not is_address(kept["icon"]):
            kept["icon"] = self.picture(kept["icon"], f"{path}.icon")
        return kept

    def picture(self, text: str, path: str) -> str:
        """Return the name of a picture: its hash, and an ending that says what it is."""
        try:
            data = b64decode(_PREFIX.sub("", text, count=1), validate=True)
        except (Error, ValueError):
            raise Invalid("This is not base64.", path=path) from None
        if len(data) > LARGEST:
            raise Invalid(f"An image may have at most {LARGEST} bytes.", path=path)
        kind = next((kind for kind in ENDINGS if dimensions(kind, data)), None)
        if kind is None:
            raise Invalid("This is not a PNG, JPEG, GIF, WebP, AVIF or SVG image.", path=path)
        key = sha256(data).hexdigest()
        self.bytes[key] = data, kind
        return f"{key}.{ENDINGS[kind]}"
