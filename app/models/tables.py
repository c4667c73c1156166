"""Every table, for those who need all of them: migrations and tests."""

from __future__ import annotations

from sqlmodel import SQLModel

from app.models import (  # noqa: F401 - each fills the metadata
    access,
    accounts,
    agents,
    audit,
    change_events,
    change_requests,
    collections,
    comments,
    domain_claims,
    files,
    imports,
    installations,
    integration_events,
    integrations,
    invites,
    jobs,
    links,
    members,
    notifications,
    oauth,
    openapi_specs,
    organizations,
    pages,
    publishing,
    quotas,
    redirects,
    replays,
    reviews,
    revisions,
    searches,
    service,
    site_items,
    site_statistics,
    sites,
    spaces,
    sso,
    teams,
    translations,
    users,
)

METADATA = SQLModel.metadata
