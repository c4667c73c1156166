"""The specifications of three large public APIs, and this project's own: read, made into pages, shown.

They are in `tests/data/public_apis.tar.xz`, as they are published, with their licences.
"""

from __future__ import annotations

import ast
import tarfile
from functools import cache
from pathlib import Path
from typing import Any

import orjson
import pytest

from app.api.catalog import OPERATIONS
from app.api.rest import openapi
from app.domain.openapi.openapi_jobs import read_in_process
from app.formats.markdown.parser import to_document
from app.formats.openapi.operation import operation_view
from app.formats.openapi.pages import operations, schemas
from app.formats.openapi.samples import samples
from app.formats.openapi.schemas import schema_views
from tests.scale import scaled

ARCHIVE = Path(__file__).parents[1] / "data" / "public_apis.tar.xz"
NAMES = ("design.yaml", "forge.json", "own.json", *scaled((), full=("cluster.json",)))
SECONDS = 300.0
PARSED = 60  # of the pages of each, evenly taken


def _data(name: str) -> bytes:
    if name == "own.json":
        return orjson.dumps(openapi.document(OPERATIONS, "https://docs.example.org"))
    with tarfile.open(ARCHIVE) as archive:
        member = archive.extractfile(name)
        assert member is not None
        return member.read()


@cache
def answer(name: str) -> dict[str, Any]:
    """Return what a specification comes to."""
    return read_in_process({"": _data(name)}, "", {"": name}, seconds=SECONDS)


def _document(name: str) -> dict[str, Any]:
    found: dict[str, Any] = orjson.loads(answer(name)["filesystem"])[name]["specification"]
    return found


@pytest.mark.parametrize("name", NAMES)
def test_it_is_valid_and_every_operation_has_a_page(name: str) -> None:
    assert answer(name).get("errors") is None
    pages, document = orjson.loads(answer(name)["pages"]), _document(name)
    count = sum(1 for _ in operations(document))
    assert count > 40
    assert [page["props"]["doc"] for page in pages].count("operation") == count
    places = [(page["parent"], page["slug"]) for page in pages]
    assert len(set(places)) == len(places)
    keys = [page["key"] for page in pages]
    assert len(set(keys)) == len(keys)
    assert {page["parent"] for page in pages} <= {None, *keys}


@pytest.mark.parametrize("name", NAMES)
def test_its_pages_are_in_our_dialect(name: str) -> None:
    pages = [page for page in orjson.loads(answer(name)["pages"]) if page["props"]["doc"] == "operation"]
    for page in pages[:: max(1, len(pages) // PARSED)]:
        nodes = to_document(page["body"].replace("\0spec\0", "spec"))["nodes"]
        kinds = {node["type"] for node in nodes}
        assert kinds & {"openapi-operation", "openapi-webhook"}, page["body"]
        (block,) = [node for node in nodes if node["type"].startswith("openapi-")]
        assert block["data"]["spec"] == "spec"
        assert block["data"].get("path", block["data"].get("name")) == page["props"]["path"]


@pytest.mark.parametrize("name", NAMES)
def test_every_operation_can_be_shown_with_code_that_is_code(name: str) -> None:
    document = _document(name)
    for operation in list(operations(document))[::7]:
        view = operation_view(document, operation.path, operation.method, operation.kind)
        assert view is not None
        assert view.responses or view.kind == "webhook"
        curl, python, javascript = samples(view)
        ast.parse(python.code)
        assert curl.code.startswith("curl ")
        assert "fetch(" in javascript.code
    names = list(schemas(document))[::11]
    assert [view.name == "" for view in schema_views(document, names)] == [True] * len(names)
