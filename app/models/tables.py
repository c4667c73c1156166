"""Every table, for those who need all of them: migrations and tests."""

from __future__ import annotations

from sqlmodel import SQLModel

from app.models import (  # noqa: F401 - each fills the metadata
    audit,
    change_requests,
    circuits,
    collections,
    comments,
    customizations,
    domain_claims,
    facts,
    files,
    grants,
    import_runs,
    installations,
    integration_events,
    integrations,
    invites,
    jobs,
    links,
    openapi_specs,
    organizations,
    pages,
    quotas,
    rate_limits,
    redirects,
    replays,
    reviews,
    revisions,
    searches,
    share_links,
    site_items,
    sites,
    spaces,
    sso,
    teams,
    tokens,
    translations,
    users,
)

METADATA = SQLModel.metadata
