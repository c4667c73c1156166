"""GraphQL selections for a shape, and the conversion of their results to the form of REST."""

from __future__ import annotations

from functools import cache
from typing import Any, get_args

from pydantic import RootModel

from app.api.graphql.declarations import enum_name
from app.api.graphql.nodes import COUNTS, nodes, reference_of, shape_of, type_name
from app.api.graphql.reading import unwrapped
from app.api.graphql.schema import schema
from app.api.graphql.shape_fields import (
    constants,
    holds_list,
    is_constant,
    named_fields,
    references,
    shown_as,
)
from app.api.graphql.unions import alternatives, bare, is_any, is_list, is_map, is_shape, member_name
from app.api.graphql.values import PLAIN
from app.api.operation import Operation
from app.models.base import JsonShape, Shape
from app.models.documents import JSONDocument, Text
from app.models.pages import PageOut
from app.models.revisions import RevisionOut
from app.models.users import UserOut
from graphql import (
    GraphQLEnumType,
    GraphQLObjectType,
    get_named_type,
    is_leaf_type,
)

CORE = schema._schema
FEW = 3  # fields that are written where they are asked for
LEVELS = 4  # how deep pages in pages are asked for
OF_ANY_KIND = "text number boolean json"
PAGES = "pages(computed: $computed)"


def kind_of(shape: type[Shape]) -> GraphQLObjectType:
    """Return the GraphQL type of a shape."""
    kind = CORE.type_map[type_name(shape)]
    assert isinstance(kind, GraphQLObjectType)
    return kind


def selection(row: Operation) -> str:
    """Return what is asked of the answer of a row that reads."""
    shape = shape_of(row)
    assert shape is not None
    if row.paged:
        extra = named_fields(row.extra) if row.extra else {}
        beside = " ".join(f"{name} {inside(info.annotation)}" for name, info in extra.items())
        return (
            f"{{ totalCount pageInfo {{ hasNextPage endCursor }} nodes {_with_text(row, shape)} {beside} }}"
        )
    wrapper = unwrapped(shape)
    if wrapper is not None:
        return inside(named_fields(shape)[wrapper].annotation)
    if shape is PageOut:
        evaluated = "(evaluated: $evaluated)"
        bodies = f"markdown{evaluated} @skip(if: $asDocument) document{evaluated} @include(if: $asDocument)"
        return f"{{ ...PageTreeFields {bodies} lastEditedBy {of_shape(UserOut)} }}"
    return _with_text(row, shape)


def _with_text(row: Operation, shape: type[Shape]) -> str:
    """Return what is asked of an object whose text may be had in two forms."""
    found = of_shape(shape)
    if row.query is None or "format" not in row.query.model_fields:
        return found
    name = next(name for name, info in named_fields(shape).items() if _shape_in(info.annotation) is Text)
    return f"{found[:-1]} {name} {{ document @include(if: $asDocument) }} }}"


def of_shape(shape: type[Shape]) -> str:
    """Return what is asked of an object of this shape: a fragment, where it has many fields."""
    if issubclass(shape, RootModel):
        members = [each for each in get_args(shape.model_fields["root"].annotation) if _is_shape(each)]
        if not members:
            return ""
        parts = " ".join(f"... on {type_name(each)} {of_shape(each)}" for each in members)
        return f"{{ __typename {parts} }}"
    if shape is PageOut:
        return "{ ...PageTreeFields }"
    if shape is RevisionOut:
        return f"{{ {REVISION} {CONTENT} }}"
    if len(named_fields(shape)) > FEW:
        return f"{{ ...{type_name(shape)}Fields }}"
    return f"{{ {fields(shape)} }}"


REVISION = "...RevisionFields sourceRevision { restId }"
CONTENT = "...ContentFields"


def _tree(level: int = 1) -> str:
    deeper = f"{PAGES} {{ {_tree(level + 1)} }}" if level < LEVELS else ""
    return f"...PageFields {deeper}"


BESIDE_SHAPES = {
    "PageTree": f"fragment PageTreeFields on Page {{ {_tree()} }}",
    "Content": f"fragment ContentFields on Content {{ variables {PAGES} {{ ...PageTreeFields }} "
    "files(first: 1000) { nodes { ...FileFields } } reusableContents { ...ReusableContentFields } }",
}
"""Fragments that several documents share and that show no shape: a page with those in it, and content."""


OF_ONE_PAGE = {"pages", "markdown", "document", "lastEditedBy"}
"""Fields that REST has only where one page is read."""


@cache
def fields(shape: type[Shape], kind: GraphQLObjectType | None = None) -> str:
    """Return the fields of a shape, as GraphQL names and shows them."""
    kind = kind or kind_of(shape)
    found = []
    for plain_name, info in named_fields(shape).items():
        name = shown_as(shape, plain_name)
        if is_constant(info.annotation) or (shape is PageOut and name in OF_ONE_PAGE):
            continue
        if name == "id":
            found += ["id", "restId"] if "id" in kind.fields else ["restId"]
        elif references(info) in nodes() or reference_of(info.metadata):
            found.append(_key(name, holds_list(info.annotation)))
        elif (count := COUNTS.get(kind.name, {}).get(name)) is not None:
            found.append(f"{name}: {_counted(*count)}")
        elif _is_count(kind, name):
            found.append(f"{name} {{ totalCount }}")
        elif get_named_type(kind.fields[name].type).name == "Body":
            found.append(f"{name} {{ {_form(info.annotation)} }}")
        elif is_leaf_type(get_named_type(kind.fields[name].type)):
            found.append(name)
        elif alternatives(bare(info.annotation)) == [PageOut]:
            found.append(f"{name} {{ ...PageFields }}")
        else:
            found.append(f"{name} {inside(info.annotation)}")
    return " ".join(found)


def _counted(listed: str, arguments: dict[str, dict[str, list[str]]]) -> str:
    """Return the count of a list, as the document of an operation asks for it."""
    if not arguments:
        return f"{listed} {{ totalCount }}"
    inside = " ".join(
        f"{name}: [{' '.join(map(enum_name, values))}]" for name, values in arguments["filter"].items()
    )
    return f"{listed}(filter: {{ {inside} }}) {{ totalCount }}"


def _form(annotation: Any) -> str:
    return "document" if _shape_in(annotation) is JSONDocument else "markdown"


def _key(name: str, several: bool) -> str:
    return f"{name.removesuffix('Ids').removesuffix('s')}Ids" if several else f"{name.removesuffix('Id')}Id"


def _is_count(kind: GraphQLObjectType, name: str) -> bool:
    return name in kind.fields and get_named_type(kind.fields[name].type).name.endswith("Connection")


def inside(annotation: Any) -> str:
    """Return what is asked of a field's value: nothing of a leaf."""
    kinds = alternatives(bare(annotation))
    if len(kinds) > 1:
        return _of_several(kinds)
    kind = kinds[0]
    if is_list(kind):
        return inside(get_args(kind)[0])
    if is_map(kind):
        value = get_args(kind)[1]
        if is_any(value):
            return f"{{ name value {{ {OF_ANY_KIND} }} }}"
        if not _is_shape(bare(value)):
            return ""
        return f"{{ {_key_of_entries(bare(value))} value {inside(value)} }}"
    return of_shape(kind) if _is_shape(kind) else ""


def _of_several(kinds: list[Any]) -> str:
    shapes = [each for each in kinds if is_shape(each)]
    if PLAIN.issuperset(kinds):
        return "{ text number boolean }"
    if not shapes:
        return ""
    if len(shapes) == len(kinds) and all(constants(each) for each in shapes):
        parts = " ".join(f"... on {type_name(each)} {of_shape(each)}" for each in shapes)
        return f"{{ __typename {parts} }}"
    return f"{{ {' '.join(f'{member_name(each)} {inside(each)}' for each in kinds)} }}"


def _key_of_entries(shape: type[Shape]) -> str:
    kind = CORE.type_map[f"{type_name(shape)}Entry"]
    assert isinstance(kind, GraphQLObjectType)
    return next(str(name) for name in kind.fields if name != "value")


def _is_shape(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Shape | RootModel) and not issubclass(kind, JsonShape)


def _shape_in(annotation: Any) -> type[Shape] | None:
    if isinstance(annotation, type) and issubclass(annotation, Shape):
        return annotation
    found = [each for inner in get_args(annotation) if (each := _shape_in(inner)) is not None]
    return found[0] if found else None


def current_as_rest(place: Any) -> Any:
    """Return the content of a place at its current revision as REST gives it."""
    entry = {name: value for name, value in place["currentRevision"].items() if name != "urls"}
    return as_rest(RevisionOut, {**place, **entry}) | {"urls": {"app": place["urls"]["app"]}}


def answer_as_rest(row: Operation, value: Any) -> Any:
    """Return the answer of a row that reads as REST gives it."""
    shape = shape_of(row)
    assert shape is not None
    if row.paged:
        extra = {
            name: as_rest_value(info.annotation, value[name])
            for name, info in (named_fields(row.extra) if row.extra else {}).items()
        }
        following = {"next": {"page": value["pageInfo"]["endCursor"]}}
        return {
            "count": value["totalCount"],
            "items": [as_rest(shape, each) for each in value["nodes"]],
            **extra,
            **(following if value["pageInfo"]["hasNextPage"] else {}),
        }
    wrapper = unwrapped(shape)
    if wrapper is not None:
        shown = as_rest_value(named_fields(shape)[wrapper].annotation, value)
        return shown if issubclass(shape, RootModel) else {wrapper: shown}
    return as_rest(shape, value)


def as_rest_of_payload(row: Operation, shape: type[Shape], payload: Any) -> Any:
    """Return what the fields of a payload tell, as REST shows it."""
    kind = CORE.type_map[f"{row.field[0].upper()}{row.field[1:]}Payload"]
    assert isinstance(kind, GraphQLObjectType)
    return as_rest(shape, payload, kind)


def as_rest(shape: type[Shape], value: Any, kind: GraphQLObjectType | None = None) -> Any:
    """Return an object as REST shows it."""
    if value is None:
        return None
    if issubclass(shape, RootModel):
        members = [each for each in get_args(shape.model_fields["root"].annotation) if _is_shape(each)]
        if not members:
            return value
        (shape,) = (each for each in members if type_name(each) == value["__typename"])
    if shape is RevisionOut:
        source = value.get("sourceRevision")
        value = {
            **value,
            "files": value["files"]["nodes"],
            "sourceRevision": source["restId"] if source else None,
        }
    kind = kind or (kind_of(shape) if type_name(shape) in CORE.type_map else None)
    found = {}
    for name, info in named_fields(shape).items():
        if is_constant(info.annotation):
            found[name] = get_args(info.annotation)[0]
        elif name == "id":
            found[name] = value["restId"]
        elif (
            (references(info) in nodes() or reference_of(info.metadata)) and shape is not RevisionOut
        ) or name in ("parents", "mergedFrom"):
            found[name] = value.get(_key(name, holds_list(info.annotation)), value.get(name))
        elif kind is not None and (
            (_is_count(kind, name) and shape is not RevisionOut) or name in COUNTS.get(kind.name, {})
        ):
            found[name] = (value.get(name) or {}).get("totalCount")
        elif (
            kind is not None and name in kind.fields and get_named_type(kind.fields[name].type).name == "Body"
        ):
            form = _form(info.annotation)
            text = value.get(name)
            if text and form == "markdown":
                text = {"document": text["document"]} if text.get("document") else text
            found[name] = text and (text["document"] if form == "document" else text)
        elif (shown := shown_as(shape, name)) in value:
            found[name] = as_rest_value(info.annotation, value[shown], kind, shown)
    return found


def as_rest_value(annotation: Any, value: Any, kind: GraphQLObjectType | None = None, name: str = "") -> Any:
    """Return a value as REST shows it."""
    kinds = alternatives(bare(annotation))
    if value is None:
        return None
    if kind is not None and name in kind.fields and get_named_type(kind.fields[name].type).name == "JSON":
        return value
    if len(kinds) > 1:
        return _one_as_rest(kinds, value)
    only = kinds[0]
    if is_list(only):
        return [as_rest_value(get_args(only)[0], each, kind, name) for each in value]
    if is_map(only) and isinstance(value, list):
        key = next(each for each in (value[0] if value else {"": 0}) if each != "value")
        if is_any(get_args(only)[1]):
            return {each["name"]: _set_in(each["value"]) for each in value}
        return {each[key]: as_rest_value(get_args(only)[1], each["value"]) for each in value}
    if _is_shape(only) and isinstance(value, dict):
        return as_rest(only, value)
    if kind is not None and name in kind.fields:
        named = get_named_type(kind.fields[name].type)
        if isinstance(named, GraphQLEnumType):
            return plain(named.values[value].value)
    return value


def _one_as_rest(kinds: list[Any], value: Any) -> Any:
    shapes = [each for each in kinds if is_shape(each)]
    if PLAIN.issuperset(kinds):
        return _set_in(value)
    if not shapes:
        return value
    if "__typename" in value:
        (shape,) = (each for each in shapes if type_name(each) == value["__typename"])
        return as_rest(shape, value)
    ((field, inner),) = ((name, each) for name, each in value.items() if each is not None)
    (only,) = (each for each in kinds if member_name(each) == field)
    return as_rest_value(only, inner)


def _set_in(value: dict[str, Any]) -> Any:
    """Return what is set of a value of several kinds."""
    return next((each for each in value.values() if each is not None), None)


def plain(value: Any) -> Any:
    """Return the value of a member of an enumeration."""
    return getattr(value, "value", value)
