"""Typed runs of a line of a document: text with marks, links, pictures, formulas."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from app.models.base import Enumeration, Names, Shape
from app.models.links import LinkStatus, ReferenceKind

TextMark = Literal[
    "bold", "italic", "strikethrough", "superscript", "subscript", "keyboard", "code", "underline", "small",
    "inserted", "variable", "sample", "citation", "quotation", "definition", "abbreviation", "isolated",
]  # fmt: skip
TextColor = Literal[
    "gray", "red", "orange", "yellow", "green", "teal", "blue", "purple", "pink", "primary"
]  # fmt: skip
LengthUnit = Literal["pixels", "percent"]


class LengthOut(Shape):
    """A width or a height."""

    value: float = Field(description="The number.")
    unit: LengthUnit = Field(description="What the number counts.")


class LinkTargetOut(Shape):
    """The target that an address in a document leads to.

    `page`, `file` and `reusableContent` are in `space` where that is given, else in the space, change request
    or revision that the document is read from.
    """

    kind: ReferenceKind = Field(description="What kind of thing the address names.")
    status: LinkStatus = Field(description="Tells whether the address leads somewhere.")
    href: str = Field(description="The address as it is written.")
    url: str | None = Field(
        default=None,
        description="Address that a browser may follow or load. Null where there is none.",
    )
    space: Annotated[str | None, Names("Space")] = Field(
        default=None, description="The other space that the URL points to or into."
    )
    page: Annotated[str | None, Names("Page")] = Field(
        default=None, description="The page that the URL points to."
    )
    file: Annotated[str | None, Names("File")] = Field(
        default=None, description="The file that the URL points to."
    )
    reusable_content: Annotated[str | None, Names("ReusableContent")] = Field(
        default=None, description="The reusable content that the address names."
    )
    anchor: str | None = Field(default=None, description="Anchor of the place on the page.")


class Picture(Shape):
    """The fields that block images, images in a line and drawings have in common."""

    source: LinkTargetOut = Field(description="The picture.")
    dark_source: LinkTargetOut | None = Field(
        default=None, description="The picture that takes its place on dark pages."
    )
    alt: str = Field(description="What the picture shows, in words. May be empty.")
    title: str | None = Field(default=None, description="Words that explain the picture.")
    width: LengthOut | None = Field(default=None, description="How wide the picture is shown.")
    height: LengthOut | None = Field(default=None, description="How high the picture is shown.")
    fits_line: bool = Field(description="True for a picture that is shown as high as the text around it.")


class TextRunOut(Shape):
    """Text that looks the same all through."""

    type: Literal["text"]
    text: str = Field(description="The text, without line breaks.")
    marks: list[TextMark] = Field(description="How the text looks; the outermost mark comes first.")
    color: TextColor | None = Field(default=None, description="Colour of the text.")
    background: TextColor | None = Field(default=None, description="Colour behind the text.")
    title: str | None = Field(default=None, description="Expansion of an abbreviation.")


class LineBreakOut(Shape):
    """The end of a line within a paragraph."""

    type: Literal["line-break"]
    text: str = Field(description="The line break as text.")


class LinkRunOut(Shape):
    """A link."""

    type: Literal["link"]
    target: LinkTargetOut = Field(description="What the link leads to.")
    title: str | None = Field(default=None, description="Words that explain the link.")
    runs: list[RunOut] = Field(
        description="What is shown as the link, without links. Empty where the title of the target is shown."
    )


class ButtonRunOut(Shape):
    """A link that looks like a button."""

    type: Literal["button"]
    target: LinkTargetOut = Field(description="Target of the button.")
    primary: bool = Field(description="True for a primary button.")
    icon: str | None = Field(default=None, description="Name of the icon before the text.")
    runs: list[RunOut] = Field(description="What is shown on the button, without links.")


class ImageRunOut(Picture):
    """A picture in a line."""

    type: Literal["image"]


class EmojiRunOut(Shape):
    """An emoji that is written by its name."""

    type: Literal["emoji"]
    text: str = Field(description="The emoji as text.")
    code: str = Field(description="Its code points in hexadecimal, joined by hyphens.")


class IconRunOut(Shape):
    """An icon."""

    type: Literal["icon"]
    icon: str | None = Field(default=None, description="Name of the icon.")
    style: str | None = Field(default=None, description="Variant of the icon, such as `solid`.")


class MathRunOut(Shape):
    """A formula in a line."""

    type: Literal["math"]
    formula: str = Field(description="The formula in TeX.")


class MentionRunOut(Shape):
    """A person who is mentioned."""

    type: Literal["mention"]
    user: Annotated[str, Names("User")] = Field(description="The person.")
    text: str = Field(description="The name as it is written. May be empty.")


class ExpressionRunOut(Shape):
    """An expression that is replaced by its value when the document is evaluated."""

    type: Literal["expression"]
    expression: str = Field(description="The expression, such as `space.vars.version`.")


class FootnoteRunOut(Shape):
    """A reference to a footnote, which is in the `Footnotes` block at the end of the document."""

    type: Literal["footnote"]
    number: int = Field(description="Number of the footnote, from 1.")
    runs: list[RunOut] = Field(description="The text that the footnote is about. Mostly empty.")


class AnchorRunOut(Shape):
    """An anchor in a line of text that links can point to."""

    type: Literal["anchor"]
    anchor: str = Field(description="Name of the place.")


RunOut: TypeAlias = Annotated[
    TextRunOut
    | LineBreakOut
    | LinkRunOut
    | ButtonRunOut
    | ImageRunOut
    | EmojiRunOut
    | IconRunOut
    | MathRunOut
    | MentionRunOut
    | ExpressionRunOut
    | FootnoteRunOut
    | AnchorRunOut,
    Field(discriminator="type"),
]

ENUMERATIONS = (
    Enumeration(
        "TextMark",
        TextMark,
        {
            "bold": "Strong text.",
            "italic": "Emphasized text.",
            "strikethrough": "Text that no longer holds.",
            "superscript": "Text above the line.",
            "subscript": "Text below the line.",
            "keyboard": "A key to press.",
            "code": "Code within a sentence.",
            "underline": "Underlined text.",
            "small": "Small print.",
            "inserted": "Text that was added later.",
            "variable": "The name of a variable.",
            "sample": "Output of a program.",
            "citation": "The title of a work.",
            "quotation": "A short quotation.",
            "definition": "A term where it is defined.",
            "abbreviation": "An abbreviation.",
            "isolated": "Text whose direction is independent of the text around it.",
        },
    ),
    Enumeration(
        "TextColor",
        TextColor,
        {
            "gray": "Gray.",
            "red": "Red.",
            "orange": "Orange.",
            "yellow": "Yellow.",
            "green": "Green.",
            "teal": "Teal.",
            "blue": "Blue.",
            "purple": "Purple.",
            "pink": "Pink.",
            "primary": "The main colour of the theme.",
        },
    ),
    Enumeration(
        "LengthUnit",
        LengthUnit,
        {"pixels": "Pixels, as CSS counts them.", "percent": "Percent of the space that there is."},
    ),
)
