"""A read takes at most two statements including that of the token, however many rows there are."""

from __future__ import annotations

import pytest

from app.access.context import Context
from app.api.catalog import OPERATIONS
from app.api.operation import Operation
from app.domain.accounts import sessions
from app.domain.accounts.sessions import Browser
from app.domain.organizations import users
from app.domain.privacy.personal_data import SOURCES
from tests.cast import Cast
from tests.contract.faces import Call, address, in_body, in_query
from tests.contract.recipes import RECIPES, belong_elsewhere
from tests.contract.second_process import Stage
from tests.contract.shared_calls import SharedCalls
from tests.contract.statements import counts, noting
from tests.scale import scaled

MOST = 2
JOINING = {
    "getChangeRequestConflicts": 12,
    "exportUserById": 2 + len(SOURCES),
    "previewSiteCustomization": 3,
}
"""Reads that join contents as a merge does, which looks at pages, files and links one after another; what is
stored about a person, table after table; and the look of a site beside its structure."""
# What is rendered leaves a record of the event and what the script said, in a transaction of its own.
RECORDED = {"renderIntegrationUIWithGet", "renderIntegrationUIWithPost"}
READS = [row for row in OPERATIONS if not (row.writes or row.public or row.id in RECORDED)]
every_read = pytest.mark.parametrize("row", READS, ids=lambda row: row.id)


@every_read
def test_a_read_costs_two_statements_whatever_there_is(cast: Cast, stage: Stage, row: Operation) -> None:
    call = RECIPES[row.id](cast)
    before = counts(cast, stage, row, call)
    for _ in range(scaled(1, full=3)):
        RECIPES[row.id](cast)  # more of everything in the same organization
    after = counts(cast, stage, row, call)
    assert before == after
    assert 1 <= before[0] <= JOINING.get(row.id, MOST)


@every_read
def test_a_read_costs_as_much_for_who_belongs_to_two_organizations(
    cast: Cast, stage: Stage, row: Operation
) -> None:
    call = RECIPES[row.id](cast)
    belong_elsewhere(cast)
    assert counts(cast, stage, row, call)[0] <= JOINING.get(row.id, MOST)


@pytest.mark.parametrize("row", [row for row in READS if row.paged], ids=lambda row: row.id)
def test_every_page_of_a_list_costs_the_same(shared_calls: SharedCalls, stage: Stage, row: Operation) -> None:
    cast, first = shared_calls.of(row)
    asked = {"params": {**in_query(first), "limit": 1}, **in_body(first)}
    answer = cast.ada.call(row.method, address(row, first), **asked).json()
    whole = Call(first.path, {**first.query, "limit": 1000}, first.body)
    none = Call(first.path, {**first.query, "limit": 0}, first.body)
    one = Call(first.path, {**first.query, "limit": 1}, first.body)
    calls = [whole, none, one]
    if "next" in answer:
        calls.append(Call(first.path, {**one.query, "page": answer["next"]["page"]}, first.body))
    assert max(counts(cast, stage, row, *calls)) <= MOST


def test_a_request_in_a_session_costs_no_more_than_one_with_a_token(cast: Cast, stage: Stage) -> None:
    async def begin(cx: Context) -> str:
        return (await sessions.begin(cx, await users.by_email(cx, cast.ada.email), Browser())).session

    cookie = {"Cookie": f"docyard_session={stage.inside(begin)}", "Sec-Fetch-Site": "same-origin"}
    for row in READS[::12]:
        call = RECIPES[row.id](cast)
        path, params = address(row, call), in_query(call)
        ran = []
        for token, headers in ((cast.ada.token, {}), (None, cookie)):
            with noting() as texts:
                answer = stage.send(token, row.method, path, params=params, json=call.body, headers=headers)
            assert answer.status_code == 200, answer.text
            ran.append(len(texts))
        assert ran[1] <= ran[0], row.id
