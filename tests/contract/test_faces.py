"""Every operation over both faces, for everybody: the same verdict and the same data (threats, 10)."""

from __future__ import annotations

import pytest

from app.rest.every import OPERATIONS
from app.rest.operation import Operation
from tests.cast import Cast
from tests.contract.faces import (
    SUCCESS,
    Actor,
    Answer,
    Call,
    actors,
    by_graphql,
    by_rest,
    without_chance,
)
from tests.contract.recipes import RECIPES, Recipe

WITHOUT_TOKEN = ("nobody", "garbage")
TIMED = {"getSpacePDF", "getChangeRequestPDF"}  # their answers say until when, to the second
QUESTIONS = {"emailDomain"}  # not an id of anything: every value has an answer
MAKES = {"publishIntegration"}  # what is at the address is made where there is nothing yet
every_operation = pytest.mark.parametrize("operation", OPERATIONS, ids=lambda row: row.id)


def test_every_operation_has_a_recipe() -> None:
    assert {row.id for row in OPERATIONS} == set(RECIPES)


@every_operation
def test_both_faces_answer_everybody_alike(cast: Cast, operation: Operation) -> None:
    people = actors(cast)
    rest, gql = _both(operation, people.pop("administrator"), cast, RECIPES[operation.id])
    assert (rest.verdict, gql.verdict) == (SUCCESS, SUCCESS), (rest.data, gql.data)
    for name, actor in people.items():
        rest, gql = _both(operation, actor, cast, RECIPES[operation.id])
        if operation.public and name in WITHOUT_TOKEN:  # GraphQL has one door, and it asks for a token
            assert (rest.verdict, gql.verdict) == (SUCCESS, 401)
        else:
            assert rest.verdict == gql.verdict, f"{name}: {rest.data} but {gql.data}"


@every_operation
def test_only_public_operations_answer_without_a_token(cast: Cast, operation: Operation) -> None:
    for name in WITHOUT_TOKEN:
        answer = by_rest(actors(cast)[name], operation, RECIPES[operation.id](cast))
        assert answer.verdict == (SUCCESS if operation.public else 401)


@pytest.mark.parametrize(
    "operation",
    [row for row in OPERATIONS if row.parameters and row.id not in MAKES],
    ids=lambda row: row.id,
)
def test_what_does_not_exist_is_not_found_on_either_face(cast: Cast, operation: Operation) -> None:
    call = RECIPES[operation.id](cast)
    for name in [name for name in operation.parameters if name not in QUESTIONS]:
        missing = Call({**call.path, name: "0" * 20}, call.query, call.body)
        rest, gql = _same(operation, actors(cast)["administrator"], missing)
        assert (rest.verdict, gql.verdict) == (404, 404), f"{name}: {rest.data} but {gql.data}"


@pytest.mark.parametrize("operation", [row for row in OPERATIONS if row.paged], ids=lambda row: row.id)
@pytest.mark.parametrize("limit", [-1, 1001])
def test_a_limit_out_of_range_is_refused_by_both_faces(cast: Cast, operation: Operation, limit: int) -> None:
    call = RECIPES[operation.id](cast)
    wrong = Call(call.path, {**call.query, "limit": limit}, call.body)
    rest, gql = _same(operation, actors(cast)["administrator"], wrong)
    assert (rest.verdict, gql.verdict) == (400, 400)


@pytest.mark.parametrize("operation", [row for row in OPERATIONS if row.paged], ids=lambda row: row.id)
def test_both_faces_cut_a_list_at_the_same_places(cast: Cast, operation: Operation) -> None:
    call = RECIPES[operation.id](cast)
    administrator = actors(cast)["administrator"]
    page: dict[str, object] = {}
    for _ in range(3):
        one = Call(call.path, {**call.query, "limit": 1, **page}, call.body)
        rest, gql = _same(operation, administrator, one)
        assert rest.verdict == gql.verdict == SUCCESS
        if "next" not in rest.data:
            break
        page = {"page": rest.data["next"]["page"]}


def _both(operation: Operation, actor: Actor, cast: Cast, recipe: Recipe) -> tuple[Answer, Answer]:
    """The two answers to a recipe, which a write finds untouched each time."""
    call = recipe(cast)
    return _same(operation, actor, call, recipe(cast) if operation.writes else call)


def _same(operation: Operation, actor: Actor, call: Call, again: Call | None = None) -> tuple[Answer, Answer]:
    """The two answers to a call; where both are successes, they are equal."""
    rest = by_rest(actor, operation, call)
    gql = by_graphql(actor, operation, again or call)
    if rest.verdict == gql.verdict == SUCCESS:
        left, right = rest.data, gql.data
        if operation.writes or operation.id in TIMED:
            left, right = without_chance(left), without_chance(right)
        assert left == right
    return rest, gql


@pytest.mark.parametrize(
    "name", ["getSpaceById", "getSiteStructure", "getPublishedContentSite", "getSiteRedirectBySource"]
)
def test_what_is_too_long_for_a_query_is_refused_on_both_faces(cast: Cast, name: str) -> None:
    operation = next(row for row in OPERATIONS if row.id == name)
    call = RECIPES[name](cast)
    call.query["shareKey"] = "x" * 257
    actor = actors(cast)["administrator"]
    assert by_rest(actor, operation, call).verdict == by_graphql(actor, operation, call).verdict == 400
