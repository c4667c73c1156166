"""Imports of repositories as sites: a space for each language, which are variants of each other.

An import into a site that is there updates its spaces: the one in the same language, or for a repository
without languages the one of the same title, or the only one. What it has no space for becomes a new one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from sqlalchemy import or_, select

from app.access.context import Context
from app.domain.imports.import_texts import Progress
from app.domain.imports.tree_import import Imported, import_plan
from app.domain.revisions.documents import SkippedFiles
from app.domain.sites import site_spaces, sites, structure
from app.domain.sites.structure import Structure
from app.domain.spaces import spaces
from app.formats.repository.file_tree import Tree
from app.formats.repository.import_plan import Plan, read_plan
from app.formats.repository.import_report import Report
from app.formats.repository.languages import LanguagePart, read_languages
from app.kit.database.sql import among
from app.kit.database.statements import given, query, rows, table
from app.kit.errors import Conflict
from app.models.checks import checked
from app.models.sites import Site, SiteCreate
from app.models.spaces import Space, SpaceCreate
from app.models.translations import Language

SITES, SPACES = table(Site), table(Space)
_NAMED = rows(
    lambda: (
        select(SITES.c.id)
        .where(
            SITES.c.organization_id == given("organization"),
            or_(SITES.c.id == given("id"), SITES.c.title_folded == given("title")),
        )
        .order_by(SITES.c.id)
        .limit(2)
    )
)
_SPACES = query(
    Space, lambda: select(*SPACES.c).where(among(SPACES.c.id, "ids"), SPACES.c.deleted_at.is_(None))
)
_CODES = {
    "zh-cn": "zh",
    "zh-hans": "zh",
    "zh-hant": "zh-tw",
    "zh-hk": "zh-tw",
    "nb": "no",
    "jp": "ja",
    "kr": "ko",
}


@dataclass(slots=True, frozen=True)
class SitePart:
    """A space of a site as it shall be: its title, its path and language where it has them, and its files."""

    title: str
    path: str | None
    language: str | None
    tree: Tree


@dataclass(slots=True, frozen=True)
class SpaceOutcome:
    """A space of a site that was imported, with the outcome."""

    space_id: str
    part: SitePart
    outcome: Imported


@dataclass(slots=True, frozen=True)
class SiteOutcome:
    """A site that was imported; `is_new` tells whether it was made."""

    site_id: str
    is_new: bool
    is_published: bool
    spaces: list[SpaceOutcome]


def parts_of(tree: Tree, title: str, report: Report) -> list[SitePart]:
    """Return the spaces that a repository makes: one for each language that it lists, else a single one."""
    found = read_languages(tree, report)
    if not found:
        return [SitePart(title[: spaces.LONGEST_TITLE].strip(), None, None, tree)]
    return [_part(each) for each in found]


def _part(found: LanguagePart) -> SitePart:
    title = found.title[: spaces.LONGEST_TITLE].strip()
    return SitePart(title, found.folder, language_of(found.folder), found.tree)


def language_of(folder: str) -> str | None:
    """Return the language that a folder is named after: `pt_BR` is `pt-br`, and `de-AT` is `de`."""
    name = folder.lower().replace("_", "-")
    known = set(get_args(Language))
    return next((code for code in (name, _CODES.get(name), name.partition("-")[0]) if code in known), None)


def plans_of(parts: Iterable[SitePart]) -> list[Plan]:
    """Return the plan of each part."""
    return [read_plan(part.tree, of_any_tool=True) for part in parts]


async def import_site(
    cx: Context,
    organization_id: str,
    named: str,
    parts: Sequence[SitePart],
    plans: Sequence[Plan],
    *,
    publish: bool | None = None,
    mirror: bool = False,
    leaving: SkippedFiles | None = None,
    progress: Progress = lambda _done: None,
) -> SiteOutcome:
    """Import the parts of a repository into the site with an id or title, which is made where there is none.

    `publish` puts the site online or takes it offline; by default it stays as it is. Raises Conflict for a
    title that several sites have, and for a locked space.
    """
    found = await cx.db.all(_NAMED, organization=organization_id, id=named, title=named.casefold())
    if len(found) > 1:
        raise Conflict("Several sites have this title. Give the id of one of them.")
    if found:
        site_id = str(found[0].id)
    else:
        new = checked(SiteCreate, {"title": named}, strict=True)
        site_id = (await sites.create(cx, organization_id, new)).id
    whole = await structure.of(cx, organization_id, site_id, can="create")
    shown = await _shown(cx, whole)
    done: list[SpaceOutcome] = []
    for part, plan in zip(parts, plans, strict=True):
        space = _same(part, shown, alone=len(parts) == 1) or await _new(cx, whole, part)
        if space.edit_mode == "locked":
            raise Conflict(f"The space “{space.title}” is locked. Unlock it first.")
        outcome = await import_plan(cx, space, plan, mirror=mirror, leaving=leaving, progress=progress)
        done.append(SpaceOutcome(space.id, part, outcome))
    await whole.done()
    is_published = bool(whole.site.published)
    if publish is not None and publish != is_published:
        await (sites.publish if publish else sites.unpublish)(cx, organization_id, site_id)
        is_published = publish
    return SiteOutcome(site_id, not found, is_published, done)


async def _shown(cx: Context, whole: Structure) -> list[Space]:
    ids = [item.space_id for item in whole.all("site-space") if item.space_id]
    found: dict[str, Any] = {space.id: space for space in await cx.db.all(_SPACES, ids=sorted(set(ids)))}
    return [found[each] for each in ids if each in found]


def _same(part: SitePart, shown: Sequence[Space], *, alone: bool) -> Space | None:
    """Return the space of the site that a part updates."""
    if part.language is not None:
        return next((space for space in shown if space.language == part.language), None)
    named = (space for space in shown if space.title == part.title)
    return next(named, shown[0] if alone and len(shown) == 1 else None)


async def _new(cx: Context, whole: Structure, part: SitePart) -> Space:
    said = {"title": part.title, **({"language": part.language} if part.language else {})}
    new = checked(SpaceCreate, said, strict=True)
    space = await spaces.create(cx, whole.site.organization_id, new)
    item = await site_spaces.put_in(whole, space.id, whole.default_section)
    if part.path is not None and not _is_taken(whole, item.id, part.path):
        await whole.change(item, path=part.path)
    return space


def _is_taken(whole: Structure, item_id: str, path: str) -> bool:
    return any(item.path == path and item.id != item_id for item in whole.all("site-space"))
