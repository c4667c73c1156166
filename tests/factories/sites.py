"""Factories for sites: what a test about publishing needs to exist, made through the product itself."""

from __future__ import annotations

from typing import Any

import httpx

from tests import make
from tests.cast import Cast, Person
from tests.factories import domains


def answered(answer: httpx.Response, status: int = 200) -> Any:
    """The body of an answer that must have this status."""
    assert answer.status_code == status, answer.text
    return answer.json() if answer.content else None


def site(person: Person, organization: str, **fields: Any) -> dict[str, Any]:
    """A site made by this person."""
    made: dict[str, Any] = answered(person.post(f"/v1/orgs/{organization}/sites", fields), 201)
    return made


def base(cast: Cast, site_id: str) -> str:
    """The address of a site of the cast's organization."""
    return f"/v1/orgs/{cast.organization}/sites/{site_id}"


def spaces(cast: Cast, *titles: str) -> list[str]:
    """Spaces with these titles."""
    return [make.space(cast.ada, cast.organization, title=title)["id"] for title in titles]


def _given(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


class ManagedSite:
    """A site of the cast's organization, by its address."""

    def __init__(self, cast: Cast, *titles: str, **fields: Any) -> None:
        self.cast = cast
        written = fields.pop("languages", [None] * len(titles))
        made = [{"title": title, "language": tongue} for title, tongue in zip(titles, written, strict=True)]
        self.spaces = [make.space(cast.ada, cast.organization, **_given(each))["id"] for each in made]
        self.made = site(cast.ada, cast.organization, spaces=self.spaces, **fields)
        self.id: str = self.made["id"]
        self.path = base(cast, self.id)

    def get(self, path: str = "", person: Person | None = None, **params: Any) -> Any:
        """Return what somebody (Ada) reads below the site's address."""
        return answered((person or self.cast.ada).get(self.path + path, params=params))

    def post(self, path: str, body: Any = None, status: int = 201) -> Any:
        """The answer to what Ada posts."""
        return answered(self.cast.ada.post(self.path + path, body), status)

    def patch(self, path: str, body: Any, status: int = 200) -> Any:
        """The answer to what Ada changes."""
        return answered(self.cast.ada.patch(self.path + path, body), status)

    def delete(self, path: str, status: int = 205) -> None:
        """Ada deletes."""
        answered(self.cast.ada.delete(self.path + path), status)

    def placed(self, **addresses: Any) -> Any:
        """The site after its `hostname` or `proxy` was changed and the host was proven."""
        changed = self.patch("", addresses)
        for address in filter(None, (addresses.get("hostname"), addresses.get("proxy"))):
            domains.host(self.cast, address.partition("/")[0])
        return self.get() if addresses else changed

    def share_key(self) -> str:
        """The key of a new share link, as addresses have it."""
        url: str = self.post("/share-links", {"name": "Partners"})["urls"]["published"]
        return url.partition("?shareKey=")[2]

    def section(self, space_title: str, **fields: Any) -> dict[str, Any]:
        """A section around a new space with this title."""
        (space,) = spaces(self.cast, space_title)
        made: dict[str, Any] = self.post("/sections", {"spaceId": space, **fields})
        return made

    def group(self, title: str = "Group", **fields: Any) -> dict[str, Any]:
        """A group of sections."""
        made: dict[str, Any] = self.post("/section-groups", {"title": title, **fields})
        return made

    def outline(self, person: Person | None = None) -> list[Any]:
        """The structure by titles: an item is its title, or its title with what is in it."""
        return [_outlined(item) for item in self.get("/structure", person)["structure"]]


def _outlined(item: dict[str, Any]) -> Any:
    inside = item.get("children", item.get("siteSpaces"))
    title = item["title"] + ("*" if item.get("default") else "")
    return (title, [_outlined(each) for each in inside]) if inside is not None else title
