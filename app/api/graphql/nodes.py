"""Objects that GraphQL can name: their types, their addresses in REST, and the ids that say both.

An address is the values of the path parameters with which REST reads the object. The id of an object is its
type and its address (`Page:SPACE:CHANGE_REQUEST::PAGE`), so the same page in a space, in a change request and
in a revision has three ids, and no cache mistakes a draft for what is published. To callers an id is opaque.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import orjson

from app.api.operation import PLACE, Operation
from app.api.operations import operation
from app.kit.errors import Invalid
from app.models.base import Names, Shape
from app.present.shape import SHAPES

Address = tuple[str, ...]
Source = dict[str, Any]
AT = "@"
"""The key under which a source carries its address, where its own fields do not say it."""

KEYS = {
    "Integration": "name",
    "CustomHostname": "hostname",
    "OpenAPISpec": "slug",
    "IntegrationSpaceInstallation": "space",
    "IntegrationSiteInstallation": "site",
}
"""The fields by which REST names objects of these types, instead of `id`."""

TYPE_NAMES = {
    "app.models.revisions.HistoryEntryOut": "Revision",
    "app.models.installations.InstallationOut": "IntegrationInstallation",
    "app.models.manifests.IntegrationBlock": "IntegrationBlockDefinition",
}
"""The types that are not called as their shapes are."""

FILE = Path(__file__).with_name("prepared_schema.json")
"""The schema in a form that is read type by type; `python -m tests.contract.write_documents` writes it."""

FIELD_NAMES: dict[str, dict[str, str]] = {
    "MemberTeam": {"member": "membership"},
    "TeamMember": {"organization": "member", "team": "membership"},
}
"""The fields that are not called as those of their shapes are, by type."""

COUNTS: dict[str, dict[str, tuple[str, dict[str, Any]]]] = {
    "Space": {
        "changeRequestsOpen": ("changeRequests", {"filter": {"status": ["open"]}}),
        "changeRequestsDraft": ("changeRequests", {"filter": {"status": ["draft"]}}),
    },
    "IntegrationInstallation": {"spaces": ("spaceInstallations", {})},
}
"""The fields of shapes that count a list of another name, by type: the field that lists, and its arguments.
GraphQL has the `totalCount` of that list instead."""

_ID = re.compile(r"([A-Za-z]+):(.*)", re.DOTALL)


_HEADS = {"OpenAPI": "openAPI", "OAuth": "oauth", "OIDC": "oidc", "SAML": "saml", "SSO": "sso"}


@cache
def type_name(shape: type[Shape]) -> str:
    """Return the name of the GraphQL type of an answer's shape."""
    return TYPE_NAMES.get(f"{shape.__module__}.{shape.__name__}") or shape.__name__.removesuffix("Out")


def lower(name: str) -> str:
    """Return the name of a type as that of a field: `OpenAPISpec` is `openAPISpec`."""
    for head, lowered in _HEADS.items():
        if name.startswith(head):
            return lowered + name[len(head) :]
    return name[0].lower() + name[1:]


def title(name: str) -> str:
    """Return the name of a field as that of a type: `createSpace` is `CreateSpace`."""
    return name[0].upper() + name[1:]


def payload_name(mutation: str) -> str:
    """Return the name of the type of a mutation's payload."""
    return f"{title(mutation)}Payload"


def shape_of(row: Operation) -> type[Shape] | None:
    """Return the shape of what an operation answers, of one item where it lists; None for an empty answer."""
    if row.show is None:
        return None
    shape: Any = SHAPES[row.show]
    if shape.__name__ == "ContentAnswerOut":
        from app.models.content_changes import ContentChangesOut

        return ContentChangesOut
    return shape


class Rows(Mapping[tuple[str, ...], Operation]):
    """Operations by the parameters of their paths, loaded by their references when they are asked for."""

    def __init__(self, references: Mapping[tuple[str, ...], str]) -> None:
        self._references = references

    def __getitem__(self, parameters: tuple[str, ...]) -> Operation:
        return operation(self._references[parameters])

    def __contains__(self, parameters: object) -> bool:
        return parameters in self._references

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        return iter(self._references)

    def __len__(self) -> int:
        return len(self._references)


@dataclass(slots=True, eq=False)
class Node:
    """A type whose objects have addresses: the names of the parameters (`own` is the last, the object's), and
    the rows that read one, by those of the parameters that they take."""

    type: str
    key: str
    parameters: tuple[str, ...]
    rows: Mapping[tuple[str, ...], Operation]

    @property
    def own(self) -> str:
        """Return the name of the parameter that is the object itself."""
        return self.parameters[-1]

    def address_of(self, source: Mapping[str, Any]) -> Address:
        """Return the address of an object from its source."""
        found: Address | None = source.get(AT)
        return found if found is not None else (source[self.key],)

    def id_of(self, address: Address) -> str:
        """Return the id of the object at an address."""
        return f"{self.type}:{':'.join(address)}"

    def named(self, address: Address) -> dict[str, str]:
        """Return an address as the parameters that REST takes, by name."""
        return {name: value for name, value in zip(self.parameters, address, strict=True) if value}

    def address(self, values: Mapping[str, Any]) -> Address | None:
        """Return the address of parameters by name; None where they do not lead to an object."""
        known = [names for names in self.variants if all(values.get(name) for name in names)]
        if not known:
            return None
        taken = max(known, key=len)  # of a change request and a revision, the change request
        return tuple(values[name] if name in taken else "" for name in self.parameters)

    @property
    def variants(self) -> Iterable[tuple[str, ...]]:
        """Return the sets of parameters with which REST names such objects."""
        return self.rows

    def row(self, address: Address) -> Operation:
        """Return the operation that reads the object at an address."""
        return self.rows[tuple(self.named(address))]


@cache
def prepared() -> dict[str, Any]:
    """Return the schema as it was prepared: the types whose objects have addresses, and all types."""
    found: dict[str, Any] = orjson.loads(FILE.read_bytes())
    return found


_nodes: dict[str, Node] = {}


def nodes() -> dict[str, Node]:
    """Return the types whose objects have addresses, by name."""
    if not _nodes:
        for name, each in prepared()["nodes"].items():
            rows = {tuple(names.split()): reference for names, reference in each["rows"].items()}
            _nodes[name] = Node(name, each["key"], tuple(each["parameters"]), Rows(rows))
    return _nodes


def derive(rows: Iterable[Operation], references: Mapping[str, str]) -> None:
    """Let the types whose objects have addresses be those of these rows, not those that were prepared.

    They are the types of rows whose paths end by an id of their own.
    """
    found: dict[str, dict[tuple[str, ...], Operation]] = {}
    for row in rows:
        shape = shape_of(row)
        if shape is None or row.paged or not row.path.endswith("}") or ":path" in row.path:
            continue
        name = type_name(shape)
        key = KEYS.get(name, "id")
        if key in {field.alias or each for each, field in shape.model_fields.items()}:
            same = found.setdefault(name, {})
            if row.parameters not in same or row.method == "GET":
                same[row.parameters] = row
    _nodes.clear()
    node_by_parameter.cache_clear()
    named_in.cache_clear()
    for name, same in found.items():
        known = {names: references[row.id] for names, row in same.items()}
        _nodes[name] = Node(name, KEYS.get(name, "id"), _parameters(name, known), Rows(known))


def _parameters(name: str, rows: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """Return all parameters that name an object of a type, those of its place first."""
    own = {names[-1] for names in rows}
    assert len(own) == 1, f"{name} is addressed in several ways: {own}"
    before = dict.fromkeys(each for names in sorted(rows, key=len) for each in names[:-1])
    places = [each for each in PLACE if each in before]
    return (*places, *(each for each in before if each not in places), *own)


@cache
def node_by_parameter() -> dict[str, Node]:
    """Return the type of what a path parameter names, by the parameter."""
    found: dict[str, Node] = {}
    for node in nodes().values():
        if node.own not in found or len(node.parameters) < len(found[node.own].parameters):
            found[node.own] = node
    return found


@cache
def named_in(place: frozenset[str], parameter: str) -> tuple[Node, ...]:
    """Return the types whose ids name what a path with these parameters has at one of them, the most telling
    first: a member of an organization is named by the id of the member, and by that of the person.

    A path may leave out what is above an object: the teams of a space are named without their organization.
    """
    found = [each for each in nodes().values() if each.own == parameter]
    fitting = [each for each in found if any(place.issuperset(names) for names in each.variants)]
    return tuple(sorted(fitting or found, key=lambda each: -len(each.parameters)))


def read_id(text: str) -> tuple[Node, Address] | None:
    """Return the type and the address that an id says; None for the plain id of REST."""
    match = _ID.fullmatch(text)
    if match is None or (node := nodes().get(match[1])) is None:
        return None
    address = tuple(match[2].split(":"))
    if len(address) != len(node.parameters) or tuple(node.named(address)) not in node.rows:
        return None
    return node, address


def rest_id(text: str, wanted: Node | None, path: str) -> str:
    """Return REST's id of an object that either form of its id names; the object may be of any type for None.

    Raises Invalid, naming the argument, for the id of an object of another type.
    """
    found = read_id(text)
    if found is None:
        return text
    node, address = found
    if wanted is not None and node.type != wanted.type:
        raise wrong_type(node, wanted, path)
    return address[-1]


def wrong_type(node: Node, wanted: Node, path: str) -> Invalid:
    """Return the refusal of an id whose object is of another type than the argument takes."""
    return Invalid(f"This id is of the type {node.type}; give one of the type {wanted.type}.", path=path)


def reference_of(metadata: Iterable[Any]) -> str | None:
    """Return the type that a field refers to, if it does."""
    return next((each.type for each in metadata if isinstance(each, Names)), None)
