"""Positions of pages after content changes: slugs, order, moves of subtrees, maximum depth."""

from __future__ import annotations

from typing import Any

from tests import make
from tests.cast import Cast
from tests.factories.changes import delete, ids, insert, page, paths, refused, update


def test_slugs_are_unique_among_siblings_alone(cast: Cast, space: str, request_id: str | None) -> None:
    made = make.changes(
        cast.ed,
        space,
        insert("Bell", ref="one"),
        insert("Bell", ref="two"),
        insert("Bell", into="one", ref="three"),
        insert("Größe: ö & ß"),
        request=request_id,
    )
    pages = ids(made)
    assert paths(cast.ed, space, request_id) == ["bell", "bell/bell", "bell-1", "grosse-o-ss"]
    taken = update(pages["two"], slug="bell")
    assert refused(cast.ed, space, taken, request=request_id, path="changes.0.slug") == 409
    make.changes(cast.ed, space, update(pages["three"], into=None, at=0), request=request_id)
    assert paths(cast.ed, space, request_id)[0] == "bell-2"
    make.changes(
        cast.ed,
        space,
        update(pages["one"], slug="gong"),
        update(pages["two"], slug="bell"),
        request=request_id,
    )
    assert set(paths(cast.ed, space, request_id)) == {"bell-2", "gong", "bell", "grosse-o-ss"}


def test_pages_go_where_they_are_put(cast: Cast, space: str, request_id: str | None) -> None:
    made = make.changes(cast.ed, space, *[insert(name, ref=name) for name in "abcd"], request=request_id)
    pages = ids(made)
    for change, expected in (
        (update(pages["d"], at=0), ["d", "a", "b", "c"]),
        (update(pages["d"], at=2), ["a", "b", "d", "c"]),
        (update(pages["a"], at=99), ["b", "d", "c", "a"]),
        (update(pages["a"], into=pages["b"]), ["b", "b/a", "d", "c"]),
        (update(pages["c"], into=pages["b"], at=0), ["b", "b/c", "b/a", "d"]),
        (update(pages["b"], into=pages["d"]), ["d", "d/b", "d/b/c", "d/b/a"]),
        (update(pages["c"], into=None, at=0), ["c", "d", "d/b", "d/b/a"]),
        (update(pages["d"], slug="dee"), ["c", "dee", "dee/b", "dee/b/a"]),
        (insert("e", into=pages["b"], at=0), ["c", "dee", "dee/b", "dee/b/e", "dee/b/a"]),
        (delete(pages["b"]), ["c", "dee"]),
    ):
        make.changes(cast.ed, space, change, request=request_id)
        assert paths(cast.ed, space, request_id) == expected
    for gone in (pages["a"], pages["b"]):
        assert refused(cast.ed, space, update(gone, "Back.\n"), request=request_id) == 400


def test_a_page_cannot_go_below_itself(cast: Cast, space: str, request_id: str | None) -> None:
    made = make.changes(
        cast.ed, space, insert("a", ref="a"), insert("b", ref="b", into="a"), insert("c", ref="c", into="b")
    )
    pages = ids(made)
    if request_id is not None:
        request_id = str(make.change_request(cast.ed, space)["id"])
    for below in "abc":
        change = update(pages["a"], into=pages[below])
        assert refused(cast.ed, space, change, request=request_id, path="changes.0.into") == 400
    swap = [update(pages["b"], into=None), update(pages["a"], into=pages["c"])]
    make.changes(cast.ed, space, *swap, request=request_id)
    assert paths(cast.ed, space, request_id) == ["b", "b/c", "b/c/a"]


def test_groups_and_links_are_pages_too(cast: Cast, space: str, request_id: str | None) -> None:
    made = make.changes(
        cast.ed,
        space,
        {"operation": "insert_page", "type": "group", "title": "Machinery", "ref": "group"},
        insert("Lamp", into="group", ref="lamp"),
        {
            "operation": "insert_page",
            "type": "link",
            "title": "Maker",
            "href": "https://maker.example/",
            "ref": "link",
        },
        request=request_id,
    )
    pages = ids(made)
    assert paths(cast.ria, space, request_id) == ["machinery", "machinery/lamp", "-> https://maker.example/"]
    make.changes(cast.ed, space, update(pages["link"], href="https://other.example/"), request=request_id)
    assert paths(cast.ria, space, request_id)[-1] == "-> https://other.example/"
    for change, path in (
        (insert("Wick", into=pages["link"]), "changes.0.into"),
        (update(pages["group"], into=pages["lamp"]), "changes.0.into"),
        (update(pages["group"], "Text.\n"), "changes.0.document"),
        (update(pages["link"], href="javascript:alert(1)"), "changes.0.href"),
    ):
        assert refused(cast.ed, space, change, request=request_id, path=path) == 400


def test_pages_far_down_stay_where_they_are(cast: Cast, space: str, request_id: str | None) -> None:
    pages = ids(make.changes(cast.ed, space, *chain(None, 6), request=request_id))
    before = paths(cast.ed, space, request_id)
    new = ids(make.changes(cast.ed, space, insert("q", into=pages["p5"], ref="q"), request=request_id))["q"]
    make.changes(cast.ed, space, update(pages["end"], "New.\n", slug="end"), request=request_id)
    assert paths(cast.ed, space, request_id) == [*before[:5], f"{before[4]}/end", f"{before[4]}/q"]
    assert page(cast.ed, space, new, request_id)["path"] == f"{before[4]}/q"


def chain(above: str | None, count: int) -> list[dict[str, Any]]:
    """Pages below each other; the deepest is called `end`."""
    names = [*(f"p{number}" for number in range(1, count)), "end"]
    parents = [above, *names]
    return [insert("p", "p", ref=name, into=parent) for name, parent in zip(names, parents, strict=False)]


def test_pages_are_not_nested_without_end(cast: Cast, space: str, request_id: str | None) -> None:
    end: str | None = None
    for _ in range(2):
        end = ids(make.changes(cast.ed, space, *chain(end, 50), request=request_id))["end"]
    make.changes(cast.ed, space, insert("p", into=end), request=request_id)
    assert max(path.count("/") for path in paths(cast.ed, space, request_id)) == 100
    assert refused(cast.ed, space, *chain(end, 2), request=request_id) == 400
    other = ids(make.changes(cast.ed, space, *chain(None, 2), request=request_id))
    assert refused(cast.ed, space, update(other["p1"], into=end), request=request_id) == 400
    make.changes(cast.ed, space, update(other["end"], into=end), request=request_id)


def test_the_path_of_a_page_is_as_long_as_an_index_can_hold_in_bytes(
    cast: Cast, space: str, request_id: str | None
) -> None:
    above: str | None = None
    for _ in range(6):  # 6 times 300 bytes, and what is between
        deep = insert("Deep", ref="deep", slug="深" * 100, into=above)
        above = ids(make.changes(cast.ed, space, deep, request=request_id))["deep"]
    longer, fits = (insert("Deeper", slug="深" * length, into=above) for length in (66, 64))
    assert refused(cast.ed, space, longer, request=request_id, path="slug") == 400
    make.changes(cast.ed, space, fits, request=request_id)
