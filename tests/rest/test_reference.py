"""The reference of the API at `/docs`: a page for every operation and schema of the document."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import httpx
import pytest

from tests import anonymous
from tests.cast import Cast
from tests.reader.rendering import parsed


def asked(cast: Cast, path: str, **headers: str) -> httpx.Response:
    """What is at an address of the reference."""
    return anonymous.get(f"{cast.instance.base}/docs{path}", headers=headers)


def opened(cast: Cast, path: str) -> str:
    """A page of the reference."""
    answer = asked(cast, path)
    assert answer.status_code == 200, answer.text
    return answer.text


def index(html: str) -> list[str]:
    """The addresses in the index of a page."""
    listed = next(each for each in parsed(html).every("ul") if each.attributes.get("class") == "index")
    return [str(link.attributes["href"]) for link in listed.every("a")]


def test_every_operation_has_a_page_in_the_index_of_its_group(cast: Cast) -> None:
    document: dict[str, Any] = anonymous.get(f"{cast.instance.base}/v1/openapi.json").json()
    side = re.findall(r'href="(/docs/[a-z0-9-]+)"', opened(cast, ""))
    groups = [path for path in dict.fromkeys(side) if path != "/docs/models"]
    assert len(groups) == len(document["tags"])
    pages = [page for path in groups for page in index(opened(cast, path.removeprefix("/docs")))]
    wanted = {op["operationId"].lower() for path in document["paths"].values() for op in path.values()}
    assert {page.rpartition("/")[2] for page in pages} == wanted
    assert len(pages) == len(wanted)


def test_every_schema_has_a_page_to_which_operations_lead(cast: Cast) -> None:
    document: dict[str, Any] = anonymous.get(f"{cast.instance.base}/v1/openapi.json").json()
    pages = index(opened(cast, "/models"))
    assert len(pages) == len(document["components"]["schemas"])
    assert 'class="kind" href="/docs/models/site"' in opened(cast, "/sites/getsitebyid")
    assert "Example" in opened(cast, "/models/site")


def test_an_operation_says_how_it_is_called_and_what_it_answers(cast: Cast) -> None:
    told = unescape(re.sub(r"<[^>]*>", "", opened(cast, "/sites/createsite")))
    for part in ("POST", f"{cast.instance.base}/v1", "/orgs/{organizationId}/sites", "Authorization", "token",
                 "Request body", "Responses", "201", "403", "curl -X POST", "Idempotency-Key"):  # fmt: skip
        assert part in told, part


@pytest.mark.parametrize(
    ("query", "first"), [("create site", "createsite"), ("GET /user", "getauthenticateduser")]
)
def test_pages_are_found_by_title_method_and_path(cast: Cast, query: str, first: str) -> None:
    found = asked(cast, f"/~/search?q={query}", accept="application/json").json()
    assert found["hits"][0]["href"].endswith(f"/{first}")
    assert found["count"] >= len(found["hits"])
    assert found["hits"][0]["href"] in opened(cast, f"/~/search?q={query}")


def test_what_is_found_says_something_and_is_marked(cast: Cast) -> None:
    for query in ("space", "last in its parent", "accepting an invite"):
        hits = asked(cast, f"/~/search?q={query}", accept="application/json").json()["hits"]
        assert hits
        assert [each["title"] for each in hits if not each["excerpt"]] == []
        marked = ["".join(each["title_parts"][1::2] + each["excerpt_parts"][1::2]).lower() for each in hits]
        assert all(query.split()[0] in each for each in marked), marked


def test_a_slip_is_forgiven_where_nothing_else_is_found(cast: Cast) -> None:
    found = asked(cast, "/~/search?q=craete spcae", accept="application/json").json()
    assert found["hits"][0]["href"].endswith("/spaces/createspace")
    assert asked(cast, "/~/search?q=qqqqqq", accept="application/json").json()["hits"] == []


def test_all_that_was_found_is_reached_page_by_page(cast: Cast) -> None:
    count = asked(cast, "/~/search?q=space", accept="application/json").json()["count"]
    address, seen = "/~/search?q=space", list[str]()
    while address:
        shown = opened(cast, address)
        seen += re.findall(r'<li><a href="([^"]+)"[^>]*>(?!<small)', shown.partition('<ol class="hits">')[2])
        after = re.search(r'href="/docs([^"]*)" rel="next"', shown)
        address = unescape(after[1]) if after else ""
    assert len(set(seen)) == len(seen) == count > 80


def test_a_search_for_anything_is_answered(cast: Cast) -> None:
    for query in ("", "%", "<script>", "x" * 5_000, "\u0000", "e"):
        answer = anonymous.get(
            f"{cast.instance.base}/docs/~/search", params={"q": query}, headers={"accept": "application/json"}
        )
        assert answer.status_code == 200
        assert len(answer.json()["hits"]) <= 40
    assert "<script>alert" not in opened(cast, "/~/search?q=<script>alert(1)</script>")


def test_what_is_not_there_is_said_on_a_page_with_the_way_on(cast: Cast) -> None:
    for path in ("/nothing", "/sites/nothing", "/models/nothing", "/%3Cscript%3E"):
        answer = asked(cast, path)
        assert answer.status_code == 404, path
        assert 'href="/docs/models"' in answer.text
    for path in ("/~/nothing", "/~/static/0/nothing.js", "/~/tree?page=nothing", "/~/looks/site/x.txt"):
        assert asked(cast, path).status_code == 404, path


def test_what_is_below_a_page_of_the_tree_is_asked_for(cast: Cast) -> None:
    below = asked(cast, "/~/tree?page=models").text
    assert 'href="/docs/models/adaptivecontent"' in below
    assert "more" in below


def test_a_page_is_small_and_asked_for_again_with_its_tag(cast: Cast) -> None:
    """What was a megabyte of script before is a page of some kilobytes."""
    answer = asked(cast, "/sites/createsite", **{"accept-encoding": "gzip"})
    assert answer.headers["content-encoding"] == "gzip"
    assert int(answer.headers["content-length"]) < 25_000
    again = asked(cast, "/sites/createsite", **{"if-none-match": answer.headers["etag"]})
    assert again.status_code == 304
    loaded = re.findall(r'(?:src|href)="(/docs/~/[^"]*\.(?:js|css|svg))"', answer.text)
    assert len(loaded) >= 5
    sizes = []
    for path in loaded:
        part = anonymous.get(f"{cast.instance.base}{path}", headers={"accept-encoding": "gzip"})
        assert part.status_code == 200, path
        sizes.append(int(part.headers["content-length"]))
    assert sum(sizes) < 40_000


@pytest.mark.parametrize(
    ("path", "to"),
    [("/", "/docs"), ("/sites/", "/docs/sites"), ("/sites/createsite/?a=b", "/docs/sites/createsite?a=b")],
)
def test_a_slash_at_the_end_leads_to_the_page(cast: Cast, path: str, to: str) -> None:
    answer = asked(cast, path)
    assert answer.status_code == 308
    assert answer.headers["location"] == to


def test_the_icon_can_do_nothing_but_be_seen(cast: Cast) -> None:
    icon = re.findall(r'href="(/docs/~/looks/[^"]*\.svg)"', opened(cast, ""))[0]
    answer = anonymous.get(f"{cast.instance.base}{icon}")
    assert answer.headers["content-type"].startswith("image/svg+xml")
    assert "sandbox" in answer.headers["content-security-policy"]
