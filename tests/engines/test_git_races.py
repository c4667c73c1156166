"""Two who push at once: one wins, the other is told, nobody's commit is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.kit.git.limits import Stale
from app.kit.git.objects import CommitAuthor
from app.kit.git.transfers import push
from tests.git_server import Host, Origin, hosting
from tests.local_server import Answer, Request

WORDS = {"README.md": b"# Hello\n", "docs/one.md": b"one\n", "docs/two.md": b"two\n"}


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    with hosting(tmp_path / "repositories") as host:
        yield host


async def pushing(host: Host, origin: Origin, path: str, base: str | None) -> str | None:
    return await push(
        origin.url,
        "main",
        base_commit=base,
        changes={path: b"mine\n"},
        message="Mine",
        author=CommitAuthor("Grace", "grace@example.org"),
        outbound=host.outbound,
    )


def test_a_branch_that_moved_is_not_overwritten(host: Host) -> None:
    origin = host.create(files=WORDS)
    base = origin.tip()
    theirs = origin.commit({**WORDS, "docs/two.md": b"theirs\n"})
    for seen in (base, None):
        with pytest.raises(Stale, match="changed meanwhile"):
            asyncio.run(pushing(host, origin, "docs/one.md", seen))
    assert origin.tip() == theirs


@pytest.mark.parametrize("begun", [True, False])
def test_a_push_that_comes_between_wins(host: Host, begun: bool) -> None:
    origin = host.create(files=WORDS if begun else None)
    base = origin.tip() or None
    theirs: list[str] = []

    def race(request: Request) -> Answer:
        if request.method == "POST" and request.path.endswith("git-receive-pack") and not theirs:
            theirs.append(origin.commit({"theirs.md": b"first\n"}))
        return host.answer(request)

    host.routes["/*"] = race
    with pytest.raises(Stale, match="changed meanwhile"):
        asyncio.run(pushing(host, origin, "docs/one.md", base))
    assert origin.tip() == theirs[0]


def test_of_many_pushes_at_once_one_wins(host: Host) -> None:
    origin = host.create(files=WORDS)
    base = origin.tip()

    async def together() -> list[str | BaseException | None]:
        pushes = (pushing(host, origin, f"docs/{number}.md", base) for number in range(4))
        return await asyncio.gather(*pushes, return_exceptions=True)

    results = asyncio.run(together())
    assert origin.tip() in results
    assert sum(isinstance(result, Stale) for result in results) == 3
    assert origin.git("rev-list", "--count", "main") == "2"
    origin.git("fsck", "--strict", "--full")
