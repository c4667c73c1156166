"""The short way of execution against the library's own: the same data and the same errors, whatever comes."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest
from graphql.execution import Executor
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.api.graphql.documents import KEPT_WEIGHT, Documents, ParsedDocument, Unfit
from app.api.graphql.execution import FIELD, Direct
from app.api.graphql.execution_plans import Known
from graphql import ExecutionResult, GraphQLField, get_named_type, is_composite_type
from tests.gql.random_queries import (
    CORE,
    LEAVES,
    OBJECTS,
    SCHEMA,
    WRONG,
    is_read,
    key_of,
    object_of,
    query,
    source_of,
)
from tests.scale import scaled

documents = Documents(SCHEMA)


async def _run(executor: Any) -> ExecutionResult:
    result = executor.execute_operation()
    return result if isinstance(result, ExecutionResult) else await result


def told(kind: type[Executor[Any]], document: ParsedDocument, source: Any, known: Known | None = None) -> Any:
    """Return the answer of an executor, errors with their places."""
    return asyncio.run(_told(kind, document, source, known))


async def _told(
    kind: type[Executor[Any]], document: ParsedDocument, source: Any, known: Known | None = None
) -> Any:
    executor = kind.build(SCHEMA, document.node, root_value=source)
    assert not isinstance(executor, list)
    if isinstance(executor, Direct) and known is not None:
        executor.recall(known)
    result = await _run(executor)
    return result.data, [(e.message, e.path, e.locations) for e in result.errors or ()]


def sources(chance: random.Random, document: ParsedDocument, wrong: float) -> dict[str, Any]:
    """A root that has something for every field that is asked of it."""
    fields = SCHEMA.query_type.fields  # type: ignore[union-attr]
    executor = Direct.build(SCHEMA, document.node)
    assert isinstance(executor, Direct)
    asked = executor.roots(SCHEMA.query_type).values()  # type: ignore[arg-type]
    names = [details[0].node.name.value for details in asked]
    return {name: source_of(chance, fields[name].type, wrong) for name in names if name in fields}


@settings(
    max_examples=scaled(40, full=600),
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(seed=st.integers(0, 2**32), wrong=st.sampled_from([0.0, 0.0, 0.01, 0.1]))
def test_both_ways_tell_the_same(seed: int, wrong: float) -> None:
    chance = random.Random(seed)
    try:
        document = documents.read(query(chance))
    except Unfit:
        return  # two fields under one name, or too many aliases
    known = None if document.varies else Known()
    for _ in range(2):  # the second time with what is known from the first
        source = sources(chance, document, wrong)
        assert told(Direct, document, source, known) == told(Executor, document, source)


def _every_type() -> dict[str, tuple[Any, str]]:
    """A field without resolver for each type that such fields have, and for each way to make ids."""
    read = [(kind, name) for kind in OBJECTS for name, field in kind.fields.items() if is_read(field)]
    return {_shape(kind.fields[name]): (kind, name) for kind, name in read}


def _shape(field: GraphQLField) -> str:
    made = field.extensions[FIELD].finish is not None
    return f"{field.type} of {key_of(field)}" if made else str(field.type)


EVERY_TYPE = _every_type()


@pytest.mark.parametrize("shape", EVERY_TYPE)
def test_no_value_is_taken_for_another(shape: str) -> None:
    kind, name = EVERY_TYPE[shape]
    root = f"{kind.name[0].lower()}{kind.name[1:]}"
    below = " { __typename }" if _holds_objects(kind.fields[name].type) else ""
    document = documents.read(f"{{ {root} {{ {name}{below} }} }}")
    fitting = [value for values in LEAVES.values() for value in values]

    async def compare() -> None:
        for value in [*WRONG, *fitting, *([value] for value in (*WRONG, *fitting))]:
            source = {root: {key_of(kind.fields[name]): value}}
            assert await _told(Direct, document, source) == await _told(Executor, document, source), value

    asyncio.run(compare())


def test_most_generated_queries_are_valid() -> None:
    chance, valid = random.Random(1), 0
    for _ in range(50):
        try:
            documents.read(query(chance))
            valid += 1
        except Unfit:
            pass
    assert valid > 35


@pytest.mark.parametrize("kind", OBJECTS, ids=lambda kind: str(kind.name))
def test_a_good_source_takes_the_short_way(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    leaves = [n for n, f in kind.fields.items() if is_read(f) and not _holds_objects(f.type)]
    if not leaves:
        return
    name = f"{kind.name[0].lower()}{kind.name[1:]}s_"
    document = documents.read(f"{{ {name} {{ {' '.join(leaves)} }} }}")
    good = [object_of(random.Random(1), kind, 0.0, -9) for _ in range(3)]
    expected = told(Executor, document, {name: good})
    monkeypatch.setattr(Executor, "execute_fields", _only_roots(Executor.execute_fields))
    assert told(Direct, document, {name: good}) == expected


def test_what_is_known_does_not_grow() -> None:
    document, known = (
        documents.read("{ spaces_ { id urls { app } } space { ...f } } fragment f on Space { id }"),
        Known(),
    )
    sizes = set()
    for _ in range(3):
        assert told(Direct, document, {"spaces_": [], "space": {"id": "a"}}, known) == (
            {"spaces_": [], "space": {"id": "Space:a"}},
            [],
        )
        sizes.add((len(known.sub_fields), len(known.fields), len(known.values)))
    assert len(sizes) == 1


def _only_roots(own: Any) -> Any:
    def execute_fields(self: Any, parent: Any, source: Any, path: Any, *rest: Any) -> Any:
        assert path is None, "the library was asked for more than the root"
        return own(self, parent, source, path, *rest)

    return execute_fields


def _holds_objects(kind: Any) -> bool:
    return is_composite_type(get_named_type(kind))


def test_introspection_is_the_librarys() -> None:
    document = Documents(CORE).read("{ __schema { types { name fields { name type { kind name } } } } }")
    both = []
    for kind in (Direct, Executor):
        executor: Any = kind.build(CORE, document.node)
        both.append(asyncio.run(_run(executor)).data)
    assert both[0] == both[1]
    assert "Space" in str(both[0])


def test_large_documents_leave_room_only_for_a_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.api.graphql.documents.KEPT_WEIGHT", KEPT_WEIGHT // 10)
    kept, small = Documents(CORE), "{ me { id } }"

    async def ask() -> None:
        first = await kept.get(small)
        assert await kept.get(small) is first
        for n in range(10):
            await kept.get(
                f"query q{n} {{ " + " ".join(f"a{m}: me {{ {'id ' * 20} }}" for m in range(50)) + " }"
            )
        assert await kept.get(small) is not first
        before = [await kept.get(f"query s{n} {{ me {{ id }} }}") for n in range(200)]
        assert [await kept.get(f"query s{n} {{ me {{ id }} }}") for n in range(200)] == before

    asyncio.run(ask())
