"""Objects of every type that GraphQL names, and the fields by which each is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from app.api.graphql.nodes import Node, nodes
from app.api.graphql.reading import Reading
from app.api.operation import Operation
from tests.cast import Cast, Person
from tests.contract.recipes import RECIPES
from tests.contract.write_documents import field_at, way_to

SHOWN = "{ __typename id restId }"


@dataclass(frozen=True, slots=True)
class Kind:
    """A type of objects, and one of the operations that read them: each is another place."""

    node: Node
    row: Operation

    @property
    def steps(self) -> list[tuple[str, str, dict[str, str]]]:
        """The fields on the way to an object: type, field, and the parameters that its arguments take."""
        if self.row.id == "getRevisionById":
            return [("Query", "space", {"id": "spaceId"}), ("Space", "revision", {"id": "revisionId"})]
        if self.row.method == "GET":
            return [(type_, name, self._places(type_, name, row)) for type_, name, row in way_to(self.row)]
        above = next(each for each in nodes().values() if self.row.parameters[:-1] in each.rows)
        before = Kind(above, above.rows[self.row.parameters[:-1]])
        name = self.node.type[0].lower() + self.node.type[1:]
        if "id" not in field_at(above.type, name).args:  # it has another meaning there
            name = f"{above.type.lower()}{self.node.type}"
        return [*before.steps, (above.type, name, {"id": self.node.own})]

    def _places(self, type_: str, name: str, row: Operation | None) -> dict[str, str]:
        if row is None:
            return {}
        resolve = field_at(type_, name).resolve
        places = dict(resolve.arguments) if isinstance(resolve, Reading) else {"id": row.parameters[-1]}
        return {argument: each for argument, each in places.items() if each in row.parameters}

    def made(self, cast: Cast) -> dict[str, str]:
        """Make an object; the parameters of the path by which REST reads it."""
        return RECIPES[self.row.id](cast).path

    def asked(self, path: dict[str, str], body: str = SHOWN) -> tuple[str, dict[str, str]]:
        """A query for the object at a path, and its variables."""
        variables: dict[str, str] = {}
        text = body
        for _type, name, places in reversed(self.steps):
            variables = {each: path[each] for each in places.values()} | variables
            given = ", ".join(f"{argument}: ${each}" for argument, each in places.items())
            text = f"{{ {name}{f'({given})' if given else ''} {text} }}"
        kinds = ", ".join(f"${name}: ID!" for name in variables)
        return f"query{f'({kinds})' if kinds else ''} {text}", variables

    def read(self, person: Person, path: dict[str, str], body: str = SHOWN) -> Found:
        """Return what somebody is told of the object at a path by its field."""
        query, variables = self.asked(path, body)
        return found(person.gql(query, **variables), [name for _type, name, _places in self.steps])


@dataclass(slots=True)
class Found:
    """What an answer says of one object: the object, or the code of the refusal with the path of it."""

    shown: Any
    code: str | None
    errors: list[dict[str, Any]]


def found(answer: dict[str, Any], way: list[str]) -> Found:
    """Return what an answer says of the object at the end of these fields."""
    shown = answer.get("data")
    for name in way:
        shown = shown and shown.get(name)
    errors = answer.get("errors", [])
    return Found(shown, errors[0]["extensions"]["code"] if errors else None, errors)


def by_id(person: Person, id_: str, body: str = SHOWN) -> Found:
    """Return what somebody is told of an object by its id alone."""
    kind = id_.partition(":")[0]
    more = f"... on {kind} {body}" if kind in nodes() else ""
    asked = f"query ($id: ID!) {{ node(id: $id) {{ __typename id {more} }} }}"
    return found(person.gql(asked, id=id_), ["node"])


def kinds() -> Iterator[Kind]:
    """All types in all places."""
    for node in nodes().values():
        for row in node.rows.values():
            yield Kind(node, row)
