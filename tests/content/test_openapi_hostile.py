"""Specifications that mean harm end with a sentence, in bounded time and memory (threats, 30)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest

from app.domain.openapi.openapi_jobs import MEMORY, read_in_process
from app.formats.openapi.pages import MOST_PAGES, check_number
from tests.memory import ROOT

SECONDS = 120.0  # only a fault needs them
ENDED = 4.0  # where time may be what ends it
HEAD = {"openapi": "3.1.0", "info": {"title": "T", "version": "1"}}


def answer(data: bytes | dict[str, Any], seconds: float = SECONDS) -> dict[str, Any]:
    """Return what the child says of a text."""
    text = data if isinstance(data, bytes) else orjson.dumps(data)
    return read_in_process({"": text}, "", {"": ""}, seconds=seconds)


def with_schemas(**schemas: Any) -> dict[str, Any]:
    """A specification with these schemas, the first of which an operation answers with."""
    first = {"schema": {"$ref": f"#/components/schemas/{next(iter(schemas))}"}}
    get = {"responses": {"200": {"description": "Fine", "content": {"application/json": first}}}}
    return {**HEAD, "paths": {"/a": {"get": get}}, "components": {"schemas": schemas}}


def doubling(levels: int) -> dict[str, Any]:
    """Schemas each of which has the next one twice."""
    schemas: dict[str, Any] = {
        f"S{n}": {"allOf": [{"$ref": f"#/components/schemas/S{n + 1}"}] * 2} for n in range(levels)
    }
    return with_schemas(**schemas, **{f"S{levels}": {"type": "string"}})


def test_of_the_environment_it_knows_where_libraries_are_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Runtimes such as that of AWS Lambda say in the environment where libraries of Python are."""
    python = tmp_path / "python"
    told = tmp_path / "told"
    python.write_text(f'#!/bin/sh\nenv > {told}\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))
    monkeypatch.setenv("DOCYARD_SECRET", "hidden")
    assert "errors" not in answer(with_schemas(A={"type": "string"}))
    names = {line.partition("=")[0] for line in told.read_text().splitlines()}
    assert names <= {"LD_LIBRARY_PATH", "PATH", "PYTHONPATH", "PWD", "OLDPWD", "SHLVL", "_"}
    assert f"LD_LIBRARY_PATH={tmp_path}" in told.read_text().splitlines()
    monkeypatch.delenv("LD_LIBRARY_PATH")
    assert "errors" not in answer(with_schemas(A={"type": "string"}))
    assert "LD_LIBRARY_PATH" not in told.read_text()


BOMB = b"a: &a [x,x,x,x,x,x,x,x,x]\n" + b"".join(
    b"%c: &%c [%s]\n" % (c, c, b",".join([b"*%c" % (c - 1)] * 9)) for c in range(ord("b"), ord("k"))
)
MERGES = b"a: &a {x: 1}\n" + b"".join(
    b"%c: &%c {<<: [%s]}\n" % (c, c, b",".join([b"*%c" % (c - 1)] * 9)) for c in range(ord("b"), ord("k"))
)


def _deep(opening: bytes, closing: bytes, levels: int) -> bytes:
    return opening * levels + b"1" + closing * levels


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (MERGES, ""),
        (_deep(b'{"a":', b"}", 100_000), ""),
        (_deep(b"[", b"]", 100_000), ""),
        (_deep(b"- ", b"", 50_000), ""),
        (b'{"openapi": "3.1.0", "info": ' + _deep(b'{"a":', b"}", 500) + b"}", "levels"),
        (b"\xff\xfe", "UTF-8"),
        (b"&a [*a]", ""),
        (b"!!python/object/apply:os.system [id]", ""),
        (b"openapi: !!binary aGVsbG8=", ""),
        (orjson.dumps(with_schemas(A={"$ref": "file:///etc/passwd"})), "must hold everything"),
        (orjson.dumps(with_schemas(A={"$ref": "#/components/schemas/A"})), "only to other references"),
        (
            orjson.dumps(
                with_schemas(A={"$ref": "#/components/schemas/B"}, B={"$ref": "#/components/schemas/A"})
            ),
            "only to other references",
        ),
    ],
)
def test_what_cannot_be_used_is_refused(text: bytes, told: str) -> None:
    errors = answer(text, seconds=SECONDS if told else ENDED)["errors"]
    assert errors
    assert told in " ".join(errors)
    assert "root:" not in " ".join(errors)


def test_schemas_inside_themselves_are_fine() -> None:
    tree = {"type": "object", "properties": {"next": {"$ref": "#/components/schemas/A"}}}
    assert answer(with_schemas(A=tree)).get("errors") is None


def wide() -> dict[str, Any]:
    """Very many references to one place."""
    reference = {"$ref": "#/components/schemas/B"}
    properties = {f"p{n}": reference for n in range(200_000)}
    return with_schemas(A={"type": "object", "properties": properties}, B={"type": "string"})


def test_references_that_double_at_each_level_are_bounded() -> None:
    found = answer(doubling(60), seconds=ENDED)
    assert "errors" in found or "pages" in found


def many() -> bytes:
    """More operations than any specification has."""
    paths = {f"/p{n}": {"get": {"responses": {"200": {"description": "x" * 900}}}} for n in range(50_000)}
    return orjson.dumps({**HEAD, "paths": paths})


def test_too_many_operations_are_refused_before_anything_is_checked() -> None:
    """Checking takes a minute of the processor, and this text has a reference that leads nowhere."""
    get = {"responses": {"200": {"$ref": "#/components/responses/None"}}}
    paths = {f"/p{n}": {"get": get} for n in range(MOST_PAGES + 1)}
    (error,) = answer({**HEAD, "paths": paths})["errors"]
    assert error == f"The specification has more than {MOST_PAGES:,} operations."
    paths.popitem()
    check_number({"paths": paths})


WEIGHED = """
import json, resource
from tests.content import test_openapi_hostile as hostile
for text in (hostile.BOMB, hostile.wide(), hostile.many()):
    seconds = hostile.SECONDS if isinstance(text, bytes) else hostile.ENDED
    print(json.dumps(hostile.answer(text, seconds=seconds).get("errors")))
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)
"""


def test_what_is_larger_than_any_specification_is_bounded_in_time_and_memory() -> None:
    """Below a process of its own: other tests may have begun larger ones below this."""
    assert len(many()) > 45_000_000
    command = [sys.executable, "-c", WEIGHED]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    bomb, _references, operations, memory = map(json.loads, ran.stdout.splitlines())
    assert "more than" in " ".join(bomb)
    assert operations
    assert 0 < memory <= MEMORY
