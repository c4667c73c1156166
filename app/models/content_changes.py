"""Changes of content as callers send them: a batch that becomes one revision, or nothing at all."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from annotated_types import Len
from pydantic import AfterValidator, Field, RootModel, StringConstraints

from app.kit.http.urls import NO_URL, is_url
from app.models.base import Change, DescribedAs, Enumeration, Location, Shape, Url, absent, one_of
from app.models.change_requests import ChangeRequestOut
from app.models.documents import Body
from app.models.queries import QueryBool
from app.models.texts import Emoji, Label

Operation = Literal[
    "insert_page", "update_page", "delete_page", "revert_page", "insert_files", "delete_file",
    "insert_reusable_content", "update_reusable_content", "delete_reusable_content", "update_variables",
]  # fmt: skip
InsertedKind = Literal["document", "group", "link", "computed"]
ChangedKind = Literal["created_page", "updated_page", "deleted_page"]
LayoutPreset = Literal["docs", "editorial", "landing"]
MOST_CHANGES = 50
MOST_FILES = 20
MOST_VARIABLES = 1000
MOST_BLOCKS = 1000  # of a page that are taken back at once
LARGEST_FILE = 1_000_000  # bytes of a file that is sent in a request

Title = Annotated[str, Label(500)]
Slug = Annotated[str, StringConstraints(min_length=1, max_length=100)]
Words = Annotated[str, StringConstraints(max_length=2000)]
Short = Annotated[str, StringConstraints(max_length=100)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=100)]
VariableValue = Annotated[str, StringConstraints(max_length=256)] | bool | int | float


class FileUpload(Change):
    """A file to keep: its bytes as `base64`, or where they can be fetched."""

    name: Annotated[str, StringConstraints(min_length=1, max_length=256)]
    content_type: Short | None = None
    ref: Name | None = None
    url: Url | None = None
    base64: str | None = None


class Computed(Change):
    """What the pages below a new one are computed from: an OpenAPI specification by its slug or id.

    `models` false leaves the page of its schemas out.
    """

    type: Literal["builtin:openapi"]
    spec: Name
    models: bool = True


def _web_address(href: str) -> str:
    try:
        scheme = urlsplit(href).scheme
    except ValueError:
        raise ValueError("this is not an address") from None
    if scheme not in ("", "http", "https"):
        raise ValueError("only http and https addresses can be shown")
    if (scheme or href.startswith("//")) and not is_url(href if scheme else f"https:{href}"):
        raise ValueError(NO_URL)
    return href


Href = Annotated[str, StringConstraints(min_length=1, max_length=2048), AfterValidator(_web_address)]


class CoverPicture(Shape):
    """What a cover shows: a file of the space (its id, or its `ref` in the batch) or a picture elsewhere."""

    model_config = one_of({"kind": {"const": "file"}, "file": {}}, {"kind": {"const": "url"}, "url": {}})

    kind: Literal["file", "url"]
    file: Name | None = None
    url: Href | None = None


class CoverSent(Shape):
    """A cover as callers send it (decisions, Cover)."""

    ref: CoverPicture | None = None
    ref_dark: CoverPicture | None = None
    y_pos: float = Field(default=0, allow_inf_nan=False)
    height: int | None = Field(default=None, ge=10, le=700)


class LayoutPart(Shape):
    """Whether a part of a page is shown; `size` and `mask` are for the cover."""

    visible: bool = True
    size: Literal["hero", "full", "background"] | None = None
    mask: Literal["none", "radial"] | None = None


class LayoutSent(Shape):
    """Which parts of a page a reader shows, as callers send it; what is left out is as by default."""

    cover: bool | LayoutPart = True
    cover_size: Literal["hero", "full", "background"] | None = None
    cover_mask: Literal["none", "radial"] | None = None
    title: bool | LayoutPart = True
    description: bool | LayoutPart = True
    table_of_contents: bool | LayoutPart = True
    outline: bool | LayoutPart = True
    pagination: bool | LayoutPart = True
    width: Literal["default", "wide"] | None = None
    metadata: bool | LayoutPart | None = None
    tags: bool | LayoutPart | None = None
    actions: bool | LayoutPart | None = None
    anchors: bool | LayoutPart | None = None


class ContentChange(Change):
    """One change; which fields count depends on the operation (decisions, Content changes).

    Pages, files and reusable contents that the batch itself makes may be named by their `ref`.
    """

    operation: Operation
    ref: Name | None = None
    page: Name = absent()
    type: InsertedKind = "document"
    document: Body = absent()
    computed: Computed = absent()
    title: Title = absent()
    link_title: Title | None = None
    slug: Slug = absent()
    emoji: Emoji | None = None
    icon: Short | None = None
    description: Words | None = None
    hidden: bool = absent()
    no_index: bool = absent()
    no_robots_index: bool = absent()
    condition: Annotated[str, StringConstraints(max_length=1024)] | None = None
    layout: Annotated[dict[str, Any], DescribedAs(LayoutSent)] | LayoutPreset | None = None
    cover: Annotated[dict[str, Any], DescribedAs(CoverSent)] | None = None
    variables: Annotated[dict[str, VariableValue], Len(0, MOST_VARIABLES)] | None = None
    href: Url = absent()
    into: Name | None = None
    at: int | None = Field(default=None, ge=0)
    revision: Name = absent()
    block: Annotated[list[Name], Len(0, MOST_BLOCKS)] = absent()
    files: Annotated[list[FileUpload], Len(1, MOST_FILES)] = absent()
    file: Name = absent()
    reusable_content: Name = absent()


class ContentChanges(Change):
    """A batch of changes, made in their order: all of them or none."""

    changes: list[ContentChange] = Field(min_length=1, max_length=MOST_CHANGES)


class ContentChangesQuery(Shape):
    """How a batch is answered."""

    compat: QueryBool = Field(default=True, description="false tells what each change made")


class ChangedPage(Shape):
    """A page that a batch made, changed or deleted; only what is there has an address."""

    object: Literal["page"]
    id: str
    urls: Location | None = None


class ChangedOut(Shape):
    """What one change did to a page."""

    object: ChangedKind
    ref: str | None = None
    page: ChangedPage


class InsertedFile(Shape):
    """A file that a batch made."""

    id: str
    name: str
    ref: str | None = None
    download_url: str


class InsertedReusableContent(Shape):
    """A reusable content that a batch made."""

    id: str
    title: str
    ref: str | None = None


class ContentChangesOut(Shape):
    """What a batch did, and the revision it made."""

    revision: str
    change_request: ChangeRequestOut | None = None
    changes: list[ChangedOut]
    inserted_files: list[InsertedFile] | None = None
    inserted_reusable_contents: list[InsertedReusableContent] | None = None


class ContentAnswerOut(RootModel[ChangeRequestOut | ContentChangesOut]):
    """The change request, or (`compat=false`) what each change of the batch did."""


ENUMERATIONS = (
    Enumeration(
        "ContentOperation",
        Operation,
        {
            "insert_page": "",
            "update_page": "",
            "delete_page": "",
            "revert_page": "",
            "insert_files": "",
            "delete_file": "",
            "insert_reusable_content": "",
            "update_reusable_content": "",
            "delete_reusable_content": "",
            "update_variables": "",
        },
    ),
    Enumeration(
        "InsertedPageType",
        InsertedKind,
        {
            "document": "",
            "group": "",
            "link": "",
            "computed": "",
        },
    ),
    Enumeration(
        "PageChange",
        ChangedKind,
        {
            "created_page": "",
            "updated_page": "",
            "deleted_page": "",
        },
    ),
)
