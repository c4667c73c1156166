"""Writes down what visitors of sites did, and forgets what is too old.

What a process counted is added to what is there, so that several processes count together; the visitors of a
day are merged. Names beyond the number that is kept of a site and day are added to those without a name.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from functools import partial
from hashlib import blake2b
from typing import Any

from sqlalchemy import Delete, Select, delete, func, select, update

from app.domain.sites.visit_counts import MOST_NAMES, OTHERS, Count, Counted, Noted, VisitCounts
from app.kit import distinct_counts
from app.kit.database.columns import Key
from app.kit.database.interface import Database, Transaction
from app.kit.database.sql import among
from app.kit.database.statements import by_engine, command, given, insert_into, rows, table
from app.models.site_statistics import SiteCount, SiteVisitors
from app.models.sites import Site

log = logging.getLogger("docyard.work")
COUNTS, VISITORS, SITES = table(SiteCount), table(SiteVisitors), table(Site)
AT_ONCE = 5_000  # counts of one transaction
NUMBERS = ("people", "agents", "bots")

_THERE = rows(lambda: select(SITES.c.id).where(among(SITES.c.id, "sites")))
_KNOWN = rows(lambda: select(COUNTS.c.id).where(among(COUNTS.c.id, "ids")))


def _names() -> Select[Any]:
    places = COUNTS.c.site_id, COUNTS.c.day, COUNTS.c.kind
    found = select(*places, func.count().label("names")).group_by(*places)
    return found.where(
        among(COUNTS.c.site_id, "sites"), among(COUNTS.c.kind, "kinds"), among(COUNTS.c.day, "days")
    )


_NAMES = rows(_names)
_SKETCHES = rows(
    lambda: select(VISITORS.c.site_id, VISITORS.c.day, VISITORS.c.sketch).where(
        among(VISITORS.c.site_id, "sites"), among(VISITORS.c.day, "days")
    )
)


def _add(engine: str) -> Any:
    insert = insert_into(COUNTS, engine)
    values = {name: given(name, column.type) for name, column in COUNTS.c.items()}
    sums = {name: COUNTS.c[name] + insert.excluded[name] for name in NUMBERS}
    again = {
        **sums,
        "last_at": insert.excluded.last_at,
        "referrer": func.coalesce(insert.excluded.referrer, COUNTS.c.referrer),
    }
    return insert.values(**values).on_conflict_do_update(index_elements=[COUNTS.c.id], set_=again)


def _merge(engine: str) -> Any:
    insert = insert_into(VISITORS, engine)
    values = {name: given(name, column.type) for name, column in VISITORS.c.items()}
    again = {name: insert.excluded[name] for name in ("visitors", "sketch")}
    keys = [VISITORS.c.site_id, VISITORS.c.day]
    return insert.values(**values).on_conflict_do_update(index_elements=keys, set_=again)


_ADD, _MERGE = command(by_engine(_add)), command(by_engine(_merge))


def _before(t: Any) -> Delete:
    return delete(t).where(t.c.day < given("day", Key))


_FORGET = [command(lambda: _before(COUNTS)), command(lambda: _before(VISITORS))]
_END_DAYS = command(
    lambda: (
        update(VISITORS)
        .values(sketch=None)
        .where(VISITORS.c.day < given("day", Key), VISITORS.c.sketch.is_not(None))
    )
)


async def keep(db: Database, counts: VisitCounts, now: datetime, *, all_typed: bool = False) -> None:
    """Write down what was counted, in transactions of at most 5,000 counts; `all_typed` as in `take`.

    Whoever calls this while somebody else writes waits for them. What cannot be written now is counted again
    later.
    """
    async with counts.keeping:
        left = counts.take(now, all_typed=all_typed)
        while left:
            part, left = _divided(left)
            try:
                await db.write(partial(_keep, noted=part))
            except Exception:  # nobody who is answered meanwhile has to do with it
                counts.put_back(part)
                log.exception("statistics of sites could not be kept")


def _divided(noted: Noted) -> tuple[Noted, Noted]:
    counts = list(noted.counts.items())
    return Noted(dict(counts[:AT_ONCE]), noted.visitors), Noted(dict(counts[AT_ONCE:]))


async def _keep(tx: Transaction, noted: Noted) -> None:
    sites = sorted({each.site_id for each in noted.counts} | {site for site, _ in noted.visitors})
    there = {row.id for row in await tx.all(_THERE, sites=sites)}
    counts = {each: count for each, count in noted.counts.items() if each.site_id in there}
    await tx.run_many(_ADD, await _rows(tx, counts))
    await _keep_visitors(tx, {p: noted.visitors[p] for p in sorted(noted.visitors) if p[0] in there})


async def _rows(tx: Transaction, counts: dict[Counted, Count]) -> Sequence[dict[str, Any]]:
    """Return the rows that are added, in the order of their ids, so that two processes do not deadlock."""
    ids = {each: _id(each) for each in counts}
    known = {row.id for row in await tx.all(_KNOWN, ids=list(ids.values()))}
    new = [each for each in counts if ids[each] not in known and each.name != OTHERS]
    names = await _numbers_of_names(tx, new)
    made: dict[str, dict[str, Any]] = {}
    for each, count in counts.items():
        if ids[each] not in known and each.name != OTHERS:
            place = each[:3]
            names[place] = names.get(place, 0) + 1
            if names[place] > MOST_NAMES[each.kind]:
                each = each._replace(name=OTHERS)
        _sum(made, each, count)
    return [made[id_] for id_ in sorted(made)]


async def _numbers_of_names(tx: Transaction, new: Collection[Counted]) -> dict[tuple[str, str, str], int]:
    if not new:
        return {}
    asked = {
        "sites": sorted({each.site_id for each in new}),
        "kinds": sorted({each.kind for each in new}),
        "days": sorted({each.day for each in new}),
    }
    return {(row.site_id, row.day, row.kind): row.names for row in await tx.all(_NAMES, **asked)}


def _sum(made: dict[str, dict[str, Any]], each: Counted, count: Count) -> None:
    id_ = _id(each)
    none = {**dict.fromkeys(NUMBERS, 0), "last_at": count.last_at, "referrer": None}
    row = made.setdefault(id_, {"id": id_, **each._asdict(), **none})
    for name in NUMBERS:
        row[name] += getattr(count, name)
    row["last_at"] = max(row["last_at"], count.last_at)
    row["referrer"] = count.referrer or row["referrer"]


def _id(each: Counted) -> str:
    return blake2b("\n".join(each).encode("utf-8", "replace"), digest_size=16).hexdigest()


async def _keep_visitors(tx: Transaction, noted: dict[tuple[str, str], dict[int, int]]) -> None:
    if not noted:
        return
    sites, days = sorted({site for site, _ in noted}), sorted({day for _, day in noted})
    known = {(row.site_id, row.day): row.sketch for row in await tx.all(_SKETCHES, sites=sites, days=days)}
    made = []
    for (site, day), registers in noted.items():
        sketch = distinct_counts.merged(known.get((site, day)), registers)
        visitors = distinct_counts.estimated(sketch)
        made.append({"site_id": site, "day": day, "visitors": visitors, "sketch": sketch})
    await tx.run_many(_MERGE, made)


async def forget(db: Database, now: datetime, days: int) -> None:
    """Delete the statistics of days that are past by more than so many, and the sketches of past days."""
    first = (now - timedelta(days=days)).date().isoformat()
    for statement in _FORGET:
        await db.execute(statement, day=first)
    await db.execute(_END_DAYS, day=(now - timedelta(days=1)).date().isoformat())
