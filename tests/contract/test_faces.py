"""Every operation over both faces: the same data, and refusals alike (threats, 10).

Who may call what is asked of everybody in `test_matrix`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from app.access.quotas import QuotaName
from app.api.catalog import OPERATIONS
from app.api.operation import Operation
from app.domain.organizations import quotas
from tests import make
from tests.cast import Cast
from tests.contract.audit_events import Named, left_one_event
from tests.contract.faces import (
    SUCCESS,
    Answer,
    Call,
    Caller,
    by_graphql,
    by_rest,
    in_full,
    without_chance,
)
from tests.contract.recipes import RECIPES
from tests.contract.shapes import has_its_shape
from tests.contract.shared_calls import SharedCalls
from tests.factories import grants
from tests.scale import FULL
from tests.timing import on_one_day

# Their answers say until when, to the second, or when they were made.
TIMED = {"exportSpace", "getSpacePDF", "getChangeRequestPDF", "exportUserById"}
COUNTING = {"getQuotasInOrganization": "requests"}  # what the calls themselves are counted in
QUESTIONS = {"emailDomain"}  # not an id of anything: every value has an answer
MAKES = {
    "publishIntegration",
    "setIntegrationSecret",
}  # what is at the address is made where there is nothing yet
IN_AN_ORGANIZATION = (
    "getOrganizationById", "listSites", "getPageById", "changeContent", "importContent", "searchSpaceContent",
    "updateSiteById", "queueIntegrationTask",
)  # fmt: skip
every_operation = pytest.mark.parametrize("operation", OPERATIONS, ids=lambda row: row.id)


def test_every_operation_has_a_recipe() -> None:
    assert {row.id for row in OPERATIONS} == set(RECIPES)


@every_operation
def test_both_faces_give_the_same_data(cast: Cast, operation: Operation) -> None:
    """Data of the declared shape, and for a write one event in the audit log.

    GraphQL is called with its own ids by the administrator, and with those of REST by others.
    """
    made = input_of(operation, cast)
    by = {face: Named(cast, f"{face}-{cast.organization}") for face in ("rest", "graphql")}
    call, again, rest, gql = _both(operation, by["rest"], made, over_graphql=by["graphql"])
    assert (rest.verdict, gql.verdict) == (SUCCESS, SUCCESS), (rest.data, gql.data)
    assert rest.response is not None
    has_its_shape(operation, rest.response)
    told = left_one_event(by["rest"], operation, "rest", call)
    assert told == left_one_event(by["graphql"], operation, "graphql", again)
    if cast.instance.engine == "postgresql" and not FULL:
        return  # who may do what is decided where there is no engine
    # Who see less, and are refused some of it; what is refused to readers is asked in `test_matrix`.
    for person in (cast.ed, cast.ria) if FULL or not operation.writes else (cast.ed,):
        *_, rest, gql = _both(operation, person, made)
        assert rest.verdict == gql.verdict, f"{person.email}: {rest.data} but {gql.data}"


@pytest.mark.parametrize(
    "operation",
    [row for row in OPERATIONS if row.parameters and row.id not in MAKES],
    ids=lambda row: row.id,
)
def test_what_does_not_exist_is_not_found_on_either_face(
    shared_calls: SharedCalls, operation: Operation
) -> None:
    cast, call = shared_calls.of(operation)
    for name in [name for name in operation.parameters if name not in QUESTIONS]:
        missing = Call({**call.path, name: "0" * 20}, call.query, call.body)
        rest, gql = _same(operation, cast.ada, missing)
        assert (rest.verdict, gql.verdict) == (404, 404), f"{name}: {rest.data} but {gql.data}"


@pytest.mark.parametrize("operation", [row for row in OPERATIONS if row.paged], ids=lambda row: row.id)
def test_a_limit_out_of_range_is_refused_by_both_faces(
    shared_calls: SharedCalls, operation: Operation
) -> None:
    cast, call = shared_calls.of(operation)
    for limit in (-1, 1001):
        wrong = Call(call.path, {**call.query, "limit": limit}, call.body)
        rest, gql = _same(operation, cast.ada, wrong)
        assert (rest.verdict, gql.verdict) == (400, 400), limit


@pytest.mark.parametrize("operation", [row for row in OPERATIONS if row.paged], ids=lambda row: row.id)
def test_both_faces_cut_a_list_at_the_same_places(shared_calls: SharedCalls, operation: Operation) -> None:
    cast, call = shared_calls.of(operation)
    page: dict[str, object] = {}
    for _ in range(3):
        one = Call(call.path, {**call.query, "limit": 1, **page}, call.body)
        rest, gql = _same(operation, cast.ada, one)
        assert rest.verdict == gql.verdict == SUCCESS
        if "next" not in rest.data:
            break
        page = {"page": rest.data["next"]["page"]}


@pytest.mark.parametrize("operation", [row for row in OPERATIONS if row.paged], ids=lambda row: row.id)
def test_a_token_of_a_list_survives_a_change_of_grants(cast: Cast, operation: Operation) -> None:
    call = RECIPES[operation.id](cast)
    none = by_rest(cast.ada, operation, Call(call.path, {**call.query, "limit": 0}, call.body))
    assert none.verdict == SUCCESS, none.data
    page = {"page": none.data["next"]["page"]}
    granted = make.space(cast.ada, cast.organization)["id"]
    grants.grant(cast.ada, f"/v1/spaces/{granted}", "read", users=[cast.ada])
    rest, gql = _same(operation, cast.ada, Call(call.path, {**call.query, **page}, call.body))
    assert rest.verdict == gql.verdict == SUCCESS, rest.data


def input_of(operation: Operation, cast: Cast) -> Callable[[], Call]:
    """Return what makes a call: once for all reads, anew for each write, which finds its object untouched."""
    if operation.writes:
        return partial(RECIPES[operation.id], cast)
    call = RECIPES[operation.id](cast)
    return lambda: call


def _both(
    operation: Operation,
    person: Caller,
    made: Callable[[], Call],
    *,
    over_graphql: Caller | None = None,
) -> tuple[Call, Call, Answer, Answer]:
    """The two calls with such an input, and the two answers."""
    call = made()
    if not operation.writes:
        return call, call, *_same(operation, person, call, over_graphql=over_graphql)
    rest = by_rest(_making(person, call), operation, call)
    again = made()
    other = over_graphql or person
    gql = by_graphql(_making(other, again), operation, again, own_ids=over_graphql is not None)
    _are_same(operation, rest, gql)
    return call, again, rest, gql


def _making(person: Caller, call: Call) -> Caller:
    return person.making(call) if isinstance(person, Named) else person


def _same(
    operation: Operation, person: Caller, call: Call, *, over_graphql: Caller | None = None
) -> tuple[Answer, Answer]:
    """The two answers to a call; where both are successes, they are equal."""

    def both() -> tuple[Answer, Answer]:
        return by_rest(person, operation, in_full(operation, call)), by_graphql(
            over_graphql or person, operation, call, own_ids=over_graphql is not None
        )

    rest, gql = both() if operation.writes else on_one_day(both)
    _are_same(operation, rest, gql)
    return rest, gql


def _are_same(operation: Operation, rest: Answer, gql: Answer) -> None:
    """Fail where both are successes and not equal."""
    if rest.verdict == gql.verdict == SUCCESS:
        left, right = rest.data, gql.data
        if operation.writes or operation.id in TIMED:
            left, right = without_chance(left), without_chance(right)
        if counting := COUNTING.get(operation.id):
            left, right = {**left, counting: None}, {**right, counting: None}
        assert left == right


def test_what_is_too_long_for_a_query_is_refused_on_both_faces(cast: Cast) -> None:
    name = "getSiteRedirectBySource"
    operation = next(row for row in OPERATIONS if row.id == name)
    call = RECIPES[name](cast)
    call.query["shareKey"] = "x" * 257
    assert by_rest(cast.ada, operation, call).verdict == by_graphql(cast.ada, operation, call).verdict == 400


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
@pytest.mark.parametrize("name", IN_AN_ORGANIZATION)
def test_a_call_in_an_organization_counts_on_both_faces(cast: Cast, name: str) -> None:
    operation = next(row for row in OPERATIONS if row.id == name)
    call = RECIPES[name](cast)
    only_one: dict[QuotaName, int | None] = {"requests": 1}
    cast.instance.inside(lambda cx: quotas.set_own(cx, cast.organization, only_one))
    for face in (by_rest, by_graphql):  # one request a minute: of three in two minutes one is too many
        verdicts = [face(cast.ada, operation, call).verdict for _ in range(3)]
        assert 429 in verdicts, (face, verdicts)
