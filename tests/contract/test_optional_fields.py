"""Optional fields of answers: each is in some answer, so that none is promised and never sent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

import orjson
import pytest
from pydantic import BaseModel

from app.api.catalog import OPERATIONS
from app.models.base import JsonShape
from app.present.shape import SHAPES
from tests.cast import Cast, Person
from tests.contract.faces import SUCCESS, by_rest, in_full
from tests.contract.recipes import RECIPES

Field = tuple[str, str]

ELSEWHERE = {
    "what happens later: use, checks, merges, deletion (tests/rest, tests/accounts)": """
        AgentChangeOut.undone_at ChangeRequestOut.merged_at ChangeRequestOut.merged_by
        ChangeRequestOut.revision_merged ChangeRequestOut.revision_merged_ancestor
        CustomHostnameOut.checked_at CustomHostnameOut.ends_at CustomHostnameOut.leads_here
        CustomHostnameOut.problem DomainOut.ends_at DomainOut.problem ImportRunOut.started_at
        MemberSessionOut.last_used_at OAuthGrantOut.last_used_at OrganizationTokenOut.last_used_at
        SpaceOut.deleted_at TokenOut.last_used_at UserSessionOut.last_used_at
    """,
    "what goes wrong, and what an undo leaves (tests/rest, tests/mcp)": """
        ConflictOut.base ConflictOut.change_request ConflictOut.main ImportProblemOut.line
        ImportRunOut.error ImportRunOut.problems MergeOut.conflicts
        OpenAPISpecOut.last_process_error_code OpenAPISpecOut.last_processed_errors
        OpenAPISpecOut.last_processed_warnings ProcessedError.code RollbackConflict.base
        RollbackConflict.before RollbackConflict.main RollbackOut.conflicts UndoneChange.conflicts
        UndoneChange.reason UpdateOut.conflicts
    """,
    "what integrations are told, by kind of event and of what they have (tests/integrations)": """
        ComponentRenderEvent.action ComponentRenderEvent.auth ComponentRenderEvent.installation_id
        ComponentRenderEvent.site_id ComponentRenderEvent.space_id ComponentRenderEvent.state
        ContentDocumentEvent.installation_id ContentRevisionEvent.installation_id
        EndpointCallEvent.installation_id EndpointCallEvent.site_id EndpointCallEvent.space_id
        InstallationDeletedEvent.installation_id SiteInstallationDeletedEvent.installation_id
        GivenFeedback.comment PageFeedbackEvent.installation_id SpaceViewEvent.installation_id
        SiteInstallationSetupEvent.previous SiteViewEvent.installation_id
        SpaceContentUpdatedEvent.installation_id SpaceGitSyncCompletedEvent.installation_id
        SpaceGitSyncStartedEvent.installation_id SpaceInstallationDeletedEvent.installation_id
        SpaceInstallationSetupEvent.previous SpaceVisibilityUpdatedEvent.installation_id
        TaskEvent.installation_id VisitorAuthenticationEvent.action
        VisitorAuthenticationEvent.cookies VisitorAuthenticationEvent.installation_id
        VisitorAuthenticationEvent.location VisitorAuthenticationEvent.search_params
    """,
    "what integrations render and declare (tests/integrations)": """
        ComputedOut.computed_at ConfigurationProperty.completion_url IntegrationContentSource.description
        IntegrationOut.warnings
        PublishedScript.content_security_policy PublishingAuthOut.integration
        PublishingAuthOut.logout_url RenderContext.editable RenderContext.organization_id
        RenderContext.site_id RenderContext.space_id RenderOutput.return_value SigningKeyOut.key
        UrlEmbedOut.block UrlEmbedOut.integration VisitorAuth.integration
    """,
    "diffs of every kind of change (tests/rest/test_diffs.py, test_revision_changes.py)": """
        AttributeChanges.content_type AttributeChanges.cover AttributeChanges.description
        AttributeChanges.dimensions AttributeChanges.document AttributeChanges.download_url
        AttributeChanges.emoji AttributeChanges.layout AttributeChanges.name AttributeChanges.size
        AttributeChanges.slug AttributeChanges.title CoverChange.after CoverChange.before
        DimensionsChange.after DimensionsChange.before LayoutChange.after LayoutChange.before
        ParentChange.after ParentChange.before SemanticChange.parent SemanticChange.reusable_content
        SemanticChangesOut.merged_from SemanticChangesOut.more SizeChange.after SizeChange.before
        TextChange.after TextChange.before
    """,
    "pages that are computed (tests/rest/test_openapi_pages.py)": """
        ComputedDependency.value ComputedDependency.version ComputedOut.dependencies
        ComputedOut.computed_at ComputedOut.error ComputedOut.props ComputedOut.version
        ComputedReference.space
        ComputedReference.spec DependencyState.last_version DependencyState.revision
        DependencyState.slug PageOut.computed PageOut.computed_seed RevisionOut.source_revision
    """,
    "what came from a repository (tests/sync)": """
        GitOrigin.oid GitSyncOut.installation_provider GitSyncOut.integration HistoryEntryOut.git
        HistoryEntryOut.merged_from RevisionGit.created_by_service RevisionGit.message
        RevisionGit.ref RevisionGit.url RevisionOut.git RevisionOut.merged_from SpaceOut.git_sync
    """,
    "where imports come from and go to (tests/rest/test_import_runs.py)": """
        ImportFileOut.url ImportRunOut.result ImportRunOut.site ImportRunSourceOut.files
        ImportTargetOut.change_request ImportTargetOut.page ImportTargetOut.space
    """,
    "what jobs work on, by kind, and when (tests/rest/test_jobs.py)": """
        JobOut.import_run JobOut.integration JobOut.next_attempt_at JobOut.space JobOut.spec
        JobOut.title
    """,
    "conflicts in a text, passage by passage (tests/rest/test_merge_winners.py)": """
        ConflictOut.passage RollbackConflict.passage
    """,
    "how pages look and when they are shown (tests/rest/test_content_changes*.py)": """
        CommentPage.icon CommentTarget.review ContentChangesOut.inserted_reusable_contents
        Cover.height Cover.ref Cover.ref_dark FileReference.space InsertedFile.ref
        InsertedReusableContent.ref Layout.actions Layout.anchors Layout.cover_mask Layout.metadata
        Layout.tags PageOut.condition PageOut.cover PageOut.link_title PageOut.variables
        PageTextOut.section Reference.reusable_content
    """,
    "how sites look and what they lead to (tests/rest/test_site_publishing.py, test_site_structure.py)": """
        AnnouncementSettings.link ContentAtUrlOut.collection ContentAtUrlOut.revision
        FaviconSettings.emoji FaviconSettings.icon FooterSettings.copyright FooterSettings.logo
        HeaderSettings.background_color HeaderSettings.link_color HeaderSettings.primary_link
        PrivacySettings.url PublishedUrlOut.page PublishedUrlOut.redirect PublishedUrlOut.target
        RedirectOut.automatic RevisionUrls.public RevisionUrls.published SiteExternalLinkOut.icon
        SiteIcon.icon SiteOut.ads SiteOut.hostname SocialPreviewSettings.url SpaceOut.visitor_auth
        StylingSettings.danger_color StylingSettings.info_color StylingSettings.success_color
        StylingSettings.warning_color
    """,
    "what people choose for organizations, spaces and tokens (tests/rest)": """
        InviteOut.collection OpenAPISpecOut.source_url OrganizationOut.community_type
        OrganizationOut.default_content OrganizationOut.use_case OrganizationTokenOut.operations
        OrganizationUrls.logo PingOut.service_visitor_claims RuleSource.team SpaceUrls.icon
        TokenOut.operations
    """,
}
"""The fields that recipes do not fill, by what they need, which other tests make."""


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_every_optional_field_is_sent_by_some_operation(cast: Cast) -> None:
    seen: set[Field] = set()
    for operation in OPERATIONS:
        call = RECIPES[operation.id](cast)
        person: Person = call.caller or cast.ada
        answer = by_rest(person, operation, in_full(operation, call))
        assert answer.verdict == SUCCESS, (operation.id, answer.data)
        if operation.show is None or answer.response is None:
            continue
        shape, found = SHAPES[operation.show], answer.response.json()
        for each in found["items"] if operation.paged else [found]:
            read = shape.model_validate_json(orjson.dumps(each), strict=True, by_alias=True, by_name=False)
            seen.update(sent(read))
    shapes = {shape for row in OPERATIONS if row.show is not None for shape in inside(SHAPES[row.show])}
    optional = {
        (shape.__name__, name)
        for shape in shapes
        for name, info in shape.model_fields.items()
        if not info.is_required()
    }
    known = {tuple(each.split(".")) for names in ELSEWHERE.values() for each in names.split()}
    assert optional - seen - known == set(), "never sent, as far as any recipe shows"
    assert known <= optional, "there is no such field any more"


def sent(value: Any) -> Iterator[Field]:
    """The fields that are sent and have a value, however deep."""
    if isinstance(value, BaseModel):
        for name in type(value).model_fields:
            if name in value.model_fields_set and (each := getattr(value, name)) is not None:
                yield type(value).__name__, name
                yield from sent(each)
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from sent(each)


def inside(shape: Any, known: set[Any] | None = None) -> set[type[BaseModel]]:
    """A shape and all shapes in it."""
    known = set() if known is None else known
    if isinstance(shape, type) and issubclass(shape, BaseModel):
        if shape not in known and not issubclass(shape, JsonShape):
            known.add(shape)
            for info in shape.model_fields.values():
                inside(info.annotation, known)
    else:
        for each in get_args(shape):
            inside(each, known)
    return known
