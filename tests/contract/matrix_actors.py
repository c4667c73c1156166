"""The actors of the matrix: one organization with everybody whose verdicts may differ, made once."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from sqlalchemy import func, select

from app.access.context import Context
from app.access.rights import Level
from app.api.operation import Operation
from app.domain.accounts import tokens
from app.domain.organizations import organizations, users
from app.kit.database.statements import given, rows, table
from app.kit.ids import new_id
from app.kit.signing import token_hash
from app.models.access import Grant, Token
from app.models.organizations import Member
from app.models.teams import TeamMember
from tests import make
from tests.cast import Cast
from tests.contract.faces import Call
from tests.contract.matrix import IDS, Player, Rights, granted
from tests.contract.recipes import RECIPES
from tests.contract.second_process import Stage

GRANTS, TEAM_MEMBERS = table(Grant), table(TeamMember)
_HELD = rows(
    lambda: (
        select(
            func.coalesce(TEAM_MEMBERS.c.user_id, GRANTS.c.grantee_id).label("user_id"),
            func.max(GRANTS.c.level).label("level"),
        )
        .outerjoin(TEAM_MEMBERS, TEAM_MEMBERS.c.team_id == GRANTS.c.grantee_id)
        .where(GRANTS.c.object_id == given("object"))
        .group_by(func.coalesce(TEAM_MEMBERS.c.user_id, GRANTS.c.grantee_id))
    )
)


@dataclass(slots=True)
class Troupe:
    """A cast, its players, and the guests who are granted what each operation needs."""

    cast: Cast
    stage: Stage
    players: list[Player]
    alone: Player  # a guest with grants of their own
    teamed: Player  # a guest with grants of a team
    team: str
    calls: dict[str, Call] = field(default_factory=dict)  # of reads

    @property
    def admin(self) -> Player:
        """Who may do everything."""
        return next(player for player in self.players if player.role == "admin")

    def call(self, operation: Operation) -> Call:
        """Return what its recipe makes for an operation: anew for each write, once for all reads."""
        if operation.writes:
            return RECIPES[operation.id](self.cast)
        if operation.id not in self.calls:
            self.calls[operation.id] = RECIPES[operation.id](self.cast)
        return self.calls[operation.id]

    def now(self, content: tuple[str, str] | None) -> list[Player]:
        """The players, with what the recipe granted them of this content."""
        if content is None:
            return self.players

        async def held(cx: Context) -> dict[str, Level]:
            found = await cx.db.all(_HELD, object=content[1])
            return {row.user_id: Level(row.level) for row in found}

        levels = self.stage.inside(held)
        return [
            replace(player, granted=levels[player.user].name) if player.user in levels else player
            for player in self.players
        ]

    def grant(self, kind: str, id: str, alone: Level, teamed: Level) -> list[Player]:
        """Give the two guests these levels on an object, and the two as they are now."""

        async def give(cx: Context) -> None:
            for grantee, grantee_kind, level in (
                (self.alone.user, "user", alone),
                (self.team, "team", teamed),
            ):
                await cx.tx.remove(Grant, object_id=id, grantee_id=grantee)
                if level:
                    await cx.tx.add(
                        Grant,
                        object_id=id,
                        grantee_id=grantee,
                        organization_id=self.cast.organization,
                        object_kind=kind,
                        grantee_kind=grantee_kind,
                        level=level,
                        created_at=cx.now,
                    )

        self.stage.inside(give)
        return [granted(self.alone, alone), granted(self.teamed, teamed)]


def troupe(stage: Stage) -> Troupe:
    """A fresh organization with everybody of the matrix."""
    cast = make.cast(stage.instance)

    async def build(cx: Context) -> tuple[list[Player], Player, Player]:
        made = {
            name: await _somebody(cx, cast, name, belongs=name != "removed")
            for name in ("disabled", "removed", "alone", "teamed")
        }
        await cx.tx.put(
            Member, {"disabled": True}, organization_id=cast.organization, user_id=made["disabled"][0]
        )
        for name in ("alone", "teamed"):
            await cx.tx.put(
                Member,
                {"role": None, "granted": True},
                organization_id=cast.organization,
                user_id=made[name][0],
            )
        narrow = {
            "reading": await _token(cx, cast, read_only=True),
            "here": await _token(cx, cast, organization_id=cast.organization),
            "elsewhere": await _token(cx, cast, organization_id=cast.elsewhere),
            "expired": await _token(cx, cast, days=1),
        }
        ended = {"expires_at": cx.now - timedelta(seconds=1)}
        await cx.tx.put(Token, ended, hash=token_hash(narrow["expired"]))
        ada = cast.ada.id
        players = [
            Player("nobody", None, known=False),
            Player("garbage", "dcy_garbage", known=False),
            Player("expired token", narrow["expired"], known=False),
            Player("stranger", cast.sol.token, cast.sol.id, belongs=False),
            Player("disabled member", made["disabled"][1], made["disabled"][0], belongs=False),
            Player("removed member", made["removed"][1], made["removed"][0], belongs=False),
            *(
                Player(name, person.token, person.id, role=None if name == "guest" else name)
                for name, person in cast.members.items()
            ),
            Player("reading token", narrow["reading"], ada, role="admin", read_only=True),
            Player("token for here", narrow["here"], ada, role="admin"),
            Player("token for elsewhere", narrow["elsewhere"], ada, role="admin", closed=True),
        ]
        alone, teamed = (
            Player(f"{name} guest", made[name][1], made[name][0]) for name in ("alone", "teamed")
        )
        return players, alone, teamed

    players, alone, teamed = stage.inside(build)
    return Troupe(cast, stage, players, alone, teamed, _team(cast, teamed.user))


async def _somebody(cx: Context, cast: Cast, name: str, *, belongs: bool) -> tuple[str, str]:
    """Somebody with the role of an administrator, who may lose it again: their id and token."""
    user = await users.create(cx, f"{name}.{new_id()}@{cast.domain}".lower(), name.title())
    if belongs:
        await organizations.add_member(cx, cast.organization, user.id, "admin")
    return user.id, await tokens.create(cx, user)


async def _token(cx: Context, cast: Cast, **narrowing: Any) -> str:
    """Return another token of the administrator."""
    return await tokens.create(cx, await users.by_email(cx, cast.ada.email), **narrowing)


def token_of_admin(troupe: Troupe, **narrowing: Any) -> str:
    """The secret of another token of the administrator, narrowed as `tokens.create` takes it."""
    return troupe.stage.inside(lambda cx: _token(cx, troupe.cast, **narrowing))


def _team(cast: Cast, user_id: str) -> str:
    answer = cast.ada.put(f"/v1/orgs/{cast.organization}/teams", {"title": "Keepers", "members": [user_id]})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def content_of(rights: Rights, path: dict[str, str]) -> tuple[str, str] | None:
    """The kind and id of the content in a path that an operation asks its first right of."""
    need = rights.content
    if need is None or IDS[need.kind] not in path:
        return None
    return need.kind, path[IDS[need.kind]]
