"""Objects that GraphQL can name: their types, their addresses in REST, and the ids that say both.

An address is the values of the path parameters with which REST reads the object. The id of an object is its
type and its address (`Page:SPACE:CHANGE_REQUEST::PAGE`), so the same page in a space, in a change request and
in a revision has three ids, and no cache mistakes a draft for what is published. To callers an id is opaque.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from app.api.catalog import OPERATIONS
from app.api.operation import PLACE, Operation
from app.kit.errors import Invalid
from app.models.base import Names, Shape
from app.models.content_changes import ContentAnswerOut, ContentChangesOut
from app.models.content_urls import EmbedOut
from app.models.installations import InstallationOut
from app.models.manifests import IntegrationBlock
from app.models.revisions import HistoryEntryOut
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

TYPE_NAMES: dict[type[Shape], str] = {
    HistoryEntryOut: "Revision",
    InstallationOut: "IntegrationInstallation",
    EmbedOut: "UrlEmbed",
    IntegrationBlock: "IntegrationBlockDefinition",
}
"""The types that are not called as their shapes are."""

_ID = re.compile(r"([A-Za-z]+):(.*)", re.DOTALL)


def type_name(shape: type[Shape]) -> str:
    """Return the name of the GraphQL type of an answer's shape."""
    return TYPE_NAMES.get(shape) or shape.__name__.removesuffix("Out")


def lower(name: str) -> str:
    """Return the name of a type as that of a field: `OpenAPISpec` is `openAPISpec`."""
    for head in ("OpenAPI", "SAML", "SSO"):
        if name.startswith(head):
            return ("openAPI" if head == "OpenAPI" else head.lower()) + name[len(head) :]
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
    return ContentChangesOut if shape is ContentAnswerOut else shape


@dataclass(slots=True)
class Node:
    """A type whose objects have addresses: the names of the parameters (`own` is the last, the object's), and
    the rows that read one, by those of the parameters that they take."""

    type: str
    key: str
    parameters: tuple[str, ...]
    rows: dict[tuple[str, ...], Operation] = field(default_factory=dict)

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
def nodes() -> dict[str, Node]:
    """Return the types whose objects have addresses, by name: those that end a path by an id of their own."""
    found: dict[str, dict[tuple[str, ...], Operation]] = {}
    for row in OPERATIONS:
        shape = shape_of(row)
        if shape is None or row.paged or not row.path.endswith("}") or ":path" in row.path:
            continue
        name = type_name(shape)
        key = KEYS.get(name, "id")
        if key in {field.alias or each for each, field in shape.model_fields.items()}:
            rows = found.setdefault(name, {})
            if row.parameters not in rows or row.method == "GET":
                rows[row.parameters] = row
    return {name: _node(name, rows) for name, rows in found.items()}


def _node(name: str, rows: dict[tuple[str, ...], Operation]) -> Node:
    own = {names[-1] for names in rows}
    assert len(own) == 1, f"{name} is addressed in several ways: {own}"
    longest = sorted(rows, key=len)
    before = dict.fromkeys(each for names in longest for each in names[:-1])
    places = [each for each in PLACE if each in before]
    others = [each for each in before if each not in places]
    return Node(name, KEYS.get(name, "id"), (*places, *others, *own), rows)


@cache
def node_by_parameter() -> dict[str, Node]:
    """Return the type of what a path parameter names, by the parameter."""
    found: dict[str, Node] = {}
    for node in nodes().values():
        if node.own not in found or len(node.parameters) < len(found[node.own].parameters):
            found[node.own] = node
    return found


def read_id(text: str) -> tuple[Node, Address] | None:
    """Return the type and the address that an id says; None for the plain id of REST."""
    match = _ID.fullmatch(text)
    if match is None or (node := nodes().get(match[1])) is None:
        return None
    address = tuple(match[2].split(":"))
    if len(address) != len(node.parameters) or tuple(node.named(address)) not in node.rows:
        return None
    return node, address


def rest_id(text: str, wanted: Node, path: str) -> str:
    """Return REST's id of an object that either form of its id names.

    Raises Invalid, naming the argument, for the id of an object of another type.
    """
    found = read_id(text)
    if found is None:
        return text
    node, address = found
    if node.own != wanted.own:
        raise Invalid(f"This is the id of a {node.type}; give the id of a {wanted.type}.", path=path)
    return address[-1]


def reference_of(metadata: Iterable[Any]) -> str | None:
    """Return the type that a field refers to, if it does."""
    return next((each.type for each in metadata if isinstance(each, Names)), None)
