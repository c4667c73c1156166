"""What an installation's token is good for: each scope guards the operations it names, and no others.

A scope also says how much it lets do on the selected content. Everything else is judged as for people:
content that was not selected is not found, and what needs a higher level is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from app.access.rights import Level


@dataclass(slots=True, frozen=True)
class Scope:
    """The operations that a scope opens, and the level it gives on the selected content of a kind."""

    kind: str
    level: Level
    operations: frozenset[str]


def _scope(kind: str, level: Level, operations: str = "") -> Scope:
    return Scope(kind, level, frozenset(operations.split()))


VISITOR_AUTH = "site:visitor:auth"  # signs in the visitors of the sites that name the integration for it

# What every token of an installation may do: know where it is, and look after itself.
_ALWAYS = """
    getServiceInformation getOrganizationById getIntegrationByName
    getIntegrationInstallationById updateIntegrationInstallation createIntegrationInstallationToken
    listIntegrationInstallationSpaces getIntegrationSpaceInstallation updateIntegrationSpaceInstallation
    listIntegrationInstallationSites getIntegrationSiteInstallation updateIntegrationSiteInstallation
    queueIntegrationTask
    """
ALWAYS = frozenset(_ALWAYS.split())

SCOPES: Mapping[str, Scope] = {
    "space:content:read": _scope(
        "space",
        Level.READ,
        """
        getCurrentRevision listPages listFiles getFileById getPageById getPageByPath getReusableContentById
        listSpaceLinks listSpaceFileBacklinks listPageLinksInSpace listSpacePageBacklinks getDocumentById
        searchSpaceContent getSpacePDF
        getRevisionById listPagesInRevisionById listFilesInRevisionById getFileInRevisionById
        getPageInRevisionById getPageInRevisionByPath getReusableContentInRevisionById listRevisionsInSpace
        getRevisionChangesById getPageDiffInRevisionById getPageDocumentInRevisionById
        listChangeRequestsForSpace getChangeRequestById getRevisionOfChangeRequestById
        listPagesInChangeRequest listFilesInChangeRequestById getFileInChangeRequestById
        listChangeRequestFileBacklinks getPageInChangeRequestById listPageLinksInChangeRequest
        getPageInChangeRequestByPath getReusableContentInChangeRequestById listRevisionsInChangeRequestById
        getChangeRequestChangesById getPageDiffInChangeRequestById getChangeRequestPDF
        """,
    ),
    "space:content:write": _scope(
        "space",
        Level.EDIT,
        """
        changeContent importContent importContentInPageById createChangeRequest updateChangeRequestById
        changeContentInChangeRequest importContentInChangeRequest updateChangeRequest
        """,
    ),
    "space:metadata:read": _scope("space", Level.READ, "getSpaceById listSpacesInOrganizationById"),
    "space:metadata:write": _scope("space", Level.EDIT, "updateSpaceById"),
    "space:git:sync": _scope(
        "space", Level.EDIT, "importGitRepository exportToGitRepository getSpaceGitInfo"
    ),
    "space:views:read": _scope("space", Level.READ),
    "space:script:inject": _scope("space", Level.READ),
    "space:script:cookies": _scope("space", Level.READ),
    "space:visitor:auth": _scope("space", Level.READ),
    "page:feedback:read": _scope("site", Level.READ),
    "site:metadata:read": _scope(
        "site",
        Level.READ,
        """
        getSiteById listSites getPublishedContentSite getSiteStructure
        listSiteSections listSiteSectionGroups listSiteSpaces getSiteCustomization getSiteSpaceCustomization
        """,
    ),
    "site:views:read": _scope("site", Level.READ),
    "site:script:inject": _scope("site", Level.READ),
    "site:script:cookies": _scope("site", Level.READ),
    VISITOR_AUTH: _scope("site", Level.ADMIN, "getSitePublishingAuth"),
    "site:visitor:claims": _scope("site", Level.READ),
    "site:adaptive:read": _scope(
        "site", Level.READ, "getSiteAdaptiveSchema listSiteAdaptiveTemplateConditions"
    ),
    "site:adaptive:write": _scope("site", Level.CREATE, "updateSiteAdaptiveSchema"),
    "conversations:ingest": _scope("organization", Level.NONE),
    "openapi:read": _scope(
        "organization",
        Level.READ,
        """
        listOpenAPISpecs getOpenAPISpecBySlug listOpenAPISpecVersions getLatestOpenAPISpecVersion
        getLatestOpenAPISpecVersionContent getOpenAPISpecVersionById getOpenAPISpecVersionContentById
        """,
    ),
    "openapi:write": _scope(
        "organization",
        Level.CREATE,
        "createOpenAPISpec createOrUpdateOpenAPISpecBySlug deleteOpenAPISpecBySlug",
    ),
}


def in_force(declared: Iterable[str], agreed: Iterable[str]) -> list[str]:
    """Of the scopes that an integration declares those that were agreed to where it is installed."""
    known = frozenset(agreed)
    return [name for name in declared if name in known]


def operations_of(scopes: Iterable[str]) -> frozenset[str]:
    """What a token with these scopes opens."""
    return _operations(frozenset(scopes))


def level_of(scopes: Iterable[str], kind: str) -> Level:
    """The level that scopes give on selected content of a kind (or in the organization)."""
    levels = (SCOPES[name].level for name in scopes if name in SCOPES and SCOPES[name].kind == kind)
    return max(levels, default=Level.NONE)


@lru_cache(500)
def _operations(scopes: frozenset[str]) -> frozenset[str]:
    return ALWAYS.union(*(SCOPES[name].operations for name in scopes if name in SCOPES))
