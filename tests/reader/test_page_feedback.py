"""Feedback: visitors say below a page whether it helped, editors read it, integrations are told."""

from __future__ import annotations

import re
from typing import Any

import httpx
import pytest

from tests.cast import Cast
from tests.factories.sites import answered
from tests.integrations.test_events import until
from tests.reader.test_site_integrations import installed
from tests.visitors import PublishedSite

FORM = re.compile(r'<form class="filled" aria-labelledby="~helpful" method="post" action="([^"]+)"')
BROWSER = "Mozilla/5.0 (a browser)"


class AskingSite(PublishedSite):
    """A site that asks below each page whether it helped."""

    def __init__(self, cast: Cast, **fields: Any) -> None:
        super().__init__(cast, **fields)
        self.asks(enabled=True)

    def asks(self, *, enabled: bool) -> None:
        """Let the site ask, or not."""
        answered(self.cast.ada.put(f"{self.path}/customization", {"feedback": {"enabled": enabled}}))

    def action(self, path: str = "/guide/install") -> str:
        """Return where the form of a page is sent, below the address of the site."""
        found = FORM.search(self.open(path).text)
        assert found is not None
        return found[1].removeprefix(self.base)

    def say(self, rating: str, comment: str = "", *, agent: str = BROWSER, **headers: str) -> httpx.Response:
        """Send a visitor's answer to the question below a page."""
        data = {"~do": rating, "comment": comment}
        return self.ask("POST", self.action(), data=data, headers={"User-Agent": agent, **headers})

    def said(self, **query: Any) -> list[dict[str, Any]]:
        """Return the feedback that an administrator reads."""
        found: list[dict[str, Any]] = self.get("/page-feedback", **query)["items"]
        return found


def test_a_site_asks_only_where_its_customization_says_so(cast: Cast) -> None:
    site = AskingSite(cast)
    shown = site.open("/guide/install").text
    assert "Was this page helpful?" in shown
    assert shown.count('name="~do"') == 3
    action = site.action()
    site.asks(enabled=False)
    assert "Was this page helpful?" not in site.open("/guide/install").text
    assert site.ask("POST", action, data={"~do": "good"}).status_code == 404
    assert site.said() == []


def test_what_a_visitor_says_is_listed_with_its_page(cast: Cast) -> None:
    site = AskingSite(cast)
    thanks = site.say("bad")
    assert thanks.status_code == 200
    assert "Thank you for your feedback." in thanks.text
    assert "What is missing?" in thanks.text
    assert thanks.headers["cache-control"] == "private, no-store"
    (found,) = site.said()
    page = site.action().rsplit("/", 1)[1]
    assert {**found, "id": None, "createdAt": None} == {
        "object": "page-feedback",
        "id": None,
        "source": "page",
        "rating": "bad",
        "space": site.spaces[0],
        "page": page,
        "url": f"{site.url}/guide/install",
        "createdAt": None,
    }


def test_a_comment_of_the_same_day_joins_the_rating_and_others_count_by_themselves(cast: Cast) -> None:
    site = AskingSite(cast)
    site.say("bad")
    thanks = site.say("bad", " The Mac is missing.\r\nPlease add it. ")
    assert "<textarea" not in thanks.text
    site.say("good", agent="Another browser")
    latest, first = site.said()
    assert (latest["rating"], "comment" in latest) == ("good", False)
    assert (first["rating"], first["comment"]) == ("bad", "The Mac is missing.\nPlease add it.")
    assert site.said(rating="good") == [latest]
    assert site.said(withComment="true") == [first]
    assert site.said(targetPage="elsewhere") == []
    assert site.get("/page-feedback", limit=1)["count"] == 2


@pytest.mark.parametrize(
    ("said", "field"),
    [({}, "rating"), ({"~do": "great"}, "rating"), ({"~do": "ok", "comment": "x" * 513}, "comment")],
)
def test_answers_that_there_are_not_are_refused(cast: Cast, said: dict[str, str], field: str) -> None:
    site = AskingSite(cast)
    refused = site.ask("POST", site.action(), data=said)
    assert refused.status_code == 400
    assert field in refused.text
    assert site.said() == []


def test_only_the_pages_of_the_site_itself_send_feedback(cast: Cast) -> None:
    site = AskingSite(cast)
    assert site.say("good", **{"Sec-Fetch-Site": "cross-site"}).status_code == 404
    assert (
        site.ask("POST", site.action().rsplit("/", 1)[0] + "/nothing", data={"~do": "ok"}).status_code == 404
    )
    assert site.ask("GET", site.action()).status_code == 405
    assert site.said() == []


def test_hidden_markup_and_nul_are_kept_as_text(cast: Cast) -> None:
    site = AskingSite(cast)
    assert site.say("ok", "<script>\x00alert(1)</script>").status_code == 200
    assert site.said()[0]["comment"] == "<script>alert(1)</script>"


def test_feedback_is_deleted_by_who_may_edit_the_site_and_with_the_site(cast: Cast) -> None:
    site = AskingSite(cast)
    site.say("bad", "Buy lamps here!")
    (spam,) = site.said()
    path = f"{site.path}/page-feedback"
    assert cast.ria.get(path).status_code == 403
    assert cast.ria.delete(f"{path}/{spam['id']}").status_code == 403
    assert cast.sol.get(path).status_code == 404
    answered(cast.ada.delete(f"{path}/{spam['id']}"), 205)
    assert cast.ada.delete(f"{path}/{spam['id']}").status_code == 404
    site.say("good")
    site.delete("")


def test_integrations_are_told_without_cookies_and_addresses(cast: Cast) -> None:
    site = AskingSite(cast)
    made = installed(site, scopes=["page:feedback:read"])
    site.say("bad", "Where is the lamp?", **{"Accept-Language": "de-CH,de;q=0.9", "Cookie": "secret=1"})

    def told() -> list[dict[str, Any]]:
        return [event["payload"] for event in made.events() if event["payload"]["type"] == "page_feedback"]

    (payload,) = until(told)
    visitor = payload["visitor"]
    assert payload["feedback"] == {"rating": "bad", "comment": "Where is the lamp?"}
    assert (payload["siteId"], payload["spaceId"]) == (site.id, site.spaces[0])
    assert payload["url"] == f"{site.url}/guide/install"
    assert {name: visitor[name] for name in ("cookies", "userAgent", "language", "ip")} == {
        "cookies": {},
        "userAgent": BROWSER,
        "language": "de-CH",
        "ip": "127.0.0.0",
    }
    assert len(visitor["anonymousId"]) == 32
    assert "secret" not in str(payload)


MISSING = re.compile(r'<form class="filled" aria-labelledby="~missing" method="post" action="([^"]+)"')


def missing(site: AskingSite, comment: str = "The teapot.", **said: str) -> httpx.Response:
    """Report what is missing, as the form of a page does."""
    return site.ask("POST", "/~/feedback", data={"comment": comment, **said}, headers={"User-Agent": BROWSER})


def test_a_site_that_asks_does_so_where_a_search_or_an_address_leads_nowhere(cast: Cast) -> None:
    site = AskingSite(cast)
    nothing, gone = site.open("/~/search?q=teapot"), site.open("/guide/teapot")
    assert gone.status_code == 404
    for page in (nothing, gone):
        form = MISSING.search(page.text)
        assert form is not None
        assert form[1] == f"{site.base}/~/feedback"
    assert 'name="query" value="teapot"' in nothing.text
    assert 'name="path" value="/guide/teapot"' in gone.text
    assert MISSING.search(site.open("/~/search?q=installer").text) is None
    as_somebody_types = site.open("/~/search?q=teapot", Accept="application/json").json()
    assert MISSING.search(as_somebody_types["missing"]) is not None
    found = site.open("/~/search?q=installer", Accept="application/json").json()
    assert "missing" not in found
    assert MISSING.search(site.open("/~/search").text) is None
    site.asks(enabled=False)
    assert MISSING.search(site.open("/~/search?q=teapot").text) is None
    assert MISSING.search(site.open("/guide/teapot").text) is None
    assert missing(site, query="teapot").status_code == 404
    assert site.said() == []


def test_reports_are_listed_with_what_was_looked_for(cast: Cast) -> None:
    site = AskingSite(cast)
    site.say("good")
    thanks = missing(site, query="tea & pot")
    assert thanks.status_code == 200
    assert "Thank you for your feedback." in thanks.text
    assert "<textarea" not in thanks.text
    assert thanks.headers["cache-control"] == "private, no-store"
    missing(site, "A page about teapots.", path="/guide/töpfe")
    gone, searched, rated = site.said()
    assert {**searched, "id": None, "createdAt": None} == {
        "object": "page-feedback",
        "id": None,
        "source": "search",
        "comment": "The teapot.",
        "query": "tea & pot",
        "url": f"{site.url}/~/search?q=tea+%26+pot",
        "createdAt": None,
    }
    assert (gone["source"], gone["url"]) == ("not-found", f"{site.url}/guide/t%C3%B6pfe")
    assert site.said(source="page") == [rated]
    assert site.said(source="search") == [searched]
    assert site.said(rating="good") == [rated]
    assert site.said(withComment="true") == [gone, searched]
    path = f"{site.path}/page-feedback/{gone['id']}"
    assert answered(cast.ada.get(path)) == gone
    answered(cast.ada.delete(path), 205)
    assert site.said() == [searched, rated]


def test_a_visitor_reports_once_a_day_for_each_search(cast: Cast) -> None:
    site = AskingSite(cast)
    missing(site, query="teapot")
    missing(site, "No, the kettle.", query="teapot")
    missing(site, query="kettle")
    assert [(each["query"], each["comment"]) for each in site.said()] == [
        ("kettle", "The teapot."),
        ("teapot", "No, the kettle."),
    ]


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({"query": "teapot", "comment": " "}, "comment"),
        ({"query": "teapot", "comment": "x" * 513}, "comment"),
        ({"query": "x" * 513}, "query"),
        ({"path": "https://elsewhere.example/"}, "path"),
        ({"path": "/" + "x" * 1000}, "path"),
        ({}, "query"),
    ],
)
def test_reports_of_nothing_are_refused(cast: Cast, said: dict[str, str], field: str) -> None:
    site = AskingSite(cast)
    refused = missing(site, **said)
    assert refused.status_code == 400
    assert field in refused.text
    cross = {"Sec-Fetch-Site": "cross-site"}
    form = {"comment": "Spam", "query": "spam"}
    assert site.ask("POST", "/~/feedback", data=form, headers=cross).status_code == 404
    assert site.said() == []


def test_integrations_are_told_of_ratings_and_of_no_reports(cast: Cast) -> None:
    site = AskingSite(cast)
    made = installed(site, scopes=["page:feedback:read"])
    missing(site, query="teapot")
    site.say("good")

    def told() -> list[dict[str, Any]]:
        return [event["payload"] for event in made.events() if event["payload"]["type"] == "page_feedback"]

    (payload,) = until(told)
    assert payload["feedback"] == {"rating": "good"}
    assert len(site.said()) == 2
