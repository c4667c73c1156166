"""Links in typed blocks: what they lead to for whoever reads, in one statement for all pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from app.domain.content.page_links import PageLinks, links_of_pages
from app.domain.content.pages import structured
from app.domain.content.views import Where
from app.present.blocks import blocks
from app.present.link_targets import follower
from tests import make
from tests.cast import Cast, Person
from tests.contract.second_process import Stage, staged
from tests.contract.statements import noting
from tests.instance import Instance

Targets = dict[str, dict[str, Any]]
Asked = Callable[..., Targets]


@pytest.fixture(scope="module")
def stage(instance: Instance) -> Iterator[Stage]:
    with staged(instance) as stage:
        yield stage


@pytest.fixture
def targets(stage: Stage) -> Asked:
    """Tells where the addresses of a page lead, by how they are written, as its blocks have it."""

    def ask(person: Person, where: Where, page: str) -> Targets:
        place = f"/v1/spaces/{where.space}"
        place += f"/change-requests/{where.change_request}" if where.change_request else ""
        answer = person.get(f"{place}/content/page/{page}", params={"format": "markdown"})
        cx, found = _links(stage, person, where, [page])
        made = blocks(structured(answer.json()["markdown"]), follower(cx, found, page))
        return {each["href"]: each for each in _targets(made)}

    return ask


def _links(stage: Stage, person: Person, where: Where, pages: Sequence[str]) -> tuple[Any, PageLinks]:
    async def read() -> tuple[Any, PageLinks]:
        runtime = stage.product.runtime
        cx = runtime.context(await runtime.actor(f"Bearer {person.token}"))
        return cx, await links_of_pages(cx, where, pages)

    return stage.loop.run_until_complete(read())


def _targets(made: Any) -> Iterator[dict[str, Any]]:
    if isinstance(made, dict) and "href" in made:
        yield made
    elif isinstance(made, dict | list):
        for value in made.values() if isinstance(made, dict) else made:
            yield from _targets(value)


def _ids(person: Person, space: str) -> dict[str, str]:
    """The ids of pages by their paths, and of files by their names."""
    waiting = person.get(f"/v1/spaces/{space}/content/pages").json()["pages"]
    found = {
        each["name"]: each["id"] for each in person.get(f"/v1/spaces/{space}/content/files").json()["items"]
    }
    for page in waiting:
        found[page.get("path") or page["title"]] = page["id"]
        waiting += page.get("pages") or []
    return found


def test_links_lead_to_pages_files_and_elsewhere(cast: Cast, targets: Asked) -> None:
    other = make.filled_space(cast)
    far = _ids(cast.ada, other)
    text = (
        "# Start\n\n## Here\n\n[a](notes/README.md) [b](machinery/lamp.md#the-wick) [c](#here) [d](gone.md)\n"
        "[e](https://example.org/?a=1&amp;b=2) [f](javascript:x) [g](machinery/lamp.md#gone)\n"
        f"[h](/spaces/{other}) [i](/spaces/{other}/pages/{far['machinery/lamp']}#the-wick)\n\n"
        f"![j](.gitbook/assets/lamp.png) ![k](/spaces/{other}/files/{far['lamp.png']})\n\n"
        '{% include ".gitbook/includes/oil.md" %}\n\n{% file src=".gitbook/assets/lamp.png" %}\n'
    )
    space = make.filled_space(cast, make.repository({"README.md": text}))
    ids = _ids(cast.ada, space)
    home = ids["readme"]
    found = targets(cast.ria, Where(space), home)
    app = cast.ria.get(f"/v1/spaces/{space}").json()["urls"]["app"]
    lamp = {"kind": "anchor", "status": "ok", "page": ids["machinery/lamp"], "anchor": "the-wick"}
    assert found["notes/README.md"] == {
        "href": "notes/README.md",
        "kind": "page",
        "status": "ok",
        "url": f"{app}/notes",
        "page": ids["notes"],
    }
    assert found["machinery/lamp.md#the-wick"] == {
        "href": "machinery/lamp.md#the-wick",
        **lamp,
        "url": f"{app}/machinery/lamp#the-wick",
    }
    assert found["#here"] == {
        "href": "#here",
        **lamp,
        "page": home,
        "anchor": "here",
        "url": "#here",
    }
    assert found["gone.md"] == {"href": "gone.md", "kind": "page", "status": "broken"}
    assert found["machinery/lamp.md#gone"]["status"] == "broken"
    assert found["https://example.org/?a=1&b=2"]["url"] == "https://example.org/?a=1&b=2"
    there = cast.ria.get(f"/v1/spaces/{other}").json()["urls"]["app"]
    assert found[f"/spaces/{other}"] == {
        "href": f"/spaces/{other}",
        "kind": "space",
        "status": "ok",
        "url": there,
        "space": other,
    }
    entered = found[f"/spaces/{other}/pages/{far['machinery/lamp']}#the-wick"]
    assert (entered["space"], entered["page"]) == (other, far["machinery/lamp"])
    assert entered["url"] == f"{there}/machinery/lamp#the-wick"
    for href, file in {
        ".gitbook/assets/lamp.png": ids["lamp.png"],
        f"/spaces/{other}/files/{far['lamp.png']}": far["lamp.png"],
    }.items():
        assert (found[href]["kind"], found[href]["file"]) == ("file", file)
        assert cast.instance.http.get(found[href]["url"]).content == make.picture(3, 2)
    assert found[".gitbook/includes/oil.md"]["reusableContent"]


def test_what_is_in_another_space_is_told_to_those_who_see_it(cast: Cast, targets: Asked) -> None:
    hidden = make.filled_space(cast)
    assert cast.ada.patch(f"/v1/spaces/{hidden}", {"defaultLevel": None}).status_code == 200
    notes = _ids(cast.ada, hidden)["notes"]
    text = f"# Start\n\n[a](/spaces/{hidden}/pages/{notes}) [b](/spaces/{hidden})\n"
    space = make.filled_space(cast, make.repository({"README.md": text}))
    home = _ids(cast.ada, space)["readme"]
    assert {each["status"] for each in targets(cast.ada, Where(space), home).values()} == {"ok"}
    for told in targets(cast.ria, Where(space), home).values():
        assert (told["status"], told.get("url"), told.get("space")) == ("broken", None, None)


def test_links_of_a_change_request_lead_to_what_it_holds(cast: Cast, targets: Asked) -> None:
    space = make.filled_space(cast)
    request = make.change_request(cast.ed, space)
    notes = _ids(cast.ada, space)["notes"]
    made = {
        "operation": "update_page",
        "page": notes,
        "document": {"markdown": "![a](../.gitbook/assets/lamp.png)\n"},
    }
    make.changes(cast.ed, space, made, request=request["id"])
    found = targets(cast.ria, Where(space, request["id"]), notes)
    (told,) = found.values()
    assert cast.instance.http.get(told["url"]).content == make.picture(3, 2)
    assert targets(cast.ria, Where(space), notes).keys() == {"../README.md"}


def test_many_pages_take_one_statement(cast: Cast, stage: Stage) -> None:
    space = make.filled_space(cast)
    pages = list(_ids(cast.ada, space).values())
    with noting() as of_one:
        _links(stage, cast.ria, Where(space), pages[:1])
    with noting() as of_all:
        _, found = _links(stage, cast.ria, Where(space), pages)
    assert (len(of_all), sum(map(bool, found.rows.values()))) == (len(of_one), 3)
