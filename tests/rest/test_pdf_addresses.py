"""Documents in print: who may have them, for how long, and when they are refused."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest

from app.domain.pdf import typesetting
from app.formats.pdf.renderer import render
from tests import anonymous, make
from tests.cast import Cast
from tests.factories.pdfs import address, asked, changed_space, fetched, shown


def refused(url: str) -> int:
    """The status of an address that opens nothing, in the one shape of errors."""
    answer = anonymous.get(url)
    assert answer.json()["error"]["code"] == answer.status_code
    return answer.status_code


def test_who_sees_the_content_may_print_it(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    number = make.change_request(cast.ada, space)["number"]
    for request in (None, number):
        for person in cast.members.values():
            expected = 404 if person is cast.gus else 200
            assert asked(person, space, request).status_code == expected
        assert asked(cast.sol, space, request).status_code == 404


def test_what_is_not_there_is_not_printed(cast: Cast) -> None:
    space, ids = changed_space(cast)
    other = make.space(cast.ada, cast.organization)["id"]
    request = make.change_request(cast.ada, other)
    for path, query in (
        (f"/v1/spaces/{other}/pdf", {"page": ids["Kept"]}),
        (f"/v1/spaces/{space}/change-requests/{request['id']}/pdf", {}),
        (f"/v1/spaces/{space}/change-requests/{request['number']}/pdf", {}),
        (f"/v1/spaces/{space}/pdf", {"page": "nobody"}),
    ):
        assert cast.ada.get(path, params=query).status_code == 404, path
    assert asked(cast.ada, space, page="a/b").status_code == 400
    assert asked(cast.ada, space, only="perhaps").status_code == 400


def with_part(url: str, number: int, by: str) -> str:
    """The address with another part: 2 signature, 3 space, 4 revision, 5 name."""
    parts = urlsplit(url).path.split("/")
    parts[number] = by
    return urlsplit(url)._replace(path="/".join(parts)).geturl()


def with_query(url: str, **changes: str) -> str:
    """The address with another query."""
    query = {**dict(parse_qsl(urlsplit(url).query)), **changes}
    return urlsplit(url)._replace(query=urlencode(query)).geturl()


def test_a_changed_address_opens_nothing(cast: Cast) -> None:
    space, ids = changed_space(cast)
    number = make.change_request(cast.ed, space)["number"]
    url = address(cast.ria, space, number, page=ids["Kept"], only="true")
    other = urlsplit(address(cast.ria, changed_space(cast)[0])).path.split("/")
    until, _, signed = urlsplit(url).path.split("/")[2].partition(".")
    wrong = [
        *(with_part(url, 2, sign) for sign in (f"{until}.{'A' * 16}", f"{int(until) + 1}.{signed}", until)),
        *(with_part(url, 2, sign) for sign in (f"{'9' * 5000}.{signed}", "%00.%ff", f"0{until}.{signed}")),
        with_part(url, 3, other[3]),
        with_part(url, 4, other[4]),
        with_part(url, 2, other[2]),
        with_part(url, 3, "%00"),
        with_query(url, page=ids["Gone"]),
        with_query(url, only="false"),
        with_query(url, page=f"{ids['Kept']} only", only=""),
        with_query(url, changeRequest="1"),
        url.partition("?")[0],
    ]
    for each in wrong:
        assert refused(each) == 404, each
    assert anonymous.get(with_part(url, 5, "other.pdf")).status_code == 200
    assert anonymous.post(url).status_code == 405


def test_an_address_works_for_an_hour(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    before = cast.instance.inside(_now)
    url = address(cast.ada, space)
    after = cast.instance.inside(_now)
    until = int(urlsplit(url).path.split("/")[2].partition(".")[0])
    signer = cast.instance.signer
    revision = urlsplit(url).path.split("/")[4]

    def signed(until: int) -> str:
        return with_part(url, 2, f"{until}.{signer.sign('pdf', f'{space} {revision} - - all {until}')}")

    assert signed(until) == url
    assert before - 1 <= until - 3600 <= after + 1
    assert fetched(signed(until - 1800))
    assert refused(signed(int(before) - 1)) == 404


async def _now(cx: Any) -> float:
    return float(cx.now.timestamp())


def test_a_deleted_space_is_not_printed_any_more(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    url = address(cast.ada, space)
    fetched(url)
    assert cast.ada.delete(f"/v1/spaces/{space}").status_code == 205
    assert refused(url) == 404


def test_what_a_browser_has_is_not_sent_again(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    url = address(cast.ada, space)
    head = anonymous.head(url)
    assert (head.status_code, head.content) == (200, b"")
    again = anonymous.get(url, headers={"If-None-Match": head.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_what_is_too_large_is_refused_and_a_part_of_it_is_not(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    space, ids = changed_space(cast)
    url = address(cast.ria, space)
    with monkeypatch.context() as patch:
        patch.setattr(typesetting, "MOST_PAGES", 4)
        answer = anonymous.get(url)
        assert answer.status_code == 413
        assert answer.json()["error"]["message"] == (
            "A PDF has at most 4 pages of content. "
            "Ask for a part of it: a page with `page`, alone with `only`."
        )
        assert "Kept text" in shown(cast.ria, space, page=ids["Kept"])
    assert refused(url) == 413  # the same content, the same answer


def test_where_the_library_is_missing_that_is_said(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    url = address(cast.ada, space)
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "typst", None)
        assert asked(cast.ada, space).json()["error"] == {
            "code": 412,
            "message": "PDF is not installed here; it comes with the extra `docyard[pdf]`.",
        }
        assert refused(url) == 412
        assert asked(cast.sol, space).status_code == 404
    assert fetched(url)


def test_many_who_ask_at_once_get_what_is_set_once(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    space, _ = changed_space(cast)
    url = address(cast.ria, space)
    runs: list[str] = []

    def counted(*arguments: Any) -> bytes:
        runs.append("run")
        return render(*arguments)

    monkeypatch.setattr(typesetting, "render", counted)
    with ThreadPoolExecutor(8) as threads:
        documents = set(threads.map(lambda _: fetched(url), range(8)))
    assert (len(documents), len(runs)) == (1, 1)
