"""The login of a space for its repository: given with a sync, kept encrypted, sent nowhere else."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from app.access.context import Context
from app.domain.git_sync import sync_runs
from tests import make
from tests.cast import Cast
from tests.factories.git_sync import SyncedSpace, basic
from tests.git_server import Host

TOKEN = "spaces-own-t0ken"
REFUSED = "The repository does not accept this user and token."


@pytest.fixture
def private(cast: Cast, host: Host) -> Iterator[SyncedSpace]:
    """A space, and a repository that wants the login of `docs-bot`."""
    docs = SyncedSpace(cast, host, make.repository())
    host.login = basic("docs-bot", TOKEN)
    yield docs
    host.login = None


def test_a_login_is_used_and_kept_for_later_syncs(private: SyncedSpace) -> None:
    private.ok("import", login={"user": "docs-bot", "token": TOKEN})
    assert private.get("/git/info")["hasLogin"] is True
    private.ok("import")
    private.ok("export")


def test_without_a_user_the_one_that_servers_expect_is_sent(private: SyncedSpace, host: Host) -> None:
    host.login = basic("git", TOKEN)
    private.ok("import", login={"token": TOKEN})
    host.login = basic("oauth2", TOKEN)
    private.ok("import", login={"token": TOKEN}, gitInfo={"provider": "gitlab"})


def test_null_forgets_the_login(private: SyncedSpace) -> None:
    private.ok("import", login={"user": "docs-bot", "token": TOKEN})
    assert private.failed("import", login=None) == REFUSED
    assert private.get("/git/info")["hasLogin"] is False


def test_another_address_does_not_get_the_login(private: SyncedSpace, host: Host) -> None:
    private.ok("import", login={"user": "docs-bot", "token": TOKEN})
    other = host.create(f"other/{private.id}.git", {"README.md": b"# Other\n"})
    host.requests.clear()
    assert private.failed("import", url=other.url) == REFUSED
    assert basic("docs-bot", TOKEN) not in [each.headers.get("authorization") for each in host.requests]


def test_the_token_is_neither_told_nor_stored_readable(private: SyncedSpace) -> None:
    private.ok("import", login={"user": "docs-bot", "token": TOKEN})

    async def kept(cx: Context) -> str:
        space = await cx.db.first(sync_runs.SPACE, id=private.id)
        return repr(space)

    assert TOKEN not in private.cast.instance.inside(kept)
    assert TOKEN not in str([private.get(), private.get("/git/info")])


@pytest.mark.parametrize(
    ("login", "path"),
    [
        ({"user": "a"}, "login.token"),
        ({"token": "a\nb"}, "login.token"),
        ({"token": "t", "user": "a\x01"}, "login.user"),
    ],
)
def test_a_login_that_cannot_be_sent_is_refused_by_field(
    private: SyncedSpace, login: dict[str, str], path: str
) -> None:
    answer = private.cast.ada.post(f"{private.path}/git/import", {**private.body, "login": login})
    assert (answer.status_code, answer.json()["error"]["details"][0]["path"]) == (400, path)
