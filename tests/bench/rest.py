"""REST beside the raw driver: one space, a list of a hundred, a durable change.

Ours verifies the token, the rights and the input, counts the list, and writes its log; the ceiling does not.
"""

from __future__ import annotations

import orjson

from tests.bench.alike import must_agree
from tests.bench.data import ICON, Data, copy_of, space_ids, with_spaces
from tests.bench.load import Request, Series, Target, compared, race
from tests.bench.options import Options
from tests.bench.report import Goal, Row, ratio
from tests.bench.servers import Server, ceiling, docyard

ORGANIZATIONS, EACH = 50, 2_000
HUNDRED = 100
CEILING = "raw aiosqlite + orjson"


def run(options: Options) -> list[Row]:
    """Measure it all; raises AssertionError where ours and the ceiling answer differently."""
    data = with_spaces(options.scratch, organizations_=ORGANIZATIONS, each=EACH, icon=ICON)
    return [*_reads(options, data), *_writes(options, data)]


def _reads(options: Options, data: Data) -> list[Row]:
    with docyard(data.path) as server, ceiling("ceiling:app", data.path) as raw:
        targets = _read_targets(data, server, raw)
        for name in ("one", "list", "later"):
            must_agree(targets[name], targets[f"{name} raw"])
        size = len(targets["one"].ask().content)
        series = race(targets, options.rounds_or(5), options.seconds_or(2))
    rows = [
        compared("GET one space", series["one"], CEILING, series["one raw"], Goal(least=0.6)),
        compared("list 100 spaces", series["list"], CEILING, series["list raw"], Goal(least=0.7)),
        compared(
            "list 100 spaces, a later page", series["later"], CEILING, series["later raw"], Goal(least=0.7)
        ),
    ]
    rows[0].ours["bytes"] = size
    return rows


def _read_targets(data: Data, server: Server, raw: Server) -> dict[str, Target]:
    spaces = {org: space_ids(data, org, 10) for org in range(ORGANIZATIONS)}
    of = data.organizations
    pairs = [(org, spaces[org][turn]) for turn in range(10) for org in range(ORGANIZATIONS)]
    paths = [f"/orgs/{of[org]}/spaces?limit={HUNDRED}" for org in range(ORGANIZATIONS)]
    first = [Request(f"/v1{path}", headers=data.header(org)) for org, path in enumerate(paths)]
    later, later_raw = [], []
    for org, path in enumerate(paths):
        page = Target(server, first).ask(org).json()
        later.append(Request(f"/v1{path}&page={page['next']['page']}", headers=data.header(org)))
        later_raw.append(Request(f"{path}&after={page['items'][-1]['id']}"))
    return {
        "one": Target(server, [Request(f"/v1/spaces/{i}", headers=data.header(o)) for o, i in pairs]),
        "one raw": Target(raw, [Request(f"/spaces/{i}") for _, i in pairs]),
        "list": Target(server, first),
        "list raw": Target(raw, [Request(path) for path in paths]),
        "later": Target(server, later),
        "later raw": Target(raw, later_raw),
    }


def _writes(options: Options, data: Data) -> list[Row]:
    """Each side has a file of its own."""
    with (
        docyard(copy_of(data, "write-ours.db")) as server,
        ceiling("ceiling:app", copy_of(data, "write-ceiling.db")) as raw,
    ):
        ours, theirs = [], []
        for org in range(ORGANIZATIONS):
            for n, space_id in enumerate(space_ids(data, org, 10)):
                body = orjson.dumps({"title": f"Renamed {org} {n}"})
                headers = {"Content-Type": "application/json"}
                path = f"/spaces/{space_id}"
                ours.append(Request(f"/v1{path}", "PATCH", {**headers, **data.header(org)}, body))
                theirs.append(Request(path, "PATCH", headers, body))
        targets = {"ours": Target(server, ours), "raw": Target(raw, theirs)}
        must_agree(targets["ours"], targets["raw"], besides=("updatedAt",))
        series = race(targets, options.rounds_or(5), options.seconds_or(2))
    goal = Goal(least=0.5)
    row = compared("PATCH one space, durable", series["ours"], "group commit", series["raw"], goal)
    return [row, _tail(series["ours"], series["raw"])]


def _tail(ours: Series, theirs: Series) -> Row:
    tail = {"time": ratio(ours.of("p99"), theirs.of("p99"))}
    return Row("PATCH one space, p99", "group commit's p99", tail, Goal(most=2))
