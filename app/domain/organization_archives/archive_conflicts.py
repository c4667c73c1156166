"""Finds what keeps an archive from being imported: names and ids that an installation has once."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from functools import cache
from typing import Any

from sqlalchemy import select
from sqlmodel import SQLModel

from app.domain.organization_archives.archive_manifests import ArchiveRefused, Manifest
from app.kit.database.columns import Key
from app.kit.database.file_threads import FileThread
from app.kit.database.interface import Reader
from app.kit.database.sql import among
from app.kit.database.statements import Statement, given, rows, table
from app.models.collections import Collection
from app.models.domain_claims import DomainClaim
from app.models.integrations import Integration
from app.models.openapi_specs import OpenAPISpec
from app.models.organizations import Organization
from app.models.sites import Site
from app.models.spaces import Space
from app.models.teams import Team

AT_ONCE = 500
UNIQUE: Mapping[tuple[type[SQLModel], str], str] = {
    (Organization, "hostname"): "the hostname “{}” of an organization",
    (Site, "live_hostname"): "the host {} of a site",
    (Site, "live_proxy"): "the address {} of a site",
    (Integration, "name"): "the name “{}” of an integration",
    (DomainClaim, "name"): "the verified domain {}",
}
"""Columns with what one organization of an installation may have, and how a value is told."""
_IDENTIFIED: Mapping[type[SQLModel], str] = {
    Space: "space", Collection: "collection", Site: "site", Team: "team", Integration: "integration",
    OpenAPISpec: "OpenAPI specification",
}  # fmt: skip
ORGANIZATIONS, DOMAIN_CLAIMS = table(Organization), table(DomainClaim)
_HERE = rows(lambda: select(ORGANIZATIONS.c.title).where(ORGANIZATIONS.c.id == given("id", Key)))


async def refuse(db: Reader, file: FileThread, manifest: Manifest) -> None:
    """Raise ArchiveRefused, with all that conflicts, unless the archive can be imported as it is."""
    if here := await db.first(_HERE, id=manifest.organization_id):
        raise ArchiveRefused(f"The organization {here.title} ({manifest.organization_id}) is here already.")
    conflicts = [told async for told in _taken(db, file)]
    if conflicts:
        raise ArchiveRefused(
            f"Other organizations have {', '.join(conflicts)} here. Change that there or here, then export"
            " and import again. Nothing was imported."
        )


async def _taken(db: Reader, file: FileThread) -> AsyncIterator[str]:
    for (model, column), told in UNIQUE.items():
        async for value in _held(db, file, model, column):
            yield told.format(value)
    for model, kind in _IDENTIFIED.items():
        async for value in _held(db, file, model, "id"):
            yield f"the {kind} {value}"


async def _held(db: Reader, file: FileThread, model: type[SQLModel], column: str) -> AsyncIterator[str]:
    """Yield the values of a column that the archive has and the installation too."""
    claimed = " AND \"status\" = 'verified'" if model is DomainClaim else ""
    found = f'SELECT "{column}" FROM "{table(model).name}" WHERE "{column}" IS NOT NULL{claimed}'
    async for batch in file.batches(found, AT_ONCE):
        values = [value for (value,) in batch]
        for row in await db.all(_with_values(model, column), values=values):
            yield row.value


@cache
def _with_values(model: type[SQLModel], column: str) -> Statement[Any]:
    t = table(model)
    found = t.c[column].label("value")
    verified = [DOMAIN_CLAIMS.c.status == "verified"] if model is DomainClaim else []
    return rows(lambda: select(found).where(among(t.c[column], "values"), *verified))
