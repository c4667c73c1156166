"""The tables: the module that has them all, and models that come alone."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pkgutil import iter_modules

import app.models
from tests.cli.command import ROOT

MODULES = [f"app.models.{module.name}" for module in iter_modules(app.models.__path__)]
ALONE = """
import os, sys
from importlib import import_module
import pydantic, sqlmodel
from sqlalchemy import insert, select

assert not any(name.startswith("app.models.") for name in sys.modules)
for name in sys.argv[1:]:
    if os.fork() == 0:  # each is the first that its process loads
        status = 1
        try:
            for found in vars(import_module(name)).values():
                if isinstance(found, type) and hasattr(found, "__table__"):
                    t = found.__table__
                    str(select(*t.c)), str(insert(t).returning(*t.c))
            status = 0
        finally:
            os._exit(status)
    if os.wait()[1]:
        print(name)
"""
ALL = "import app.models.tables as t; print(*sorted(t.METADATA.tables))"


def test_one_module_has_all_tables() -> None:
    """In a process of its own, since others may have loaded more here."""
    ran = subprocess.run([sys.executable, "-c", ALL], cwd=ROOT, capture_output=True, text=True, check=True)
    declared = {
        vars(found)["__table__"].name
        for module in MODULES
        for found in vars(import_module(module)).values()
        if isinstance(found, type) and "__table__" in vars(found)
    }
    assert set(ran.stdout.split()) == declared


def test_a_model_can_be_loaded_and_its_statements_made_without_the_others() -> None:
    ran = subprocess.run([sys.executable, "-c", ALONE, *MODULES], cwd=ROOT, capture_output=True, text=True)
    assert (ran.returncode, ran.stdout) == (0, ""), ran.stdout + ran.stderr
