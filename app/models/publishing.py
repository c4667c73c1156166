"""Publishing: how visitors are let in, and what integrations read of a published site."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from app.models.base import Change, DescribedAs, Shape, Url
from app.models.customizations import CustomizationOut
from app.models.queries import QueryBool
from app.models.site_items import SiteStructureOut
from app.models.sites import SiteOut
from app.models.spaces import VisitorBackend


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

    site_space: str | None = Field(
        default=None, max_length=100, description="begin in this space of the site"
    )
    claims: Annotated[str, StringConstraints(max_length=2048)] | None = Field(
        default=None, description="a JSON object: look as a visitor of whom this is known"
    )
    draft: QueryBool = Field(default=True, description="show spaces that are drafts too")
    target: Annotated[str, StringConstraints(min_length=1, max_length=512)] | None = Field(
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
