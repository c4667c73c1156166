"""`graphql/`: the schema and one document per operation are what the code says, and are committed."""

from __future__ import annotations

import json
from hashlib import sha256
from importlib import metadata
from pathlib import Path

import pytest

import graphql
from app.api.catalog import OPERATIONS
from app.api.graphql.documents import Documents, Unfit
from app.api.graphql.execution import FIELD
from app.api.graphql.nodes import FILE as PREPARED
from app.api.graphql.prepared import prepared_schema, resolver_of
from app.api.graphql.schema import prepared_text, sdl
from app.api.graphql.trusted import FILE, own
from app.api.operation import Operation
from graphql import (
    GraphQLObjectType,
    OperationDefinitionNode,
    get_introspection_query,
    parse,
    print_schema,
)
from tests.contract.console_documents import HASHES, console_documents, hashes_module
from tests.contract.selections import CORE
from tests.contract.write_documents import (
    FOLDER,
    FRAGMENTS,
    TRUSTED,
    complete,
    document,
    shared,
    trusted_list,
    trusted_texts,
)

SCHEMA = FOLDER.parent / "schema.graphql"
AGAIN = "run: python -m tests.contract.write_documents"


def test_the_committed_schema_is_the_schema() -> None:
    assert SCHEMA.read_text(encoding="utf-8") == sdl(), AGAIN
    assert PREPARED.read_text(encoding="utf-8") == prepared_text(), AGAIN
    assert FRAGMENTS.read_text(encoding="utf-8") == shared(), AGAIN


def test_requests_run_on_the_committed_schema() -> None:
    made = prepared_schema()
    assert print_schema(made) == print_schema(CORE)
    for name, kind in made.type_map.items():
        if isinstance(kind, GraphQLObjectType) and not name.startswith("__"):
            for field, it in kind.fields.items():
                ours = CORE.type_map[name].fields[field]  # type: ignore[attr-defined]
                assert type(resolver_of(it)) is type(ours.resolve) or ours.extensions[FIELD].resolve is None


def test_the_committed_trusted_documents_are_those_of_the_operations() -> None:
    assert TRUSTED.read_text(encoding="utf-8") == trusted_list(), AGAIN
    assert FILE.read_text(encoding="utf-8") == trusted_texts(), AGAIN
    assert HASHES.read_text(encoding="utf-8") == hashes_module(), AGAIN
    assert own().keys() == json.loads(TRUSTED.read_text(encoding="utf-8")).keys()
    assert all(sha256(text.encode()).hexdigest() == key for key, text in own().items())


def test_the_folder_of_the_contract_does_not_hide_the_library() -> None:
    files = metadata.files("graphql-core") or []
    init = next(file for file in files if str(file) == "graphql/__init__.py")
    assert graphql.__file__ is not None
    assert Path(graphql.__file__).samefile(str(init.locate()))
    assert not list(FOLDER.parent.rglob("*.py"))


def test_there_is_a_document_for_every_operation_and_for_nothing_else() -> None:
    ids = {row.id for row in OPERATIONS}
    assert {path.stem for path in FOLDER.iterdir()} == ids, AGAIN


@pytest.mark.parametrize("row", OPERATIONS, ids=lambda row: row.id)
def test_a_document_is_complete_and_fit_to_run(row: Operation) -> None:
    assert (FOLDER / f"{row.id}.graphql").read_text(encoding="utf-8") == document(row), AGAIN
    text = complete(row)
    Documents(CORE).read(text)
    operations = [node for node in parse(text).definitions if isinstance(node, OperationDefinitionNode)]
    assert [node.name.value for node in operations if node.name] == [row.id]
    assert (operations[0].operation.value == "mutation") is row.writes
    variables = {given.variable.name.value for given in operations[0].variable_definitions or ()}
    assert variables >= ({"input"} if row.writes else {name for name in row.parameters if name != "pagePath"})


@pytest.mark.parametrize("name", console_documents())
def test_a_document_of_the_console_is_fit_to_run(name: str) -> None:
    Documents(CORE).read(console_documents()[name])


def test_the_question_that_editors_ask_first_is_fit_to_run() -> None:
    asked = get_introspection_query(input_value_deprecation=True, schema_description=True)
    assert Documents(CORE).read(asked).introspects


@pytest.mark.parametrize("levels", [20, 800])
def test_fragments_in_fragments_are_bounded(levels: int) -> None:
    chain = "".join(f"fragment F{n} on Service {{ ...F{n + 1} }} " for n in range(levels))
    text = f"{{ service {{ ...F0 }} }} {chain} fragment F{levels} on Service {{ version }}"
    with pytest.raises(Unfit, match=r"at most|more than"):
        Documents(CORE).read(text)
