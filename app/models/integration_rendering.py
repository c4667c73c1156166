"""Components of integrations as they are rendered: the request for one, and what it looks like."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from app.models.base import Change, Enumeration, Names, Shape, absent

RenderResult = Literal["element", "complete"]
Component = Annotated[str, StringConstraints(min_length=1, max_length=100)]
Theme = Literal["dark", "light"]
ContextType = Literal[
    "configuration_account", "configuration_space", "configuration_site", "configuration_contentsource",
    "document",
]  # fmt: skip


class RenderContext(Shape):
    """The place where a component is shown."""

    type: ContextType = Field(description="Kind of the place.")
    theme: Theme = Field(description="Whether the component is shown on a dark or a light page.")
    organization_id: Annotated[str, Names("Organization")] = absent(
        "Organization that is configured. Required by `configuration_account`, and by"
        " `configuration_contentsource` without a space."
    )
    space_id: Annotated[str, Names("Space")] = absent(
        "Space that the component is shown in. Required by `document` and `configuration_space`."
    )
    site_id: Annotated[str, Names("Site")] = absent(
        "Site that is configured. Required by `configuration_site`."
    )
    editable: bool = absent("Whether the page that the component is on can be edited.")


class RenderRequest(Change):
    """The component to render, its input and its place. At most 256,000 bytes."""

    component_id: Component = Field(description="Id of the component, 1 to 100 characters.")
    props: Annotated[dict[str, Any], Field(max_length=200)] = Field(
        description="Properties of the component, which its script defines. At most 200."
    )
    context: RenderContext = Field(description="Where the component is shown.")
    state: dict[str, Any] = absent("State of the component, as the last answer had it.")
    action: dict[str, Any] = absent("Action that somebody asked for, such as the `onPress` of a button.")


class RenderQuery(Shape):
    """The request of a rendering in an address."""

    request: str = Field(
        min_length=1,
        max_length=16_384,
        description="Body of the POST, compressed by LZ-string (URI form). At most 16,384 characters.",
    )


class RenderOutput(Shape):
    """The current rendering of a component (`element`), or its completion and return value (`complete`)."""

    type: RenderResult = Field(description="Whether the component is shown or done.")
    element: dict[str, Any] | None = Field(
        default=None, description="Tree of elements to show. Of the type `element` only."
    )
    state: dict[str, Any] | None = Field(
        default=None,
        description="State of the component, to be sent with the next request. Of the type `element` only.",
    )
    props: dict[str, Any] | None = Field(
        default=None,
        description="Properties of the component, to be sent with the next request. Of the type `element`"
        " only.",
    )
    return_value: Any | None = Field(
        default=None, description="What the component returns. Of the type `complete` only."
    )


ENUMERATIONS = (
    Enumeration(
        "IntegrationRenderResult",
        RenderResult,
        {
            "element": "The component is shown.",
            "complete": "The component is done.",
        },
    ),
    Enumeration(
        "IntegrationRenderContextType",
        ContextType,
        {
            "configuration_account": "The configuration of the integration in an organization.",
            "configuration_space": "The configuration of the integration on a space.",
            "configuration_site": "The configuration of the integration on a site.",
            "configuration_contentsource": "The configuration of computed content.",
            "document": "A block on a page.",
        },
    ),
    Enumeration(
        "IntegrationRenderTheme",
        Theme,
        {
            "dark": "A dark page.",
            "light": "A light page.",
        },
    ),
)
