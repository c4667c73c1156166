"""Every list is a connection as Relay specifies them: forward, backward, by cursors of its own."""

from __future__ import annotations

import re
from typing import Any

import pytest

from app.api.catalog import OPERATIONS
from app.api.operation import Operation
from graphql import print_type
from tests import make
from tests.cast import Cast, Person
from tests.contract.faces import Call, variables
from tests.contract.selections import CORE
from tests.contract.shared_calls import SharedCalls
from tests.contract.write_documents import document, field_at, way_to

PAGED = [row for row in OPERATIONS if row.paged]
every_list = pytest.mark.parametrize("row", PAGED, ids=lambda row: row.id)
ITEMS = """{ totalCount nodes { __typename } edges { cursor node { __typename } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }"""
SIZES = ("first", "after", "last", "before")


class Listed:
    """The list that an operation reads, as one person asks for pages of it."""

    def __init__(self, person: Person, row: Operation, call: Call) -> None:
        self.person, self.row = person, row
        self.way = [name for _type, name, _row in way_to(row)]
        self.given = {name: value for name, value in variables(row, call).items() if name not in SIZES}
        text = re.sub(r"(, )?\$asDocument: Boolean! = false", "", document(row))
        head, _, rest = text.partition("{")
        steps = rest[: rest.index("totalCount")].rpartition("{")[0]
        self.head = re.sub(r"\$(first|after): \w+(, )?", "", head).replace("()", "").replace(", )", ")")
        self.steps = re.sub(r"(first|after): \$\w+(, )?", "", steps).rstrip().removesuffix("()")
        self.steps = self.steps.replace(", )", ")")

    def answer(self, paging: str = "") -> dict[str, Any]:
        """The whole answer with these arguments of paging."""
        steps = self.steps
        if paging:
            steps = f"{steps[:-1]}, {paging})" if steps.endswith(")") else f"{steps}({paging})"
        text = f"{self.head} {{ {steps} {ITEMS} {'}' * len(self.way)}"
        sent = {"query": text, "variables": self.given}
        answer: dict[str, Any] = self.person.post("/graphql", sent).json()
        return answer

    def page(self, paging: str = "") -> Any:
        """The connection, which must be answered."""
        answer = self.answer(paging)
        assert "errors" not in answer, answer
        found = answer["data"]
        for name in self.way:
            found = found[name]
        return found


@every_list
def test_it_is_a_connection_of_relay(row: Operation) -> None:
    type_, name, _row = way_to(row)[-1]
    field = field_at(type_, name)
    kind = print_type(CORE.type_map[str(field.type)])
    item = str(field.type).removesuffix("Connection")
    assert re.search(rf"edges: \[{item}Edge!\]!", kind)
    assert re.search(rf"nodes: \[{item}!\]!", kind)
    assert "pageInfo: PageInfo!" in kind
    assert "totalCount: Int!" in kind
    paging = {each: str(field.args[each].type) for each in SIZES}
    assert paging == {"first": "Int", "after": "String", "last": "Int", "before": "String"}
    assert field.args["first"].default_value == 20
    assert field.args.keys() - {*SIZES, "filter", "orderBy"} <= {
        "query",
        "scope",
        "visitor",
    }


@every_list
def test_pages_forward_and_backward_are_parts_of_the_list(shared_calls: SharedCalls, row: Operation) -> None:
    cast, call = shared_calls.of(row)
    found = Listed(cast.ada, row, call)
    whole = found.page()
    assert found.page("first: null")["edges"] == whole["edges"]
    cursors = [edge["cursor"] for edge in whole["edges"]]
    count = len(cursors)
    assert whole["totalCount"] == count <= 20
    assert len(set(cursors)) == count
    assert [edge["node"] for edge in whole["edges"]] == whole["nodes"]
    assert whole["pageInfo"] == around(cursors, 0, count, count)
    forward, backward = found.page("first: 1"), found.page("last: 1")
    assert forward["pageInfo"] == around(cursors, 0, min(1, count), count)
    assert backward["pageInfo"] == around(cursors, max(count - 1, 0), count, count)
    if not count:
        return
    rest = found.page(f'first: 20, after: "{cursors[0]}"')
    assert [edge["cursor"] for edge in rest["edges"]] == cursors[1:]
    assert rest["totalCount"] == count
    assert rest["pageInfo"]["hasPreviousPage"]
    before = found.page(f'last: 20, before: "{cursors[-1]}"')
    assert [edge["cursor"] for edge in before["edges"]] == cursors[:-1]
    assert before["pageInfo"]["hasNextPage"]


def around(cursors: list[str], begin: int, end: int, count: int) -> dict[str, Any]:
    """Return what `pageInfo` says of the items from one index up to another."""
    return {
        "hasPreviousPage": begin > 0,
        "hasNextPage": end < count,
        "startCursor": cursors[begin] if begin < end else None,
        "endCursor": cursors[end - 1] if begin < end else None,
    }


@every_list
def test_wrong_sizes_and_cursors_are_refused_by_their_names(
    shared_calls: SharedCalls, row: Operation
) -> None:
    cast, call = shared_calls.of(row)
    found = Listed(cast.ada, row, call)
    foreign = Listed(cast.ada, *other_list(cast, row)).page("first: 1")["pageInfo"]["endCursor"]
    for paging, name in (
        ("first: -1", "first"),
        ("first: 1001", "first"),
        ("last: -1", "last"),
        ("last: 1001", "last"),
        (f'after: "{foreign}"', "after"),
        (f'last: 1, before: "{foreign}"', "before"),
        ('after: "x"', "after"),
        ("first: 1, last: 1", "last"),
    ):
        answer = found.answer(paging)
        (error,) = answer["errors"]
        assert error["extensions"]["code"] == "BAD_REQUEST", (paging, error)
        assert [each["path"] for each in error["extensions"]["details"]] == [name], paging


def other_list(cast: Cast, row: Operation) -> tuple[Operation, Call]:
    """A list with something in it that is not the one of a row."""
    spaces, members = "listSpacesInOrganizationById", "listMembersInOrganizationById"
    id_ = members if row.id == spaces else spaces
    make.space(cast.ada, cast.organization)
    return next(each for each in PAGED if each.id == id_), Call({"organizationId": cast.organization})


def test_nothing_is_filtered_unless_asked(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    for number in (1, 2):
        make.change_request(cast.ed, space, subject=f"{number}")
    make.change_request(cast.ed, space, subject="3")
    here = f"/v1/spaces/{space}/change-requests"
    assert cast.ed.patch(f"{here}/1", {"status": "open"}).status_code == 200
    assert cast.ed.patch(f"{here}/2", {"status": "archived"}).status_code == 200
    asked = """query ($s: ID!, $o: ID!) {
        space(id: $s) { changeRequests { nodes { status } } null: changeRequests(filter: null) { totalCount }
            empty: changeRequests(filter: {status: null}) { totalCount }
            open: changeRequests(filter: {status: [OPEN]}) { totalCount } }
        organization(id: $o) { changeRequests { totalCount } } }"""
    told = cast.ria.ask(asked, s=space, o=cast.organization)
    statuses = [each["status"] for each in told["space"]["changeRequests"]["nodes"]]
    assert sorted(statuses) == ["ARCHIVED", "DRAFT", "OPEN"]
    assert [told["space"][name]["totalCount"] for name in ("null", "empty", "open")] == [3, 3, 1]
    assert told["organization"]["changeRequests"]["totalCount"] == 3


def test_pages_of_a_space_are_a_list_too(cast: Cast) -> None:
    space = make.filled_space(cast)
    asked = "query ($s: ID!) { space(id: $s) { pageList%s { totalCount nodes { title } edges { cursor } } } }"

    def listed(paging: str = "") -> Any:
        return cast.ria.ask(asked % paging, s=space)["space"]["pageList"]

    whole = listed()
    titles = [page["title"] for page in whole["nodes"]]
    assert (whole["totalCount"], titles[:3]) == (len(titles), ["Lighthouse", "Notes", "Daily rounds"])
    cursors = [edge["cursor"] for edge in whole["edges"]]
    assert listed(f'(first: 2, after: "{cursors[1]}")')["nodes"] == whole["nodes"][2:4]
    assert listed(f'(last: 2, before: "{cursors[3]}")')["nodes"] == whole["nodes"][1:3]
    wrong = {"(first: -1)": "first", '(after: "x")': "after", '(last: 1, before: "x")': "before"}
    for paging, name in wrong.items():
        (error,) = cast.ria.gql(asked % paging, s=space)["errors"]
        assert [each["path"] for each in error["extensions"]["details"]] == [name]
