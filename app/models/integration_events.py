"""Events of integrations: what happened, how it was delivered, and what the integration said meanwhile."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, RootModel, StringConstraints
from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Instant, Json, Key
from app.models.base import Change, Column, Enumeration, Shape, Table, absent
from app.models.publishing import PublishedScript

EventStatus = Literal["success", "failed"]
LogLevel = Literal["debug", "info", "warn", "error"]
RenderResult = Literal["element", "complete"]
Component = Annotated[str, StringConstraints(min_length=1, max_length=100)]
Theme = Literal["dark", "light"]
ContextType = Literal[
    "configuration_account", "configuration_space", "configuration_site", "configuration_contentsource",
    "document",
]  # fmt: skip
LONGEST_DELAY = 86_400  # seconds


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


class IntegrationEvent(Table, table=True):
    """Something that an integration is told. Written in the transaction of what happened; `status` is null
    until it was delivered. The payload's ids outlive what they name."""

    __tablename__ = "integration_event"
    __table_args__ = (
        Index(None, "integration_id", "organization_id", "id"),
        Index(None, "integration_id", "created_at"),
    )

    id: str = Field(sa_type=Key, primary_key=True)
    integration_id: str = Field(sa_type=Key, foreign_key="integration.id", ondelete="CASCADE")
    installation_id: str | None = Field(default=None, sa_type=Key)
    organization_id: str = Field(sa_type=Key)
    type: str
    payload: dict[str, Any] = Field(sa_type=Json)
    status: str | None = None
    created_at: datetime = Field(sa_type=Instant)
    delivered_at: datetime | None = Field(default=None, sa_type=Instant)
    attempts: int
    logs: list[dict[str, Any]] = Field(sa_type=Json)


class IntegrationDevelopment(Change):
    """Where events go while an integration is developed."""

    tunnel_url: Annotated[str, StringConstraints(min_length=1, max_length=256)] = Field(alias="tunnelUrl")
    all: bool = Field(default=False, description="true sends the events of every organization there")


class IntegrationTask(Change):
    """Something that an integration asks to be told later; `schedule` are seconds from now."""

    task: Annotated[dict[str, Any], Field(max_length=200)]
    schedule: Annotated[int, Field(ge=0, le=LONGEST_DELAY), BeforeValidator(_whole)] = 0


class RenderContext(Shape):
    """Where a component is shown."""

    type: ContextType
    theme: Theme
    organization_id: str = absent()
    space_id: str = absent()
    site_id: str = absent()
    editable: bool = absent()


class RenderRequest(Change):
    """Which component to render, with what, and where."""

    component_id: Component
    props: Annotated[dict[str, Any], Field(max_length=200)]
    context: RenderContext
    state: dict[str, Any] = absent()
    action: dict[str, Any] = absent()


class RenderQuery(Shape):
    """The request of a rendering in an address."""

    request: str = Field(
        min_length=1,
        max_length=16_384,
        description="the body of the POST, compressed by LZ-string (URI form)",
    )


class RenderOutput(Shape):
    """What a component looks like now (`element`), or that it is done and what it returns (`complete`)."""

    type: RenderResult
    element: dict[str, Any] | None = None
    state: dict[str, Any] | None = None
    props: dict[str, Any] | None = None
    return_value: Any | None = None


class IntegrationEventOut(Shape):
    """An event; it has a `status` once it was delivered."""

    id: str
    integration_id: Annotated[str, Column("integration_name")]
    installation_id: str | None = None
    created_at: datetime
    payload: dict[str, Any]
    status: EventStatus | None = None


class LogLineOut(Shape):
    """A line that the integration, or the delivery, left in the trace."""

    message: str
    timestamp: datetime
    level: LogLevel


class TraceOut(Shape):
    """What was said while an event was delivered."""

    logs: list[LogLineOut]


class EventDetailOut(Shape):
    """An event with the trace of its delivery."""

    event: IntegrationEventOut
    trace: TraceOut


class SiteScriptsOut(RootModel[list[PublishedScript]]):
    """All scripts that a site's pages load."""


ENUMERATIONS = (
    Enumeration(
        "IntegrationEventStatus",
        EventStatus,
        {
            "success": "",
            "failed": "",
        },
    ),
    Enumeration(
        "IntegrationLogLevel",
        LogLevel,
        {
            "debug": "",
            "info": "",
            "warn": "",
            "error": "",
        },
    ),
    Enumeration(
        "IntegrationRenderResult",
        RenderResult,
        {
            "element": "",
            "complete": "",
        },
    ),
    Enumeration(
        "IntegrationRenderContextType",
        ContextType,
        {
            "configuration_account": "",
            "configuration_space": "",
            "configuration_site": "",
            "configuration_contentsource": "",
            "document": "",
        },
    ),
    Enumeration(
        "IntegrationRenderTheme",
        Theme,
        {
            "dark": "",
            "light": "",
        },
    ),
)
