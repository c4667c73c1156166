"""TypeScript: the client preset takes every document of the API, and all types of the apps are strict."""

from __future__ import annotations

from pathlib import Path

from tests.frontend.screens import GRAPHQL, run


def test_all_documents_have_strict_types(apps: Path) -> None:
    documents = [str(GRAPHQL / "fragments.graphql"), *map(str, (GRAPHQL / "operations").glob("*.graphql"))]
    assert len(documents) > 200
    console = list(map(str, (GRAPHQL / "console").glob("*.graphql")))
    assert len(console) > 5
    for folder, files in (("apps/operations/", documents), ("apps/console/", console)):
        run(apps, "node", "codegen.mjs", str(GRAPHQL / "schema.graphql"), folder, *files)
    assert (apps / "apps" / "console" / "graphql.ts").exists()
    run(apps, "node_modules/.bin/tsc", "--project", ".")
