"""The codes of errors: one table, which the schema and the guide show, and no other is sent."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re

import app
from app.api.graphql.errors import CODES
from app.kit.errors import Disconnected, Problem
from graphql import GraphQLEnumType
from tests.cli.command import ROOT
from tests.contract.selections import CORE

GUIDE = ROOT / "app/demo/guide/graphql/limits.md"
ENGINE = ROOT / "app/api/graphql"


def problems(kind: type[Problem]) -> set[type[Problem]]:
    """All kinds of refusals that there are."""
    return {kind}.union(*(problems(each) for each in kind.__subclasses__()))


def test_every_refusal_has_a_code_of_the_table() -> None:
    for module in pkgutil.walk_packages(app.__path__, "app."):
        if "errors" in module.name or module.name.startswith(("app.api", "app.domain", "app.access")):
            importlib.import_module(module.name)
    codes = {each.code for each in problems(Problem) - {Disconnected}}  # whom nobody hears
    assert codes <= CODES.keys()
    assert {"CONFLICT", "DOCUMENT_NOT_TRUSTED", "PERSISTED_QUERY_NOT_FOUND"} <= codes


def test_the_engine_names_no_code_besides() -> None:
    named = set()
    for path in ENGINE.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Dict):
                for key, value in zip(node.keys, node.values, strict=True):
                    if (
                        isinstance(key, ast.Constant)
                        and key.value == "code"
                        and isinstance(value, ast.Constant)
                    ):
                        named.add(value.value)
    assert named == {"INTERNAL", "GRAPHQL_INVALID", "TOO_COSTLY"}
    assert named <= CODES.keys()


def test_the_schema_and_the_guide_show_the_table() -> None:
    kind = CORE.type_map["ErrorCode"]
    assert isinstance(kind, GraphQLEnumType)
    assert {name: value.description for name, value in kind.values.items()} == CODES
    assert re.findall(r"(?m)^\| `([A-Z_]+)` \|", GUIDE.read_text(encoding="utf-8")) == list(CODES)
