"""Rows of links as they are listed: what they lead to and where they stand, with whole objects at both ends.

A link to another space is judged when it is read, as the caller sees that: it changes by itself, and what the
caller may not see is as if it were not there. Every statement needs the values of `seeing_inside`.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    FromClause,
    Label,
    Select,
    and_,
    case,
    exists,
    func,
    literal,
    not_,
    or_,
    select,
)

from app.access.fetch import visible
from app.domain.content.content import FILE_VERSIONS, PAGE_VERSIONS, file_columns, page_columns
from app.domain.content.views import CHANGE_REQUESTS, NOW, REVISIONS, SPACES, View
from app.formats.markdown.hrefs import ANY_ANCHOR, ELSEWHERE
from app.kit.database.sql import holds, nested
from app.kit.database.statements import given, table
from app.models.files import FileVersion
from app.models.links import Link
from app.models.organizations import Organization
from app.models.pages import Document, PageVersion
from app.models.revisions import ReusableVersion
from app.models.spaces import Space

LINKS = table(Link)
ORGANIZATIONS, DOCUMENTS, REUSABLE_VERSIONS = table(Organization), table(Document), table(ReusableVersion)
_LINE = "\n"


@cache
def row_columns(view: View) -> list[Any]:
    """Return the columns of a listed link; the lists of a view share them, which take long to build."""
    told = (
        "line_id",
        "holder_id",
        "position",
        "href",
        "relation",
        "target_kind",
        "target_id",
        "target_anchor",
    )
    return [
        *(LINKS.c[name] for name in told),
        status().label("status"),
        *(
            nested(found.correlate(SPACES, CHANGE_REQUESTS, REVISIONS, LINKS), name)
            for name, found in _ends(view).items()
        ),
    ]


def target_columns(view: View) -> list[Any]:
    """Return the columns of a link that tell what it leads to: its address, and what is shown of it."""
    told = ("holder_id", "href", "target_kind", "target_id", "target_anchor", "target_space")
    ends = _ends(view)
    lean = {
        name: ends[name].with_only_columns(*(ends[name].selected_columns[column] for column in columns))
        for name, columns in _TOLD.items()
    }
    return [
        *(LINKS.c[name] for name in told),
        status().label("status"),
        *(
            nested(found.correlate(SPACES, CHANGE_REQUESTS, REVISIONS, LINKS), name)
            for name, found in lean.items()
        ),
    ]


_PAGE = ("path", "title", "description", "emoji", "icon")
_FILE = ("name", "blob_id", "size", "content_type", "width", "height")
_TOLD = {
    "to_page": _PAGE,
    "to_file": _FILE,
    "far_space": ("id", "organization_id", "title"),
    "far_page": _PAGE,
    "far_file": _FILE,
}


@cache
def _ends(view: View) -> dict[str, Select[Any]]:
    """Return what a link joins, by the name of the column; each is one row or none.

    What is in another space (`far_…`) is only for callers who see the space, `far_space`. Many statements
    share these parts, which take long to build.
    """
    space, home = table(Space).alias("far"), table(Space).alias("home")
    seen = and_(space.c.id == LINKS.c.target_space, is_elsewhere(), visible(space, inside=space))
    is_home = and_(home.c.id == LINKS.c.line_id, LINKS.c.line_id != SPACES.c.id)
    ends = {
        "from_page": select(*page_columns()).where(
            _on_line_of(view, PAGE_VERSIONS), PAGE_VERSIONS.c.page_id == LINKS.c.holder_id
        ),
        "from_block": select(*REUSABLE_VERSIONS.c).where(
            _on_line_of(view, REUSABLE_VERSIONS), REUSABLE_VERSIONS.c.reusable_id == LINKS.c.holder_id
        ),
        "far_space": select(*space.c).where(seen, space.c.deleted_at.is_(None)),
        "far_organization": select(*ORGANIZATIONS.c)
        .join(space, space.c.organization_id == ORGANIZATIONS.c.id)
        .where(seen),
        "home": select(*home.c).where(is_home),
        "home_organization": select(*ORGANIZATIONS.c)
        .join(home, home.c.organization_id == ORGANIZATIONS.c.id)
        .where(is_home),
    }
    for name, t, key, columns in (
        ("page", PAGE_VERSIONS, "page_id", page_columns),
        ("file", FILE_VERSIONS, "file_id", file_columns),
        ("block", REUSABLE_VERSIONS, "reusable_id", lambda t: t.c),
    ):
        here, far = t.alias(f"to_{name}"), t.alias(f"far_{name}")
        in_place = and_(here.c[key] == LINKS.c.target_id, view.valid(here, keyed=True), not_(is_elsewhere()))
        in_space = and_(far.c[key] == LINKS.c.target_id, far.c.line_id == LINKS.c.target_space, _is_open(far))
        ends[f"to_{name}"] = select(*columns(here)).where(in_place)
        ends[f"far_{name}"] = select(*columns(far)).where(in_space, is_elsewhere())
    return ends


def _on_line_of(view: View, t: Any) -> ColumnElement[bool]:
    """Return the rows of a table where a link stands; links from other spaces are read as they are now."""
    if view is NOW:
        return and_(t.c.line_id == LINKS.c.line_id, t.c.valid_to.is_(None))
    return view.valid(t, keyed=True)


def is_elsewhere() -> ColumnElement[bool]:
    """Tell whether a link leads to another space."""
    return LINKS.c.status == ELSEWHERE


def status() -> ColumnElement[str]:
    """Return the status of a link as the caller sees it."""
    return case((and_(is_elsewhere(), is_there()), "ok"), (is_elsewhere(), "broken"), else_=LINKS.c.status)


@cache
def is_there() -> ColumnElement[bool]:
    """Tell whether the caller sees what a link to another space leads to.

    One flat selection: parsers have no room for many inside each other.
    """
    space, page, file = (table(model).alias(name) for model, name in _SOUGHT)
    block, included, inside = (
        REUSABLE_VERSIONS.alias("sought_block"),
        LINKS.alias("included"),
        REUSABLE_VERSIONS.alias("inside"),
    )
    own, others = DOCUMENTS.alias("own"), DOCUMENTS.alias("others")
    joined: FromClause = space
    for t, key in ((page, "page_id"), (file, "file_id"), (block, "reusable_id")):
        joined = joined.outerjoin(
            t, and_(t.c.line_id == space.c.id, t.c[key] == LINKS.c.target_id, _is_open(t))
        )
    shows = and_(included.c.line_id == page.c.line_id, included.c.holder_id == page.c.page_id)
    needs = and_(included.c.relation == "dependsOn", included.c.target_kind == "reusable-content")
    is_shown = and_(inside.c.line_id == page.c.line_id, inside.c.reusable_id == included.c.target_id)
    joined = (
        joined.outerjoin(own, own.c.id == page.c.document_id)
        .outerjoin(included, and_(shows, needs, _is_open(included)))
        .outerjoin(inside, and_(is_shown, _is_open(inside)))
        .outerjoin(others, others.c.id == inside.c.document_id)
    )
    entered = or_(LINKS.c.target_anchor.is_(None), own.c.anchors.is_(None), _has(own), _has(others))
    is_found = or_(
        LINKS.c.target_kind == "space",
        file.c.file_id.is_not(None),
        block.c.reusable_id.is_not(None),
        and_(page.c.page_id.is_not(None), entered),
    )
    seen = (space.c.id == LINKS.c.target_space, space.c.deleted_at.is_(None), visible(space, inside=space))
    found = exists().select_from(joined).where(*seen, is_found)
    return found.correlate_except(space, page, file, block, own, included, inside, others)


_SOUGHT = ((Space, "sought_space"), (PageVersion, "sought_page"), (FileVersion, "sought_file"))


def _is_open(t: Any) -> ColumnElement[bool]:
    is_open: ColumnElement[bool] = t.c.valid_to.is_(None)
    return is_open


def _has(document: Any) -> ColumnElement[bool]:
    """Tell whether a text has the place that a link enters, or any that somebody may ask for."""
    lines = literal(_LINE) + document.c.anchors + _LINE
    wanted = literal(_LINE) + LINKS.c.target_anchor + _LINE
    return or_(holds(lines, wanted), holds(lines, literal(f"{_LINE}{ANY_ANCHOR}{_LINE}")))


def leads_here(target: Any) -> ColumnElement[bool]:
    """Return the links that lead to something of the space, from inside of it."""
    return and_(LINKS.c.target_id == target, not_(is_elsewhere()))


def leads_here_from_elsewhere(target: Any) -> ColumnElement[bool]:
    """Return the links that lead to something of the space as it is now,
    from other spaces that the caller sees.
    """
    home = table(Space).alias("from")
    shown = (home.c.id == LINKS.c.line_id, home.c.deleted_at.is_(None), visible(home, inside=home))
    seen = exists().where(*shown).correlate_except(home)
    return and_(
        LINKS.c.target_space == SPACES.c.id,
        LINKS.c.target_id == target,
        LINKS.c.valid_to.is_(None),
        LINKS.c.line_id != SPACES.c.id,
        seen,
    )


def counted(view: View, name: str, *conditions: Any) -> Label[int]:
    """Return how many links of the place meet conditions, as a column."""
    found = select(func.count()).select_from(LINKS).where(view.valid(LINKS), *conditions)
    return found.scalar_subquery().label(name)


def texts(view: View, page: Select[Any]) -> list[Label[Any]]:
    """Return the bodies in which the links of a page of a list stand, each once:
    `page_texts` and `block_texts`.
    """
    return [
        _texts(view, page, PAGE_VERSIONS, "page_id", "page_texts"),
        _texts(view, page, REUSABLE_VERSIONS, "reusable_id", "block_texts"),
    ]


def _texts(view: View, page: Select[Any], t: Any, key: str, name: str) -> Label[Any]:
    ids = (
        page.with_only_columns(LINKS.c.line_id, LINKS.c.holder_id)
        .correlate(SPACES, CHANGE_REQUESTS, REVISIONS)
        .subquery()
    )
    holders = select(ids.c.line_id, ids.c.holder_id).distinct().subquery()
    found = (
        select(t.c.line_id, t.c[key].label("holder_id"), t.c.document_id, DOCUMENTS.c.markdown)
        .select_from(holders)
        .join(t, and_(t.c.line_id == holders.c.line_id, t.c[key] == holders.c.holder_id))
        .join(DOCUMENTS, DOCUMENTS.c.id == t.c.document_id)
        .where(t.c.valid_to.is_(None) if view is NOW else view.valid(t, keyed=True))
    )
    return nested(found.correlate(SPACES, CHANGE_REQUESTS, REVISIONS), name)


def of_holder() -> ColumnElement[bool]:
    """Return the links that stand in the page or reusable content `target`."""
    return LINKS.c.holder_id == given("target")
