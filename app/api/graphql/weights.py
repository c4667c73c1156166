"""The weights of the fields of our schema, measured; a unit is about five microseconds of a processor.

Listed is what is neither plain nor an ordinary call: reading and rendering bodies, searches, comparisons,
changes that move much content, and the lengths of lists that no argument bounds. Everything else is plain
(a look-up), a call (a statement and its rows) or a change (a transaction).
"""

from __future__ import annotations

from dataclasses import replace

from app.api.graphql.cost import Weight
from graphql import GraphQLField, GraphQLObjectType, get_named_type

PLAIN = Weight()
CALL = Weight(100)
SHARED = Weight(10)
ERRORS = Weight(items=2)
CHANGE = Weight(2_000)
LARGE_CHANGE = Weight(25_000)  # content is compared, copied, imported or fetched

EVALUATED = {("evaluated", "true"): Weight(1_000)}
TREE = Weight(500, items=150)
COMMENTS = Weight(100, each=10)

LINKS = Weight(100, each=30)

_PREVIEW = Weight(8_000)
_PLACE = {
    "pages": TREE,
    "pageList": TREE,
    "page": Weight(150),
    "reusableContents": Weight(200, items=20),
    "links": LINKS,
}
BLOCKS = Weight(5_000, items=20, when=EVALUATED)
LINKED = Weight(3)  # few of all that may be there are read, each once, in batches
CHANGES = Weight(500, each=100)
_TYPES = {
    "Space": {
        **_PLACE,
        "preview": _PREVIEW,
        "comments": COMMENTS,
        "document": Weight(4_000),
        "search": Weight(2_000, each=20),
    },
    "ChangeRequest": {
        **_PLACE,
        "preview": _PREVIEW,
        "description": PLAIN,
        "comments": COMMENTS,
        "reviews": COMMENTS,
        "changes": CHANGES,
    },
    "Revision": {**_PLACE, "changes": CHANGES, "pageDocument": Weight(4_000)},
    "Page": {
        "markdown": Weight(150, when=EVALUATED),
        "document": Weight(4_000, when=EVALUATED),
        "blocks": BLOCKS,
        "html": Weight(6_000),
        "links": LINKS,
        "backlinks": LINKS,
        "comments": COMMENTS,
        "diff": Weight(1_000),
        "pages": Weight(2),
        "parent": Weight(200),
        "ancestors": Weight(200, items=2),
    },
    "LinkTarget": dict.fromkeys(("space", "page", "file", "reusableContent"), LINKED),
    "MentionRun": {"user": LINKED},
    "ReusableContent": {
        "markdown": Weight(150, when=EVALUATED),
        "document": Weight(1_000, when=EVALUATED),
        "blocks": Weight(1_500, items=3, when=EVALUATED),
        "html": Weight(2_000),
    },
    "Body": {
        "markdown": Weight(5),
        "document": Weight(100),
        "blocks": Weight(150, items=2),
        "html": Weight(200),
    },
    "Comment": {"body": PLAIN, "replies": COMMENTS, "page": Weight(150)},
    "CommentReply": {"body": PLAIN},
    "Review": {"comment": Weight(100)},
    "Query": {"nodes": Weight(0, each=100, per="ids")},
}
_LARGE_CHANGES = (
    "duplicateSpace",
    "importContent",
    "mergeChangeRequest",
    "updateChangeRequestFromMain",
    "restoreRevision",
    "revertRevision",
    "importGitRepository",
    "exportToGitRepository",
    "duplicateSiteSpace",
    "publishIntegration",
)
LENGTHS = {  # of lists that no argument bounds
    "Query.organizationsForEmailDomain": 20,
    "OrganizationSearchItem.pages": 5,
    "SearchItem.sections": 3,
    "SiteStatistics.periods": 30,
    "SiteSearchItem.sections": 3,
    "Page.pages": 1,  # all levels of a tree have as many pages as the weight of the tree says
    "Revision.parents": 1,
    "Revision.contributors": 2,
    "Link.locationReferences": 1,
    "Integration.warnings": 2,
    "PageDiff.hunks": 20,
    "DiffHunk.lines": 10,
    "Comment.reactions": 2,
    "Comment.mentions": 2,
    "CommentReply.reactions": 2,
    "CommentReply.mentions": 2,
    "Reaction.users": 3,
    "Site.features": 5,
    "CustomHostname.records": 3,
    "UserExport.records": 40,
    "SiteStructure.structure": 20,
    "SiteSection.siteSpaces": 1,
    "SiteSectionGroup.sections": 2,
    "SiteSectionGroup.children": 1,  # mostly the sections again
    "SemanticChanges.changes": 10,
    "Organization.emailDomains": 5,
    "Integration.scopes": 5,
    "Integration.categories": 2,
    "Organization.ssoLogins": 10,
    "Site.templateConditions": 20,
    "PublishedContentSite.scripts": 10,
    "AssistantSettings.links": 10,
    "HeaderSettings.links": 10,
    "HeaderLink.links": 10,
    "FooterSettings.groups": 10,
    "FooterGroup.links": 10,
    "OpenAPISpec.lastProcessedErrors": 10,
    "OpenAPISpec.lastProcessedWarnings": 10,
    "TranslationSettings.languages": 10,
    "ImportRun.problems": 20,
    "ImportRun.problemCounts": 3,
    "ImportRun.problemCauses": 3,
    "ImportProblemCause.problems": 2,
    "ImportRunSource.files": 2,
    "Integration.blocks": 5,
    "IntegrationConfiguration.properties": 3,
    "OpenAPIContent.filesystem": 10,
    "PublishedCustomizations.siteSpaces": 5,
    "Upload.headers": 5,
    "Integration.contentSources": 5,
    "Integration.externalLinks": 5,
    "Trace.logs": 50,
    "InviteUsersPayload.users": 20,
    "InviteUsersPayload.invited": 20,
    "ChangeContentPayload.changes": 20,
    "ChangeContentPayload.insertedFiles": 10,
    "ChangeContentPayload.insertedReusableContents": 10,
    "MergeChangeRequestPayload.conflicts": 20,
    "UpdateChangeRequestFromMainPayload.conflicts": 20,
    "RestoreRevisionPayload.conflicts": 20,
    "RevertRevisionPayload.conflicts": 20,
    "RequestReviewsPayload.users": 10,
    "UpsertSiteRedirectsPayload.results": 20,
    "List.items": 3,
    "Tabs.tabs": 2,
    "Stepper.steps": 3,
    "Columns.panes": 2,
    "Updates.entries": 2,
    "Gallery.images": 2,
    "Table.columns": 3,
    "Table.rows": 5,
    "TableRow.cells": 3,
    "Cards.cards": 3,
    "Card.cells": 3,
    "Footnotes.footnotes": 2,
    "Conflicts.conflicts": 20,
    "UndoAgentChangesPayload.changes": 20,
    "UndoneChange.conflicts": 5,
    "PageText.contents": 10,
    "Token.spaces": 5,
    "OrganizationToken.spaces": 5,
    "Computed.dependencies": 0,  # of a few pages of a tree
    "Computed.props": 0,
    "IntegrationBlock.props": 5,
    "UnknownBlock.data": 5,
    "IntegrationInstallation.configuration": 5,
    "IntegrationSpaceInstallation.configuration": 5,
    "IntegrationSiteInstallation.configuration": 5,
    "TextRun.marks": 1,
    "OpenAPISchemas.schemas": 2,
    "__Schema.types": 100,
    "__Schema.directives": 5,
    "__Type.fields": 5,
    "__Type.interfaces": 1,
    "__Type.possibleTypes": 2,
    "__Type.enumValues": 1,
    "__Type.inputFields": 1,
    "__Field.args": 1,
    "__Directive.args": 1,
}
_INSIDE = {"Block": Weight(items=2), "Run": Weight(items=2)}
"""The lists of blocks in blocks, and of runs."""
WEIGHTS: dict[str, Weight] = {
    **{f"{kind}.{name}": weight for kind, fields in _TYPES.items() for name, weight in fields.items()},
    **{f"Mutation.{name}": LARGE_CHANGE for name in _LARGE_CHANGES},
    "Mutation.changeContent": Weight(10_000),
    "Organization.search": Weight(4_000, each=20),
    "Site.search": Weight(4_000, each=100),
    "Site.structure": Weight(500),
    "Site.integrationScripts": Weight(100, items=10),
    "Site.preview": Weight(1_000),
    "OpenAPISpecVersion.content": Weight(4_000),
    "OpenAPISpec.latestContent": Weight(4_000),
    "Query.renderIntegration": Weight(10_000),
    "Query.renderIntegrationCompressed": Weight(10_000),
}


IN_PLACES = ("Page", "File", "ReusableContent", "Comment", "CommentReply", "Review", "Revision")


def weigh(parent: GraphQLObjectType, name: str, definition: GraphQLField) -> Weight:
    """Return the weight of a field of our schema: the table's, or that of its kind."""
    found = WEIGHTS.get(f"{parent.name}.{name}") or _of_its_kind(parent, name, definition)
    if counts := getattr(definition.resolve, "counts", None):
        found = replace(found, counted=PLAIN.cost, known=tuple(counts.values()))
    return replace(found, items=LENGTHS.get(f"{parent.name}.{name}", found.items))


def _is_shared(parent: GraphQLObjectType, name: str) -> bool:
    """Tell whether a field shows the place that its object was read in, which is shared by a list."""
    return name in ("space", "changeRequest", "revision") and parent.name in IN_PLACES


def _of_its_kind(parent: GraphQLObjectType, name: str, definition: GraphQLField) -> Weight:
    if parent.name == "Mutation":
        return CHANGE
    if _is_shared(parent, name):
        return SHARED
    if name == "userErrors":
        return ERRORS
    inside = _INSIDE.get(get_named_type(definition.type).name)
    if inside is not None:
        return inside
    is_own = parent.name.startswith("__") or name.startswith("__")
    is_plain = is_own or getattr(definition.resolve, "_is_default", False)
    return PLAIN if is_plain else CALL
