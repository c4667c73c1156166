"""Events of integrations: what happened, how it was delivered, and what the integration said meanwhile."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Discriminator, RootModel, StringConstraints
from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Instant, Json, Key
from app.models.base import WHOLE, Change, Column, Enumeration, Names, Shape, Table
from app.models.integration_payloads import IntegrationEventPayload
from app.models.publishing import PublishedScript

EventStatus = Literal["pending", "success", "failed"]
LogLevel = Literal["debug", "info", "warn", "error"]
LONGEST_DELAY = 86_400  # seconds


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
    organization_id: str = Field(sa_type=Key, index=True)
    type: str
    payload: dict[str, Any] = Field(sa_type=Json)
    status: str | None = None
    created_at: datetime = Field(sa_type=Instant)
    delivered_at: datetime | None = Field(default=None, sa_type=Instant)
    attempts: int
    logs: list[dict[str, Any]] = Field(sa_type=Json)


class IntegrationDevelopment(Change):
    """The address to which events go while an integration is developed."""

    tunnel_url: Annotated[str, StringConstraints(min_length=1, max_length=256)] = Field(
        alias="tunnelUrl",
        description="Public address that events are sent to instead of the script, at most 256 characters. It"
        " begins with `https://`.",
    )
    all: bool = Field(
        default=False,
        description="Whether the events of every organization go there, not only those of the organization"
        " that published the integration.",
    )


class IntegrationTask(Change):
    """Something that an integration asks to be told later."""

    task: Annotated[dict[str, Any], Field(max_length=200)] = Field(
        description="Payload of the event: any JSON object, at most 20,000 bytes."
    )
    schedule: Annotated[int, Field(ge=0, le=LONGEST_DELAY), WHOLE] = Field(
        default=0, description="Seconds from now until the event, at most 86,400 (a day)."
    )


class IntegrationEventOut(Shape):
    """An event that was or will be delivered to an integration. Events are kept for 30 days."""

    id: str
    integration_id: Annotated[str, Column("integration_name"), Names("Integration")] = Field(
        description="Name of the integration that receives the event."
    )
    installation_id: Annotated[str, Names("IntegrationInstallation")] | None = Field(
        default=None,
        description="Installation that receives the event. Absent if the event is about the integration "
        "itself.",
    )
    created_at: datetime
    payload: Annotated[IntegrationEventPayload, Discriminator("type")] = Field(
        description="Payload of the event, which depends on its type."
    )
    status: EventStatus = Field(description="How the delivery went.")


class LogLineOut(Shape):
    """A line that the integration, or the delivery, left in the trace."""

    message: str = Field(description="Text of the line.")
    timestamp: datetime = Field(description="When the line was written.")
    level: LogLevel = Field(description="Level of the line.")


class TraceOut(Shape):
    """The log of the delivery of an event."""

    logs: list[LogLineOut] = Field(
        description="Lines in their order, at most 64,000 characters; why a delivery failed comes last."
    )


class EventDetailOut(Shape):
    """An event with the trace of its delivery."""

    event: IntegrationEventOut = Field(description="Event that was delivered, or will be.")
    trace: TraceOut = Field(description="Trace of the last delivery.")


class SiteScriptsOut(RootModel[list[PublishedScript]]):
    """All scripts that a site's pages load."""


ENUMERATIONS = (
    Enumeration(
        "IntegrationEventStatus",
        EventStatus,
        {
            "pending": "The event waits for its delivery.",
            "success": "The integration accepted the event: it answered in time with a status below 400, or "
            "with 406, which means that it does not use events of this type.",
            "failed": "The integration failed, refused the event or did not answer in time.",
        },
    ),
    Enumeration(
        "IntegrationLogLevel",
        LogLevel,
        {
            "debug": "Details for developers.",
            "info": "Information.",
            "warn": "Warning.",
            "error": "Error.",
        },
    ),
)
