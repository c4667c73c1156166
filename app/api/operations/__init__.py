"""The operations of the API: one row of data each, in the module of its family."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.api.operation import Operation

# Where the rows of an address are: the longest prefix wins, `{}` is any one segment. A module is loaded when
# one of its addresses is first asked for, so that starting costs what one request needs and not what there
# is. A new family is a module with `OPERATIONS`, and a line here for every prefix that its rows begin with.
FAMILIES = {
    "/": "organizations",
    "/user": "organizations",
    "/user/passkeys": "accounts",
    "/user/tokens": "accounts",
    "/user/oauth-applications": "oauth",
    "/user/oauth-grants": "oauth",
    "/user/sessions": "accounts",
    "/user/notification-preferences": "accounts",
    "/users": "organizations",
    "/orgs": "organizations",
    "/orgs/{}/members": "members",
    "/orgs/{}/members/{}/sessions": "accounts",
    "/orgs/{}/members/{}/sign-in-link": "accounts",
    "/orgs/{}/ping": "members",
    "/orgs/{}/signing-key": "members",
    "/orgs/{}/invites": "members",
    "/orgs/{}/link-invites": "members",
    "/orgs/{}/join": "members",
    "/email-domains": "organizations",
    "/subdomains": "organizations",
    "/orgs/{}/tokens": "accounts",
    "/custom-hostnames": "organizations",
    "/orgs/{}/audit-events": "sso",
    "/orgs/{}/children": "spaces",
    "/orgs/{}/collections": "spaces",
    "/collections": "spaces",
    "/orgs/{}/spaces": "spaces",
    "/spaces": "spaces",
    "/spaces/{}/git": "imports",
    "/spaces/{}/links": "links",
    "/orgs/{}/mentions": "comments",
    "/spaces/{}/comments": "comments",
    "/spaces/{}/commenters": "comments",
    "/spaces/{}/change-requests/{}/comments": "comments",
    "/spaces/{}/change-requests/{}/commenters": "comments",
    "/spaces/{}/content": "content",
    "/spaces/{}/change-requests": "change_requests",
    "/orgs/{}/change-requests": "change_requests",
    "/orgs/{}/agent-changes": "change_requests",
    "/spaces/{}/change-requests/{}/content": "content",
    "/spaces/{}/change-requests/{}/content/import": "imports",
    "/spaces/{}/revisions/{}/restore": "change_requests",
    "/spaces/{}/revisions/{}/revert": "change_requests",
    "/spaces/{}/revisions": "revisions",
    "/spaces/{}/revisions/{}": "content",
    "/spaces/{}/revisions/{}/changes": "revisions",
    "/spaces/{}/revisions/{}/page/{}/diff": "revisions",
    "/spaces/{}/revisions/{}/page/{}/document": "revisions",
    "/spaces/{}/change-requests/{}/changes": "revisions",
    "/spaces/{}/change-requests/{}/revisions": "revisions",
    "/spaces/{}/change-requests/{}/content/page/{}/diff": "revisions",
    "/spaces/{}/documents": "revisions",
    "/spaces/{}/pdf": "revisions",
    "/spaces/{}/export": "imports",
    "/spaces/{}/change-requests/{}/pdf": "revisions",
    "/spaces/{}/content/page/{}/links": "links",
    "/spaces/{}/content/page/{}/backlinks": "links",
    "/spaces/{}/change-requests/{}/content/page/{}/links": "links",
    "/spaces/{}/change-requests/{}/links": "links",
    "/spaces/{}/change-requests/{}/content/page/{}/backlinks": "links",
    "/spaces/{}/change-requests/{}/content/files/{}/backlinks": "links",
    "/spaces/{}/revisions/{}/links": "links",
    "/spaces/{}/revisions/{}/page/{}/links": "links",
    "/spaces/{}/revisions/{}/page/{}/backlinks": "links",
    "/spaces/{}/revisions/{}/files/{}/backlinks": "links",
    "/spaces/{}/content/files/{}/backlinks": "links",
    "/spaces/{}/content/import": "imports",
    "/spaces/{}/content/page/{}/import": "imports",
    "/spaces/{}/search": "links",
    "/orgs/{}/teams": "teams",
    "/spaces/{}/permissions": "grants",
    "/collections/{}/permissions": "grants",
    "/orgs/{}/saml": "sso",
    "/orgs/{}/oidc": "sso",
    "/orgs/{}/sso": "sso",
    "/orgs/{}/search": "links",
    "/orgs/{}/openapi": "openapi_specs",
    "/orgs/{}/imports": "imports",
    "/orgs/{}/jobs": "jobs",
    "/orgs/{}/uploads": "imports",
    "/orgs/{}/translations": "translations",
    "/orgs/{}/sites": "sites",
    "/orgs/{}/sites/{}/permissions": "grants",
    "/orgs/{}/sites/{}/sections": "site_items",
    "/orgs/{}/sites/{}/section-groups": "site_items",
    "/orgs/{}/sites/{}/site-spaces": "site_items",
    "/orgs/{}/sites/{}/structure": "site_items",
    "/orgs/{}/sites/{}/external-links": "site_items",
    "/orgs/{}/sites/{}/site-spaces/{}/customization": "site_publishing",
    "/orgs/{}/sites/{}/statistics": "site_statistics",
    "/orgs/{}/sites/{}/adaptive-schema": "site_publishing",
    "/orgs/{}/sites/{}/published": "site_publishing",
    "/orgs/{}/sites/{}/publishing": "site_publishing",
    "/orgs/{}/sites/{}/share-links": "site_publishing",
    "/orgs/{}/sites/{}/search": "site_publishing",
    "/orgs/{}/sites/{}/customization": "site_publishing",
    "/orgs/{}/sites/{}/redirects": "site_publishing",
    "/orgs/{}/sites/{}/redirect": "site_publishing",
    "/orgs/{}/sites/{}/page-feedback": "site_publishing",
    "/urls/published": "site_publishing",
    "/urls/content": "links",
    "/urls/embed": "links",
    "/spaces/{}/embed": "links",
    "/integrations": "integrations",
    "/integrations/{}/installations/{}": "installations",
    "/orgs/{}/installations": "installations",
    "/orgs/{}/integrations": "installations",
    "/spaces/{}/integrations": "installations",
    "/orgs/{}/sites/{}/integrations": "installations",
    "/orgs/{}/sites/{}/integration-scripts": "installations",
}


def rows_of(module: str) -> list[Operation]:
    """Return the rows of a family, by the name of its module."""
    rows: list[Operation] = import_module(f"app.api.operations.{module}").OPERATIONS
    return rows


@cache
def operation(reference: str) -> Operation:
    """Return the operation that a reference names: its family's module and its id (`spaces.getSpaceById`)."""
    module, _, name = reference.partition(".")
    return next(row for row in rows_of(module) if row.id == name)
