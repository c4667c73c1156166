"""Changes of revisions and change requests, as a list of items, and line diffs of page texts."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, RootModel

from app.models.base import Enumeration, Names, Shape, UrlOut
from app.models.documents import JSONDocument
from app.models.files import Dimensions
from app.models.page_layouts import Cover, Layout
from app.models.pages import PageKind, Variables
from app.models.queries import ContentQuery, Evaluated

# There is nothing for tags: pages have none.
ChangeType = Literal[
    "page_created", "page_edited", "page_deleted", "page_moved",
    "file_created", "file_edited", "file_deleted",
    "variables_edited",
    "reusable_content_created", "reusable_content_edited", "reusable_content_deleted",
]  # fmt: skip


class ChangesQuery(ContentQuery):
    """Options for returning changes."""

    limit: int = Field(default=10, ge=0, le=1000, description="How many changes to return, from 0 to 1000.")


class DocumentQuery(Shape):
    """Options for returning a structured document."""

    evaluated: Evaluated = False


class TouchedPage(Shape):
    """A page that changed. A deleted page is as it was."""

    id: Annotated[str, Names("Page")] = Field(description="Id of the page.")
    type: PageKind = Field(description="Type of the page.")
    title: str = Field(description="Title of the page.")
    path: str | None = Field(default=None, description="Path of the page. Absent for links.")


class TouchedFile(Shape):
    """A file that changed. A deleted file is as it was."""

    id: Annotated[str, Names("File")] = Field(description="Id of the file.")
    name: str = Field(description="Name of the file.")
    content_type: str = Field(description="Media type of the file.")
    download_url: UrlOut = Field(description="Signed address of these very bytes, good for at least a day.")


class TouchedReusableContent(Shape):
    """A reusable content that changed. A deleted one is as it was."""

    id: Annotated[str, Names("ReusableContent")] = Field(description="Id of the reusable content.")
    title: str = Field(description="Title of the reusable content.")


class TextChange(Shape):
    """A text before and after a change."""

    before: str | None = Field(default=None, description="Text before. Absent if there was none.")
    after: str | None = Field(default=None, description="Text after. Absent if there is none.")


class CoverChange(Shape):
    """A cover before and after a change."""

    before: Cover | None = Field(default=None, description="Cover before. Absent if there was none.")
    after: Cover | None = Field(default=None, description="Cover after. Absent if there is none.")


class LayoutChange(Shape):
    """A layout before and after a change."""

    before: Layout | None = Field(default=None, description="Layout before.")
    after: Layout | None = Field(default=None, description="Layout after.")


class VariablesChange(Shape):
    """Variables before and after a change, by their names."""

    before: Variables | None = Field(
        default=None, description="Variables before. Absent or empty if there were none."
    )
    after: Variables | None = Field(
        default=None, description="Variables after. Absent or empty if there are none."
    )


class SizeChange(Shape):
    """A size before and after a change."""

    before: int | None = Field(default=None, description="Size before, in bytes.")
    after: int | None = Field(default=None, description="Size after, in bytes.")


class DimensionsChange(Shape):
    """The dimensions of a picture before and after a change."""

    before: Dimensions | None = Field(
        default=None, description="Dimensions before. Absent if they were not known."
    )
    after: Dimensions | None = Field(
        default=None, description="Dimensions after. Absent if they are not known."
    )


class AttributeChanges(Shape):
    """The attributes of a page, a file, a reusable content or a space that changed, each if it did."""

    title: TextChange | None = Field(default=None, description="Title of a page or a reusable content.")
    description: TextChange | None = Field(default=None, description="Description of a page.")
    slug: TextChange | None = Field(default=None, description="Slug of a page.")
    document: TextChange | None = Field(
        default=None, description="Text of a page or a reusable content, by the ids of its documents."
    )
    cover: CoverChange | None = Field(default=None, description="Cover of a page.")
    emoji: TextChange | None = Field(default=None, description="Emoji of a page.")
    layout: LayoutChange | None = Field(default=None, description="Layout of a page.")
    variables: VariablesChange | None = Field(default=None, description="Variables of a page or the space.")
    name: TextChange | None = Field(default=None, description="Name of a file.")
    download_url: TextChange | None = Field(
        default=None, description="Signed addresses of the bytes of a file."
    )
    size: SizeChange | None = Field(default=None, description="Size of a file.")
    content_type: TextChange | None = Field(default=None, description="Media type of a file.")
    dimensions: DimensionsChange | None = Field(default=None, description="Dimensions of a picture.")


class ParentChange(Shape):
    """The parent of a page before and after a move. They are the same if only the order changed."""

    before: TouchedPage | None = Field(
        default=None, description="Page that it was under. Absent if it was at the root."
    )
    after: TouchedPage | None = Field(
        default=None, description="Page that it is under. Absent if it is at the root."
    )


class SemanticChange(Shape):
    """One change. A page that was moved and edited makes two."""

    type: ChangeType = Field(description="What happened.")
    page: TouchedPage | None = Field(
        default=None, description="Page that it happened to. Only in changes of pages."
    )
    file: TouchedFile | None = Field(
        default=None, description="File that it happened to. Only in changes of files."
    )
    reusable_content: TouchedReusableContent | None = Field(
        default=None,
        description="Reusable content that it happened to. Only in changes of reusable contents.",
    )
    attributes: AttributeChanges | None = Field(
        default=None,
        description="Attributes that changed. Only in edits; empty if something else changed, such as the "
        "icon.",
    )
    parent: ParentChange | None = Field(
        default=None, description="Parents of a page that moved. Only in moves."
    )


class SemanticChangesOut(Shape):
    """The changes that a revision made to the one before it, or that a change request makes."""

    changes: list[SemanticChange] = Field(description="The changes, as many as were asked for.")
    more: int | None = Field(
        default=None, description="Number of further changes. Absent if all are returned."
    )
    merged_from: Annotated[str, Names("ChangeRequest")] | None = Field(
        default=None,
        description="Change request that was merged. Only of merges.",
    )


class DocumentOut(RootModel[JSONDocument]):
    """A structured document."""


LineKind = Literal["context", "added", "removed"]


class DiffQuery(Shape):
    """Options for returning the diff of a text."""

    context: int = Field(
        default=3, ge=0, le=100, description="Number of unchanged lines around each change, from 0 to 100."
    )


class DiffLine(Shape):
    """A line of a text, with its line ending. The last line of a text may have none."""

    type: LineKind = Field(description="What became of the line.")
    text: str = Field(description="The line, with its line ending.")


class DiffHunk(Shape):
    """Neighboring changes of a text, with the unchanged lines around them."""

    old_start: int = Field(description="Number of the first line before the change, from 1.")
    old_lines: int = Field(description="Number of lines before the change.")
    new_start: int = Field(description="Number of the first line after the change, from 1.")
    new_lines: int = Field(description="Number of lines after the change.")
    lines: list[DiffLine] = Field(description="The lines, unchanged, removed and added, in their order.")


class PageDiffOut(Shape):
    """The changes of the text of a page."""

    before: str | None = Field(
        default=None, description="Id of the document before. Absent if the page had none."
    )
    after: str | None = Field(
        default=None, description="Id of the document after. Absent if the page has none."
    )
    unified: str = Field(
        description="The changes as a unified diff, as `patch` and `git apply` take it. Empty if nothing "
        "differs."
    )
    hunks: list[DiffHunk] = Field(description="The changes as data, from the top of the text to its end.")


ENUMERATIONS = (
    Enumeration(
        "SemanticChangeType",
        ChangeType,
        {
            "page_created": "A page was created.",
            "page_edited": "The text or the metadata of a page changed.",
            "page_deleted": "A page was deleted.",
            "page_moved": "A page has another parent, or another place among its siblings.",
            "file_created": "A file was created.",
            "file_edited": "A file has other bytes or another name.",
            "file_deleted": "A file was deleted.",
            "variables_edited": "The variables of the space changed.",
            "reusable_content_created": "A reusable content was created.",
            "reusable_content_edited": "The title or the text of a reusable content changed.",
            "reusable_content_deleted": "A reusable content was deleted.",
        },
    ),
    Enumeration(
        "DiffLineType",
        LineKind,
        {
            "context": "The line is unchanged.",
            "added": "The line was added.",
            "removed": "The line was removed.",
        },
    ),
)
