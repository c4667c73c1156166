"""Publishing of sites: customizations with overrides per space, share links, visitor claims, previews."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import StringConstraints
from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Instant, Json, Key
from app.models.base import Change, DescribedAs, Names, Shape, Table, Url, UrlOut, absent, describe
from app.models.queries import PageQuery, QueryBool
from app.models.site_looks import (
    AnnouncementSettings,
    AssistantSettings,
    FaviconSettings,
    FooterSettings,
    HeaderSettings,
    PrivacySettings,
    SocialPreviewSettings,
    StatisticsSettings,
    StylingSettings,
    Switch,
    ThemeSettings,
)
from app.models.site_structure import SiteStructureOut
from app.models.sites import SiteOut
from app.models.spaces import VisitorBackend
from app.models.texts import Label

ON = Switch(enabled=True)
PARTS = {
    "themes": "Light and dark pages.",
    "styling": "Theme, colours, corners and typefaces.",
    "favicon": "Picture of the site in tabs and bookmarks of browsers. By default the icon of the site.",
    "header": "Header of every page.",
    "footer": "Footer of every page.",
    "announcement": "Message above every page. Absent if there is none.",
    "privacy_policy": "Privacy policy that the footer links to.",
    "social_preview": "Image that other services show with links to the site.",
    "pagination": "Links to the page before and the page after, below each page.",
    "pdf": "Offer of each page as PDF.",
    "page_actions": "Links to each page as Markdown and PDF, below its title.",
    "edit_link": "Link below the title of each page to suggest a change to it in the console. People sign in"
    " there, and are told if they may not change the page.",
    "assistants": "Assistants that visitors can open with a page, in a menu below its title.",
    "feedback": "Question below each page whether it helped, and what is missing where a search or an"
    " address leads nowhere; agents can report it too. Answers are listed as the site's feedback.",
    "offline": "Whether browsers keep the pages that visitors open, at most 50 MB, to read them offline."
    " Only of sites with the visibility `public` and without adaptive content. Spaces cannot differ.",
    "statistics": "Statistics of visits, without cookies and without personal data. On by default.",
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
    """The look of a site; what is left out is as for a new site."""

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
    edit_link: Switch = Field(default=Switch(enabled=False))
    assistants: AssistantSettings = Field(default=AssistantSettings())
    feedback: Switch = Field(default=Switch(enabled=False))
    offline: Switch = Field(default=Switch(enabled=False))
    statistics: StatisticsSettings = Field(default=StatisticsSettings())


Settings = dict[str, Any]


class CustomizationOverride(Looks, Change):
    """The look of one space where it differs; null makes it look like the site again, at any depth."""

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
    edit_link: Annotated[Settings, DescribedAs(Switch, partly=True)] | None = None
    assistants: Annotated[Settings, DescribedAs(AssistantSettings, partly=True)] | None = None
    feedback: Annotated[Settings, DescribedAs(Switch, partly=True)] | None = None
    statistics: Annotated[Settings, DescribedAs(StatisticsSettings, partly=True)] | None = None


class CustomizationOut(Looks):
    """The look of a site, or of one of its spaces."""

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
    edit_link: Switch
    assistants: AssistantSettings
    feedback: Switch
    offline: Switch
    statistics: StatisticsSettings


LinkName = Annotated[str, Label(50)]
JSON_SCHEMA = (
    "JSON Schema (draft-07) of the claims, an object without additional properties. Each claim has a"
    " description and is a boolean, a text, a number, a list of those, or an object of claims; those of"
    " `unsigned` are what visitors say of themselves. At most 500 claims, 8 levels deep."
)
FALLBACK_URL = (
    "Address to which visitors without a token are sent, with the path they asked for as `location`."
)
LOGOUT_URL = "Address to which visitors are sent when they have signed out."


class ShareLink(Table, table=True):
    """A share link. Its key is encrypted, since administrators see its address again, and found by a hash."""

    __tablename__ = "site_share_link"
    __table_args__ = (Index(None, "site_id", "id"),)

    id: str = Field(sa_type=Key, primary_key=True)
    site_id: str = Field(sa_type=Key, foreign_key="site.id")
    name: str
    name_folded: str
    active: bool
    key: str
    key_hash: str = Field(sa_type=Key)
    created_at: datetime = Field(sa_type=Instant)


class ShareLinkCreate(Change):
    """A new share link."""

    name: LinkName = Field(description="Name, 1 to 50 characters. Visitors do not see it.")


class ShareLinkUpdate(Change):
    """Changes to a share link; one that is not active opens nothing."""

    name: LinkName = absent("Name, 1 to 50 characters. Visitors do not see it.")
    active: bool = absent("Whether the link works.")


class ShareLinksQuery(PageQuery):
    """Query parameters that select the share links to list."""

    search: str | None = Field(
        default=None,
        max_length=50,
        description="Lists only share links whose name contains this text, in any case.",
    )


class ShareLinkUrls(Shape):
    """The address of a share link."""

    published: UrlOut = Field(
        description="Address of the site with the key of the link. Works while the link is active and the"
        " site is published with the visibility `share-link`."
    )


class ShareLinkOut(Shape):
    """A share link of a site: a URL with a secret key that gives access to the site."""

    object: Literal["share-link"]
    id: str
    name: str = Field(description="Name of the link, for those who administrate the site.")
    active: bool = Field(description="Whether the link works.")
    created_at: datetime
    urls: ShareLinkUrls


class AdaptiveSchemaUpdate(Change):
    """A JSON Schema (draft-07): claims that are booleans, text, numbers, lists of those, or objects."""

    json_schema: dict[str, Any] = Field(description=JSON_SCHEMA)


class SiteAdaptiveSchemaOut(Shape):
    """The schema of what a site may know of its visitors (specification, SiteAdaptiveSchema)."""

    object: Literal["site-adaptive-schema"]
    json_schema: dict[str, Any] = Field(description=JSON_SCHEMA)
    updated_at: datetime


class TemplateCondition(Shape):
    """A condition that suggests itself."""

    description: str = Field(description="Description of the claim, with the value that is compared.")
    condition: str = Field(description="Expression that can be set as the condition of an item of the site.")


class TemplateConditionsOut(Shape):
    """Conditions derived from a site's schema."""

    items: list[TemplateCondition] = Field(
        description="One condition for each value of a claim with a list of values, else one for each claim."
    )


class PublishingAuthUpdate(Change):
    """The sign-in of visitors at `fallbackURL`, where they get a token made with the site's private key."""

    backend: VisitorBackend = Field(description="Who signs visitors in.")
    integration: Annotated[str, Names("Integration")] | None = Field(
        default=None,
        description="Name of the integration that signs visitors in. Required by the backend `integration`,"
        " refused by others. It must be installed on the site with the scope `site:visitor:auth`.",
    )
    fallback_url: Url | None = Field(default=None, description=FALLBACK_URL)
    logout_url: Url | None = Field(default=None, description=LOGOUT_URL)


class PublishingAuthOut(Shape):
    """The sign-in of a site's visitors, with the key that their tokens are signed with."""

    private_key: str = Field(
        description="Secret key that signs visitor tokens (HS256). Keep it on your server."
    )
    backend: VisitorBackend = Field(description="Who signs visitors in.")
    integration: Annotated[str, Names("Integration")] | None = Field(
        default=None,
        description="Integration that signs visitors in, by its name. Of the backend `integration` only.",
    )
    fallback_url: UrlOut | None = Field(default=None, description=f"{FALLBACK_URL} Absent if none was set.")
    logout_url: UrlOut | None = Field(default=None, description=f"{LOGOUT_URL} Absent if none was set.")


class PreviewQuery(Shape):
    """A preview of a site before it is published: where it begins, and as whom."""

    site_space: Annotated[str, Names("SiteSpace")] | None = Field(
        default=None, max_length=100, description="Id of the space of the site to begin in."
    )
    claims: Annotated[str, StringConstraints(max_length=2048)] | None = Field(
        default=None,
        description="Claims of the visitor to look as: a JSON object of at most 2,048 characters.",
    )
    draft: QueryBool = Field(default=True, description="Whether spaces that are drafts are shown too.")
    target: Annotated[str, StringConstraints(min_length=1, max_length=512)] | None = Field(
        default=None, description="Path to begin at, such as `/guide/start`, at most 512 characters."
    )


class CustomizationPreview(CustomizationOverride):
    """A look to try before it is set: what differs from the site, or with a space from that space."""

    site_space: Annotated[str, Names("SiteSpace")] | None = Field(
        default=None,
        max_length=100,
        description="Id of the space of the site to begin in. What is tried is the look of that space then,"
        " else that of the site.",
    )
    target: Annotated[str, StringConstraints(min_length=1, max_length=512)] | None = Field(
        default=None, description="Path to begin at, such as `/guide/start`, at most 512 characters."
    )


class PreviewOut(Shape):
    """A URL that shows a site before it is published."""

    url: UrlOut = Field(
        description="Address of the preview, good for one to two hours. Whoever has it sees it."
    )


class PublishedCustomizations(Shape):
    """The look of a site, and of those of its spaces that look different."""

    site: CustomizationOut = Field(description="Look of the site.")
    site_spaces: dict[str, CustomizationOut] = Field(
        description="Looks of the spaces of the site that look different, by the id of the space of the site."
    )


class PublishedScript(Shape):
    """A script that an integration puts into the pages of a site."""

    script: UrlOut = Field(description="Address of the script. It changes whenever the script does.")
    content_security_policy: str | None = Field(
        default=None, description="Content security policy that the script needs. Absent if it states none."
    )
    cookies: bool = Field(description="Whether the script may set cookies.")


class PublishedContentSiteOut(Shape):
    """Everything that is needed to show a published site (specification, PublishedContentSite)."""

    object: Literal["published-content-site"]
    site: SiteOut = Field(description="Site that is shown.")
    structure: SiteStructureOut = Field(description="Sections, groups, links and spaces of the site.")
    customizations: PublishedCustomizations = Field(description="Look of the site and of its spaces.")
    scripts: list[PublishedScript] = Field(
        description="Scripts that integrations put into the pages of the site."
    )
