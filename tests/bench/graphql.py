"""GraphQL: one space, a hundred, ten in each of twenty organizations.

Beside the same schema executed by Strawberry as it comes, and beside a program that has the query compiled.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import orjson

from app.api.graphql.trusted import own
from tests.bench.alike import must_agree
from tests.bench.compiled import LIST, NESTED, ONE
from tests.bench.data import ICON, Data, space_ids, with_spaces
from tests.bench.load import Request, Target, compared, race
from tests.bench.options import Options
from tests.bench.report import Goal, Row
from tests.bench.servers import Server, ceiling, docyard

ORGANIZATIONS, EACH = 50, 2_000
KNOWN = {name: key for key, text in own().items() for name in [text.split("(")[0].removeprefix("query ")]}
OF_ONE, LONG = "trusted, one space", "trusted, a long document"
DOCUMENTS = {OF_ONE: "getSpaceById", LONG: "listSpaceLinks"}  # of 1,000 and 3,700 characters
BY_HASH, UNCHANGED = Goal(least=1.15), Goal(least=3)
CASES = {
    "one space": (Goal(least=4), Goal(least=0.25)),
    "list of 100 x 10 fields": (Goal(least=4), Goal(least=0.30)),
    "nested 20 x 10": (Goal(least=3), Goal(least=0.20)),
}


def run(options: Options) -> list[Row]:
    """Measure it all; raises AssertionError where answers differ."""
    data = with_spaces(options.scratch, organizations_=ORGANIZATIONS, each=EACH, icon=ICON)
    with (
        docyard(data.path) as ours,
        ceiling("plain_graphql:app", data.path) as plain,
        ceiling("ceiling:app", data.path) as compiled,
    ):
        targets: dict[str, Target] = {}
        for case, requests in _requests(data).items():
            for name, server in _contestants(ours, plain, compiled).items():
                targets[f"{case} {name}"] = Target(server, requests)
            for other in ("plain", "compiled"):
                must_agree(targets[f"{case} ours"], targets[f"{case} {other}"], besides=["extensions"])
        for case, document in DOCUMENTS.items():
            for name, sent in _trusted(data, ours, KNOWN[document]).items():
                targets[f"{case} {name}"] = Target(ours, sent)
        series = race(targets, options.rounds_or(5), options.seconds_or(2))
    rows = []
    for case, (over_plain, of_compiled) in CASES.items():
        mine = series[f"{case} ours"]
        rows.append(compared(case, mine, "plain Strawberry", series[f"{case} plain"], over_plain))
        rows.append(compared(case, mine, "compiled by hand", series[f"{case} compiled"], of_compiled))
    for case, goal in ((OF_ONE, None), (LONG, BY_HASH)):
        by_text, by_hash = series[f"{case} text"], series[f"{case} hash"]
        rows.append(compared(f"{case}, by its hash", by_hash, "the same as text", by_text, goal))
    full, unchanged = series[f"{OF_ONE} full"], series[f"{OF_ONE} unchanged"]
    rows.append(compared(f"{OF_ONE}, 304", unchanged, "the full answer", full, UNCHANGED))
    return rows


def _contestants(ours: Server, plain: Server, compiled: Server) -> dict[str, Server]:
    return {"ours": ours, "plain": plain, "compiled": compiled}


def _requests(data: Data) -> dict[str, list[Request]]:
    spaces = {org: space_ids(data, org, 10) for org in range(ORGANIZATIONS)}
    pairs = [(org, spaces[org][turn]) for turn in range(10) for org in range(ORGANIZATIONS)]
    lists = [
        asked(LIST, data.header(n), {"id": org, "first": 100}) for n, org in enumerate(data.organizations)
    ]
    return {
        "one space": [asked(ONE, data.header(org), {"id": i}) for org, i in pairs],
        "list of 100 x 10 fields": lists,
        "nested 20 x 10": [asked(NESTED, data.travelling, {"outer": 20, "inner": 10})],
    }


def _trusted(data: Data, ours: Server, known: str) -> dict[str, list[Request]]:
    """Return requests of a trusted document: by its text and hash, and by GET without and with a tag."""
    headers, variables = data.header(0), {"spaceId": space_ids(data, 0, 1)[0]}
    extensions = {"persistedQuery": {"version": 1, "sha256Hash": known}}
    query = {"variables": orjson.dumps(variables).decode(), "extensions": orjson.dumps(extensions).decode()}
    get = Request(f"/graphql?{urlencode(query)}", "GET", headers)
    tag = Target(ours, [get]).ask(0).headers["etag"]
    body = orjson.dumps({"extensions": extensions, "variables": variables})
    return {
        "text": [asked(own()[known], headers, variables)],
        "hash": [Request("/graphql", "POST", {**headers, "Content-Type": "application/json"}, body)],
        "full": [get],
        "unchanged": [Request(get.path, "GET", {**headers, "If-None-Match": tag})],
    }


def asked(query: str, headers: dict[str, str], variables: dict[str, Any]) -> Request:
    """The request that sends a document as text."""
    body = orjson.dumps({"query": query, "variables": variables})
    return Request("/graphql", "POST", {**headers, "Content-Type": "application/json"}, body)
