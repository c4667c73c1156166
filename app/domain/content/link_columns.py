"""Rows of links as they are listed: what they lead to and where they stand, with whole objects at both ends.

A link to another space is judged when it is read, as the caller sees that: it changes by itself, and what the
caller may not see is as if it were not there. Every statement needs the values of `seeing_inside`.
"""

from __future__ import annotations

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
from app.domain.content.content import f_, file_columns, p_, page_columns
from app.domain.content.views import NOW, View, r_, s_, v_
from app.formats.markdown.hrefs import ANY_ANCHOR, ELSEWHERE
from app.kit.database.sql import holds, nested
from app.kit.database.statements import given, table
from app.models.files import FileVersion
from app.models.links import Link
from app.models.organizations import Organization
from app.models.pages import Document, PageVersion
from app.models.revisions import ReusableVersion
from app.models.spaces import Space

l_ = table(Link)
_o, _d, _u = table(Organization), table(Document), table(ReusableVersion)
_LINE = "\n"


def row_columns(view: View) -> list[Any]:
    """Return the columns of a listed link."""
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
        *(l_.c[name] for name in told),
        status().label("status"),
        *(nested(found.correlate(s_, r_, v_, l_), name) for name, found in _ends(view).items()),
    ]


def target_columns(view: View) -> list[Any]:
    """Return the columns of a link that tell what it leads to, and the address of that."""
    told = ("holder_id", "href", "target_kind", "target_id", "target_anchor", "target_space")
    ends = _ends(view)
    lean = {
        name: ends[name].with_only_columns(*(ends[name].selected_columns[column] for column in columns))
        for name, columns in _ADDRESSED.items()
    }
    return [
        *(l_.c[name] for name in told),
        status().label("status"),
        *(nested(found.correlate(s_, r_, v_, l_), name) for name, found in lean.items()),
    ]


_ADDRESSED = {
    "to_page": ("path",),
    "to_file": ("name", "blob_id"),
    "far_space": ("id", "organization_id"),
    "far_page": ("path",),
    "far_file": ("name",),
}


def _ends(view: View) -> dict[str, Select[Any]]:
    """Return what a link joins, by the name of the column; each is one row or none.

    What is in another space (`far_…`) is only for callers who see the space, `far_space`.
    """
    space, home = table(Space).alias("far"), table(Space).alias("home")
    seen = and_(space.c.id == l_.c.target_space, is_elsewhere(), visible(space, inside=space))
    is_home = and_(home.c.id == l_.c.line_id, l_.c.line_id != s_.c.id)
    ends = {
        "from_page": select(*page_columns()).where(_on_line_of(view, p_), p_.c.page_id == l_.c.holder_id),
        "from_block": select(*_u.c).where(_on_line_of(view, _u), _u.c.reusable_id == l_.c.holder_id),
        "far_space": select(*space.c).where(seen, space.c.deleted_at.is_(None)),
        "far_organization": select(*_o.c).join(space, space.c.organization_id == _o.c.id).where(seen),
        "home": select(*home.c).where(is_home),
        "home_organization": select(*_o.c).join(home, home.c.organization_id == _o.c.id).where(is_home),
    }
    for name, t, key, columns in (
        ("page", p_, "page_id", page_columns),
        ("file", f_, "file_id", file_columns),
        ("block", _u, "reusable_id", lambda t: t.c),
    ):
        here, far = t.alias(f"to_{name}"), t.alias(f"far_{name}")
        in_place = and_(here.c[key] == l_.c.target_id, view.valid(here, keyed=True), not_(is_elsewhere()))
        in_space = and_(far.c[key] == l_.c.target_id, far.c.line_id == l_.c.target_space, _is_open(far))
        ends[f"to_{name}"] = select(*columns(here)).where(in_place)
        ends[f"far_{name}"] = select(*columns(far)).where(in_space, is_elsewhere())
    return ends


def _on_line_of(view: View, t: Any) -> ColumnElement[bool]:
    """Return the rows of a table where a link stands; links from other spaces are read as they are now."""
    if view is NOW:
        return and_(t.c.line_id == l_.c.line_id, t.c.valid_to.is_(None))
    return view.valid(t, keyed=True)


def is_elsewhere() -> ColumnElement[bool]:
    """Tell whether a link leads to another space."""
    return l_.c.status == ELSEWHERE


def status() -> ColumnElement[str]:
    """Return the status of a link as the caller sees it."""
    return case((and_(is_elsewhere(), is_there()), "ok"), (is_elsewhere(), "broken"), else_=l_.c.status)


def is_there() -> ColumnElement[bool]:
    """Tell whether the caller sees what a link to another space leads to.

    One flat selection: parsers have no room for many inside each other.
    """
    space, page, file = (table(model).alias(name) for model, name in _SOUGHT)
    block, included, inside = _u.alias("sought_block"), l_.alias("included"), _u.alias("inside")
    own, others = _d.alias("own"), _d.alias("others")
    joined: FromClause = space
    for t, key in ((page, "page_id"), (file, "file_id"), (block, "reusable_id")):
        joined = joined.outerjoin(t, and_(t.c.line_id == space.c.id, t.c[key] == l_.c.target_id, _is_open(t)))
    shows = and_(included.c.line_id == page.c.line_id, included.c.holder_id == page.c.page_id)
    needs = and_(included.c.relation == "dependsOn", included.c.target_kind == "reusable-content")
    is_shown = and_(inside.c.line_id == page.c.line_id, inside.c.reusable_id == included.c.target_id)
    joined = (
        joined.outerjoin(own, own.c.id == page.c.document_id)
        .outerjoin(included, and_(shows, needs, _is_open(included)))
        .outerjoin(inside, and_(is_shown, _is_open(inside)))
        .outerjoin(others, others.c.id == inside.c.document_id)
    )
    entered = or_(l_.c.target_anchor.is_(None), own.c.anchors.is_(None), _has(own), _has(others))
    is_found = or_(
        l_.c.target_kind == "space",
        file.c.file_id.is_not(None),
        block.c.reusable_id.is_not(None),
        and_(page.c.page_id.is_not(None), entered),
    )
    seen = (space.c.id == l_.c.target_space, space.c.deleted_at.is_(None), visible(space, inside=space))
    found = exists().select_from(joined).where(*seen, is_found)
    return found.correlate_except(space, page, file, block, own, included, inside, others)


_SOUGHT = ((Space, "sought_space"), (PageVersion, "sought_page"), (FileVersion, "sought_file"))


def _is_open(t: Any) -> ColumnElement[bool]:
    is_open: ColumnElement[bool] = t.c.valid_to.is_(None)
    return is_open


def _has(document: Any) -> ColumnElement[bool]:
    """Tell whether a text has the place that a link enters, or any that somebody may ask for."""
    lines = literal(_LINE) + document.c.anchors + _LINE
    wanted = literal(_LINE) + l_.c.target_anchor + _LINE
    return or_(holds(lines, wanted), holds(lines, literal(f"{_LINE}{ANY_ANCHOR}{_LINE}")))


def leads_here(target: Any) -> ColumnElement[bool]:
    """Return the links that lead to something of the space, from inside of it."""
    return and_(l_.c.target_id == target, not_(is_elsewhere()))


def leads_here_from_elsewhere(target: Any) -> ColumnElement[bool]:
    """The links that lead to something of the space as it is now, from other spaces that the caller sees."""
    home = table(Space).alias("from")
    shown = (home.c.id == l_.c.line_id, home.c.deleted_at.is_(None), visible(home, inside=home))
    seen = exists().where(*shown).correlate_except(home)
    return and_(
        l_.c.target_space == s_.c.id,
        l_.c.target_id == target,
        l_.c.valid_to.is_(None),
        l_.c.line_id != s_.c.id,
        seen,
    )


def counted(view: View, name: str, *conditions: Any) -> Label[int]:
    """Return how many links of the place meet conditions, as a column."""
    found = select(func.count()).select_from(l_).where(view.valid(l_), *conditions)
    return found.scalar_subquery().label(name)


def texts(view: View, page: Select[Any]) -> list[Label[Any]]:
    """The bodies in which the links of a page of a list stand, each once: `page_texts` and `block_texts`."""
    return [
        _texts(view, page, p_, "page_id", "page_texts"),
        _texts(view, page, _u, "reusable_id", "block_texts"),
    ]


def _texts(view: View, page: Select[Any], t: Any, key: str, name: str) -> Label[Any]:
    ids = page.with_only_columns(l_.c.line_id, l_.c.holder_id).correlate(s_, r_, v_).subquery()
    holders = select(ids.c.line_id, ids.c.holder_id).distinct().subquery()
    found = (
        select(t.c.line_id, t.c[key].label("holder_id"), t.c.document_id, _d.c.markdown)
        .select_from(holders)
        .join(t, and_(t.c.line_id == holders.c.line_id, t.c[key] == holders.c.holder_id))
        .join(_d, _d.c.id == t.c.document_id)
        .where(t.c.valid_to.is_(None) if view is NOW else view.valid(t, keyed=True))
    )
    return nested(found.correlate(s_, r_, v_), name)


def of_holder() -> ColumnElement[bool]:
    """Return the links that stand in the page or reusable content `target`."""
    return l_.c.holder_id == given("target")
