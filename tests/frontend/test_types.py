"""TypeScript: the client preset takes every document of the API, and all types of the apps are strict."""

from __future__ import annotations

from pathlib import Path

from tests.frontend.screens import GRAPHQL, run


def test_all_documents_have_strict_types(apps: Path) -> None:
    documents = [str(GRAPHQL / "fragments.graphql"), *map(str, (GRAPHQL / "operations").glob("*.graphql"))]
    assert len(documents) > 200
    run(apps, "node", "codegen.mjs", str(GRAPHQL / "schema.graphql"), "apps/operations/", *documents)
    run(apps, "node_modules/.bin/tsc", "--project", ".")
