"""How a site looks, and what looks different for one of its spaces."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from sqlmodel import Field

from app.kit.database.columns import Instant, Json, Key
from app.models.base import Change, DescribedAs, Shape, Table, describe
from app.models.site_looks import (
    AnnouncementSettings,
    FaviconSettings,
    FooterSettings,
    HeaderSettings,
    PrivacySettings,
    SocialPreviewSettings,
    StylingSettings,
    Switch,
    ThemeSettings,
)

ON = Switch(enabled=True)
PARTS = {
    "themes": "Light and dark pages.",
    "styling": "Theme, colours, corners and typefaces.",
    "favicon": "Picture of the site in tabs and bookmarks of browsers. By default the icon of the site.",
    "header": "Header of every page.",
    "footer": "Footer of every page.",
    "announcement": "Message above every page. Absent if there is none.",
    "privacy_policy": "Privacy policy that the footer links to.",
    "social_preview": "Picture that other services show beside links to the site.",
    "pagination": "Links to the page before and the page after, below each page.",
    "pdf": "Offer of each page as PDF.",
    "page_actions": "Links to each page as Markdown and PDF, below its title.",
    "feedback": "Question to visitors how they like a page. Kept for frontends of your own: the pages that"
    " are served here do not ask.",
}


class Customization(Table, table=True):
    """The settings of a site (`item_id` is ""), or what differs from them for one of its spaces."""

    __tablename__ = "site_customization"

    site_id: str = Field(sa_type=Key, primary_key=True, foreign_key="site.id")
    item_id: str = Field(sa_type=Key, primary_key=True)
    settings: dict[str, Any] = Field(sa_type=Json)
    updated_at: datetime = Field(sa_type=Instant)


class Looks(Shape):
    """Base of the shapes that say how something looks: their parts are the same."""

    @classmethod
    def __pydantic_init_subclass__(cls, **options: Any) -> None:
        """Describe the parts that these shapes have alike."""
        super().__pydantic_init_subclass__(**options)
        describe(cls, PARTS)


class CustomizationSettings(Looks, Change):
    """How a site looks; what is left out is as for a new site."""

    themes: ThemeSettings = Field(default=ThemeSettings())
    styling: StylingSettings = Field(default=StylingSettings())
    favicon: FaviconSettings = Field(default=FaviconSettings())
    header: HeaderSettings = Field(default=HeaderSettings())
    footer: FooterSettings = Field(default=FooterSettings())
    announcement: AnnouncementSettings | None = None
    privacy_policy: PrivacySettings = Field(default=PrivacySettings())
    social_preview: SocialPreviewSettings = Field(default=SocialPreviewSettings())
    pagination: Switch = Field(default=ON)
    pdf: Switch = Field(default=ON)
    page_actions: Switch = Field(default=ON)
    feedback: Switch = Field(default=Switch(enabled=False))


Settings = dict[str, Any]


class CustomizationOverride(Looks, Change):
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


class CustomizationOut(Looks):
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
