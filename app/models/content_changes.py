"""Changes of content as callers send them: a batch that becomes one revision, or nothing at all."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from annotated_types import Len
from pydantic import Field, RootModel, StringConstraints

from app.models.base import (
    AnyValue,
    Change,
    DescribedAs,
    Enumeration,
    FieldsByKind,
    Location,
    Names,
    Shape,
    Url,
    UrlOut,
    absent,
)
from app.models.change_requests import ChangeRequestOut
from app.models.documents import Body
from app.models.files import FILE_SOURCES, UploadId
from app.models.page_layouts import CoverSent, LayoutPreset, LayoutSent
from app.models.page_texts import SectionAnchor
from app.models.pages import PageKind, SourceKind
from app.models.queries import QueryBool
from app.models.texts import Emoji, Form, Label

Operation = Literal[
    "insert_page", "update_page", "delete_page", "revert_page", "refresh_page", "insert_files", "delete_file",
    "insert_reusable_content", "update_reusable_content", "delete_reusable_content", "update_variables",
]  # fmt: skip
ChangedKind = Literal["created_page", "updated_page", "deleted_page"]
MOST_CHANGES = 50
MOST_FILES = 20
MOST_PROPS = 100
MOST_DEPENDENCIES = 5
MOST_VARIABLES = 1000
MOST_BLOCKS = 1000  # of a page that are taken back at once
LARGEST_FILE = 1_000_000  # bytes of a file that is sent in a request

Title = Annotated[str, Label(500)]
Slug = Annotated[str, StringConstraints(min_length=1, max_length=100)]
Words = Annotated[str, StringConstraints(max_length=2000)]
Short = Annotated[str, StringConstraints(max_length=100)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=100)]
SourceType = Annotated[
    str,
    StringConstraints(max_length=250),
    Form(
        r"^(builtin:openapi|integration:[^:]{1,100}:[^:]{1,100})$",
        "`builtin:openapi` or `integration:NAME:SOURCE`",
    ),
]
VariableValue = Annotated[str, StringConstraints(max_length=256)] | bool | int | float


class FileUpload(Change):
    """A file to insert: its bytes, an address to fetch them from, or an upload that has them."""

    choices = FILE_SOURCES

    name: Annotated[str, StringConstraints(min_length=1, max_length=256)] = Field(
        description="Name of the file, from 1 to 256 characters. Its ending decides the type."
    )
    content_type: Short | None = Field(
        default=None,
        description="Media type. Needed with `base64`; the type of the file follows from its name.",
    )
    ref: Name | None = Field(
        default=None,
        description="Name by which other changes and texts in the batch refer to the file. Unique in the "
        "batch.",
    )
    url: Url | None = Field(
        default=None,
        description="Public address to fetch the bytes from. Not together with `base64` or `upload`.",
    )
    base64: str | None = Field(
        default=None,
        description="The bytes in base64, at most 1,000,000 of them. Not together with `url` or `upload`.",
    )
    upload: UploadId | None = Field(
        default=None,
        description="Id of an upload that has the bytes. Not together with `url` or `base64`.",
    )


class SourceReference(Change):
    """An object whose state a content source is told."""

    kind: SourceKind = Field(description="Kind of the reference.")
    space: Annotated[Name, Names("Space")] = absent(
        "Id of another space of the organization. Needed by the kind `space`."
    )
    spec: Annotated[Name, Names("OpenAPISpec")] = absent(
        "Slug or id of a specification of the organization. Needed by the kind `openapi`."
    )


class SourceDependency(Change):
    """Something that a content source computes from; the pages are computed again when it changes."""

    ref: SourceReference = Field(description="What it is.")


class Computed(Change):
    """The source of a new page and the pages below it: an OpenAPI specification, or a content source
    of an integration."""

    type: SourceType = Field(
        default="builtin:openapi",
        description="What computes the pages: `builtin:openapi`, or `integration:NAME:SOURCE` for a content "
        "source of an integration that is installed on the space.",
    )
    spec: Annotated[Name, Names("OpenAPISpec")] = absent(
        "Slug or id of a specification of the organization. Needed by `builtin:openapi`, only there."
    )
    models: bool = absent("False leaves out the page of the schemas. Only of `builtin:openapi`.")
    props: Annotated[dict[Short, AnyValue], Len(0, MOST_PROPS)] = absent(
        "Properties that the source is given, at most 100 and 64,000 bytes. Only of integrations."
    )
    dependencies: Annotated[dict[Short, SourceDependency], Len(0, MOST_DEPENDENCIES)] = absent(
        "What the source computes from, by names that it gives them, at most 5. Only of integrations."
    )


_ATTRIBUTES = (
    "title", "linkTitle", "slug", "emoji", "icon", "description", "hidden", "noIndex", "noRobotsIndex",
    "condition", "layout", "cover", "variables", "href", "into", "at", "document",
)  # fmt: skip
CHANGE_FIELDS = FieldsByKind(
    "operation",
    {
        "insert_page": ("ref", "type", "computed", *_ATTRIBUTES),
        "update_page": ("page!", "section", *_ATTRIBUTES),
        "delete_page": ("page!",),
        "revert_page": ("page!", "revision", "block"),
        "refresh_page": ("page!",),
        "insert_files": ("files!",),
        "delete_file": ("file!",),
        "insert_reusable_content": ("ref", "title", "document"),
        "update_reusable_content": ("reusableContent!", "title", "document"),
        "delete_reusable_content": ("reusableContent!",),
        "update_variables": ("page", "variables!"),
    },
)


class ContentChange(Change):
    """One change. Its operation decides which fields are required and allowed (decisions, Content changes).

    Pages, files and reusable contents that the same batch inserts may be named by their `ref`.
    """

    operation: Operation = Field(description="Kind of the change.")
    ref: Name | None = Field(
        default=None,
        description="Name by which other changes and texts in the batch refer to the inserted object. Unique "
        "in the batch.",
    )
    page: Annotated[Name, Names("Page")] = absent(
        "Id or `ref` of the page to update, delete, revert or refresh, or whose variables to set."
    )
    type: PageKind = Field(default="document", description="Type of the page to insert.")
    document: Body = absent(
        "Text of the page or of the reusable content. Needed to insert a document or a reusable content."
    )
    section: SectionAnchor = absent(
        "Anchor of the section that `document` replaces, as the text of the page lists it: its heading, its "
        "text and the sections below it. `^` is the text above the first heading. The whole page if left out."
    )
    computed: Computed = absent(
        "What to compute the pages below the new one from. Needed by the type `computed`."
    )
    title: Title = absent(
        "Title, up to 500 characters. Needed by groups, links and reusable contents. A document "
        "without one takes its first heading."
    )
    link_title: Title | None = Field(
        default=None,
        description="Title in the tree of pages, if it is another one, up to 500 characters. Null removes "
        "it.",
    )
    slug: Slug = absent(
        "Last part of the path, in lower case with hyphens, up to 100 characters. It must be free "
        "among the siblings. Made from the title if left out."
    )
    emoji: Emoji | None = Field(default=None, description="Emoji of the page. Null removes it.")
    icon: Short | None = Field(
        default=None, description="Name of the icon of the page, up to 100 characters. Null removes it."
    )
    description: Words | None = Field(
        default=None, description="Description of the page, up to 2,000 characters. Null removes it."
    )
    hidden: bool = absent("Whether the page is left out of navigation.")
    no_index: bool = absent("Whether the page is left out of the search of published sites.")
    no_robots_index: bool = absent("Whether search engines are asked not to index the page.")
    condition: Annotated[str, StringConstraints(max_length=1024)] | None = Field(
        default=None,
        description="Expression that decides which visitors of a site see the page, up to 1,024 "
        "characters. Null removes it.",
    )
    layout: Annotated[dict[str, Any], DescribedAs(LayoutSent)] | LayoutPreset | None = Field(
        default=None,
        description="Parts of the page that a reader shows: a preset, or each part. Null takes the default.",
    )
    cover: Annotated[dict[str, Any], DescribedAs(CoverSent)] | None = Field(
        default=None, description="Picture at the top of the page. Null removes it."
    )
    variables: Annotated[dict[str, VariableValue], Len(0, MOST_VARIABLES)] | None = Field(
        default=None,
        description="Variables of the page, or of the space where `update_variables` names no page. They "
        "replace all that were there.",
    )
    href: Url = absent("Target URL of a link.")
    into: Annotated[Name, Names("Page")] | None = Field(
        default=None,
        description="Id or `ref` of the document or group to put the page under. Null for the root.",
    )
    at: int | None = Field(
        default=None,
        ge=0,
        description="Place among the siblings, from 0. A number too high means the last place, where new "
        "and moved pages come without it.",
    )
    revision: Annotated[Name, Names("Revision")] = absent(
        "ID of the revision to revert the page to. If left out, its last change is reverted; in a change "
        "request, all changes that the change request made to it."
    )
    block: Annotated[list[Name], Len(0, MOST_BLOCKS)] = absent(
        "Keys of the blocks to revert, at the top of the structured document of the page; at most "
        "1,000. The whole page if left out."
    )
    files: Annotated[list[FileUpload], Len(1, MOST_FILES)] = absent("Files to insert, from 1 to 20.")
    file: Annotated[Name, Names("File")] = absent("Id or `ref` of the file to delete.")
    reusable_content: Annotated[Name, Names("ReusableContent")] = absent(
        "Id or `ref` of the reusable content to update or delete."
    )


class ContentChanges(Change):
    """A batch of changes. They are made in their order and become one revision: all of them or none."""

    changes: list[ContentChange] = Field(
        min_length=1, max_length=MOST_CHANGES, description="The changes in their order, from 1 to 50."
    )


class ContentChangesQuery(Shape):
    """Query parameters for the response to a batch of changes."""

    compat: QueryBool = Field(
        default=True,
        description="In a change request, false answers what each change made; true answers the change "
        "request.",
    )


class ChangedPage(Shape):
    """A page that a batch made, changed or deleted."""

    object: Literal["page"]
    id: Annotated[str, Names("Page")] = Field(description="Id of the page.")
    urls: Location | None = Field(default=None, description="Addresses of the page. Absent if it is deleted.")


class ChangedOut(Shape):
    """The effect of one change of a batch on a page."""

    object: ChangedKind = Field(description="What was done.")
    ref: str | None = Field(default=None, description="The `ref` of the change. Absent if it has none.")
    page: ChangedPage = Field(description="Page that it was done to.")


class InsertedFile(Shape):
    """A file that a batch inserted."""

    id: Annotated[str, Names("File")] = Field(description="Id of the file.")
    name: str = Field(description="Name of the file. Characters that file names cannot have are replaced.")
    ref: str | None = Field(
        default=None, description="The `ref` that it was sent with. Absent if it has none."
    )
    download_url: UrlOut = Field(description="Signed address of the bytes, good for at least a day.")


class InsertedReusableContent(Shape):
    """A reusable content that a batch inserted."""

    id: Annotated[str, Names("ReusableContent")] = Field(description="Id of the reusable content.")
    title: str = Field(description="Title of the reusable content.")
    ref: str | None = Field(
        default=None, description="The `ref` that it was sent with. Absent if it has none."
    )


class ContentChangesOut(Shape):
    """The outcome of a batch of changes."""

    revision: Annotated[str, Names("Revision")] = Field(
        description="Revision that the batch created. If it changed nothing, the current revision."
    )
    change_request: ChangeRequestOut | None = Field(
        default=None, description="Change request that was changed. Absent if it was the space."
    )
    changes: list[ChangedOut] = Field(description="What was done to pages, in the order of the changes.")
    inserted_files: list[InsertedFile] | None = Field(
        default=None, description="Files that were inserted. Absent if there are none."
    )
    inserted_reusable_contents: list[InsertedReusableContent] | None = Field(
        default=None, description="Reusable contents that were inserted. Absent if there are none."
    )


class ContentAnswerOut(RootModel[ChangeRequestOut | ContentChangesOut]):
    """The change request, or (`compat=false`) what each change of the batch did."""


ENUMERATIONS = (
    Enumeration(
        "ContentOperation",
        Operation,
        {
            "insert_page": "Inserts a page.",
            "update_page": "Changes a page: its text, its metadata or its place.",
            "delete_page": "Deletes a page and all pages below it.",
            "revert_page": "Makes a page, or some of its blocks, what it was before. A deleted page comes "
            "back.",
            "refresh_page": "Has a page of a content source, and all below it, computed again.",
            "insert_files": "Inserts files.",
            "delete_file": "Deletes a file. Links to it are broken then.",
            "insert_reusable_content": "Inserts a reusable content.",
            "update_reusable_content": "Changes the title or the text of a reusable content.",
            "delete_reusable_content": "Deletes a reusable content. Links to it are broken then.",
            "update_variables": "Sets the variables of the space or of a page.",
        },
    ),
    Enumeration(
        "PageChange",
        ChangedKind,
        {
            "created_page": "The page was inserted, or brought back.",
            "updated_page": "The page was changed.",
            "deleted_page": "The page was deleted.",
        },
    ),
)
