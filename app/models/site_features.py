"""Types of sites, and what a site can do. No type limits anything here: every site can do everything."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from app.models.base import Enumeration, Shape

SiteType = Literal["basic", "premium", "ultimate", "sponsored", "legacy-basic", "legacy-premium"]
FeatureId = Literal[
    "sites-adaptive-content", "sites-advanced-customization", "sites-basic-customization",
    "sites-custom-domain", "sites-custom-subdirectory", "sites-full-text-search", "sites-multivariant-site",
    "sites-pdf-export", "sites-public-visibility", "sites-redirects", "sites-sections", "sites-seo",
    "sites-share-links", "sites-unlisted-visibility", "sites-visitor-authentication",
]  # fmt: skip
CustomizationId = Literal[
    "header-logo", "theme-preset", "custom-icons", "header-primary-link", "footer-logo", "footer-links",
    "footer-copyright", "semantic-colors",
]  # fmt: skip


class SiteFeature(Shape):
    """Something that a site can do."""

    id: FeatureId = Field(description="What the site can do.")
    plan: SiteType = Field(description="Type of the sites that can do it: the type of this one.")
    frozen: bool = Field(description="Whether it cannot be changed at the moment. Always false.")
    customizations: list[CustomizationId] | None = Field(
        default=None,
        description="Parts of the look that it lets you choose. Of features of the look only.",
    )


ENUMERATIONS = (
    Enumeration(
        "SiteType",
        SiteType,
        {
            "basic": "Basic plan, which new sites have.",
            "premium": "Premium plan.",
            "ultimate": "Ultimate plan.",
            "sponsored": "Plan of sites that are paid for by ads.",
            "legacy-basic": "Basic plan of earlier times.",
            "legacy-premium": "Premium plan of earlier times.",
        },
    ),
    Enumeration(
        "SiteFeatureId",
        FeatureId,
        {
            "sites-adaptive-content": "Content that depends on the visitor's claims.",
            "sites-advanced-customization": "Links, footer and semantic colours of the site's own.",
            "sites-basic-customization": "Logo, theme and icons of the site's own.",
            "sites-custom-domain": "A host of the site's own.",
            "sites-custom-subdirectory": "Hosting in a directory of another domain.",
            "sites-full-text-search": "Search of the whole text.",
            "sites-multivariant-site": "Several spaces beside each other, such as versions or languages.",
            "sites-pdf-export": "Pages as PDF.",
            "sites-public-visibility": "A site that everybody may read.",
            "sites-redirects": "Redirects from paths of the site.",
            "sites-sections": "Sections with paths of their own.",
            "sites-seo": "Titles, descriptions and a sitemap for search engines.",
            "sites-share-links": "Share links with a secret key.",
            "sites-unlisted-visibility": "A site that search engines do not list.",
            "sites-visitor-authentication": "Visitors who sign in.",
        },
    ),
    Enumeration(
        "SiteFeatureCustomization",
        CustomizationId,
        {
            "header-logo": "The logo in the header.",
            "theme-preset": "The theme of all pages.",
            "custom-icons": "Pictures as icon of the site.",
            "header-primary-link": "The link in the header that is shown as a button.",
            "footer-logo": "The logo in the footer.",
            "footer-links": "The groups of links in the footer.",
            "footer-copyright": "The copyright in the footer.",
            "semantic-colors": "The colours of hints: information, success, warning and danger.",
        },
    ),
)
