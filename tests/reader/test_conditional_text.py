"""Text under conditions: in no spelling, in no place and in no output for those whom it is not for."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from typing import Any

import pytest

from tests import anonymous, make
from tests.cast import Cast
from tests.condition_spellings import AFTER, CONDITIONAL, SHOWN, Case
from tests.factories.changes import new_page, place
from tests.factories.pdfs import address, read, words
from tests.factories.sites import answered
from tests.instance import Instance
from tests.scale import scaled
from tests.visitors import PublishedSite, Visitor, token

INCLUDED = [case for case in CONDITIONAL if case.name.endswith(" in top")]
SECRET, INSIDE, CODE = (re.compile(rf"{kind}[0-9]{{10}}") for kind in ("secret", "inside", "code"))
UNDERSTOOD_WORDS = {case.word for case in CONDITIONAL if case.is_understood}
INSIDE_WORDS = {case.word.replace("secret", "inside") for case in INCLUDED if case.is_understood}
PAGE = """query ($space: ID!, $path: String!) {
    space(id: $space) { page(path: $path) { markdown(evaluated: true) } } }"""
CODE_WORDS = {case.word for case in SHOWN}


def path_of(word: str) -> str:
    """Return where the page with a word is, without telling the word."""
    return word.replace("secret", "page-").replace("inside", "including-").replace("code", "shown-")


def files(cases: Sequence[Case] = CONDITIONAL) -> dict[str, str | bytes]:
    """A page for each case, and for some a page that includes what has the case."""
    made: dict[str, str | bytes] = {"README.md": "# Start\n"}
    for case in (*cases, *SHOWN):
        made[f"{path_of(case.word)}.md"] = f"---\ntitle: {case.name.title()}\n---\n\n{case.body}"
    for case in [case for case in INCLUDED if case in cases]:
        inside = case.word.replace("secret", "inside")
        included = f".gitbook/includes/{path_of(inside)}.md"
        made[included] = case.body.replace(case.word, inside)
        made[f"{path_of(inside)}.md"] = f'# Including\n\n{{% include "{included}" %}}\n\n{AFTER}\n'
    return made


@pytest.fixture(scope="module")
def site(instance: Instance) -> PublishedSite:
    """A site that shows all of them, for tests that only read it."""
    made = PublishedSite(make.cast(instance), files=files(), visibility="visitor-auth")
    made.adapts()
    return made


def visiting(site: PublishedSite, plan: str) -> Visitor:
    """A browser in which somebody with this plan has come in."""
    browser = site.browser()
    assert browser.get(f"?jwt_token={token(site.key, plan=plan)}").status_code == 303
    return browser


def called(browser: Visitor, tool: str, **arguments: Any) -> str:
    """Return the answer of a tool of the site to a program."""
    call = {"name": tool, "arguments": arguments}
    answer = browser.post("/~/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
    assert answer.status_code == 200
    return answer.text


def searched(site: PublishedSite, visitor: dict[str, Any] | None, query: str) -> list[dict[str, Any]]:
    """Return the findings of the API for a visitor, or for a member."""
    asked = {"query": query, "scope": {"mode": "all"}, **({} if visitor is None else {"visitor": visitor})}
    found: list[dict[str, Any]] = []
    page: str | None = ""
    while page is not None:
        answer = site.cast.ria.post(f"{site.path}/search?limit=200{page}", asked)
        found += answered(answer)["items"]
        following = answer.json().get("next")
        page = f"&page={following['page']}" if following else None
    return found


def test_who_may_not_read_it_is_told_nowhere(site: PublishedSite) -> None:
    with visiting(site, "free") as browser:
        outputs = {
            path: browser.get(path).text
            for path in (
                "/llms.txt",
                "/llms-full.txt",
                "/sitemap.xml",
                "/~/search?q=secret",
                "/~/search?q=inside",
            )
        }
        outputs |= {
            f"mcp search {word}": called(browser, "search", query=word) for word in ("secret", "inside")
        }
        assert outputs["/llms-full.txt"].count("Foreword for all.") > len(CONDITIONAL) / 2
        assert {
            where for where, text in outputs.items() if SECRET.search(text) or INSIDE.search(text)
        } == set()
        assert set(CODE.findall(outputs["/llms-full.txt"])) == CODE_WORDS
        hits = browser.get("/~/search?q=secret&format=json").json()["hits"]
        assert [hit for hit in hits if "secret" in str([hit["excerpt"], hit["sections"]])] == []
        foreword = browser.get("/~/search?q=foreword&format=json").json()["hits"]
        assert len(foreword) > 10
        assert not any(SECRET.search(str(hit)) for hit in foreword)
    told = {"jwtToken": token(site.key, plan="free")}
    for visitor in ({}, told, {"unsignedClaims": {"plan": "pro"}}):
        assert [hit["title"] for hit in searched(site, visitor, "secret")] == []
        assert not any(SECRET.search(str(hit)) for hit in searched(site, visitor, "foreword"))


def test_who_may_read_it_is_told_everywhere(site: PublishedSite) -> None:
    told = {"jwtToken": token(site.key, plan="pro")}
    found = searched(site, told, "secret")
    assert {word for hit in found for word in SECRET.findall(str(hit["sections"]))} == UNDERSTOOD_WORDS
    assert len(searched(site, None, "secret")) > len(UNDERSTOOD_WORDS), "members find all that there is"
    found = searched(site, told, "inside")
    assert {word for hit in found for word in INSIDE.findall(str(hit["sections"]))} == INSIDE_WORDS
    with visiting(site, "pro") as browser:
        everything = browser.get("/llms-full.txt").text
        assert set(SECRET.findall(everything)) == UNDERSTOOD_WORDS
        assert set(INSIDE.findall(everything)) == INSIDE_WORDS
        word = min(UNDERSTOOD_WORDS)
        (hit,) = browser.get(f"/~/search?q={word}&format=json").json()["hits"]
        assert word in str(hit)
        assert word in called(browser, "search", query=word)
        assert word in called(browser, "read_page", path=f"/{path_of(word)}")
        assert word in browser.get(f"/{path_of(word)}.md").text


def test_what_is_included_on_a_condition_is_found_by_those_for_whom_it_holds(cast: Cast) -> None:
    def include(name: str) -> str:
        return f'{{% include ".gitbook/includes/{name}.md" %}}\n'

    def only(plan: str, text: str) -> str:
        return f'{{% if visitor.claims.plan == "{plan}" %}}\n{text}{{% endif %}}\n'

    pages = {
        "always": include("plain"),
        "pro": only("pro", include("plain")),
        "windows": only("pro", include("plain")).replace("\n", "\r\n"),
        "both": only("pro", include("plain")) + only("free", include("plain")),
        "else": only("pro", "Text.\n").replace("{% endif", "{% else %}\n" + include("plain") + "{% endif"),
        "deep": only("pro", include("outer")),
        "mistake": "{% if visitor.claims.plan == %}\n" + include("plain") + "{% endif %}\n",
        "inner": include("for-pro"),
        "never": only("free", include("for-pro")),
        "code": f"```\n{include('plain')}```\n",
    }
    blocks = {
        "plain": "oak\n", "outer": f"Around.\n\n{include('plain')}", "for-pro": only("pro", "oak\n"),
    }  # fmt: skip
    files: dict[str, str | bytes] = {
        f"{name}.md": f"---\ndescription: On elms.\n---\n\n# {name}\n\nWords.\n\n{body}"
        for name, body in pages.items()
    }
    for name, body in blocks.items():
        inside = body.replace(".gitbook/includes/", "")
        files[f".gitbook/includes/{name}.md"] = f"---\ntitle: Block\n---\n\n{inside}"
    site = PublishedSite(cast, files=files, visibility="visitor-auth")
    site.adapts()
    shown = {
        "pro": ["always", "both", "deep", "inner", "pro", "windows"],
        "free": ["always", "both", "else"],
    }
    for plan, titles in shown.items():
        visitor = {"jwtToken": token(site.key, plan=plan)}
        assert sorted(hit["title"] for hit in searched(site, visitor, "oak")) == titles
        with visiting(site, plan) as browser:
            hits = browser.get("/~/search?q=oak&format=json").json()["hits"]
            assert sorted({hit["title"] for hit in hits}) == titles
            told = called(browser, "search", query="oak")
            assert [name for name in sorted(pages) if f"{name}\\nhttp" in told] == titles
            read = [name for name in pages if "oak" in browser.get(f"/{name}.md").text]
            assert sorted(read) == titles
    assert [hit["title"] for hit in searched(site, {}, "oak")] == ["always", "else"]
    assert sorted(hit["title"] for hit in searched(site, {}, "elms")) == sorted(pages)
    with visiting(site, "free") as browser:
        assert called(browser, "search", query="elms").count("On elms.") == len(pages)


def test_a_condition_on_the_page_is_decided_for_each_page(cast: Cast) -> None:
    site = PublishedSite(cast, files={"README.md": "# Start\n"}, visibility="visitor-auth")
    site.adapts()
    text = '{% if page.vars.open == "yes" && visitor.claims.plan == "pro" %}\nmaple\n{% endif %}\n'
    for title, is_open in (("First", "no"), ("Second", "yes"), ("Third", "no"), ("Fourth", "yes")):
        page = site.page(title=title, document={"markdown": text})
        variables = {"operation": "update_variables", "page": page, "variables": {"open": is_open}}
        make.changes(cast.ed, site.spaces[0], variables)
    for plan, titles in (("pro", ["Fourth", "Second"]), ("free", [])):
        found = searched(site, {"jwtToken": token(site.key, plan=plan)}, "maple")
        assert sorted(hit["title"] for hit in found) == titles
        with visiting(site, plan) as browser:
            hits = browser.get("/~/search?q=maple&format=json").json()["hits"]
            assert sorted({hit["title"] for hit in hits}) == titles
            shown = [
                title
                for title in ("Fourth", "Second", "Third", "First")
                if "maple" in browser.get(f"/{title.lower()}").text
            ]
            assert shown == titles


def test_pages_show_it_to_whom_it_is_for_alone(site: PublishedSite) -> None:
    spellings = ("two spaces", "upper case", "new line", "nested", "plus", "no end", "only an end", "else if")
    cases = [case for case in CONDITIONAL if case.name.partition(" in ")[0] in spellings]
    cases = cases[:: scaled(5, full=1)]
    with visiting(site, "free") as free, visiting(site, "pro") as pro:
        for case in (*cases, *SHOWN):
            words_of = [case.word, case.word.replace("secret", "inside")] if case in INCLUDED else [case.word]
            for word in words_of:
                pages = [browser.get(f"/{path_of(word)}") for browser in (free, pro)]
                assert [page.status_code for page in pages] == [200, 200], case.name
                shown = [word in page.text for page in pages]
                assert shown == ([True, True] if case in SHOWN else [False, case.is_understood]), case.name


def test_no_print_tells_it(cast: Cast) -> None:
    cases = CONDITIONAL[:: scaled(9, full=1)]  # of every place and spelling
    url = address(cast.ria, make.filled_space(cast, files(cases)))
    said = words(read(anonymous.get(url).content))
    assert said.count("Foreword for all.") > len(cases) / 2
    assert set(CODE.findall(said)) == CODE_WORDS
    assert not SECRET.search(said)
    assert not INSIDE.search(said)


def test_previews_and_both_faces_do_not_tell(site: PublishedSite) -> None:
    cases = [case for case in CONDITIONAL if case.name.split(" in ")[0] in ("two spaces", "no end", "plus")]
    space = site.spaces[0]
    for case in cases[::3]:
        path = f"{place(space)}/content/path/{path_of(case.word)}"
        for form in ("markdown", "document"):
            query = {"format": form, "evaluated": "true"}
            assert case.word not in str(answered(site.cast.ria.get(path, params=query))[form]), case.name
        page = site.cast.ria.ask(PAGE, space=space, path=path_of(case.word))["space"]["page"]
        assert AFTER in page["markdown"] or not case.is_understood
        assert case.word not in page["markdown"], case.name
    address = str(site.get("/publishing/preview", None, claims='{"plan": "free"}')["url"])
    with Visitor(address) as browser:
        home = browser.client.get(address, follow_redirects=True)
        below = str(home.url).rstrip("/")
        everything = browser.client.get(f"{below}/llms-full.txt")
        assert everything.status_code == 200
        assert not SECRET.search(everything.text)


def test_what_only_looks_like_a_condition_is_refused_with_its_line(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    page = new_page(cast.ada, space, title="Page", document={"markdown": "Held.\n"})
    request = make.change_request(cast.ada, space)["id"]
    for case in [case for case in CONDITIONAL if not case.is_understood][::60]:
        document = {"markdown": case.body}
        changes = [
            {"operation": "insert_page", "type": "document", "document": document},
            {"operation": "update_page", "page": page, "document": document},
            {"operation": "insert_reusable_content", "title": "Block", "document": document},
        ]
        for number in (None, request):
            for each in changes:
                answer = cast.ada.post(f"{place(space, number)}/content", {"changes": [each]})
                assert answer.status_code == 400, case.name
                (detail,) = answer.json()["error"]["details"]
                assert detail["path"] == "changes.0.document.markdown"
                assert re.match(r"Line [0-9]+: ", detail["message"]), detail
    update = {"updatePage": {"page": page, "document": {"markdown": "A {% if a %} b\n"}}}
    (refused,) = cast.ada.tried("changeContent", space=space, changes=[update])["userErrors"]
    assert refused["message"].startswith("Line 1: ")
    assert refused["path"] == ["changes", "0", "updatePage", "document", "markdown"]
    text = cast.ria.get(f"{place(space)}/content/page/{page}", params={"format": "markdown"})
    assert answered(text)["markdown"] == "Held.\n"


def test_a_search_takes_no_longer_for_what_stands_under_many_conditions(cast: Cast) -> None:
    def seconds(body: str) -> float:
        pages: dict[str, str | bytes] = {
            f"page-{n}.md": f"# Page {n}\n\nNeedle.\n\n{body}" for n in range(10)
        }
        site = PublishedSite(cast, files=pages)
        site.adapts()
        with site.browser() as browser:
            assert len(browser.get("/~/search?q=needle&format=json").json()["hits"]) == 10
            start = time.monotonic()
            browser.get("/~/search?q=needle&format=json")
            return time.monotonic() - start

    branches = "{% if visitor.claims.plan == 'a' %}\n" + "{% elif visitor.claims.plan == 'b' %}\n" * 3000
    assert any(seconds(branches + "{% endif %}\n") < 10 * max(seconds("Words.\n"), 0.02) for _ in range(3))
