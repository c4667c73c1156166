"""What is at an address: content of the application, or a page to embed."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from app.models.base import Enumeration, Names, Shape
from app.models.change_requests import ChangeRequestOut
from app.models.collections import CollectionOut
from app.models.pages import PageOut
from app.models.spaces import SpaceOut

EmbedType = Literal["link", "integration"]


class UrlQuery(Shape):
    """The address to look up."""

    url: str = Field(min_length=1, max_length=4096, description="Absolute address, up to 4,096 characters.")


class ContentAtUrlOut(Shape):
    """The content at an address of the application: a collection, or a space and what of it is meant."""

    collection: CollectionOut | None = Field(
        default=None, description="Collection at the address. Absent if it is that of a space."
    )
    space: SpaceOut | None = Field(
        default=None, description="Space at the address. Absent if it is that of a collection."
    )
    change_request: ChangeRequestOut | None = Field(
        default=None, description="Change request that the address names. Absent if it names none."
    )
    revision: Annotated[str, Names("Revision")] | None = Field(
        default=None, description="Revision that the address names. Absent if it names none."
    )
    page: PageOut | None = Field(
        default=None,
        description="Page that the address names, without the pages below it. Absent if it names none.",
    )


class EmbedOut(Shape):
    """How to show an address that content embeds."""

    type: EmbedType = Field(description="How to show it.")
    url: str = Field(description="Address that is embedded.")
    title: str = Field(description="Title of the page at the address, or of the block that shows it.")
    site: str = Field(description="Host of the address.")
    description: str | None = Field(
        default=None, description="Description of the page at the address. Absent if it has none."
    )
    icon: str | None = Field(
        default=None, description="Address of the icon of the page. Absent if it has none."
    )
    integration: Annotated[str, Names("Integration")] | None = Field(
        default=None, description="Integration whose block shows the address. Only of the type `integration`."
    )
    block: str | None = Field(
        default=None,
        description="Id of the block of the integration that shows the address. Only of the type "
        "`integration`.",
    )


ENUMERATIONS = (
    Enumeration(
        "EmbedType",
        EmbedType,
        {
            "link": "As a link with title, description and icon.",
            "integration": "By a block of an integration.",
        },
    ),
)
