"""Parts of the look of a site: colours, type, logo, header, footer and what else its pages show."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints

from app.kit.http.urls import is_url
from app.models.base import Enumeration, Link, Shape, Url
from app.models.texts import Emoji, Form, Label

Theme = Literal["clean", "muted", "bold", "gradient"]
Mode = Literal["light", "dark", "system"]
Corners = Literal["straight", "rounded", "circular"]
HeaderPreset = Literal["default", "bold", "contrast", "custom", "none"]
LinkStyle = Literal["link", "button-primary", "button-secondary"]
Tone = Literal["info", "success", "warning", "danger"]
Font = Literal["sans", "serif", "mono", "system", "rounded"]
Color = Annotated[str, Form(r"^#[0-9a-fA-F]{6}$", "a colour in hexadecimal, such as #346ddb")]
Words = Annotated[str, Label(100)]
Sentence = Annotated[str, StringConstraints(min_length=1, max_length=500)]


PLACE = "{url}"
"""The placeholder of a page's address in the address of an assistant."""


class ThemedColor(Shape):
    """A colour on light and on dark pages."""

    light: Color = Field(description="Colour on light pages in hexadecimal, such as `#346ddb`.")
    dark: Color = Field(description="Colour on dark pages in hexadecimal, such as `#7aa2f7`.")


class ThemedPicture(Shape):
    """A picture on light and on dark pages."""

    light: Url = Field(description="Address of the picture on light pages.")
    dark: Url = Field(description="Address of the picture on dark pages.")


class ThemeSettings(Shape):
    """Colour scheme (light, dark or system) and whether visitors may choose."""

    default: Mode = Field(default="system", description="Mode in which pages are shown at first.")
    toggleable: bool = Field(
        default=True, description="Whether visitors can switch between light and dark pages."
    )


class StylingSettings(Shape):
    """Colours, corners and type."""

    theme: Theme = Field(default="clean", description="Theme of all pages.")
    primary_color: ThemedColor = Field(
        default=ThemedColor(light="#346ddb", dark="#7aa2f7"),
        description="Colour of links, of buttons and of the current section.",
    )
    info_color: ThemedColor | None = Field(default=None, description="Colour of hints that inform.")
    success_color: ThemedColor | None = Field(default=None, description="Colour of hints of success.")
    warning_color: ThemedColor | None = Field(default=None, description="Colour of hints that warn.")
    danger_color: ThemedColor | None = Field(default=None, description="Colour of hints of danger.")
    corners: Corners = Field(default="rounded", description="Corners of buttons and boxes.")
    font: Font = Field(default="sans", description="Typeface of all text but code.")
    monospace_font: Literal["mono"] = Field(default="mono", description="Typeface of code.")


class FaviconSettings(Shape):
    """The small picture of the site in a browser: pictures, or an emoji."""

    icon: ThemedPicture | None = Field(
        default=None, description="Pictures, which win over the emoji and over the icon of the site."
    )
    emoji: Emoji | None = Field(
        default=None, description="Emoji as itself, or as its code points in hexadecimal, joined by hyphens."
    )


class LinkItem(Shape):
    """A link with words on it."""

    title: Words = Field(description="Text of the link, 1 to 100 characters.")
    url: Link = Field(
        description="Target of the link: a URL, or `mailto:` and an e-mail address, at most 2,048 characters."
    )


class HeaderLink(LinkItem):
    """A link in the header, or a menu of links."""

    style: LinkStyle = Field(default="link", description="Look of the link.")
    links: Annotated[list[LinkItem], Field(max_length=30)] = Field(
        default_factory=list,
        description="Links of a menu below the title, at most 30. If there are any, `url` is ignored.",
    )


class HeaderSettings(Shape):
    """The head of every page."""

    preset: HeaderPreset = Field(default="default", description="Look of the header.")
    logo: ThemedPicture | None = Field(
        default=None, description="Pictures in place of the icon and title of the site."
    )
    background_color: ThemedColor | None = Field(
        default=None, description="Colour of the header. Only the preset `custom` uses it."
    )
    link_color: ThemedColor | None = Field(
        default=None, description="Colour of text in the header. Only the preset `custom` uses it."
    )
    primary_link: LinkItem | None = Field(
        default=None, description="Link shown as a button after all other links."
    )
    links: Annotated[list[HeaderLink], Field(max_length=30)] = Field(
        default_factory=list, description="Links and menus in the header, at most 30."
    )


class FooterGroup(Shape):
    """Links under a title."""

    title: Words = Field(description="Title of the group, 1 to 100 characters.")
    links: Annotated[list[LinkItem], Field(max_length=30)] = Field(
        description="Links of the group, at most 30."
    )


class FooterSettings(Shape):
    """The foot of every page."""

    logo: ThemedPicture | None = Field(default=None, description="Pictures of the logo in the footer.")
    groups: Annotated[list[FooterGroup], Field(max_length=10)] = Field(
        default_factory=list, description="Groups of links, at most 10."
    )
    copyright: Sentence | None = Field(
        default=None, description="Line at the end of every page, 1 to 500 characters."
    )


class AnnouncementSettings(Shape):
    """A message above every page."""

    enabled: bool = Field(default=True, description="Whether the message is shown.")
    message: Sentence = Field(description="Text of the message, 1 to 500 characters.")
    style: Tone = Field(default="info", description="Tone of the message, which decides its colour.")
    link: LinkItem | None = Field(default=None, description="Link after the message.")


class Switch(Shape):
    """Something that is shown or not."""

    enabled: bool = Field(description="Whether it is shown.")


class StatisticsSettings(Shape):
    """The switch of a site's statistics, which are counted without cookies and without personal data."""

    enabled: bool = Field(default=True, description="Whether views, searches and broken URLs are counted.")


def _template(text: str) -> str:
    if PLACE not in text or not is_url(text.replace(PLACE, "x")):
        raise ValueError(f"This must be an address of http or https with {PLACE} in it.")
    return text


class AssistantLink(Shape):
    """An assistant that visitors can open with a page."""

    title: Words = Field(description="Name of the assistant, 1 to 100 characters.")
    url: Annotated[str, StringConstraints(max_length=2048), AfterValidator(_template)] = Field(
        description="Address that opens the assistant. `{url}` in it is replaced by the encoded address of"
        " the page as Markdown. At most 2,048 characters."
    )


class AssistantSettings(Shape):
    """The assistants that visitors can open with a page."""

    links: Annotated[list[AssistantLink], Field(max_length=10)] = Field(
        default_factory=list, description="Assistants, at most 10, in the order of the menu."
    )


class PrivacySettings(Shape):
    """Link to the privacy policy for visitors."""

    url: Link | None = Field(
        default=None, description="Address of the privacy policy, which the footer links to."
    )


class SocialPreviewSettings(Shape):
    """The picture of links to the site elsewhere."""

    url: Url | None = Field(
        default=None, description="URL of the image that other services show with a link to a page."
    )


ENUMERATIONS = (
    Enumeration(
        "SiteTheme",
        Theme,
        {
            "clean": "White or dark background.",
            "muted": "Soft grey background.",
            "bold": "Like `clean`, with heavier headings.",
            "gradient": "Background that fades from a tint of the primary colour.",
        },
    ),
    Enumeration(
        "SiteThemeMode",
        Mode,
        {
            "light": "Light pages.",
            "dark": "Dark pages.",
            "system": "Light or dark, following the visitor's system.",
        },
    ),
    Enumeration(
        "SiteCorners",
        Corners,
        {
            "straight": "Square corners.",
            "rounded": "Slightly rounded corners.",
            "circular": "Strongly rounded corners.",
        },
    ),
    Enumeration(
        "SiteFont",
        Font,
        {
            "sans": "A typeface without serifs.",
            "serif": "A typeface with serifs.",
            "mono": "A typeface whose characters have one width.",
            "system": "The typeface of the visitor's system.",
            "rounded": "A typeface with rounded strokes.",
        },
    ),
    Enumeration(
        "SiteHeaderPreset",
        HeaderPreset,
        {
            "default": "The background of the page.",
            "bold": "The primary colour as background.",
            "contrast": "A dark background on light pages, a light one on dark pages.",
            "custom": "The colours `backgroundColor` and `linkColor`.",
            "none": "The background of the page, without logo and links.",
        },
    ),
    Enumeration(
        "SiteLinkStyle",
        LinkStyle,
        {
            "link": "Plain text.",
            "button-primary": "A button in the primary colour.",
            "button-secondary": "A button with a border.",
        },
    ),
    Enumeration(
        "Tone",
        Tone,
        {
            "info": "Something worth knowing.",
            "success": "Something that went well, or is recommended.",
            "warning": "Something to be careful about.",
            "danger": "Something that may do harm.",
        },
    ),
)
