"""REST beside the raw driver: one space, a list of a hundred, a durable change.

Ours verifies the token, the rights and the input, counts the list, and writes its log; the ceiling does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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
        return compare_reads(options, Contest(data, _some(data), server, raw, CEILING), least=(0.6, 0.7))


def _writes(options: Options, data: Data) -> list[Row]:
    """Each side has a file of its own."""
    with (
        docyard(copy_of(data, "write-ours.db")) as server,
        ceiling("ceiling:app", copy_of(data, "write-ceiling.db")) as raw,
    ):
        contest = Contest(data, _some(data), server, raw, "group commit")
        return compare_writes(options, contest, least=0.5)


def _some(data: Data) -> list[list[str]]:
    return [space_ids(data, org, 10) for org in range(ORGANIZATIONS)]


@dataclass(slots=True, frozen=True)
class Contest:
    """Ours and the ceiling, on data of which `spaces` are asked for: their ids by organization."""

    data: Data
    spaces: Sequence[Sequence[str]]
    server: Server
    raw: Server
    ceiling: str


def compare_reads(options: Options, contest: Contest, *, least: tuple[float, float]) -> list[Row]:
    """Measure reads of one space and of lists; `least` are the goals of both."""
    targets = _read_targets(contest)
    for name in ("one", "list", "later"):
        must_agree(targets[name], targets[f"{name} raw"])
    size = len(targets["one"].ask().content)
    series = race(targets, options.rounds_or(5), options.seconds_or(2))
    one, several = (Goal(least=each) for each in least)
    names = {"one": "GET one space", "list": "list 100 spaces", "later": "list 100 spaces, a later page"}
    rows = [
        compared(
            what, series[name], contest.ceiling, series[f"{name} raw"], one if name == "one" else several
        )
        for name, what in names.items()
    ]
    rows[0].ours["bytes"] = size
    return rows


def _read_targets(contest: Contest) -> dict[str, Target]:
    data, server, raw = contest.data, contest.server, contest.raw
    of = data.organizations
    pairs = [(org, space_id) for _, org, space_id in _turns(contest)]
    paths = [f"/orgs/{organization}/spaces?limit={HUNDRED}" for organization in of]
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


def _turns(contest: Contest) -> Iterator[tuple[int, int, str]]:
    """Go through the spaces so that requests at the same time are for different organizations."""
    for turn, ids in enumerate(zip(*contest.spaces, strict=True)):
        for org, space_id in enumerate(ids):
            yield turn, org, space_id


def compare_writes(options: Options, contest: Contest, *, least: float) -> list[Row]:
    """Measure durable changes of one space."""
    ours, theirs = [], []
    for n, org, space_id in _turns(contest):
        body = orjson.dumps({"title": f"Renamed {org} {n}"})
        headers = {"Content-Type": "application/json"}
        path = f"/spaces/{space_id}"
        ours.append(Request(f"/v1{path}", "PATCH", {**headers, **contest.data.header(org)}, body))
        theirs.append(Request(path, "PATCH", headers, body))
    targets = {"ours": Target(contest.server, ours), "raw": Target(contest.raw, theirs)}
    must_agree(targets["ours"], targets["raw"], besides=("updatedAt",))
    series = race(targets, options.rounds_or(5), options.seconds_or(2))
    goal = Goal(least=least)
    row = compared("PATCH one space, durable", series["ours"], contest.ceiling, series["raw"], goal)
    return [row, _tail(series["ours"], series["raw"], contest.ceiling)]


def _tail(ours: Series, theirs: Series, against: str) -> Row:
    tail = {"time": ratio(ours.of("p99"), theirs.of("p99"))}
    return Row("PATCH one space, p99", f"{against}'s p99", tail, Goal(most=2))
