"""Every table, for those who need all of them: migrations and tests."""

from __future__ import annotations

from sqlmodel import SQLModel

from app.models import (  # noqa: F401 - each fills the metadata
    access,
    audit,
    change_feed,
    change_requests,
    collections,
    comment_replies,
    comments,
    customizations,
    domain_claims,
    files,
    import_runs,
    installations,
    integration_events,
    integrations,
    invites,
    links,
    members,
    openapi_specs,
    organizations,
    pages,
    publishing,
    redirects,
    reviews,
    revisions,
    searches,
    service,
    site_items,
    sites,
    spaces,
    sso,
    teams,
    translations,
    uploads,
    users,
)

METADATA = SQLModel.metadata
