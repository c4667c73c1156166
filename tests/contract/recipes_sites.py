"""Calls about sites, what they show and how they are published (see `recipes`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.cast import Cast
from tests.contract.faces import Call
from tests.contract.recipes_content import filled_space
from tests.factories.sites import ManagedSite, spaces

Recipe = Callable[[Cast], Call]
CONDITION = "visitor.claims.unsigned.beta || visitor.claims.plan == 'pro'"
CLAIM = {"description": "Takes part in the beta", "type": "boolean"}
CLOSED = {"type": "object", "additionalProperties": False}
SCHEMA = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "$id": "https://example.org/claims.json",
    **CLOSED,
    "properties": {
        "unsigned": {**CLOSED, "description": "Said by visitors", "properties": {"beta": CLAIM}},
        "plan": {"description": "The plan", "type": "string", "enum": ["free", "pro"]},
        "roles": {"description": "Roles", "type": "array", "items": {"type": "string"}},
    },
}


class Whole:
    """A site with something of everything: two sections, one in a group, variants, a link, conditions."""

    def __init__(self, cast: Cast, **fields: Any) -> None:
        self.cast = cast
        self.site = ManagedSite(cast, title="Lighthouse docs", **fields)
        site = self.site
        site.patch("", {"icon": {"emoji": "1f4d8"}, "basename": f"docs-{site.id.lower()}"})
        answered = cast.ada.put(f"{site.path}/adaptive-schema", {"jsonSchema": SCHEMA})
        assert answered.status_code == 200, answered.text
        self.space = filled_space(cast)
        self.first = site.post("/sections", {"spaceId": self.space, "title": "Handbook", "icon": "gear"})
        self.second = site.section("Machinery")
        self.third = site.section("Storms")
        self.group = site.group("More", icon="folder", sections=[self.second["id"]])
        (more,) = spaces(cast, "Handbook 2")
        self.variant = site.post("/site-spaces", {"spaceId": more, "sectionId": self.first["id"]})
        change = {"condition": CONDITION, "description": "How we work"}
        site.patch(f"/sections/{self.first['id']}", change)
        self.link = site.post(
            "/external-links",
            {"title": "Status", "url": "https://status.example.org", "parent": self.group["id"]},
        )

    @property
    def path(self) -> dict[str, str]:
        """The parameters of the site's address."""
        return {"organizationId": self.cast.organization, "siteId": self.site.id}

    @property
    def shown(self) -> dict[str, Any]:
        """The first space of the first section."""
        space: dict[str, Any] = self.first["siteSpaces"][0]
        return space

    def published(self) -> Whole:
        """The same, online."""
        self.site.post("/publish", status=200)
        return self

    def call(self, query: dict[str, Any] | None = None, body: Any = None, **path: str) -> Call:
        """A call about the site."""
        return Call({**self.path, **path}, query or {}, body)


def _list(cast: Cast) -> Call:
    whole = Whole(cast).published()
    query = {"space": whole.space, "title": "house", "published": True, "type": "basic"}
    return Call({"organizationId": cast.organization}, query)


def _create(cast: Cast) -> Call:
    body = {
        "type": "premium",
        "title": "Guides",
        "visibility": "unlisted",
        "spaces": spaces(cast, "One", "Two"),
    }
    return Call({"organizationId": cast.organization}, body=body)


def _update(cast: Cast) -> Call:
    whole = Whole(cast)
    inside = whole.second["siteSpaces"][0]["id"]
    body = {
        "title": "Lamps",
        "visibility": "share-link",
        "basename": f"lamps-{whole.site.id.lower()}",
        "adaptiveContent": {"enabled": True},
        "agentsContext": "excluded",
        "defaultSiteSection": whole.second["id"],
        "defaultSiteSpace": inside,
        "proxy": f"docs-{whole.site.id.lower()}.example.org/guides",
        "icon": None,
    }
    return whole.call(body=body)


def _online(cast: Cast) -> Call:
    return Whole(cast).published().call()


def _published(cast: Cast) -> Call:
    whole = Whole(cast, visibility="share-link").published()
    settings = {"styling": {"corners": "circular"}}
    third = whole.third["siteSpaces"][0]["id"]
    whole.site.patch(f"/site-spaces/{third}/customization", settings)
    return whole.call({"shareKey": "sesame"})


def _section(cast: Cast) -> Call:
    whole = Whole(cast)
    return whole.call(siteSectionId=whole.third["id"])


def _update_section(cast: Cast) -> Call:
    whole = Whole(cast)
    body = {
        "title": "Keeping",
        "path": "keeping",
        "defaultSiteSpace": whole.variant["id"],
        "condition": CONDITION,
        "icon": None,
        "description": "Every day",
    }
    return whole.call(body=body, siteSectionId=whole.first["id"])


def _move_section(cast: Cast) -> Call:
    whole = Whole(cast)
    beside = {"type": "site-section", "siteSection": whole.first["id"]}
    return whole.call(body={"position": {"before": beside}}, siteSectionId=whole.third["id"])


def _group(cast: Cast) -> Call:
    whole = Whole(cast)
    return whole.call(siteSectionGroupId=whole.group["id"])


def _move_group(cast: Cast) -> Call:
    whole = Whole(cast)
    position = {"before": {"type": "site-section", "id": whole.third["id"]}}
    return whole.call(body={"position": position}, siteSectionGroupId=whole.group["id"])


def _put_in_group(cast: Cast) -> Call:
    whole = Whole(cast)
    return whole.call(body={"sectionId": whole.third["id"]}, siteSectionGroupId=whole.group["id"])


def _take_from_group(cast: Cast) -> Call:
    whole = Whole(cast)
    return whole.call(siteSectionGroupId=whole.group["id"], siteSectionId=whole.second["id"])


def _space(cast: Cast) -> Call:
    whole = Whole(cast)
    return whole.call(siteSpaceId=whole.variant["id"])


def _update_space(cast: Cast) -> Call:
    whole = Whole(cast)
    (other,) = spaces(cast, "Other")
    body = {"path": "other", "condition": CONDITION, "spaceId": other, "draft": True}
    return whole.call(body=body, siteSpaceId=whole.variant["id"])


def _move_space(cast: Cast) -> Call:
    whole = Whole(cast)
    position = {"before": {"type": "site-space", "siteSpace": whole.shown["id"]}}
    return whole.call(body={"position": position}, siteSpaceId=whole.variant["id"])


def _sort(cast: Cast) -> Call:
    whole = Whole(cast)
    body = {
        "item": {"type": "site-section-group", "id": whole.group["id"]},
        "parent": None,
        "position": {"before": {"type": "site-section", "id": whole.first["id"]}},
    }
    return whole.call(body=body)


def _link(cast: Cast) -> Call:
    whole = Whole(cast)
    return whole.call(siteExternalLinkId=whole.link["id"])


SITES: dict[str, Recipe] = {
    "listSites": _list,
    "createSite": _create,
    "getSiteById": lambda cast: Whole(cast, visibility="unlisted").published().call(),
    "deleteSiteById": _online,
    "updateSiteById": _update,
    "publishSite": lambda cast: Whole(cast).call(),
    "unpublishSite": _online,
    "getSiteAdaptiveSchema": lambda cast: Whole(cast).call(),
    "updateSiteAdaptiveSchema": lambda cast: Whole(cast).call(body={"jsonSchema": SCHEMA}),
    "listSiteAdaptiveTemplateConditions": lambda cast: Whole(cast).call(),
    "getPublishedContentSite": _published,
    "listSiteSections": lambda cast: Whole(cast).published().call({"shareKey": "sesame"}),
    "addSectionToSite": lambda cast: Whole(cast).call(
        body={"spaceId": spaces(cast, "New")[0], "title": "News", "icon": None}
    ),
    "deleteSiteSectionById": _section,
    "updateSiteSectionById": _update_section,
    "moveSiteSection": _move_section,
    "listSiteSectionGroups": lambda cast: Whole(cast).published().call(),
    "addSectionGroupToSite": lambda cast: (whole := Whole(cast)).call(
        body={"title": "Others", "icon": None, "sections": [whole.third["id"]]}
    ),
    "deleteSiteSectionGroupById": _group,
    "updateSiteSectionGroupById": lambda cast: (whole := Whole(cast)).call(
        body={"title": "Further", "icon": "gear"}, siteSectionGroupId=whole.group["id"]
    ),
    "addSectionToGroup": _put_in_group,
    "removeSectionFromGroup": _take_from_group,
    "moveSiteSectionGroup": _move_group,
    "listSiteSpaces": lambda cast: Whole(cast).published().call({"default": True, "shareKey": "sesame"}),
    "addSpaceToSite": lambda cast: (whole := Whole(cast)).call(
        body={"spaceId": spaces(cast, "New")[0], "sectionId": whole.third["id"]}
    ),
    "deleteSiteSpaceById": _space,
    "updateSiteSpaceById": _update_space,
    "moveSiteSpace": _move_space,
    "duplicateSiteSpace": lambda cast: (whole := Whole(cast)).call(
        body={"draft": True}, siteSpaceId=whole.shown["id"]
    ),
    "getSiteStructure": lambda cast: Whole(cast).published().call({"shareKey": "sesame"}),
    "sortSiteStructure": _sort,
    "addExternalLinkToSite": lambda cast: Whole(cast).call(
        body={"title": "Shop", "url": "https://example.org/shop", "parent": None, "condition": CONDITION}
    ),
    "updateSiteExternalLinkById": lambda cast: (whole := Whole(cast)).call(
        body={"title": "State", "url": "mailto:ada@example.org", "description": "Up?", "parent": None},
        siteExternalLinkId=whole.link["id"],
    ),
    "deleteSiteExternalLinkById": _link,
}
