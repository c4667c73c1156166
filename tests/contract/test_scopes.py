"""A token of an installation without any scope, on every operation of both faces (threats, 11)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.access.scopes import ALWAYS
from app.api.catalog import OPERATIONS
from app.api.operation import Operation
from tests import make
from tests.cast import Cast, Person
from tests.contract.faces import SUCCESS, by_graphql, by_rest
from tests.contract.recipes import RECIPES
from tests.factories.integrations import PublishedIntegration
from tests.instance import Instance

ASKED = [row for row in OPERATIONS if not row.public]
OPEN = {"getOrganizationById", "getServiceInformation"}


@pytest.fixture(scope="module")
def unscoped(instance: Instance) -> tuple[Cast, Person]:
    """An organization, and an installation there whose token has no scopes."""
    cast = make.cast(instance)
    made = PublishedIntegration(cast, scopes=[])
    return cast, replace(cast.ada, token=made.token(made.install()).token)


@pytest.mark.parametrize("operation", ASKED, ids=lambda row: row.id)
def test_a_token_without_scopes_opens_next_to_nothing(
    unscoped: tuple[Cast, Person], operation: Operation
) -> None:
    cast, actor = unscoped
    call = RECIPES[operation.id](cast)
    said = {face(actor, operation, call).verdict for face in (by_rest, by_graphql)}
    if operation.id in OPEN:
        assert said == {SUCCESS}
    elif operation.scope == ALWAYS:
        assert said <= {403, 404}, "an integration looks after itself only"
    else:
        assert said == {403}
