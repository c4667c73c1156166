"""Names the queries that a screen sends first, so that the shell can send them before its scripts are there.

`static/first_queries.json` names the documents of a route with their variables: `:name` is a part of it.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Any

from app.console.assets import Assets

FILE, HASHES = "first_queries.json", "api/documents.js"
EVERYWHERE = "Session"  # every screen asks who is signed in
_HASH = re.compile(r'^  (\w+): "([0-9a-f]{64})",$', re.MULTILINE)


def first_queries(files: Assets, path: str, query: str) -> list[dict[str, Any]]:
    """Return the bodies of the requests that the screen at a path sends first.

    The variables are None where only the screen can tell them, as with a query string.
    """
    hashes, routes = _known(files.files[HASHES], files.files[FILE])
    asked: dict[str, dict[str, Any] | None] = {EVERYWHERE: {}}
    if found := files.route(path):
        route, given = found
        for name, template in routes.get(route, {}).items():
            variables = {key: _filled(value, given) for key, value in template.items()}
            asked[name] = None if query or None in variables.values() else variables
    return [_body(name, variables, hashes[name]) for name, variables in asked.items()]


def _body(name: str, variables: dict[str, Any] | None, digest: str) -> dict[str, Any]:
    extensions = {"persistedQuery": {"version": 1, "sha256Hash": digest}}
    return {"operationName": name, "variables": variables, "extensions": extensions}


def _filled(value: Any, given: dict[str, str]) -> Any:
    """Return a variable, None where the path does not have the part that it is."""
    if not isinstance(value, str) or not value.startswith(":"):
        return value
    return given.get(value[1:]) or None


@lru_cache(maxsize=2)
def _known(hashes: bytes, routes: bytes) -> tuple[dict[str, str], dict[str, dict[str, dict[str, Any]]]]:
    return dict(_HASH.findall(hashes.decode())), json.loads(routes)
