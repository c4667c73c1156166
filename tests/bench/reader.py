"""Published pages: one that was written before beside a constant answer of its size, one that is written for
the first time beside the parse of its Markdown, and one among ten thousand beside the same among a hundred.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any, TypeVar

from app.access.context import Actor, Context, Membership
from app.access.rights import level
from app.cli.serve import _spare_the_collector
from app.domain.imports import tree_import
from app.domain.organizations import organizations, users
from app.domain.publishing import visits
from app.domain.publishing.visitors import ANYBODY
from app.domain.publishing.visits import SiteRequest
from app.domain.sites import sites
from app.domain.spaces import spaces
from app.formats.markdown.parser import to_document
from app.formats.markdown.passages import BodyText
from app.main import Services, create_app
from app.models.organizations import OrganizationCreate
from app.models.sites import SiteCreate
from app.models.spaces import SpaceCreate
from app.site_reader import pages as site_pages
from app.site_reader.page_content import text_of
from app.site_reader.request_url import SiteOrigins
from app.site_reader.state import ReaderState, ResponseCache
from app.site_reader.visit import VisibleSpaces, Visit
from tests.bench import markdown
from tests.bench.data import create, inside, settings_of, tables
from tests.bench.load import Request, Target, compared, race
from tests.bench.options import Options
from tests.bench.report import Goal, Row, ratio
from tests.bench.servers import ceiling, docyard

FEW, MANY = 100, 10_000
WRITTEN = 40  # pages that are written for the first time in a round
TEN_KB = (7_000, 13_000)  # characters
BROWSER = {
    "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    "Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8",
    "Accept-Language": "en-GB,en;q=0.9",
    "Sec-Fetch-Dest": "document",
}  # what a browser sends, whose visits a site counts
T = TypeVar("T")


def run(options: Options) -> list[Row]:
    """Measure it all."""
    few, many = (_published(options, pages) for pages in (FEW, MANY))
    return [*_cached(options, few), *_cached(options, many), *_first(options, few), _size(few, many)]


def _published(options: Options, pages: int) -> tuple[Path, str]:
    """A database with a site of so many pages, and the path of the site."""
    path = options.scratch / f"site-{tables()}-{pages}.db"
    note = path.with_suffix(".path")
    if not note.exists():
        repository = markdown.write(options.scratch, pages)
        create(path)
        note.write_text(inside(path, lambda cx: _publish(cx, repository)))
    return path, note.read_text()


async def _publish(cx: Context, repository: Path) -> str:
    user = await users.create(cx, "bench@example.org", "Bench")
    organization = await organizations.found(cx, user.id, OrganizationCreate(title="Bench"))
    administrator = Membership(organization.id, level("admin"), level("admin"))
    cx = replace(cx, actor=Actor(user.id, memberships={organization.id: administrator}))
    space = await spaces.create(cx, organization.id, SpaceCreate(title="Large"))
    with tree_import.open_plan(repository) as plan:
        await tree_import.import_plan(cx, space, plan)
    site = await sites.create(cx, organization.id, SiteCreate(title="Large", spaces=[space.id]))
    await sites.publish(cx, organization.id, site.id)
    return f"/sites/{organization.id}/{site.id}"


def _cached(options: Options, published: tuple[Path, str]) -> list[Row]:
    database, path = published
    with docyard(database) as server:
        ours = Target(server, [Request(path, headers=BROWSER)])
        page = options.scratch / "page.html"
        page.write_bytes(ours.ask().content)
        with ceiling("constant:app", page) as bare:
            constant = Target(bare, [Request("/page", headers=BROWSER)])
            assert constant.ask().content == ours.ask().content
            series = race({"ours": ours, "bare": constant}, options.rounds_or(5), options.seconds_or(2))
    size = page.stat().st_size
    what = f"a page of {size / 1000:.0f} kB that was written before"
    row = compared(what, series["ours"], "a constant answer of its size", series["bare"], Goal(least=0.5))
    row.ours["bytes"] = size
    return [row]


def _first(options: Options, published: tuple[Path, str]) -> list[Row]:
    """Pages of about 10 kB, each written from its text to its last byte, and their Markdown read alone; in
    seconds of the processor, since both run here one after another."""
    database, path = published
    texts, written, parsed = asyncio.run(_timed(database, path, options.rounds_or(5)))
    ours = {"ms": median(written) * 1000 / texts, "pages": texts}
    theirs = {"ms": median(parsed) * 1000 / texts}
    ratios = {"time": ratio(written, parsed)}
    return [
        Row("a page of 10 kB for the first time", "its Markdown parsed", ratios, Goal(most=2), ours, theirs)
    ]


async def _timed(database: Path, path: str, rounds: int) -> tuple[int, list[float], list[float]]:
    app = create_app(settings_of(database, base_url="http://bench.example", shared_origin=True))
    instance: Services = app.state.services
    await instance.ready()
    _spare_the_collector()
    try:
        found = [await _round(instance, path) for _ in range(rounds + 1)][
            1:
        ]  # the first loads what is needed
        return found[0][0], [written for _, written, _ in found], [parsed for _, _, parsed in found]
    finally:
        await instance.close()


async def _round(instance: Services, path: str) -> tuple[int, float, float]:
    state, visit = await _visited(instance, path)
    pages = await _pages(state, visit)
    written = parsed = 0.0
    for page in pages:  # in turn, since the machine has moods
        parsed += await _seconds(lambda page=page: _parsed([page]))  # type: ignore[misc]
        written += await _seconds(lambda page=page: _written(state, visit, [page]))  # type: ignore[misc]
    return len(pages), written, parsed


async def _visited(instance: Services, path: str) -> tuple[ReaderState, Visit]:
    from app.domain.content.pages import kept_document

    kept_document.cache_clear()
    state = ReaderState(
        instance.runtime,
        SiteOrigins(instance.settings),
        ResponseCache(instance.settings.page_cache),
        VisibleSpaces(),
    )
    cx = instance.runtime.context_of_nobody()
    _, _, organization, site = path.split("/")
    found = await visits.find(cx, SiteRequest([], organization, site))
    assert found is not None
    return state, Visit(cx, found[0], [], ANYBODY, {})


async def _pages(state: ReaderState, visit: Visit) -> list[tuple[Any, BodyText]]:
    space = await state.spaces.at(visit, next(node for node in visit.tree.roots))
    assert space is not None
    found = [(row, await text_of(visit, row)) for row in space.tree.in_order()]
    return [(row, text) for row, text in found if TEN_KB[0] < len(text.body) < TEN_KB[1]][:WRITTEN]


async def _parsed(pages: list[tuple[Any, BodyText]]) -> None:
    for _, text in pages:
        to_document(text.body)


async def _written(state: ReaderState, visit: Visit, pages: list[tuple[Any, BodyText]]) -> None:
    for row, _ in pages:
        answer = await site_pages.respond(state, replace_parts(visit, row.path.split("/")))
        assert answer.status == 200, (row.path, answer.status)


def replace_parts(visit: Visit, parts: list[str]) -> Visit:
    """Return the same visitor at another address of the site."""
    return Visit(visit.cx, visit.site, parts, visit.visitor, visit.claims)


async def _seconds(call: Callable[[], Awaitable[T]]) -> float:
    started = process_time()
    await call()
    return process_time() - started


def _size(few: tuple[Path, str], many: tuple[Path, str]) -> Row:
    """Return what is sent of the tree: bytes of the page where both sites begin, without its own text."""
    sizes = []
    for database, path in (few, many):
        with docyard(database) as server:
            text = Target(server, [Request(path)]).ask().text
            sizes.append({"bytes": float(len(text)), "links": float(text.count("<a "))})
    ratios = {name: sizes[1][name] / sizes[0][name] for name in ("links", "bytes")}
    return Row("a page among 10,000", "the same among 100", ratios, None, sizes[1], sizes[0])
