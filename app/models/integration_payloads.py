"""Payloads of events: what integrations are told, by the type of the event."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from app.models.base import Enumeration, Names, Shape
from app.models.installations import InstallationStatus
from app.models.integration_rendering import RenderContext
from app.models.page_feedback import FeedbackRating
from app.models.spaces import Visibility
from app.models.users import UserOut

SyncOutcome = Literal["success", "failure"]
TYPE = "Type of the event."


class PreviousInstallation(Shape):
    """The state of an installation before a change."""

    status: InstallationStatus | None = Field(
        default=None, description="Status that it had. Absent if it was uninstalled."
    )
    configuration: dict[str, Any] = Field(
        description="Values of its configuration by the names of their properties."
    )


class EventCaller(Shape):
    """The person who caused an event that the integration answers."""

    user_id: Annotated[str, Names("User")] = Field(description="Person who asked.")


class EndpointRequest(Shape):
    """A request that somebody sent to a public endpoint. What proves the caller is masked."""

    method: str = Field(description="Method of the request.")
    url: str = Field(description="Address of the request.")
    headers: dict[str, str] = Field(description="Headers by their names in lower case.")


class EventPayload(Shape):
    """Base of the payloads of all events."""

    event_id: str = Field(description="Id of the event, the same for every delivery of it.")
    installation_id: Annotated[str, Names("IntegrationInstallation")] | None = Field(
        default=None,
        description="Installation that was told. Absent if the event is about the integration itself.",
    )


class SpaceEvent(EventPayload):
    """Base of the payloads of events about a space."""

    space_id: Annotated[str, Names("Space")] = Field(description="Space that the event is about.")


class SiteEvent(EventPayload):
    """Base of the payloads of events about a site."""

    site_id: Annotated[str, Names("Site")] = Field(description="Site that the event is about.")


class PlacedEvent(EventPayload):
    """Base of the payloads of events that may be about a space or a site."""

    space_id: Annotated[str, Names("Space")] | None = Field(
        default=None, description="Space that the event is about. Absent elsewhere."
    )
    site_id: Annotated[str, Names("Site")] | None = Field(
        default=None, description="Site that the event is about. Absent elsewhere."
    )


class SetupEvent(EventPayload):
    """Base of the payloads of events about an installation that was made or configured."""

    status: InstallationStatus = Field(description="Status that the installation has now.")
    previous: PreviousInstallation | None = Field(
        default=None, description="How it was before. Absent if it is new."
    )


class DeletedEvent(EventPayload):
    """Base of the payloads of events about an installation that is gone."""

    previous: PreviousInstallation = Field(description="How it was before.")


class GitSyncEvent(SpaceEvent):
    """Base of the payloads of events about a sync with a repository."""

    revision_id: Annotated[str, Names("Revision")] = Field(description="Active revision of the space.")
    commit_id: str = Field(description="Hash of the commit that was last synced. Empty before the first.")


class InstallationSetupEvent(SetupEvent):
    """The integration was installed in an organization, or configured there."""

    type: Literal["installation_setup"] = Field(description=TYPE)


class SpaceInstallationSetupEvent(SetupEvent, SpaceEvent):
    """The integration was installed on a space, or configured there."""

    type: Literal["space_installation_setup"] = Field(description=TYPE)


class SiteInstallationSetupEvent(SetupEvent, SiteEvent):
    """The integration was installed on a site, or configured there."""

    type: Literal["site_installation_setup"] = Field(description=TYPE)


class InstallationDeletedEvent(DeletedEvent):
    """The integration was uninstalled from an organization."""

    type: Literal["installation_deleted"] = Field(description=TYPE)


class SpaceInstallationDeletedEvent(DeletedEvent, SpaceEvent):
    """The integration was uninstalled from a space, or the space is gone."""

    type: Literal["space_installation_deleted"] = Field(description=TYPE)


class SiteInstallationDeletedEvent(DeletedEvent, SiteEvent):
    """The integration was uninstalled from a site, or the site is gone."""

    type: Literal["site_installation_deleted"] = Field(description=TYPE)


class SpaceContentUpdatedEvent(SpaceEvent):
    """The live content of a space has a new revision."""

    type: Literal["space_content_updated"] = Field(description=TYPE)
    revision_id: Annotated[str, Names("Revision")] = Field(description="New revision of the space.")
    updated_by: list[UserOut] = Field(
        description="People who made the change, without their e-mail addresses; of a merge, those who edited"
        " the change request and who merged it."
    )


class SpaceVisibilityUpdatedEvent(SpaceEvent):
    """Other people may read a space now."""

    type: Literal["space_visibility_updated"] = Field(description=TYPE)
    previous_visibility: Visibility = Field(description="Who could read the space before.")
    visibility: Visibility = Field(description="Who may read the space now.")


class SpaceGitSyncStartedEvent(GitSyncEvent):
    """A sync of a space with a repository has begun."""

    type: Literal["space_gitsync_started"] = Field(description=TYPE)


class SpaceGitSyncCompletedEvent(GitSyncEvent):
    """A sync of a space with a repository has ended."""

    type: Literal["space_gitsync_completed"] = Field(description=TYPE)
    state: SyncOutcome = Field(description="How the sync ended.")


class EventVisitor(Shape):
    """A visitor of a site, without their address and cookies."""

    anonymous_id: str = Field(
        description="Hash that is the same for all that the visitor does on the site on one day."
    )
    user_agent: str = Field(description="What the visitor's browser calls itself. Empty if it does not.")
    cookies: dict[str, str] = Field(
        description="Empty, and there for scripts that look into it: cookies are not handed on."
    )
    language: str = Field(description="Language that the browser asks for first. Empty if it asks for none.")
    ip: str = Field(description="Network of the visitor's address, without the part that names the visitor.")


class VisitEvent(SiteEvent):
    """Base of the payloads of events about a visitor on a page of a site."""

    space_id: Annotated[str, Names("Space")] = Field(description="Space of the page.")
    site_space_id: Annotated[str, Names("SiteSpace")] = Field(description="Space of the site.")
    page_id: str = Field(description="Identifier of the page.")
    visitor: EventVisitor = Field(description="What is told of the visitor.")
    url: str = Field(description="Address of the page.")
    referrer: str = Field(description="Address that led to the page. Empty if the browser names none.")


class SiteViewEvent(VisitEvent):
    """A visitor read a page of a site."""

    type: Literal["site_view"] = Field(description=TYPE)


class SpaceViewEvent(VisitEvent):
    """A visitor read a page of a space. Older integrations ask for it; newer ones for `site_view`."""

    type: Literal["space_view"] = Field(description=TYPE)


class GivenFeedback(Shape):
    """A visitor's feedback on a page."""

    rating: FeedbackRating = Field(description="How the visitor likes the page.")
    comment: str | None = Field(default=None, description="What the visitor added. Absent without a comment.")


class PageFeedbackEvent(VisitEvent):
    """A visitor said how they like a page of a site."""

    type: Literal["page_feedback"] = Field(description=TYPE)
    feedback: GivenFeedback = Field(description="What the visitor said.")


class ComponentRenderEvent(PlacedEvent):
    """A component of the integration is shown."""

    type: Literal["ui_render"] = Field(description=TYPE)
    component_id: str = Field(description="Id of the component.")
    props: dict[str, Any] = Field(description="Properties of the component, which its script defines.")
    context: RenderContext = Field(description="Where the component is shown.")
    auth: EventCaller | None = Field(default=None, description="Who asked. Absent for visitors of a site.")
    state: dict[str, Any] | None = Field(default=None, description="State of the component, if it has one.")
    action: dict[str, Any] | None = Field(
        default=None, description="Action that somebody asked for, such as the `onPress` of a button."
    )


class EndpointCallEvent(PlacedEvent):
    """Somebody called a public endpoint of the integration."""

    type: Literal["fetch"] = Field(description=TYPE)
    request: EndpointRequest = Field(description="Request that was sent.")


class ContentSourceEvent(SpaceEvent):
    """Base of the payloads of events that ask a content source."""

    source_id: str = Field(description="Id of the source among those of the integration.")
    props: dict[str, Any] = Field(description="Properties of the page, which the integration defines.")
    dependencies: dict[str, Any] = Field(
        description="What the page depends on as it is now, by the names that the page gives it."
    )


class ContentRevisionEvent(ContentSourceEvent):
    """A content source is asked for its pages."""

    type: Literal["content_compute_revision"] = Field(description=TYPE)


class ContentDocumentEvent(ContentSourceEvent):
    """A content source is asked for the text of a page."""

    type: Literal["content_compute_document"] = Field(description=TYPE)


class PublishedScriptEvent(SiteEvent):
    """The script for the pages of a site is wanted."""

    type: Literal["fetch_published_script"] = Field(description=TYPE)


class VisitorAuthenticationEvent(SiteEvent):
    """A visitor of a site signs in or out."""

    type: Literal["fetch_visitor_authentication"] = Field(description=TYPE)
    location: str | None = Field(
        default=None, description="Path that the visitor asked for. Absent if there is none."
    )
    search_params: dict[str, str] | None = Field(
        default=None, description="Query parameters of the visitor's request; secret ones are masked."
    )
    cookies: dict[str, str] | None = Field(default=None, description="Cookies of the visitor's request.")
    action: Literal["logout"] | None = Field(
        default=None, description="Set if the visitor signs out. Absent otherwise."
    )


class TaskEvent(EventPayload):
    """The time of a task has come that the integration queued."""

    type: Literal["task"] = Field(description=TYPE)
    task: dict[str, Any] = Field(description="Task as the integration queued it.")


IntegrationEventPayload = (
    InstallationSetupEvent
    | SpaceInstallationSetupEvent
    | SiteInstallationSetupEvent
    | InstallationDeletedEvent
    | SpaceInstallationDeletedEvent
    | SiteInstallationDeletedEvent
    | SpaceContentUpdatedEvent
    | SpaceVisibilityUpdatedEvent
    | SpaceGitSyncStartedEvent
    | SpaceGitSyncCompletedEvent
    | SiteViewEvent
    | SpaceViewEvent
    | PageFeedbackEvent
    | ComponentRenderEvent
    | EndpointCallEvent
    | ContentRevisionEvent
    | ContentDocumentEvent
    | PublishedScriptEvent
    | VisitorAuthenticationEvent
    | TaskEvent
)

ENUMERATIONS = (
    Enumeration(
        "GitSyncOutcome",
        SyncOutcome,
        {
            "success": "The sync succeeded.",
            "failure": "The sync failed.",
        },
    ),
)
