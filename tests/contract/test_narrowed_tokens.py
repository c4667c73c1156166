"""Narrowed tokens on every operation of both faces: scopes open what rows name, spaces nothing else."""

from __future__ import annotations

from typing import get_args

import pytest

from app.access.scopes import ALWAYS, INTEGRATION
from app.api.catalog import OPERATIONS
from app.api.operation import Operation
from app.models.accounts import TokenScope
from tests import make
from tests.contract.faces import SUCCESS
from tests.contract.matrix_actors import Troupe, token_of_admin, troupe
from tests.contract.matrix_calls import by_graphql, by_rest
from tests.contract.recipes import RECIPES
from tests.contract.second_process import Stage
from tests.scale import scaled

FACES = (by_rest, by_graphql)
SCOPES = get_args(TokenScope)
ASKED = [row for row in OPERATIONS if not row.public]
IN_SPACES = [row for row in ASKED if "spaceId" in row.parameters and row.id != "restoreSpace"]
ONE_IN = scaled(3, full=1)  # of these operations: what decides is one place of the code
OF_OTHERS = ("organization:", "named ")  # rights that a guest lacks


@pytest.fixture(scope="module")
def narrow(stage: Stage) -> Troupe:
    """Everybody, for calls that leave people as they were."""
    return troupe(stage)


@pytest.mark.parametrize("row", ASKED, ids=lambda row: row.id)
def test_a_row_names_a_scope_that_there_is(row: Operation) -> None:
    assert row.scope in (*SCOPES, "", ALWAYS, INTEGRATION)


@pytest.mark.parametrize("row", ASKED[::ONE_IN], ids=lambda row: row.id)
def test_the_scopes_of_a_token_decide_which_operations_it_opens(row: Operation, narrow: Troupe) -> None:
    opening = {row.scope, "write" if row.writes else "read"} & set(SCOPES)
    call = RECIPES[row.id](narrow.cast)
    others = token_of_admin(narrow, scopes=[each for each in SCOPES if each not in opening])
    assert {face(narrow.stage, others, row, call) for face in FACES} == {403}
    if not row.writes and row.id not in MANAGING:
        for scope in opening:
            token = token_of_admin(narrow, scopes=[scope])
            assert by_rest(narrow.stage, token, row, call) == SUCCESS, scope


MANAGING = {
    "exportUserById",
    *(
        row.id
        for row in ASKED
        if row.path.startswith(("/user/tokens", "/user/sessions", "/user/notification"))
    ),
}
"""What tokens with scopes do not see, whatever these open."""


@pytest.mark.parametrize("row", IN_SPACES[::ONE_IN], ids=lambda row: row.id)
def test_a_token_for_a_space_opens_it_and_no_other(row: Operation, narrow: Troupe) -> None:
    call = RECIPES[row.id](narrow.cast)
    other = make.space(narrow.cast.ada, narrow.cast.organization)["id"]
    away = token_of_admin(narrow, spaces=[other], organization_id=narrow.cast.organization)
    (verdict,) = {face(narrow.stage, away, row, call) for face in FACES}
    # Where the organization is asked for a right too, that may be refused first.
    assert verdict in ((403, 404) if "organization:" in row.permission else (404,))
    if not row.writes and not any(each in row.permission for each in OF_OTHERS):
        here = token_of_admin(narrow, spaces=[call.path["spaceId"]], organization_id=narrow.cast.organization)
        assert {face(narrow.stage, here, row, call) for face in FACES} == {SUCCESS}
