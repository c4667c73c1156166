"""Statistics of sites: what is counted of whom, what is not, and what editors read."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from functools import partial
from hashlib import sha256
from typing import Any

import pytest
from sqlalchemy import text, update

from app.access.context import Context
from app.domain.sites import kept_counts
from app.domain.sites.visit_counts import MOST_ALIKE, MOST_NAMES, BrowserVisit, VisitCounts
from app.kit import distinct_counts
from app.kit.database.statements import command, given, rows
from tests import make
from tests.cast import Cast
from tests.factories.sites import answered
from tests.instance import running
from tests.reader.test_mcp import call
from tests.timing import on_one_day, until
from tests.visitors import PublishedSite

BROWSER = "Mozilla/5.0 (a browser)"
PHONE = "Mozilla/5.0 (a phone) Mobile"
CRAWLER = "Mozilla/5.0 (compatible; Crawler/1.0; +http://crawler.example.org)"
NOTHING = {
    "views": 0,
    "visitors": 0,
    "agentReads": 0,
    "botReads": 0,
    "searches": 0,
    "searchesWithoutResults": 0,
    "brokenUrls": 0,
}


class CountedSite(PublishedSite):
    """A site whose visits are counted."""

    def visit(self, path: str = "/guide/install", agent: str = BROWSER, **headers: str) -> int:
        """Open a path in a browser; the status."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.open(path, **{"User-Agent": agent, **sent}).status_code

    def search(self, words: str, agent: str = BROWSER) -> None:
        """Search as somebody does who types."""
        for end in range(3, len(words) + 1):
            answer = self.ask(
                "GET",
                "/~/search",
                params={"q": words[:end], "format": "json"},
                headers={"User-Agent": agent, "Sec-Fetch-Dest": "empty"},
            )
            assert answer.status_code == 200

    def statistics(self, **query: Any) -> dict[str, Any]:
        """The statistics that an administrator reads."""
        self.cast.instance.keep_visit_counts()
        found: dict[str, Any] = self.get("/statistics", **query)
        return found

    def totals(self, **expected: int) -> None:
        """Check what was counted; everything else was not."""
        assert self.statistics()["totals"] == {**NOTHING, **expected}

    def listed(self, what: str, **query: Any) -> list[dict[str, Any]]:
        """One of the lists."""
        self.cast.instance.keep_visit_counts()
        found: list[dict[str, Any]] = self.get(f"/statistics/{what}", **query)["items"]
        return found


def test_people_are_told_from_agents_and_bots(cast: Cast) -> None:
    site = CountedSite(cast)
    for _ in range(3):
        assert site.visit() == 200
    site.visit(agent=PHONE)
    site.visit("/guide/configure", agent="another")
    site.visit(agent=CRAWLER)
    site.visit("/guide/install.md")
    site.visit(Accept="text/markdown")
    site.visit("/llms.txt")
    site.totals(views=4, visitors=2, agentReads=3, botReads=2)
    install, configure = site.listed("pages")
    assert (install["views"], install["agentReads"], install["botReads"]) == (4, 2, 1)
    assert (configure["views"], configure["agentReads"], configure["botReads"]) == (0, 0, 1)
    assert install["space"] == site.spaces[0]
    page = answered(cast.ada.get(f"/v1/spaces/{site.spaces[0]}/content/path/guide/install"))
    assert install["page"] == page["id"]


def test_answers_that_a_browser_has_or_the_cache_has_count_too(cast: Cast) -> None:
    site = CountedSite(cast)
    etag = site.open("/guide/install", **{"User-Agent": BROWSER}).headers["etag"]
    assert site.visit(If_None_Match=etag) == 304
    site.totals(views=2, visitors=1)


@pytest.mark.parametrize(
    "headers",
    [
        {"DNT": "1"},
        {"Sec_GPC": "1"},
        {"Sec_Purpose": "prefetch;prerender"},
        {"Purpose": "prefetch"},
        {"Sec_Fetch_Dest": "image"},
        {"Sec_Fetch_Dest": "empty"},
    ],
    ids=str,
)
def test_what_nobody_wants_to_be_counted_is_not(cast: Cast, headers: dict[str, str]) -> None:
    site = CountedSite(cast)
    assert site.visit(**headers) == 200
    assert site.visit("/gone", **headers) == 404
    assert site.ask("HEAD", "/guide/install", headers={"User-Agent": BROWSER}).status_code == 200
    site.totals()


def test_previews_are_no_visits(cast: Cast) -> None:
    site = CountedSite(cast)
    url = site.get("/publishing/preview")["url"]
    answer = cast.instance.http.get(url, headers={"User-Agent": BROWSER}, follow_redirects=True)
    assert answer.status_code == 200
    site.totals()


def test_a_site_collects_nothing_that_is_switched_off(cast: Cast) -> None:
    site = CountedSite(cast)
    answered(cast.ada.put(f"{site.path}/customization", {"statistics": {"enabled": False}}))
    site.visit()
    site.search("installer")
    site.visit("/gone")
    assert site.statistics()["enabled"] is False
    site.totals()
    answered(cast.ada.put(f"{site.path}/customization", {}))
    site.visit()
    assert site.statistics()["enabled"] is True
    site.totals(views=1, visitors=1)


def test_a_search_counts_when_it_is_typed_to_its_end(cast: Cast) -> None:
    site = CountedSite(cast)
    site.search("installer")
    site.search("Xylograph", agent=PHONE)
    site.search("xylograph")
    site.search("guide", agent=CRAWLER)
    site.totals(searches=3, searchesWithoutResults=2)
    assert [(each["term"], each["searches"]) for each in site.listed("searches")] == [
        ("xylograph", 2),
        ("installer", 1),
    ]
    (missing,) = site.listed("searches", withoutResults="true")
    assert missing == {"object": "searched-term", "term": "xylograph", "searches": 2, "agentSearches": 0}


@pytest.mark.parametrize("words", ["ada@example.org", "call 0151 2345 6789", "4000123412341234", "x" * 101])
def test_a_term_that_may_be_personal_is_not_kept(cast: Cast, words: str) -> None:
    site = CountedSite(cast)
    asked = site.ask("GET", "/~/search", params={"q": words}, headers={"User-Agent": BROWSER})
    assert asked.status_code == 200
    site.totals(searches=1, searchesWithoutResults=1)
    assert site.listed("searches") == []


def test_broken_urls_say_which_host_links_there(cast: Cast) -> None:
    site = CountedSite(cast)
    assert site.visit("/guide/gone", Referer="https://News.example.org/secret?token=1") == 404
    site.visit("/guide/gone", agent=PHONE)
    site.visit("/other", agent=CRAWLER)
    site.visit("/mail/ada@example.org")
    site.totals(brokenUrls=3)
    (gone,) = site.listed("broken-urls")
    assert {**gone, "lastRequestedAt": None} == {
        "object": "broken-url",
        "path": "/guide/gone",
        "requests": 2,
        "lastRequestedAt": None,
        "referrer": "news.example.org",
    }


def test_views_are_divided_by_where_people_come_from(cast: Cast) -> None:
    site = CountedSite(cast)
    site.visit(Referer="https://news.example.org/", Accept_Language="de-CH,de;q=0.9")
    site.visit(Referer="https://news.example.org/x", Accept_Language="de", agent=PHONE)
    site.visit(Referer=site.url, Accept_Language="en")

    def shares(by: str) -> dict[str, int]:
        return {each["value"]: each["views"] for each in site.listed("breakdown", by=by)}

    assert shares("referrer") == {"news.example.org": 2}
    assert shares("language") == {"de": 2, "en": 1}
    assert shares("device") == {"desktop": 2, "mobile": 1}
    assert shares("space") == {site.spaces[0]: 3}


def test_a_range_is_compared_with_the_one_before_it(cast: Cast) -> None:
    site = CountedSite(cast)
    today = on_one_day(lambda: (site.visit(), datetime.now(UTC).date())[1])
    cast.instance.keep_visit_counts()
    moved = _moved(cast, site, today - timedelta(days=9))
    site.visit(agent=PHONE)
    found = site.statistics(since=(today - timedelta(days=6)).isoformat(), until=today.isoformat())
    assert (found["totals"]["views"], found["previous"]["views"]) == (1, 1)
    assert len(found["periods"]) == 7
    assert found["periods"][-1] == {
        **NOTHING,
        "since": str(today),
        "until": str(today),
        "views": 1,
        "visitors": 1,
    }
    whole = site.statistics(since=moved.isoformat(), until=today.isoformat(), interval="month")
    assert (whole["totals"]["views"], whole["totals"]["visitors"]) == (2, 2)
    assert sum(each["views"] for each in whole["periods"]) == 2
    assert (whole["periods"][0]["since"], whole["periods"][-1]["until"]) == (str(moved), str(today))
    weeks = site.statistics(since=moved.isoformat(), until=today.isoformat(), interval="week")["periods"]
    assert all(date.fromisoformat(each["since"]).weekday() == 0 for each in weeks[1:])


def _moved(cast: Cast, site: CountedSite, day: date) -> date:
    """Move all that was counted of a site to another day."""

    async def move(cx: Context) -> None:
        for t in (kept_counts.COUNTS, kept_counts.VISITORS):
            ids = {"id": t.c.id + "-moved"} if "id" in t.c else {}
            moved = update(t).values(day=given("at"), **ids).where(t.c.site_id == given("site"))
            await cx.tx.run(command(partial(lambda each: each, moved)), at=str(day), site=site.id)

    cast.instance.inside(move)
    return day


def test_what_is_too_old_is_forgotten(cast: Cast) -> None:
    site = CountedSite(cast)
    site.visit()
    cast.instance.keep_visit_counts()
    day = _moved(cast, site, datetime.now(UTC).date() - timedelta(days=40))
    asked = {"since": str(day), "until": str(day)}
    assert site.statistics(**asked)["totals"]["views"] == 1
    now = datetime.now(UTC)
    cast.instance.opened(lambda db: kept_counts.forget(db, now, 60))
    assert site.statistics(**asked)["totals"]["visitors"] == 1
    cast.instance.opened(lambda db: kept_counts.forget(db, now, 30))
    assert site.statistics(**asked)["totals"] == NOTHING


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"since": "2026-02-30"}, "since"),
        ({"since": "yesterday"}, "since"),
        ({"since": "2026-03-02", "until": "2026-03-01"}, "since"),
        ({"since": "2020-01-01", "until": "2026-01-01"}, "since"),
        ({"until": "0001-01-01"}, "since"),
        ({"interval": "year"}, "interval"),
    ],
    ids=str,
)
def test_ranges_that_there_are_not_are_refused(cast: Cast, query: dict[str, str], field: str) -> None:
    site = CountedSite(cast)
    refused = cast.ada.get(f"{site.path}/statistics", params=query)
    assert refused.status_code == 400
    assert field in refused.text


def test_those_read_statistics_who_may_edit_the_site(cast: Cast) -> None:
    site = CountedSite(cast)
    for path in ("", "/pages", "/searches", "/broken-urls", "/breakdown"):
        assert cast.ria.get(f"{site.path}/statistics{path}").status_code == 403
        assert cast.sol.get(f"{site.path}/statistics{path}").status_code == 404
    site.visit()
    cast.instance.keep_visit_counts()
    site.delete("")


def test_lists_go_on_where_a_page_ends(cast: Cast) -> None:
    site = CountedSite(cast)
    for number in range(3):
        for _ in range(number + 1):
            site.visit(f"/gone-{number}")
    found = []
    cast.instance.keep_visit_counts()
    asked: dict[str, Any] = {"limit": 1}
    while True:
        answer = site.get("/statistics/broken-urls", **asked)
        assert answer["count"] == 3
        found += [each["path"] for each in answer["items"]]
        if "next" not in answer:
            break
        asked["page"] = answer["next"]["page"]
    assert found == ["/gone-2", "/gone-1", "/gone-0"]


def test_agents_are_counted_over_mcp(cast: Cast) -> None:
    site = CountedSite(cast)
    for tool, arguments in (
        ("search", {"query": "installer"}),
        ("search", {"query": "xylograph"}),
        ("read_page", {"path": "/guide/install"}),
    ):
        assert call(site, "tools/call", {"name": tool, "arguments": arguments}).status_code == 200
    site.totals(agentReads=1, searches=2, searchesWithoutResults=1)
    assert site.listed("pages")[0]["agentReads"] == 1
    assert {each["term"]: each["agentSearches"] for each in site.listed("searches")} == {
        "installer": 1,
        "xylograph": 1,
    }


def test_names_without_number_fill_neither_memory_nor_the_table(cast: Cast) -> None:
    site = CountedSite(cast)
    now, most = datetime.now(UTC), MOST_NAMES["broken"]

    def keep(first: int) -> None:
        counts = VisitCounts()
        for number in range(first, first + most * 2):
            counts.missed(site.id, f"/gone/{number:x}z", "people", now, "")
        cast.instance.opened(lambda db: kept_counts.keep(db, counts, now))

    keep(0)
    keep(5_000)
    assert site.statistics()["totals"]["brokenUrls"] == most * 4
    assert site.get("/statistics/broken-urls", limit=1)["count"] == most


def test_totals_are_counted_of_each_day_that_waits_to_be_written(cast: Cast) -> None:
    site = CountedSite(cast)
    counts, now = VisitCounts(), datetime.now(UTC)
    for day in range(20):
        counts.missed(site.id, "/gone", "people", now - timedelta(days=day), "")
        counts.searched(site.id, "gone", is_found=False, caller="agents", now=now - timedelta(days=day))
    cast.instance.opened(lambda db: kept_counts.keep(db, counts, now))
    site.totals(brokenUrls=20, searches=20, searchesWithoutResults=20)


def test_views_that_differ_in_something_are_all_counted(cast: Cast) -> None:
    site = CountedSite(cast)
    counts, now, most = VisitCounts(), datetime.now(UTC), MOST_ALIKE + 100
    for number in range(most):
        visit = BrowserVisit(f"host-{number}.example.org", "en", "desktop")
        counts.read(site.id, site.spaces[0], "page", "people", now, visit)
    assert not counts.is_empty
    cast.instance.opened(lambda db: kept_counts.keep(db, counts, now))
    assert counts.is_empty
    site.totals(views=most)


def test_a_visitor_is_counted_again_once_the_counts_are_written_down() -> None:
    counts, now = VisitCounts(), datetime.now(UTC)
    assert [counts.is_first(visitor) for visitor in (1, 2, 1)] == [True, True, False]
    counts.take(now)
    assert counts.is_first(1)


def test_several_processes_count_together(cast: Cast) -> None:
    site = CountedSite(cast)
    site.visit()
    cast.instance.keep_visit_counts()
    now = datetime.now(UTC)
    for _process in range(2):
        counts = VisitCounts()
        counts.read(site.id, site.spaces[0], "page", "bots", now)
        counts.missed(site.id, "/gone", "agents", now, "")
        cast.instance.opened(partial(kept_counts.keep, counts=counts, now=now))
    site.totals(views=1, visitors=1, botReads=2, brokenUrls=2)


def test_a_site_that_was_deleted_meanwhile_keeps_no_others_from_counting(cast: Cast) -> None:
    site = CountedSite(cast)
    counts, now = VisitCounts(), datetime.now(UTC)
    counts.missed("nothing", "/gone", "people", now, "")
    counts.missed(site.id, "/gone", "people", now, "")
    cast.instance.opened(lambda db: kept_counts.keep(db, counts, now))
    site.totals(brokenUrls=1)
    assert counts.is_empty


def test_what_cannot_be_written_now_is_written_later(cast: Cast) -> None:
    site = CountedSite(cast)
    counts, now = VisitCounts(), datetime.now(UTC)
    counts.missed(site.id, "/gone", "people", now, "")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kept_counts, "_THERE", rows(lambda: text("SELECT nothing FROM nowhere")))
        cast.instance.opened(lambda db: kept_counts.keep(db, counts, now))
    assert not counts.is_empty
    site.totals()
    cast.instance.opened(lambda db: kept_counts.keep(db, counts, now))
    assert counts.is_empty
    site.totals(brokenUrls=1)


def test_a_server_that_is_stopped_loses_nothing(fresh_database: str) -> None:
    with running(fresh_database) as instance:
        cast = make.cast(instance)
        site = CountedSite(cast)
        site.visit()
        site.search("xylograph")
    with running(fresh_database) as again:
        path = f"{again.base}{site.path}/statistics"
        found = again.http.get(path, headers={"Authorization": f"Bearer {cast.ada.token}"}).json()
    assert found["totals"] == {
        **NOTHING,
        "views": 1,
        "visitors": 1,
        "searches": 1,
        "searchesWithoutResults": 1,
    }


def test_a_running_server_writes_by_itself(fresh_database: str) -> None:
    with running(fresh_database) as instance:
        site = CountedSite(make.cast(instance))
        site.visit()
        until(lambda: site.get("/statistics")["totals"]["views"] == 1, "nobody writes down what was counted")


@pytest.mark.parametrize("number", [1, 10, 500, 5_000, 20_000])
def test_visitors_are_estimated_closely(number: int) -> None:
    noted: dict[int, int] = {}
    for each in range(number):
        digest = sha256(str(each).encode()).digest()
        register, run = distinct_counts.place_of(int.from_bytes(digest[:8]))
        noted[register] = max(run, noted.get(register, 0))
    sketch = distinct_counts.merged(distinct_counts.merged(None, noted), noted)
    assert distinct_counts.estimated(sketch) == pytest.approx(number, rel=0.06)
