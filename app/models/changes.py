"""What a revision or a change request changed, as data: item by item, or one page's text line by line."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, RootModel

from app.models.base import DescribedAs, Enumeration, Shape
from app.models.documents import JSONDocument
from app.models.files import Dimensions
from app.models.pages import Cover, Layout, PageKind
from app.models.queries import ContentQuery, Evaluated

# There is nothing for tags: pages have none.
ChangeType = Literal[
    "page_created", "page_edited", "page_deleted", "page_moved",
    "file_created", "file_edited", "file_deleted",
    "variables_edited",
    "reusable_content_created", "reusable_content_edited", "reusable_content_deleted",
]  # fmt: skip
LineKind = Literal["context", "added", "removed"]


class ChangesQuery(ContentQuery):
    """How much of a list of changes is told."""

    limit: int = Field(default=10, ge=0, le=1000, description="how many changes, at most 1000")


class DiffQuery(Shape):
    """How a text's changes are shown."""

    context: int = Field(default=3, ge=0, le=100, description="unchanged lines around every change")


class DocumentQuery(Shape):
    """How a structured document is read."""

    evaluated: Evaluated = Field(default=False, description="true evaluates expressions and conditions")


class TouchedPage(Shape):
    """A page that changed; one that is gone as it was."""

    id: str
    type: PageKind
    title: str
    path: str | None = None


class TouchedFile(Shape):
    """A file that changed; its address leads to these very bytes."""

    id: str
    name: str
    content_type: str
    download_url: str


class TouchedReusableContent(Shape):
    """A reusable content that changed."""

    id: str
    title: str


class AttributeChange(Shape):
    """What an attribute was and became; absent where it had no value."""

    before: Any = None
    after: Any = None


class ConflictPlace(Shape):
    """Where a page is: the page it is under, null at the root."""

    parent: str | None


ConflictValue = (
    str
    | bool
    | int
    | float
    | Annotated[dict[str, Any], DescribedAs(Layout, partly=True)]
    | Annotated[dict[str, Any], DescribedAs(Cover)]
    | Annotated[dict[str, Any], DescribedAs(ConflictPlace)]
    | dict[str, str | bool | int | float]
    | None
)
"""What a field of a page may be: text, a flag, a layout, a cover, a place, variables."""


class TextChange(Shape):
    """What a text was and became."""

    before: str | None = None
    after: str | None = None


class CoverChange(Shape):
    """What a cover was and became."""

    before: Cover | None = None
    after: Cover | None = None


class LayoutChange(Shape):
    """What a layout was and became."""

    before: Layout | None = None
    after: Layout | None = None


class VariablesChange(Shape):
    """What variables were and became."""

    before: dict[str, str | int | float | bool] | None = None
    after: dict[str, str | int | float | bool] | None = None


class SizeChange(Shape):
    """What a size in bytes was and became."""

    before: int | None = None
    after: int | None = None


class DimensionsChange(Shape):
    """What the dimensions of a picture were and became, in pixels."""

    before: Dimensions | None = None
    after: Dimensions | None = None


OfText = Annotated[AttributeChange, DescribedAs(TextChange)]


class AttributeChanges(Shape):
    """The attributes that changed. Documents are told by their ids."""

    title: OfText | None = None
    description: OfText | None = None
    slug: OfText | None = None
    document: OfText | None = None
    cover: Annotated[AttributeChange, DescribedAs(CoverChange)] | None = None
    emoji: OfText | None = None
    layout: Annotated[AttributeChange, DescribedAs(LayoutChange)] | None = None
    variables: Annotated[AttributeChange, DescribedAs(VariablesChange)] | None = None
    name: OfText | None = None
    download_url: OfText | None = None
    size: Annotated[AttributeChange, DescribedAs(SizeChange)] | None = None
    content_type: OfText | None = None
    dimensions: Annotated[AttributeChange, DescribedAs(DimensionsChange)] | None = None


class ParentChange(Shape):
    """What a page stood and stands under; absent at the root. Both are equal where only the order changed."""

    before: TouchedPage | None = None
    after: TouchedPage | None = None


class SemanticChange(Shape):
    """One change. `attributes` come with what was edited; they are empty where something else changed."""

    type: ChangeType
    page: TouchedPage | None = None
    file: TouchedFile | None = None
    reusable_content: TouchedReusableContent | None = None
    attributes: AttributeChanges | None = None
    parent: ParentChange | None = None


class SemanticChangesOut(Shape):
    """What a revision changed of its parent, or a change request of its base; `more` are not told."""

    changes: list[SemanticChange]
    more: int | None = None
    merged_from: str | None = None


class DiffLine(Shape):
    """A line with its ending; without one it is the last of its text."""

    type: LineKind
    text: str


class DiffHunk(Shape):
    """Neighbouring changes with the lines around them; lines count from 1, as in a unified diff."""

    old_start: int
    old_lines: int
    new_start: int
    new_lines: int
    lines: list[DiffLine]


class PageDiffOut(Shape):
    """How a page's text changed. `before` and `after` are documents; absent where the page had none."""

    before: str | None = None
    after: str | None = None
    unified: str
    hunks: list[DiffHunk]


class DocumentOut(RootModel[JSONDocument]):
    """A structured document."""


ENUMERATIONS = (
    Enumeration(
        "SemanticChangeType",
        ChangeType,
        {
            "page_created": "",
            "page_edited": "",
            "page_deleted": "",
            "page_moved": "",
            "file_created": "",
            "file_edited": "",
            "file_deleted": "",
            "variables_edited": "",
            "reusable_content_created": "",
            "reusable_content_edited": "",
            "reusable_content_deleted": "",
        },
    ),
    Enumeration(
        "DiffLineType",
        LineKind,
        {
            "context": "",
            "added": "",
            "removed": "",
        },
    ),
)
