"""Layouts and covers of pages, as they are sent and as they are returned."""

from __future__ import annotations

from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, StringConstraints

from app.kit.http.urls import NO_URL, is_url
from app.models.base import Choice, Choices, Enumeration, Names, Shape, UrlOut, one_of

CoverSize = Literal["hero", "full", "background"]
CoverMask = Literal["none", "radial"]
Width = Literal["default", "wide"]
LayoutPreset = Literal["docs", "editorial", "landing"]
PictureKind = Literal["file", "url"]


class Layout(Shape):
    """Parts of a page that a reader shows."""

    cover: bool = Field(description="Whether the cover is shown.")
    cover_size: CoverSize | None = Field(
        default=None, description="Size of the cover. Absent if the page does not say."
    )
    cover_mask: CoverMask | None = Field(
        default=None, description="Mask over the cover. Absent if the page does not say."
    )
    title: bool = Field(description="Whether the title is shown.")
    description: bool = Field(description="Whether the description is shown.")
    table_of_contents: bool = Field(description="Whether the tree of pages is shown.")
    outline: bool = Field(description="Whether the page shows its headings as an outline.")
    pagination: bool = Field(description="Whether links to the pages before and after are shown.")
    width: Width | None = Field(
        default=None, description="Width of the page. Absent if the page does not say."
    )
    metadata: bool | None = Field(
        default=None, description="Whether metadata is shown. Absent if the page does not say."
    )
    tags: bool | None = Field(
        default=None, description="Whether tags are shown. Absent if the page does not say."
    )
    actions: bool | None = Field(
        default=None, description="Whether actions are shown. Absent if the page does not say."
    )
    anchors: bool | None = Field(
        default=None, description="Whether anchors are shown. Absent if the page does not say."
    )


class FileReference(Shape):
    """A reference to a file."""

    kind: Literal["file"] = Field(description="Kind of the reference.")
    file: Annotated[str, Names("File")] = Field(description="The file.")
    space: Annotated[str, Names("Space")] | None = Field(
        default=None, description="Space that the file is in. Absent for a file of the same space."
    )


class UrlReference(Shape):
    """A reference to an address."""

    kind: Literal["url"] = Field(description="Kind of the reference.")
    url: UrlOut = Field(description="The URL.")


CoverReference = FileReference | UrlReference
"""A picture: a file of the space, or one elsewhere."""


class Cover(Shape):
    """The picture at the top of a page."""

    ref: CoverReference | None = Field(default=None, description="Picture that is shown.")
    ref_dark: CoverReference | None = Field(
        default=None, description="Picture for dark screens. Absent if `ref` is shown there too."
    )
    y_pos: float = Field(
        description="Vertical offset of the image from its center, in pixels of a cover that is 1,000 pixels "
        "wide. Positive values move it down."
    )
    height: int | None = Field(
        default=None, description="Height in pixels, from 10 to 700. Absent for the height of the reader."
    )


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
    """A picture of a cover: a file of the space, or one elsewhere."""

    model_config = one_of({"kind": {"const": "file"}, "file": {}}, {"kind": {"const": "url"}, "url": {}})
    choices = Choices(
        {
            "file": Choice("file", "File of the space: its id, or its `ref` in the batch.", {"kind": "file"}),
            "url": Choice("url", "Address of the picture: http, https or relative.", {"kind": "url"}),
        }
    )

    kind: PictureKind = Field(description="Kind of the picture.")
    file: Annotated[str, StringConstraints(min_length=1, max_length=100), Names("File")] | None = Field(
        default=None,
        description="Id of the file, or its `ref` in the batch. Needed by the kind `file`.",
    )
    url: Href | None = Field(
        default=None,
        description="Address of the picture: http, https or relative. Needed by the kind `url`.",
    )


class CoverSent(Shape):
    """A cover to give a page (decisions, Cover)."""

    ref: CoverPicture | None = Field(default=None, description="Picture to show.")
    ref_dark: CoverPicture | None = Field(
        default=None, description="Picture for dark screens. `ref` is shown there if it is left out."
    )
    y_pos: float = Field(
        default=0,
        allow_inf_nan=False,
        description="Vertical offset of the image from its center, in pixels of a cover that is 1,000 pixels "
        "wide. Positive values move it down.",
    )
    height: int | None = Field(
        default=None, ge=10, le=700, description="Height in pixels, from 10 to 700. The reader's if left out."
    )


class LayoutPart(Shape):
    """A part of a page in a layout."""

    visible: bool = Field(default=True, description="Whether the part is shown.")
    size: CoverSize | None = Field(default=None, description="Size of the cover; other parts have none.")
    mask: CoverMask | None = Field(default=None, description="Mask over the cover; other parts have none.")


class LayoutSent(Shape):
    """Which parts of a page are shown. Parts that are left out have their default."""

    cover: bool | LayoutPart = Field(default=True, description="Whether to show the cover, and how.")
    cover_size: CoverSize | None = Field(default=None, description="Size of the cover.")
    cover_mask: CoverMask | None = Field(default=None, description="Mask over the cover.")
    title: bool | LayoutPart = Field(default=True, description="Whether to show the title.")
    description: bool | LayoutPart = Field(default=True, description="Whether to show the description.")
    table_of_contents: bool | LayoutPart = Field(
        default=True, description="Whether to show the tree of pages."
    )
    outline: bool | LayoutPart = Field(
        default=True, description="Whether to show the headings of the page as an outline."
    )
    pagination: bool | LayoutPart = Field(
        default=True, description="Whether to show links to the pages before and after."
    )
    width: Width | None = Field(default=None, description="Width of the page.")
    metadata: bool | LayoutPart | None = Field(default=None, description="Whether to show metadata.")
    tags: bool | LayoutPart | None = Field(default=None, description="Whether to show tags.")
    actions: bool | LayoutPart | None = Field(default=None, description="Whether to show actions.")
    anchors: bool | LayoutPart | None = Field(default=None, description="Whether to show anchors.")


ENUMERATIONS = (
    Enumeration(
        "CoverSize",
        CoverSize,
        {
            "hero": "A picture above the article.",
            "full": "A higher picture above the article, without rounded corners.",
            "background": "A picture behind the heading of the page.",
        },
    ),
    Enumeration(
        "CoverMask",
        CoverMask,
        {
            "none": "No mask.",
            "radial": "A radial mask.",
        },
    ),
    Enumeration(
        "PageWidth",
        Width,
        {
            "default": "The usual width of the reader.",
            "wide": "Wider than the default.",
        },
    ),
    Enumeration(
        "LayoutPreset",
        LayoutPreset,
        {
            "docs": "Shows everything. The default.",
            "editorial": "A wide page without the list of headings.",
            "landing": "A wide page with a large cover, without the tree of pages, the list of headings and "
            "links to other pages.",
        },
        "Layout of a page by a name.",
    ),
    Enumeration(
        "PictureKind",
        PictureKind,
        {
            "file": "A file of the space.",
            "url": "A picture at an address.",
        },
    ),
)
