"""Links on two sides: whatever moved on one while the other wrote, they lead where they led, and count.

Each variant is a space in which A leads to T, what is done to a change request, what is done to the space,
and the href in A after the merge. Then T is renamed once more, and A must follow.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import pytest

from tests import make
from tests.cast import Cast, Person
from tests.factories.changes import ids, insert, page, place, text, update

T_TEXT = "# T\n\nWords.\n\n## End\n\nMore.\n"
Change = Mapping[str, Any]


@dataclass(frozen=True)
class Variant:
    """What A says at first, what both sides do (`{A}` is the id of A), and the href in A after the merge."""

    says: str
    ours: list[Change]
    main: list[Change]
    href: str
    statuses: list[str] = field(default_factory=lambda: ["ok"])


def write(name: str, markdown: str) -> Change:
    return {"operation": "update_page", "page": name, "document": {"markdown": markdown}}


def move(name: str, **fields: Any) -> Change:
    return {"operation": "update_page", "page": name, **fields}


EDIT = write("{A}", "[t](t.md) text, longer\n")
VARIANTS = {
    "T is renamed": Variant("[t](t.md) text\n", [EDIT], [move("{T}", slug="t2")], "t2.md"),
    "T moves below B": Variant("[t](t.md) text\n", [EDIT], [move("{T}", into="{B}")], "b/t.md"),
    "T moves and is renamed": Variant(
        "[t](t.md) text\n", [EDIT], [move("{T}", into="{B}", slug="t2")], "b/t2.md"
    ),
    "T is renamed twice": Variant(
        "[t](t.md) text\n", [EDIT], [move("{T}", slug="t2"), move("{T}", slug="t4")], "t4.md"
    ),
    "T is renamed, another takes its place": Variant(
        "[t](t.md) text\n", [EDIT], [move("{T}", slug="t2"), move("{B}", slug="t")], "t2.md"
    ),
    "an anchor": Variant(
        "[t](t.md#end) text\n",
        [write("{A}", "[t](t.md#end) text, longer\n")],
        [move("{T}", slug="t2")],
        "t2.md#end",
    ),
    "an anchor that is lost": Variant(
        "[t](t.md#end) text\n",
        [write("{A}", "[t](t.md#end) text, longer\n")],
        [move("{T}", slug="t2"), write("{T}", "# T\n\nWords.\n")],
        "t2.md#end",
        ["broken"],
    ),
    "A moves in the change request": Variant(
        "[t](t.md) text\n", [move("{A}", into="{B}")], [move("{T}", slug="t2")], "../t2.md"
    ),
    "A moves and is edited in the change request": Variant(
        "[t](t.md) text\n",
        [EDIT, move("{A}", into="{B}")],
        [move("{T}", slug="t2")],
        "../t2.md",
    ),
    "A moves in the space": Variant("[t](t.md) text\n", [EDIT], [move("{A}", into="{B}")], "../t.md"),
    "A and T move in the space": Variant(
        "[t](t.md) text\n", [EDIT], [move("{A}", into="{B}"), move("{T}", slug="t2")], "../t2.md"
    ),
    "both sides edit other lines": Variant(
        "[t](t.md) text\n\nlast\n",
        [write("{A}", "[t](t.md) text\n\nlast, longer\n")],
        [write("{A}", "first\n\n[t](t.md) text\n\nlast\n"), move("{T}", slug="t2")],
        "t2.md",
    ),
    "T is renamed in the change request, A edited in the space": Variant(
        "[t](t.md) text\n", [move("{T}", slug="t2")], [EDIT], "t2.md"
    ),
    "T moves in the change request, A in the space": Variant(
        "[t](t.md) text\n", [move("{T}", into="{B}")], [move("{A}", slug="a2")], "b/t.md"
    ),
    "T is renamed on both sides alike": Variant(
        "[t](t.md) text\n", [EDIT, move("{T}", slug="t2")], [move("{T}", slug="t2")], "t2.md"
    ),
    "B, below which T is, is renamed": Variant(
        "[t](t.md) text\n", [EDIT], [move("{T}", into="{B}"), move("{B}", slug="b2")], "b2/t.md"
    ),
    "from the root": Variant(
        "[t](/t.md) text\n",
        [write("{A}", "[t](/t.md) text, longer\n")],
        [move("{T}", into="{B}")],
        "/b/t.md",
    ),
    "without the ending": Variant(
        "[t](t) text\n", [write("{A}", "[t](t) text, longer\n")], [move("{T}", slug="t2")], "t2"
    ),
    "a new page in the change request": Variant(
        "Nothing.\n",
        [write("{A}", "[n](n.md)\n"), {**insert("N", "[t](t.md)\n"), "slug": "n"}],
        [move("{T}", slug="t2")],
        "n.md",
    ),
    "the page is deleted and brought back in the space": Variant(
        "[t](t.md) text\n",
        [EDIT],
        [{"operation": "delete_page", "page": "{T}"}, {"operation": "revert_page", "page": "{T}"}],
        "t.md",
    ),
}


@dataclass(frozen=True)
class Scene:
    """A space with A, B and T."""

    person: Person
    space: str
    pages: Mapping[str, str]

    def change(self, changes: list[Change], request: int | None = None) -> None:
        batch = [{name: self._named(value) for name, value in change.items()} for change in changes]
        for change in batch:
            make.changes(self.person, self.space, change, request=request)

    def _named(self, value: Any) -> Any:
        return self.pages[value[1]] if value in ("{A}", "{B}", "{T}") else value

    def links(self, name: str) -> list[dict[str, Any]]:
        path = f"{place(self.space)}/content/page/{self.pages[name]}/links"
        found: list[dict[str, Any]] = self.person.get(path).json()["items"]
        return found

    def backlinks(self, name: str) -> int:
        path = f"{place(self.space)}/content/page/{self.pages[name]}/backlinks"
        found: int = self.person.get(path).json()["count"]
        return found

    @property
    def broken(self) -> int:
        found: int = self.person.get(f"{place(self.space)}/links").json()["stats"]["broken"]["total"]
        return found


@pytest.fixture
def space(cast: Cast) -> str:
    made: str = make.space(cast.ada, cast.organization)["id"]
    return made


def scene(cast: Cast, space: str, says: str) -> Scene:
    batch = [insert("A", says, ref="A"), insert("B", ref="B"), insert("T", T_TEXT, ref="T")]
    return Scene(cast.ada, space, ids(make.changes(cast.ada, space, *batch)))


@pytest.mark.parametrize(
    ("name", "step"),
    [*product(VARIANTS, ["merge", "update and merge"]), ("T is renamed", "merge by GraphQL")],
)
def test_links_are_whole_after_a_merge_and_follow_afterwards(
    cast: Cast, space: str, name: str, step: str
) -> None:
    variant = VARIANTS[name]
    here = scene(cast, space, variant.says)
    request = make.change_request(cast.ada, space)["number"]
    here.change(variant.ours, request)
    here.change(variant.main)
    path = f"{place(space)}/change-requests/{request}"
    if step == "update and merge":
        updated = cast.ada.post(f"{path}/update", {})
        assert updated.json()["result"] == "update", updated.text
    if step == "merge by GraphQL":
        merged = {"space": space, "changeRequest": cast.ada.get(path).json()["id"]}
        assert cast.ada.mutate("mergeChangeRequest", "result", **merged) == {"result": "MERGE"}
    else:
        assert cast.ada.post(f"{path}/merge", {}).json()["result"] == "merge"
    expected(here, variant, variant.href)
    if name not in ("a new page in the change request",):
        make.changes(cast.ada, space, update(here.pages["T"], slug="t9"))
        slug = variant.href.partition("#")[0].rpartition("/")[2].partition(".")[0]
        expected(
            here, variant, variant.href.replace(f"{slug}.md", "t9.md") if ".md" in variant.href else "t9"
        )


def expected(here: Scene, variant: Variant, href: str) -> None:
    body = text(here.person, here.space, here.pages["A"])
    assert f"]({href})" in body
    assert [link["status"] for link in here.links("A")] == variant.statuses
    assert here.broken == variant.statuses.count("broken")
    assert here.backlinks("T") == 1


def test_a_rename_that_another_change_request_merged_is_followed(cast: Cast, space: str) -> None:
    here = scene(cast, space, "[t](t.md) text\n")
    for _ in range(2):
        make.change_request(cast.ada, space)
    here.change([EDIT], 1)
    here.change([move("{T}", slug="t2")], 2)
    for number in (2, 1):
        merged = cast.ada.post(f"{place(space)}/change-requests/{number}/merge", {})
        assert merged.json()["result"] == "merge", merged.text
    expected(here, VARIANTS["T is renamed"], "t2.md")


def test_a_revert_of_an_edit_before_a_rename_keeps_links(cast: Cast, space: str) -> None:
    here = scene(cast, space, "[t](t.md) text\n")
    here.change([write("{A}", "Nothing any more.\n")])
    edited = cast.ada.get(f"{place(space)}").json()["revision"]
    here.change([move("{T}", slug="t2")])
    answer = cast.ada.post(f"{place(space)}/revisions/{edited}/revert", {})
    assert answer.json()["result"] == "rollback", answer.text
    expected(here, VARIANTS["T is renamed"], "t2.md")


@pytest.mark.parametrize("by_revision", [False, True])
def test_a_page_that_is_reverted_leads_to_where_its_targets_are_now(
    cast: Cast, space: str, by_revision: bool
) -> None:
    here = scene(cast, space, "[t](t.md) text\n")
    before = cast.ada.get(f"{place(space)}").json()["revision"]
    here.change([write("{A}", "Nothing any more.\n"), move("{T}", slug="t2")])
    change: dict[str, Any] = {"operation": "revert_page", "page": here.pages["A"]}
    make.changes(cast.ada, space, {**change, **({"revision": before} if by_revision else {})})
    expected(here, VARIANTS["T is renamed"], "t2.md")


def test_an_href_that_is_stale_when_it_is_saved_means_what_it_meant(cast: Cast, space: str) -> None:
    here = scene(cast, space, "[t](t.md) text\n")
    here.change([move("{T}", slug="t2"), move("{T}", slug="t3")])
    here.change([EDIT])
    expected(here, VARIANTS["T is renamed"], "t3.md")
    here.change([move("{A}", into="{B}")])
    here.change([write("{A}", "[t](t3.md) again\n")])  # as it was read before it moved
    expected(here, VARIANTS["T is renamed"], "../t3.md")
    assert page(cast.ada, space, here.pages["A"])["path"] == "b/a"
