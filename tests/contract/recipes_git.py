"""Calls about synchronising spaces with Git repositories (see `recipes`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.access.context import Context
from app.access.fetch import fetch
from app.domain.git_sync import sync_runs, sync_state
from app.models.spaces import Space
from tests.cast import Cast
from tests.contract.faces import Call
from tests.contract.recipes_content import neighbour, space

Recipe = Callable[[Cast], Call]


def _asking(cast: Cast, **more: Any) -> Call:
    body = {
        "url": neighbour(cast, "acme/docs.git"),
        "ref": "main",
        "repoProjectDirectory": "docs",
        "repoCommitURL": "https://git.example.org/acme/docs/commit/",
        "gitInfo": {"provider": "gitlab"},
        "force": False,
        **more,
    }
    return Call({"spaceId": space(cast)}, body=body)


def _synced(cast: Cast) -> Call:
    """A space whose sync has ended well."""
    made = space(cast)

    async def sync(cx: Context) -> None:
        held = await cx.db.first(sync_runs.SPACE, id=made)
        assert held is not None
        acting = sync_runs.acting(cx, held, cast.ada.id)
        known = await fetch(acting, Space, made)
        begun = await sync_state.begin(
            acting, known, "import", url="https://github.com/acme/docs", ref="main"
        )
        await sync_state.keep(acting, known, begun.ended("success", "Imported.", cx.now))

    cast.instance.inside(sync)
    return Call({"spaceId": made})


GIT: dict[str, Recipe] = {
    "importGitRepository": lambda cast: _asking(cast, standalone=True),
    "exportToGitRepository": lambda cast: _asking(cast, commitMessage="From Docyard"),
    "getSpaceGitInfo": _synced,
    "endSpaceGitSync": _synced,
}
