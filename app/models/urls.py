"""What is at an address: content of this Docyard, or a page of the web that content embeds."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from app.models.base import Shape
from app.models.change_requests import ChangeRequestOut
from app.models.collections import CollectionOut
from app.models.pages import PageOut
from app.models.spaces import SpaceOut

EmbedType = Literal["link", "integration"]


class UrlQuery(Shape):
    """The address that is asked about."""

    url: str = Field(min_length=1, max_length=4096, description="a whole address")


class ContentAtUrlOut(Shape):
    """The content at an address of the application: a collection, or a space and what is meant of it."""

    collection: CollectionOut | None = None
    space: SpaceOut | None = None
    change_request: ChangeRequestOut | None = None
    revision: str | None = None
    page: PageOut | None = None


class EmbedOut(Shape):
    """How an address is shown where content embeds it: as a link, or by the block of an integration."""

    type: EmbedType
    url: str
    title: str
    site: str
    description: str | None = None
    icon: str | None = None
    integration: str | None = None
    block: str | None = None
