"""What the fields of our schema weigh, measured; a unit is about five microseconds of a processor.

Listed is what is neither plain nor an ordinary call: reading and rendering bodies, searches, comparisons,
changes that move much content, and the lengths of lists that no argument bounds. Everything else is plain
(a look-up), a call (a statement and its rows) or a change (a transaction).
"""

from __future__ import annotations

from app.api.graphql.cost import Weight
from graphql import GraphQLField, GraphQLObjectType

PLAIN = Weight()
CALL = Weight(100)
CHANGE = Weight(2_000)
LARGE_CHANGE = Weight(25_000)  # content is compared, copied, imported or fetched

CONDITIONS = {("evaluated", "true"): Weight(1_000), ("evaluated", "deterministic-only"): Weight(1_000)}
AS_DOCUMENT = {("format", "DOCUMENT"): Weight(4_000)}
BODY = Weight(150, when={**AS_DOCUMENT, **CONDITIONS})
DOCUMENT = Weight(4_000, when=CONDITIONS)
TREE = Weight(500, items=150)
COMMENT = Weight(100, when=AS_DOCUMENT)
COMMENTS = Weight(100, each=10, when={("format", "DOCUMENT"): Weight(0, each=100)})

_CONTENT = {
    "content": Weight(2_000),
    "pages": TREE,
    "page": BODY,
    "pageByPath": BODY,
    "links": Weight(100, each=30),
    "pageLinks": Weight(100, each=30),
}
_CHANGED = {"changes": Weight(500, each=100), "pageDiff": Weight(1_000)}
_DISCUSSED = {"commentList": COMMENTS, "comment": COMMENT}
_REVIEWED = {"reviews": COMMENTS, "review": COMMENT}
_TYPES = {
    "Space": {**_CONTENT, **_DISCUSSED, "document": DOCUMENT, "search": Weight(2_000, each=20)},
    "ChangeRequest": {**_CONTENT, **_CHANGED, **_DISCUSSED, **_REVIEWED},
    "Snapshot": {**_CONTENT, **_CHANGED, "pageDocument": DOCUMENT},
    "Comment": {"replyList": COMMENTS, "commentReply": COMMENT},
}
_LARGE_CHANGES = (
    "duplicateSpace",
    "importContent",
    "importContentInChangeRequest",
    "importContentInPage",
    "mergeChangeRequest",
    "updateChangeRequestFromMain",
    "restoreRevision",
    "revertRevision",
    "importGitRepository",
    "exportToGitRepository",
    "duplicateSiteSpace",
    "publishIntegration",
)
_LISTS = {  # how long lists are that no argument bounds
    "Organizations.organizations": 20,
    "OrganizationSearchItem.pages": 5,
    "SearchItem.sections": 3,
    "SiteSearchItem.sections": 3,
    "Revision.pages": 150,
    "Revision.files": 100,
    "Revision.reusableContents": 20,
    "Page.pages": 1,  # all levels of a tree have as many pages as the weight of the tree says
    "HistoryEntry.contributors": 2,
    "Link.locationReferences": 1,
    "PageDiff.hunks": 20,
    "DiffHunk.lines": 10,
    "Comment.reactions": 2,
    "Comment.mentions": 2,
    "CommentReply.reactions": 2,
    "CommentReply.mentions": 2,
    "Reaction.users": 3,
    "Site.features": 5,
    "CustomHostname.records": 3,
    "SiteSection.siteSpaces": 1,
    "SiteSectionGroup.sections": 2,
    "SortedSiteItem.siteSpaces": 5,
    "SortedSiteItem.sections": 5,
    "SSOLogins.items": 10,
    "TemplateConditions.items": 20,
    "PublishedContentSite.scripts": 10,
    "HeaderSettings.links": 10,
    "HeaderLink.links": 10,
    "FooterSettings.groups": 10,
    "FooterGroup.links": 10,
    "OpenAPISpec.lastProcessedErrors": 10,
    "OpenAPISpec.lastProcessedWarnings": 10,
    "TranslationSettings.languages": 10,
    "ImportRun.problems": 20,
    "ImportRunSource.files": 2,
    "Integration.blocks": 5,
    "Integration.contentSources": 5,
    "Integration.externalLinks": 5,
    "Trace.logs": 50,
    "Invited.users": 20,
    "Invited.invited": 20,
    "ContentChanges.changes": 20,
    "ContentChanges.insertedFiles": 10,
    "ContentChanges.insertedReusableContents": 10,
    "MergeOutcome.conflicts": 20,
    "UpdateOutcome.conflicts": 20,
    "RollbackOutcome.conflicts": 20,
    "RequestedReviewers.users": 10,
    "SiteRedirects.results": 20,
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
WEIGHTS: dict[str, Weight] = {
    **{name: Weight(items=items) for name, items in _LISTS.items()},
    **{f"{kind}.{name}": weight for kind, fields in _TYPES.items() for name, weight in fields.items()},
    **{f"Mutation.{name}": LARGE_CHANGE for name in _LARGE_CHANGES},
    "Mutation.changeContent": Weight(10_000),
    "Mutation.changeContentInChangeRequest": Weight(10_000),
    "Organization.search": Weight(4_000, each=20),
    "Site.search": Weight(4_000, each=100),
    "Site.structure": Weight(500),
    "Query.siteIntegrationScripts": Weight(100, items=10),
    "Query.sitePreview": Weight(1_000),
    "Query.openapiContent": Weight(4_000),
    "Query.latestOpenapiContent": Weight(4_000),
    "Query.renderIntegration": Weight(10_000),
    "Query.renderIntegrationCompressed": Weight(10_000),
}


def weigh(parent: GraphQLObjectType, name: str, definition: GraphQLField) -> Weight:
    """The weight of a field of our schema: the table's, or that of its kind."""
    declared = WEIGHTS.get(f"{parent.name}.{name}")
    if declared is not None:
        return declared
    if parent.name == "Mutation":
        return CHANGE
    is_own = parent.name.startswith("__") or name.startswith("__")
    is_plain = is_own or name == "edges" or getattr(definition.resolve, "_is_default", False)
    return PLAIN if is_plain else CALL
