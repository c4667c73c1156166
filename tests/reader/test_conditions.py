"""One filter decides everywhere who is shown what (threats, 5, 19 and 20)."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests import make
from tests.cast import Cast
from tests.visitors import PAGES, PublishedSite, Visitor, token

WORDS = {"proword": "visitor.claims.plan == 'pro'", "betaword": "visitor.claims.unsigned.beta"}


def outputs(site: PublishedSite, browser: Visitor) -> dict[str, str]:
    """All that a site tells this visitor, by where."""
    paths = [
        "",
        "/guide/install",
        "/llms.txt",
        "/llms-full.txt",
        "/sitemap.xml",
        "/sitemap-1.xml",
        "/robots.txt",
    ]
    found = {path: browser.get(path).text for path in paths}
    for word in ("proword", "betaword", "xylophone", "hiddenword"):
        found[f"search {word}"] = browser.get(
            f"/~/search?q={word}", headers={"accept": "application/json"}
        ).text
    item = site.get("/site-spaces")["items"][0]["id"]
    found["tree"] = browser.get(f"/~/tree?space={item}").text
    for name, arguments in (
        ("list_pages", {}),
        ("search", {"query": "proword"}),
        ("search", {"query": "xylophone"}),
    ):
        call = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": name, "arguments": arguments},
        }
        found[f"mcp {name} {arguments}"] = browser.post("/~/mcp", call).text
    for word in WORDS:
        for path in (f"/{word}", f"/{word}.md", f"/{word}/below-{word}", f"/{word}/below-{word}.md"):
            found[path] = browser.get(path).text
        for path in (word, f"{word}/below-{word}"):
            call = {
                "jsonrpc": "2.0", "id": 1, "method": "tools/call",
                "params": {"name": "read_page", "arguments": {"path": path}},
            }  # fmt: skip
            found[f"mcp read {path}"] = browser.post("/~/mcp", call).text
    return found


def telling(site: PublishedSite, browser: Visitor, word: str) -> set[str]:
    """Return where the site tells this visitor of the page with this word."""
    return {
        where
        for where, text in outputs(site, browser).items()
        if word in re.sub(f'value="(below )?{word}"', "", text).replace("“" + word, "")
    }


@pytest.fixture
def site(cast: Cast) -> PublishedSite:
    """A site with a page for visitors of a plan, one for those who take part, each with one below."""
    made = PublishedSite(cast, visibility="visitor-auth")
    made.adapts()
    for word, condition in WORDS.items():
        page = made.page(title=word, document={"markdown": f"Only for {word}"}, condition=condition)
        made.page(title=f"Below {word}", document={"markdown": f"Deeper: {word}"}, into=page)
    return made


def visiting(site: PublishedSite, said: str = "", **claims: Any) -> Visitor:
    """A browser in which somebody with these claims has come in."""
    browser = site.browser()
    browser.get(f"?jwt_token={token(site.key, **claims)}{said}")
    assert browser.get("").status_code == 200
    return browser


def test_what_a_condition_hides_is_nowhere(site: PublishedSite) -> None:
    with visiting(site, plan="free") as browser:
        for word in WORDS:
            assert telling(site, browser, word) == set(), word


def test_what_it_shows_is_everywhere(site: PublishedSite) -> None:
    with visiting(site, plan="pro") as browser:
        told = telling(site, browser, "proword")
        assert told >= {"", "/llms.txt", "/llms-full.txt", "search proword", "tree", "mcp list_pages {}"}
        assert told >= {"/proword", "/proword.md", "/proword/below-proword", "mcp read proword"}
        assert telling(site, browser, "betaword") == set()


def test_links_to_what_a_condition_hides_lead_nowhere(site: PublishedSite) -> None:
    words = '[There](proword.md)\n\n{% content-ref url="proword.md" %}\nThere\n{% endcontent-ref %}\n'
    site.page(title="Lobby", document={"markdown": words})
    for plan, links in (("pro", 2), ("free", 0)):
        with visiting(site, plan=plan) as browser:
            shown = browser.get("/lobby").text.partition("<main")[2].partition("</main>")[0]
            assert "There" in shown
            assert len(re.findall('href="[^"]*/proword"', shown)) == links
            assert ("proword" in shown) == (plan == "pro")


def test_what_visitors_say_of_themselves_is_only_that(site: PublishedSite) -> None:
    with visiting(
        site, "&visitor.beta=true&visitor.plan=pro&visitor.claims.plan=pro", plan="free"
    ) as browser:
        assert "search betaword" in telling(site, browser, "betaword")
        assert telling(site, browser, "proword") == set()
    with visiting(site, unsigned={"beta": True}, beta=True) as browser:
        assert telling(site, browser, "betaword") == set()
    odd: dict[str, Any] = {"plan": {"toString": "pro"}, "__proto__": {"plan": "pro"}}
    with visiting(site, "", **odd) as browser:
        assert telling(site, browser, "proword") == set()


def test_what_was_said_is_remembered_by_this_browser_only(cast: Cast) -> None:
    site = PublishedSite(cast)
    site.adapts()
    site.page(title="betaword", document={"markdown": "For some"}, condition=WORDS["betaword"])
    with site.browser() as browser:
        first = browser.get("/betaword?visitor.beta=true")
        assert (first.status_code, first.headers["location"]) == (303, f"{site.base}/betaword")
        page = browser.get("/betaword")
        assert page.status_code == 200
        assert page.headers["cache-control"] == "private, no-store"
        browser.get("?visitor.beta=false")
        assert browser.get("/betaword").status_code == 404
    assert site.open("/betaword").status_code == 404
    for said in ("yes", "", "1", "true%00", "TRUE"):
        assert "set-cookie" not in site.open(f"/betaword?visitor.beta={said}").headers, said
    assert site.open("/betaword?visitor.beta=true&visitor.beta=true").status_code == 404


def test_a_site_that_does_not_adapt_knows_nothing_of_anybody(site: PublishedSite) -> None:
    site.patch("", {"adaptiveContent": {"enabled": False}})
    with visiting(site, "&visitor.beta=true", plan="pro") as browser:
        for word in WORDS:
            assert telling(site, browser, word) == set(), word


def test_parts_of_a_page_are_for_some_only(site: PublishedSite) -> None:
    text = (
        "Open to all.\n\n{% if visitor.claims.plan == 'pro' %}\nThe hiddenword.\n{% endif %}\n\nOn we go.\n"
    )
    site.page(title="Mixed", document={"markdown": text})
    with visiting(site, plan="free") as browser:
        assert telling(site, browser, "The hiddenword") == set()
        for path in ("/mixed", "/mixed.md"):
            assert "On we go" in browser.get(path).text
            assert "hiddenword" not in browser.get(path).text
        assert browser.get("/~/search?q=hiddenword&format=json").json()["count"] == 0
        (hit,) = browser.get("/~/search?q=open+all&format=json").json()["hits"]
        assert "hiddenword" not in json.dumps(hit)
    with visiting(site, plan="pro") as browser:
        assert "hiddenword" in browser.get("/mixed").text
        assert browser.get("/~/search?q=hiddenword&format=json").json()["hits"]


def test_one_visitors_page_is_not_anothers(site: PublishedSite) -> None:
    site.page(
        title="Yours", document={"markdown": 'Plan: <code class="expression">visitor.claims.plan</code>.'}
    )
    with visiting(site, plan="free") as one, visiting(site, plan="pro") as other:
        for _ in range(2):
            assert "Plan: free" in one.get("/yours").text
            assert "Plan: pro" in other.get("/yours").text
            assert "proword" not in one.get("").text
            assert "proword" in other.get("").text


def test_sections_and_spaces_are_for_some_only(cast: Cast) -> None:
    site = PublishedSite(cast, "Handbook", "Proword space")
    site.adapts()
    make.imported(cast, site.spaces[1], PAGES)
    variant = site.get("/site-spaces")["items"][1]
    site.patch(f"/site-spaces/{variant['id']}", {"condition": WORDS["proword"]})
    place = variant["urls"]["published"].removeprefix(site.url)
    with site.browser() as browser, site.browser() as member:
        member.get(f"?jwt_token={token(site.key, plan='pro')}")
        assert "Proword space" not in "".join(outputs(site, browser).values())
        for path in (place, f"{place}/guide/install", f"{place}/guide/install.md"):
            assert browser.get(path).status_code == 404, path
            assert member.get(path).status_code == 200, path
        assert "Proword space" in member.get("").text
    published = cast.ada.get(f"{site.path}/published").json()["structure"]["structure"]
    assert [each["title"] for each in published] == ["Handbook"]


def test_a_mistake_hides(cast: Cast) -> None:
    """Conditions are checked when they are written; what makes one wrong later, or for one visitor, hides."""
    site = PublishedSite(cast, visibility="visitor-auth")
    site.adapts()
    site.page(title="Compared", document={"markdown": "text"}, condition="visitor.claims.plan == 'pro'")
    wrong: list[Any] = [{}, [], None, 7, True, "pro ", {"pro": "pro"}, "x" * 1000]
    for plan in wrong:
        with visiting(site, plan=plan) as browser:
            assert browser.get("/compared").status_code == 404, plan


def test_hidden_pages_are_told_of_nowhere(cast: Cast) -> None:
    site = PublishedSite(cast)
    below = cast.ada.get(f"/v1/spaces/{site.spaces[0]}/content/path/secret").json()["id"]
    site.page(title="Under the secret", document={"markdown": "The xylophone again"}, into=below)
    with site.browser() as browser:
        told = outputs(site, browser)
        assert {where for where, text in told.items() if "xylophone" in text.lower()} <= {"search xylophone"}
        assert json.loads(told["search xylophone"])["count"] == 0
        for text in told.values():
            assert "/secret" not in text
        assert browser.get("/secret").status_code == 200
        for path in ("/secret.md", "/secret/under-the-secret.md"):
            assert browser.get(path).status_code == 404
