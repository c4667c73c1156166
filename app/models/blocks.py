"""Documents as typed blocks, so that a program can show a page without parsing any text of it.

Fields of the same name have the same type in all members of a union, as GraphQL clients demand.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias, get_args

from pydantic import Field

from app.models.base import AnyValue, Enumeration, Names, Shape
from app.models.leaf_blocks import (
    Align,
    CodeOut,
    CustomTagOut,
    DividerOut,
    DrawingOut,
    FileBlockOut,
    GalleryOut,
    HeadingOut,
    HTMLBlockOut,
    ImageOut,
    IntegrationBlockOut,
    Keyed,
    LinkCardOut,
    MathOut,
    ParagraphOut,
    ReusableContentBlockOut,
)
from app.models.runs import LengthOut, LinkTargetOut, RunOut
from app.models.site_looks import Tone

ListKind = Literal["ordered", "unordered", "tasks"]
ColumnType = Literal[
    "text", "number", "checkbox", "select", "multi-select", "users", "files", "content-ref", "rating", "image"
]
HttpMethod = Literal["get", "post", "put", "patch", "delete", "head", "options", "trace", "query"]


class Container(Keyed):
    """The fields of every block that holds others."""

    blocks: list[BlockOut] = Field(description="The blocks inside.")


class QuoteOut(Container):
    """A quotation."""

    type: Literal["quote"]


class HintOut(Container):
    """A highlighted box."""

    type: Literal["hint"]
    style: Tone = Field(description="What the box is for.")
    icon: str | None = Field(default=None, description="Name of the icon, if it is not that of the style.")


class DetailsOut(Container):
    """A collapsible section."""

    type: Literal["details"]
    summary: list[RunOut] = Field(description="What is shown of it while it is closed. May be empty.")
    open: bool = Field(description="True for a part that is open from the start.")


class ConditionalOut(Container):
    """Blocks that are shown where a condition holds. An evaluated document has none where that is known."""

    type: Literal["conditional"]
    condition: str = Field(description="The condition, such as `visitor.claims.beta`.")


class ListItemOut(Container):
    """An item of a list."""

    checked: bool | None = Field(
        default=None, description="True for a task that is done. Null for an item that is no task."
    )


class ListOut(Keyed):
    """A list."""

    type: Literal["list"]
    kind: ListKind = Field(description="How the items are marked.")
    start: int | None = Field(
        default=None, description="Number of the first item of an ordered list, if it is not 1."
    )
    items: list[ListItemOut] = Field(description="The items.")


class TabOut(Container):
    """A tab."""

    title: str = Field(description="Title of the tab. May be empty.")
    icon: str | None = Field(default=None, description="Name of the icon before the title.")


class TabsOut(Keyed):
    """Tabs, one of which is shown at a time."""

    type: Literal["tabs"]
    tabs: list[TabOut] = Field(description="The tabs.")


class StepOut(Container):
    """A step."""


class StepperOut(Keyed):
    """Steps in order."""

    type: Literal["stepper"]
    steps: list[StepOut] = Field(description="The steps.")


class PaneOut(Container):
    """One column of a row of columns."""

    width: LengthOut | None = Field(
        default=None, description="Width of the column. Null shares the remaining width."
    )


class ColumnsOut(Keyed):
    """Columns side by side."""

    type: Literal["columns"]
    panes: list[PaneOut] = Field(description="The columns.")


class UpdateEntryOut(Container):
    """An entry of a changelog."""

    date: str | None = Field(default=None, description="Date of the entry as it is written.")


class UpdatesOut(Keyed):
    """Entries of a changelog."""

    type: Literal["updates"]
    entries: list[UpdateEntryOut] = Field(description="The entries.")


class EmbedOut(Container):
    """Something from elsewhere, such as a film."""

    type: Literal["embed"]
    target: LinkTargetOut = Field(description="What is embedded.")
    title: str | None = Field(default=None, description="Title of it.")
    caption: list[RunOut] = Field(description="Text below it. May be empty.")


class OpenAPIBlock(Container):
    """Fields of blocks about an OpenAPI specification; the blocks inside are for who has no such program."""

    specification: Annotated[str | None, Names("OpenAPISpec")] = Field(
        default=None, description="The specification of the organization. Null where `url` names it."
    )
    url: str | None = Field(default=None, description="Address that the specification is read from.")


class OpenAPIOperationOut(OpenAPIBlock):
    """An operation of an OpenAPI specification."""

    type: Literal["openapi-operation"]
    path: str | None = Field(default=None, description="Path of the operation.")
    method: HttpMethod | None = Field(default=None, description="Method of the operation.")
    title: str | None = Field(default=None, description="Title that the page gives to the operation.")


class OpenAPIWebhookOut(OpenAPIBlock):
    """A webhook of an OpenAPI specification."""

    type: Literal["openapi-webhook"]
    webhook: str | None = Field(default=None, description="Name of the webhook.")
    method: HttpMethod | None = Field(default=None, description="Method that it is sent with.")


class OpenAPISchemasOut(OpenAPIBlock):
    """Schemas of an OpenAPI specification."""

    type: Literal["openapi-schemas"]
    schemas: list[str] = Field(description="Names of the schemas. Empty for all.")


class TableColumnOut(Shape):
    """A column of a table."""

    type: ColumnType = Field(description="What the cells of the column hold.")
    runs: list[RunOut] = Field(description="Title of the column. Empty where `blocks` has it.")
    blocks: list[BlockOut] = Field(description="Title of the column, if it is made of paragraphs or lists.")
    align: Align | None = Field(default=None, description="Alignment of the cells.")
    width: LengthOut | None = Field(default=None, description="How wide the column is.")


class TableCellOut(Shape):
    """A cell of a table or of a card."""

    runs: list[RunOut] = Field(description="Text of the cell. Empty where `blocks` has it.")
    blocks: list[BlockOut] = Field(description="What the cell holds, if that is paragraphs or lists.")
    checked: bool | None = Field(default=None, description="Value of a cell of the type `checkbox`.")
    rating: int | None = Field(
        default=None, description="Value of a cell of the type `rating`, from 0 to 10."
    )


class TableRowOut(Shape):
    """A row of a table."""

    cells: list[TableCellOut] = Field(description="The cells, in the order of the columns.")


class TableOut(Keyed):
    """A table."""

    type: Literal["table"]
    has_header: bool = Field(description="True where a column has a title.")
    columns: list[TableColumnOut] = Field(description="The columns that are shown.")
    rows: list[TableRowOut] = Field(description="The rows.")


class CardOut(Shape):
    """A card."""

    target: LinkTargetOut | None = Field(default=None, description="Target of the whole card.")
    cover: LinkTargetOut | None = Field(default=None, description="The picture at the top of the card.")
    dark_cover: LinkTargetOut | None = Field(
        default=None, description="The picture that takes its place on dark pages."
    )
    cells: list[TableCellOut] = Field(description="What is written on the card.")


class CardsOut(Keyed):
    """A grid of cards."""

    type: Literal["cards"]
    large: bool = Field(description="True for large cards.")
    cards: list[CardOut] = Field(description="The cards.")


class FootnoteOut(Container):
    """A footnote."""

    number: int = Field(description="Number of the footnote, from 1.")


class FootnotesOut(Keyed):
    """The footnotes of a document, always its last block."""

    type: Literal["footnotes"]
    footnotes: list[FootnoteOut] = Field(description="The footnotes, by their numbers.")


class UnknownBlockOut(Container):
    """A block of a type that this version does not know."""

    type: Literal["unknown"]
    name: str = Field(description="Name of the type.")
    data: dict[str, AnyValue] = Field(description="Data of the block.")


BlockOut: TypeAlias = Annotated[
    HeadingOut | ParagraphOut | ListOut | CodeOut | TableOut | HintOut | TabsOut | StepperOut | CardsOut
    | ImageOut | GalleryOut | DrawingOut | EmbedOut | FileBlockOut | LinkCardOut | OpenAPIOperationOut
    | OpenAPIWebhookOut | OpenAPISchemasOut | MathOut | DetailsOut | ColumnsOut | UpdatesOut | QuoteOut
    | DividerOut | ReusableContentBlockOut | ConditionalOut | IntegrationBlockOut | HTMLBlockOut
    | CustomTagOut | FootnotesOut | UnknownBlockOut,
    Field(discriminator="type"),
]  # fmt: skip
"""Any block."""

ENUMERATIONS = (
    Enumeration(
        "ListKind",
        ListKind,
        {
            "ordered": "Items have numbers.",
            "unordered": "Items have bullets.",
            "tasks": "Items have boxes to check.",
        },
    ),
    Enumeration(
        "ColumnType",
        ColumnType,
        {
            "text": "Text, or anything else.",
            "number": "Numbers.",
            "checkbox": "Values that are true or false.",
            "select": "One of several options.",
            "multi-select": "Some of several options.",
            "users": "People.",
            "files": "Files.",
            "content-ref": "Links to content.",
            "rating": "Numbers of stars.",
            "image": "Pictures.",
        },
    ),
    Enumeration(
        "HttpMethod",
        HttpMethod,
        {name: f"{name.upper()} of HTTP." for name in get_args(HttpMethod)},
    ),
)
