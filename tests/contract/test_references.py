"""Ids in bodies must exist: otherwise 400 with the path of the field, in every operation."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests.cast import Cast
from tests.contract.recipes import RECIPES

UNKNOWN = "0000000000000000none"

# Operation, where its body names something, and the body that does (the recipe's, where none is given).
BESIDE_NOTHING: dict[str, Any] = {"position": {"before": {"type": "site-section", "id": UNKNOWN}}}
NAMING: list[tuple[str, str, dict[str, Any] | None]] = [
    ("updateOrganizationById", "defaultContent.site", {"defaultContent": {"type": "site", "site": UNKNOWN}}),
    ("createOrganizationInvite", "space", {"level": "read", "space": UNKNOWN}),
    ("createOrganizationInvite", "collection", {"level": "read", "collection": UNKNOWN}),
    ("createCollection", "parent", None),
    ("createSpace", "parent", None),
    ("moveCollection", "parent", {"parent": UNKNOWN}),
    ("moveSpace", "parent", {"parent": UNKNOWN}),
    ("transferCollection", "organization", {"organization": UNKNOWN}),
    ("transferSpace", "organization", {"organization": UNKNOWN}),
    ("transferSpace", "collection", {"collection": UNKNOWN}),
    ("postCommentInSpace", "page", None),
    ("postCommentInSpace", "node", None),
    ("postCommentInChangeRequest", "page", None),
    ("requestReviewersForChangeRequest", "users.0", {"users": [UNKNOWN]}),
    ("createOrganizationTeam", "members.0", {"title": "Works", "members": [UNKNOWN]}),
    ("updateMembersInOrganizationTeam", "add.0", {"add": [UNKNOWN]}),
    ("inviteToSpace", "users.0", {"role": "read", "users": [UNKNOWN]}),
    ("inviteToSpace", "teams.0", {"role": "read", "teams": [UNKNOWN]}),
    ("inviteToCollection", "users.0", {"role": "read", "users": [UNKNOWN]}),
    ("inviteToSite", "teams.0", {"role": "read", "teams": [UNKNOWN]}),
    ("createOrganizationSAMLProvider", "defaultTeam", None),
    ("updateOrganizationSAMLProvider", "defaultTeam", {"defaultTeam": UNKNOWN}),
    ("createSite", "spaces.0", {"title": "Docs", "spaces": [UNKNOWN]}),
    ("updateSiteById", "defaultSiteSpace", {"defaultSiteSpace": UNKNOWN}),
    ("updateSiteById", "defaultSiteSection", {"defaultSiteSection": UNKNOWN}),
    ("addSectionToSite", "spaceId", {"spaceId": UNKNOWN}),
    ("updateSiteSectionById", "defaultSiteSpace", {"defaultSiteSpace": UNKNOWN}),
    ("updateSiteSectionById", "sectionGroup", {"sectionGroup": UNKNOWN}),
    ("addSectionGroupToSite", "sections.0", {"title": "More", "sections": [UNKNOWN]}),
    ("addSectionToGroup", "sectionId", {"sectionId": UNKNOWN}),
    ("addSpaceToSite", "spaceId", {"spaceId": UNKNOWN}),
    ("addSpaceToSite", "sectionId", None),
    ("updateSiteSpaceById", "spaceId", {"spaceId": UNKNOWN}),
    ("addExternalLinkToSite", "parent", None),
    ("sortSiteStructure", "item.id", None),
    ("updateSitePublishingAuth", "integration", {"backend": "integration", "integration": UNKNOWN}),
    ("createSiteRedirect", "destination.siteSection",
     {"source": "/x", "destination": {"kind": "site-section", "siteSection": UNKNOWN}}),
    ("upsertSiteRedirects", "redirects.0.destination.siteSpace",
     {"redirects": [{"source": "/x", "destination": {"kind": "site-space", "siteSpace": UNKNOWN}}]}),
    ("publishIntegration", "organization", None),
    ("installIntegration", "organization", {"organization": UNKNOWN}),
    ("installIntegrationOnSpace", "space", {"space": UNKNOWN}),
    ("installIntegrationOnSite", "siteId", {"siteId": UNKNOWN}),
    ("renderIntegrationUIWithPost", "context.spaceId", None),
    ("changeContent", "changes.0.page", {"changes": [{"operation": "delete_page", "page": UNKNOWN}]}),
    ("changeContent", "changes.0.into", {"changes": [{"operation": "insert_page", "title": "A",
                                                      "document": {"markdown": "a"}, "into": UNKNOWN}]}),
    ("changeContent", "changes.0.file", {"changes": [{"operation": "delete_file", "file": UNKNOWN}]}),
    ("changeContent", "changes.0.reusableContent",
     {"changes": [{"operation": "delete_reusable_content", "reusableContent": UNKNOWN}]}),
    ("changeContent", "changes.0.computed.spec",
     {"changes": [{"operation": "insert_page", "title": "A", "type": "computed",
                   "computed": {"type": "builtin:openapi", "spec": UNKNOWN}}]}),
]  # fmt: skip


@pytest.mark.parametrize(("operation", "path", "body"), NAMING, ids=[f"{n[0]}-{n[1]}" for n in NAMING])
def test_what_a_body_names_must_exist(
    cast: Cast, operation: str, path: str, body: dict[str, Any] | None
) -> None:
    call = RECIPES[operation](cast)
    sent = copy.deepcopy(body if body is not None else call.body)
    if body is None:
        _put(sent, path.split("."), UNKNOWN)
    from app.api.catalog import OPERATIONS

    row = next(row for row in OPERATIONS if row.id == operation)
    answer = cast.ada.call(row.method, "/v1" + row.path.format(**call.path).replace(":path", ""), json=sent)
    assert answer.status_code == 400, answer.text
    assert [each["path"] for each in answer.json()["error"].get("details", ())] == [path], answer.text


def _put(value: Any, path: list[str], named: str) -> None:
    for part in path[:-1]:
        value = value.setdefault(part, {})
    value[path[-1]] = named
