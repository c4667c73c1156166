"""The layout of the source code, as far as import-linter does not check it (app/ARCHITECTURE.md)."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import app

ROOT = Path(app.__file__).parent
LONGEST = 350  # lines of a module

# What a migration did is never changed again: the first one has all tables that there were.
LONGER = {"migrations/versions/0001_foundation.py"}


@cache
def _modules() -> dict[str, str]:
    """Return the source of every module by its path in `app`."""
    return {path.relative_to(ROOT).as_posix(): path.read_text() for path in sorted(ROOT.rglob("*.py"))}


def _defined() -> dict[str, list[str]]:
    """Return the modules that define a class, by its name without the underscore of what is private."""
    places = defaultdict[str, list[str]](list)
    for path, source in _modules().items():
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ClassDef):
                places[node.name.lstrip("_")].append(path)
    return places


def test_no_name_of_a_class_has_two_meanings() -> None:
    places = _defined()
    assert places["Context"] == ["access/context.py"]
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_no_module_is_too_long_to_be_read_at_once() -> None:
    lengths = {path: source.count("\n") for path, source in _modules().items()}
    assert {path for path, length in lengths.items() if length > LONGEST} == LONGER


def test_a_table_has_the_same_name_in_every_module() -> None:
    names = defaultdict[str, set[str]](set)
    for source in _modules().values():
        for node in ast.parse(source).body:
            if isinstance(node, ast.Assign):
                for name, model in _named_tables(node.targets[0], node.value):
                    names[model].add(name)
    assert names["Token"] == {"TOKENS"}
    assert {model: found for model, found in names.items() if len(found) > 1} == {}
    assert len(set.union(*names.values())) == len(names), "a name stands for two tables"


def _named_tables(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, str]]:
    """Yield the names that an assignment gives to tables, each with the model of the table."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for one, made in zip(target.elts, value.elts, strict=True):
            yield from _named_tables(one, made)
    match target, value:
        case ast.Name(id=name), ast.Call(func=ast.Name(id="table"), args=[ast.Name(id=model)]):
            yield name, model
        case ast.Name(id=name), ast.Call(func=ast.Attribute(attr="table"), args=[ast.Name(id=model)]):
            yield name, model
