"""The GraphQL names of our enumerations: those that the models declare."""

from __future__ import annotations

from app.api.graphql.shapes import name_enum
from app.models import (
    audit,
    base,
    change_requests,
    changes,
    collections,
    comments,
    content_changes,
    content_urls,
    diffs,
    domain_claims,
    git_sync,
    grants,
    import_runs,
    imports,
    installations,
    integration_configurations,
    integration_events,
    invites,
    languages,
    links,
    manifests,
    members,
    merges,
    openapi_specs,
    organizations,
    page_layouts,
    pages,
    queries,
    redirects,
    reviews,
    revisions,
    searches,
    site_features,
    site_items,
    site_looks,
    site_sections,
    site_structure,
    sites,
    spaces,
    sso,
    teams,
)

MODELS = (
    audit,
    base,
    change_requests,
    changes,
    collections,
    comments,
    content_changes,
    content_urls,
    diffs,
    domain_claims,
    git_sync,
    grants,
    import_runs,
    imports,
    installations,
    integration_configurations,
    integration_events,
    invites,
    languages,
    links,
    manifests,
    members,
    merges,
    openapi_specs,
    organizations,
    page_layouts,
    pages,
    queries,
    redirects,
    reviews,
    revisions,
    searches,
    site_features,
    site_items,
    site_looks,
    site_sections,
    site_structure,
    sites,
    spaces,
    sso,
    teams,
)


def name_enums() -> None:
    """Declare them all; before the first type that uses one."""
    for module in MODELS:
        for name, literal, _values in module.ENUMERATIONS:
            name_enum(name, literal)


name_enums()
