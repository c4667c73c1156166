"""The table of families: every operation is found through it, loading the module of its rows and no other."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from app.api.catalog import OPERATIONS
from app.api.operation import Operation
from app.api.operations import FAMILIES, rows_of
from app.api.rest.routing import Families
from tests.cli.command import ROOT

FOUND = Families(FAMILIES)

LOADED = """
import os, sys
import app.main
from app.api.operations import FAMILIES, rows_of
from app.api.rest.routing import Families

modules = {f"app.api.operations.{name}" for name in FAMILIES.values()}
for name in FAMILIES.values():  # what the rows need is loaded once for all processes, and the rows by each
    rows_of(name)
for name in modules:
    del sys.modules[name]
for path in sys.argv[1:]:
    if os.fork() == 0:  # each is the first that its process is asked for
        Families(FAMILIES).find(path)
        print(path, *sorted(modules & sys.modules.keys()), flush=True)
        os._exit(0)
    os.wait()
"""


def address(row: Operation) -> str:
    """A path that means this row."""
    return re.sub(r"\{[^}]+\}", "0Abcdefghijklmnopqrs", row.path)


@pytest.mark.parametrize("row", OPERATIONS, ids=lambda row: row.id)
def test_a_row_is_found_through_its_own_entry(row: Operation) -> None:
    found = FOUND.find(address(row))
    assert found is not None
    methods, parameters = found
    assert methods[row.method] is row
    assert parameters == ["0Abcdefghijklmnopqrs"] * len(row.parameters)
    assert methods == {other.method: other for other in OPERATIONS if other.path == row.path}


def test_every_entry_leads_to_a_row_that_begins_with_it() -> None:
    paths = {module: [_shape(row.path) for row in rows_of(module)] for module in FAMILIES.values()}
    for prefix, module in FAMILIES.items():
        assert any(f"{path}/".startswith(f"{prefix}/") for path in paths[module]), (prefix, module)


def test_finding_a_row_loads_its_family_and_no_other() -> None:
    own = {address(rows_of(name)[0]): f"app.api.operations.{name}" for name in FAMILIES.values()}
    ran = subprocess.run(
        [sys.executable, "-c", LOADED, *own], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert ran.stdout.splitlines() == [f"{path} {module}" for path, module in own.items()]


@pytest.mark.parametrize("path", ["x", "nowhere/x", "0Abcdefghijklmnopqrs", "{}", "user/x/y"])
def test_what_no_row_has_is_not_found(path: str) -> None:
    assert FOUND.find(path) is None
    assert FOUND.find(f"{path}/") is None


def _shape(path: str) -> str:
    return re.sub(r"\{[^}]+\}", "{}", path)
