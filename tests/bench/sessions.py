"""Sessions: does a request in a session cost more among 100,000 of them, or more than one with a token?"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from app.access.context import Context
from app.domain.accounts import sessions, tokens
from app.domain.accounts.sessions import Browser
from app.domain.organizations import organizations, users
from app.kit.database.statements import table
from app.models.access import Token
from app.models.organizations import OrganizationCreate
from tests.bench.data import create, inside
from tests.bench.load import Request, Series, Target, figures, race
from tests.bench.options import Options
from tests.bench.report import Goal, Row, ratio
from tests.bench.servers import docyard

FEW, MANY = 100, 100_000
FLAT = Goal(most=1.05)


@dataclass(slots=True, frozen=True)
class Database:
    """A database with sessions, and somebody's organization, session and token."""

    path: Path
    organization: str
    session: str
    token: str

    def by_session(self) -> Request:
        """A read in the session."""
        cookie = {"Cookie": f"__Host-docyard_session={self.session}", "Sec-Fetch-Site": "same-origin"}
        return Request(f"/v1/orgs/{self.organization}", headers=cookie)

    def by_token(self) -> Request:
        """Return the same read with the token."""
        return Request(f"/v1/orgs/{self.organization}", headers={"Authorization": f"Bearer {self.token}"})


def run(options: Options) -> list[Row]:
    """Read an organization in each way, in turn."""
    few, many = (_database(options.scratch / f"sessions-{size}.db", size) for size in (FEW, MANY))
    with docyard(few.path) as small, docyard(many.path) as large:
        targets = {
            "few": Target(small, [few.by_session()]),
            "many": Target(large, [many.by_session()]),
            "token": Target(large, [many.by_token()]),
        }
        for target in targets.values():
            target.ask()
        series = race(targets, options.rounds_or(5), options.seconds_or(2))
    return [
        _row(f"a session among {MANY:,}", series["many"], f"one among {FEW}", series["few"]),
        _row(f"a session among {MANY:,}", series["many"], "a token there", series["token"]),
    ]


def _database(path: Path, size: int) -> Database:
    create(path)
    made = inside(path, lambda cx: _begun(cx, path))
    columns = [column.name for column in table(Token).columns]
    changed = {"hash": "hash || n", "id": "printf('%020d', n)"}
    values = ", ".join(changed.get(name, f'"{name}"') for name in columns)
    names = ", ".join(f'"{name}"' for name in columns)
    with closing(sqlite3.connect(path)) as db:
        db.execute(
            "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)"
            f" INSERT INTO token ({names}) SELECT {values} FROM token, numbers WHERE kind = 'session'",
            (size - 1,),
        )
        db.execute("ANALYZE")
        db.commit()
    return made


async def _begun(cx: Context, path: Path) -> Database:
    user = await users.create(cx, "admin@example.org", "Admin")
    organization = await organizations.found(cx, user.id, OrganizationCreate(title="Organization"))
    session = (await sessions.begin(cx, user, Browser())).session
    return Database(path, organization.id, session, await tokens.create(cx, user))


def _row(what: str, ours: Series, against: str, theirs: Series) -> Row:
    ratios = {
        "time": ratio(ours.of("p50"), theirs.of("p50")),
        "cpu": ratio(ours.of("cpu"), theirs.of("cpu")),
    }
    return Row(what, against, ratios, FLAT, figures(ours), figures(theirs))
