"""How sites are published: share links, claims of visitors, previews."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field as ShapeField
from pydantic import StringConstraints
from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Instant, Key
from app.models.base import Change, DescribedAs, Shape, Table, Url, absent
from app.models.customizations import CustomizationOut
from app.models.queries import PageQuery, QueryBool
from app.models.site_structure import SiteStructureOut
from app.models.sites import SiteOut
from app.models.spaces import VisitorBackend
from app.models.texts import Label

LinkName = Annotated[str, Label(50)]


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

    name: LinkName


class ShareLinkUpdate(Change):
    """Changes to a share link; one that is not active opens nothing."""

    name: LinkName = absent()
    active: bool = absent()


class ShareLinksQuery(PageQuery):
    """Which share links to list."""

    search: str | None = Field(default=None, max_length=50, description="only names that contain this")


class ShareLinkUrls(Shape):
    """Where the share link leads."""

    published: str


class ShareLinkOut(Shape):
    """A share link of a site."""

    object: Literal["share-link"]
    id: str
    name: str
    active: bool
    created_at: datetime
    urls: ShareLinkUrls


class AdaptiveSchemaUpdate(Change):
    """A JSON Schema (draft-07): claims that are booleans, text, numbers, lists of those, or objects."""

    json_schema: dict[str, Any]


class SiteAdaptiveSchemaOut(Shape):
    """The schema of what a site may know of its visitors (specification, SiteAdaptiveSchema)."""

    object: Literal["site-adaptive-schema"]
    json_schema: dict[str, Any]
    updated_at: datetime


class TemplateCondition(Shape):
    """A condition that suggests itself."""

    description: str
    condition: str


class TemplateConditionsOut(Shape):
    """Conditions derived from a site's schema."""

    items: list[TemplateCondition]


class PublishingAuthUpdate(Change):
    """How visitors sign in: at `fallbackURL`, where a token of theirs is made with the site's private key."""

    backend: VisitorBackend
    integration: str | None = None
    fallback_url: Url | None = None
    logout_url: Url | None = None


class PublishingAuthOut(Shape):
    """How visitors of a site sign in, with the key that their tokens are signed with."""

    private_key: str
    backend: VisitorBackend
    integration: str | None = None
    fallback_url: str | None = None
    logout_url: str | None = None


class PreviewQuery(Shape):
    """What to look at before it is published."""

    site_space: str | None = ShapeField(
        default=None, max_length=100, description="begin in this space of the site"
    )
    claims: Annotated[str, StringConstraints(max_length=2048)] | None = ShapeField(
        default=None, description="a JSON object: look as a visitor of whom this is known"
    )
    draft: QueryBool = ShapeField(default=True, description="show spaces that are drafts too")
    target: Annotated[str, StringConstraints(min_length=1, max_length=512)] | None = ShapeField(
        default=None, description="begin at this path, such as /guide/start"
    )


class PreviewOut(Shape):
    """An address at which a site can be looked at, good for an hour or two."""

    url: str


class PublishedCustomizations(Shape):
    """How a site looks, and those of its spaces that look different."""

    site: Annotated[dict[str, Any], DescribedAs(CustomizationOut)]
    site_spaces: dict[str, Annotated[dict[str, Any], DescribedAs(CustomizationOut)]]


class PublishedScript(Shape):
    """A script that an integration puts into the pages of a site."""

    script: str
    content_security_policy: str | None = None
    cookies: bool


class PublishedContentSiteOut(Shape):
    """Everything that is needed to show a published site (specification, PublishedContentSite)."""

    object: Literal["published-content-site"]
    site: SiteOut
    structure: SiteStructureOut
    customizations: PublishedCustomizations
    scripts: list[PublishedScript]
