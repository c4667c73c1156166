"""The look of a site, and what looks different for one of its spaces.

Settings are kept whole, as they were checked; of a space only what differs is, and laid over the site's.
Where that is part of something that the site has no more, such as the tone of an announcement, it has no
effect until the site has one again.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

from pydantic import ValidationError
from sqlalchemy import select

from app.access.context import Context
from app.domain.site_addresses.site_rows import SITES, find, reading, sight
from app.domain.sites import structure
from app.domain.sites.site_nodes import tree_columns
from app.kit.database.sql import nested
from app.kit.database.statements import Statement, query, table
from app.kit.errors import NotFound
from app.models.checks import checked
from app.models.publishing import Customization, CustomizationOverride, CustomizationSettings
from app.models.sites import Site

CUSTOMIZATIONS = table(Customization)
SITE_ITSELF = ""


def looks_column() -> Any:
    """Return what is kept of a site's looks, as the column `looks`."""
    found = (
        select(CUSTOMIZATIONS.c.item_id, CUSTOMIZATIONS.c.settings)
        .where(CUSTOMIZATIONS.c.site_id == SITES.c.id)
        .correlate(SITES)
    )
    return nested(found, "looks")


_LOOKS: Statement[Any] = query(Site, lambda: reading(looks_column()))
_WITH_TREE: Statement[Any] = query(Site, lambda: reading(looks_column(), *tree_columns()))


async def get(cx: Context, organization_id: str, site_id: str) -> dict[str, Any]:
    """Get how a site looks."""
    site = await find(cx, organization_id, site_id, using=_LOOKS)
    return of_site(site)


async def put(
    cx: Context, organization_id: str, site_id: str, settings: CustomizationSettings
) -> dict[str, Any]:
    """Set how a site looks."""
    site = await find(cx, organization_id, site_id, can="edit", using=_LOOKS)
    kept = _plain(settings)
    await _keep(cx, site, SITE_ITSELF, kept)
    return kept


async def get_of_space(cx: Context, organization_id: str, site_id: str, site_space_id: str) -> dict[str, Any]:
    """Get how a space of a site looks: as the site, with what differs."""
    site = await find(cx, organization_id, site_id, using=_WITH_TREE, **sight(cx, organization_id))
    if not any(row.id == site_space_id for row in site.spaces):
        raise NotFound("There is no such space of the site.")
    return of_space(site, site_space_id)


async def change_of_space(
    cx: Context, organization_id: str, site_id: str, site_space_id: str, change: CustomizationOverride
) -> dict[str, Any]:
    """Let a space of a site look different from the site; null makes it look like that again."""
    whole = await structure.of(cx, organization_id, site_id, can="edit")
    whole.find("site-space", site_space_id)
    site = await find(cx, organization_id, site_id, using=_LOOKS)
    sent = change.model_dump(by_alias=True, include=change.model_fields_set)
    override = merged(_kept(site, site_space_id), sent, drop_empty=True)
    settings = _checked(merged(of_site(site), override), sent)
    await _keep(cx, site, site_space_id, override)
    return settings


async def tried(
    cx: Context, organization_id: str, site_id: str, item_id: str, change: CustomizationOverride
) -> dict[str, Any]:
    """Return what differs in a look that somebody tries, of a site or one of its spaces; nothing is kept."""
    site = await find(cx, organization_id, site_id, using=_LOOKS)
    names = change.model_fields_set & CustomizationOverride.model_fields.keys()
    sent = change.model_dump(by_alias=True, include=names)
    if item_id == SITE_ITSELF:
        _checked(merged(of_site(site), sent), sent)
    else:
        _checked(merged(of_site(site), merged(_kept(site, item_id), sent, drop_empty=True)), sent)
    return sent


def with_tried(looks: Sequence[Any], item_id: str, change: dict[str, Any]) -> list[Any]:
    """Return what is kept of a site's looks, as in `looks_column`, with a look that is tried over it."""
    kept = next((row.settings for row in looks if row.item_id == item_id), None)
    is_site = item_id == SITE_ITSELF
    settings = merged(
        (kept or copy.deepcopy(_new())) if is_site else kept or {}, change, drop_empty=not is_site
    )
    return [*(row for row in looks if row.item_id != item_id), TriedLook(item_id, settings)]


class TriedLook(NamedTuple):
    """A look that is tried in a preview, in place of the row that is kept."""

    item_id: str
    settings: dict[str, Any]


def _checked(laid: dict[str, Any], sent: dict[str, Any]) -> dict[str, Any]:
    """Return settings as they are kept; raises Invalid for those that no site can have."""
    return _plain(checked(CustomizationSettings, _without_parts(laid, sent), strict=True))


async def reset_of_space(cx: Context, organization_id: str, site_id: str, site_space_id: str) -> None:
    """Let a space of a site look like the site again."""
    whole = await structure.of(cx, organization_id, site_id, can="edit")
    whole.find("site-space", site_space_id)
    await forget(cx, site_id, site_space_id)


async def forget(cx: Context, site_id: str, *items: str) -> None:
    """Drop what was said for spaces that the site shows no more."""
    for item in items:
        await cx.tx.remove(Customization, site_id=site_id, item_id=item)


def of_site(site: Any) -> dict[str, Any]:
    """Return how a site with `looks` looks; what was kept before a part came to be has that as a new site."""
    kept = _kept(site, SITE_ITSELF)
    return kept if kept.keys() >= _new().keys() else {**copy.deepcopy(_new()), **kept}


@cache
def _new() -> dict[str, Any]:
    """Return how a new site looks."""
    return _plain(CustomizationSettings())


def of_space(site: Any, item_id: str) -> dict[str, Any]:
    """Return how one of its spaces does."""
    override = _kept(site, item_id)
    return _without_parts(merged(of_site(site), override), {}) if override else of_site(site)


def _without_parts(settings: dict[str, Any], sent: dict[str, Any]) -> dict[str, Any]:
    """Return settings without the objects that lack a field, except for those that are `sent`."""
    try:
        CustomizationSettings.model_validate(settings, strict=True, by_name=False)
    except ValidationError as error:
        places = [found["loc"][:-1] for found in error.errors() if found["type"] == "missing"]
        partial = [place for place in places if place and not isinstance(_at(sent, place), dict)]
        for place in partial:
            absent: Any = None
            for name in reversed(place):
                absent = {name: absent}
            settings = merged(settings, absent)
        return _without_parts(settings, sent) if partial else settings
    return settings


def _at(settings: Any, place: tuple[int | str, ...]) -> Any:
    for name in place:
        settings = settings.get(name) if isinstance(settings, dict) else None
    return settings


def merged(below: dict[str, Any], above: dict[str, Any], *, drop_empty: bool = False) -> dict[str, Any]:
    """Merge settings into others, object by object; null removes a setting (RFC 7396)."""
    result = dict(below)
    for name, value in above.items():
        if value is None:
            result.pop(name, None)
        elif isinstance(value, dict):
            inner = result.get(name)
            result[name] = merged(inner if isinstance(inner, dict) else {}, value, drop_empty=drop_empty)
            if not result[name] and drop_empty:
                del result[name]
        else:
            result[name] = value
    return result


async def _keep(cx: Context, site: Any, item_id: str, settings: dict[str, Any]) -> None:
    await forget(cx, site.id, item_id)
    await cx.tx.add(Customization, site_id=site.id, item_id=item_id, settings=settings, updated_at=cx.now)


def _kept(site: Any, item_id: str) -> dict[str, Any]:
    return next((row.settings for row in site.looks if row.item_id == item_id), {})


def _plain(settings: CustomizationSettings) -> dict[str, Any]:
    """Return the settings as they are kept and sent."""
    return settings.model_dump(by_alias=True, exclude_none=True)
