"""How a site looks: colours, type, logo, header, footer and what else its pages show."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field as Described
from pydantic import StringConstraints
from sqlmodel import Field

from app.kit.database.columns import Instant, Json, Key
from app.models.base import Change, DescribedAs, Enumeration, Link, Shape, Table, Url
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


class Customization(Table, table=True):
    """The settings of a site (`item_id` is ""), or what differs from them for one of its spaces."""

    __tablename__ = "site_customization"

    site_id: str = Field(sa_type=Key, primary_key=True, foreign_key="site.id")
    item_id: str = Field(sa_type=Key, primary_key=True)
    settings: dict[str, Any] = Field(sa_type=Json)
    updated_at: datetime = Field(sa_type=Instant)


class ThemedColor(Shape):
    """A colour on light and on dark pages."""

    light: Color
    dark: Color


class ThemedPicture(Shape):
    """A picture on light and on dark pages."""

    light: Url
    dark: Url


class ThemeSettings(Shape):
    """Light, dark or as the visitor's system says, and whether visitors may choose."""

    default: Mode = "system"
    toggleable: bool = True


class StylingSettings(Shape):
    """Colours, corners and type."""

    theme: Theme = "clean"
    primary_color: ThemedColor = Described(default=ThemedColor(light="#346ddb", dark="#7aa2f7"))
    info_color: ThemedColor | None = None
    success_color: ThemedColor | None = None
    warning_color: ThemedColor | None = None
    danger_color: ThemedColor | None = None
    corners: Corners = "rounded"
    font: Font = "sans"
    monospace_font: Literal["mono"] = "mono"


class FaviconSettings(Shape):
    """The small picture of the site in a browser: pictures, or an emoji."""

    icon: ThemedPicture | None = None
    emoji: Emoji | None = None


class LinkItem(Shape):
    """A link with words on it."""

    title: Words
    url: Link


class HeaderLink(LinkItem):
    """A link in the header, or a menu of links."""

    style: LinkStyle = "link"
    links: Annotated[list[LinkItem], Described(max_length=30)] = Described(default_factory=list)


class HeaderSettings(Shape):
    """The head of every page."""

    preset: HeaderPreset = "default"
    logo: ThemedPicture | None = None
    background_color: ThemedColor | None = None
    link_color: ThemedColor | None = None
    primary_link: LinkItem | None = None
    links: Annotated[list[HeaderLink], Described(max_length=30)] = Described(default_factory=list)


class FooterGroup(Shape):
    """Links under a title."""

    title: Words
    links: Annotated[list[LinkItem], Described(max_length=30)]


class FooterSettings(Shape):
    """The foot of every page."""

    logo: ThemedPicture | None = None
    groups: Annotated[list[FooterGroup], Described(max_length=10)] = Described(default_factory=list)
    copyright: Sentence | None = None


class AnnouncementSettings(Shape):
    """A message above every page."""

    enabled: bool = True
    message: Sentence
    style: Tone = "info"
    link: LinkItem | None = None


class Switch(Shape):
    """Something that is shown or not."""

    enabled: bool


class PrivacySettings(Shape):
    """Where visitors read what is kept of them."""

    url: Link | None = None


class SocialPreviewSettings(Shape):
    """The picture of links to the site elsewhere."""

    url: Url | None = None


ON = Switch(enabled=True)


class CustomizationSettings(Change):
    """How a site looks; what is left out is as for a new site."""

    themes: ThemeSettings = Described(default=ThemeSettings())
    styling: StylingSettings = Described(default=StylingSettings())
    favicon: FaviconSettings = Described(default=FaviconSettings())
    header: HeaderSettings = Described(default=HeaderSettings())
    footer: FooterSettings = Described(default=FooterSettings())
    announcement: AnnouncementSettings | None = None
    privacy_policy: PrivacySettings = Described(default=PrivacySettings())
    social_preview: SocialPreviewSettings = Described(default=SocialPreviewSettings())
    pagination: Switch = Described(default=ON)
    pdf: Switch = Described(default=ON)
    page_actions: Switch = Described(default=ON)
    feedback: Switch = Described(default=Switch(enabled=False))


Settings = dict[str, Any]


class CustomizationOverride(Change):
    """What looks different for one space; null makes it look like the site again, at any depth."""

    themes: Annotated[Settings, DescribedAs(ThemeSettings, partly=True)] | None = None
    styling: Annotated[Settings, DescribedAs(StylingSettings, partly=True)] | None = None
    favicon: Annotated[Settings, DescribedAs(FaviconSettings, partly=True)] | None = None
    header: Annotated[Settings, DescribedAs(HeaderSettings, partly=True)] | None = None
    footer: Annotated[Settings, DescribedAs(FooterSettings, partly=True)] | None = None
    announcement: Annotated[Settings, DescribedAs(AnnouncementSettings, partly=True)] | None = None
    privacy_policy: Annotated[Settings, DescribedAs(PrivacySettings, partly=True)] | None = None
    social_preview: Annotated[Settings, DescribedAs(SocialPreviewSettings, partly=True)] | None = None
    pagination: Annotated[Settings, DescribedAs(Switch, partly=True)] | None = None
    pdf: Annotated[Settings, DescribedAs(Switch, partly=True)] | None = None
    page_actions: Annotated[Settings, DescribedAs(Switch, partly=True)] | None = None
    feedback: Annotated[Settings, DescribedAs(Switch, partly=True)] | None = None


class CustomizationOut(Shape):
    """How a site, or one of its spaces, looks."""

    themes: ThemeSettings
    styling: StylingSettings
    favicon: FaviconSettings
    header: HeaderSettings
    footer: FooterSettings
    announcement: AnnouncementSettings | None = None
    privacy_policy: PrivacySettings
    social_preview: SocialPreviewSettings
    pagination: Switch
    pdf: Switch
    page_actions: Switch
    feedback: Switch


ENUMERATIONS = (
    Enumeration(
        "SiteTheme",
        Theme,
        {
            "clean": "",
            "muted": "",
            "bold": "",
            "gradient": "",
        },
    ),
    Enumeration(
        "SiteThemeMode",
        Mode,
        {
            "light": "",
            "dark": "",
            "system": "",
        },
    ),
    Enumeration(
        "SiteCorners",
        Corners,
        {
            "straight": "",
            "rounded": "",
            "circular": "",
        },
    ),
    Enumeration(
        "SiteFont",
        Font,
        {
            "sans": "",
            "serif": "",
            "mono": "",
            "system": "",
            "rounded": "",
        },
    ),
    Enumeration(
        "SiteHeaderPreset",
        HeaderPreset,
        {
            "default": "",
            "bold": "",
            "contrast": "",
            "custom": "",
            "none": "",
        },
    ),
    Enumeration(
        "SiteLinkStyle",
        LinkStyle,
        {
            "link": "",
            "button-primary": "",
            "button-secondary": "",
        },
    ),
    Enumeration(
        "SiteTone",
        Tone,
        {
            "info": "",
            "success": "",
            "warning": "",
            "danger": "",
        },
    ),
)
