"""Files, reusable contents, variables and earlier states of pages in batches of content changes."""

from __future__ import annotations

from typing import Any

from tests import make
from tests.cast import Cast
from tests.factories.changes import (
    content,
    delete,
    ids,
    insert,
    page,
    place,
    refused,
    send,
    statuses,
    text,
    update,
)
from tests.local_server import Neighbour

MEGABYTE = 1_000_000


def files(*uploads: dict[str, Any]) -> dict[str, Any]:
    """New files."""
    return {"operation": "insert_files", "files": list(uploads)}


def block(title: str, markdown: str, **fields: Any) -> dict[str, Any]:
    """A new reusable content."""
    document = {"markdown": markdown}
    return {"operation": "insert_reusable_content", "title": title, "document": document, **fields}


def revert(page_id: str, **fields: Any) -> dict[str, Any]:
    """A page as it was."""
    return {"operation": "revert_page", "page": page_id, **fields}


def test_files_are_kept_to_the_byte(cast: Cast, space: str, request_id: str | None) -> None:
    picture = make.picture(3, 2)
    uploads = [
        make.upload("dot.png", picture, ref="one"),
        make.upload("dot.png", picture, ref="two"),
        make.upload("../../etc/passwd", b"root", "text/plain"),
    ]
    made = make.changes(cast.ed, space, files(*uploads), request=request_id)
    one, two, third = made["insertedFiles"]
    assert (one["ref"], two["ref"], one["name"]) == ("one", "two", "dot.png")
    assert "/" not in third["name"]
    assert cast.instance.http.get(one["downloadURL"]).content == picture
    listed = content(cast.ria, space, request_id)["files"]
    assert sorted(file["id"] for file in listed) == sorted(file["id"] for file in made["insertedFiles"])
    shown = cast.ria.get(f"{place(space, request_id)}/content/files/{two['id']}").json()
    assert (shown["contentType"], shown["size"]) == ("image/png", len(picture))
    assert shown["dimensions"] == {"width": 3, "height": 2}


def test_files_that_are_refused(cast: Cast, space: str, request_id: str | None) -> None:
    good = make.upload("dot.png", b"x")
    largest = make.upload("large.bin", bytes(MEGABYTE), "application/octet-stream")
    for bad, path in (
        ({**good, "base64": "not base64!"}, "changes.1.files.1.base64"),
        ({**good, "url": "https://example.org/dot.png"}, "changes.1.files.1"),
        ({"name": "dot.png", "contentType": "image/png"}, "changes.1.files.1"),
        ({"name": "dot.png", "base64": good["base64"]}, "changes.1.files.1.contentType"),
        (
            make.upload("large.bin", bytes(MEGABYTE + 1), "application/octet-stream"),
            "changes.1.files.1.base64",
        ),
        ({"name": "dot.png", "url": "http://127.0.0.1:1/dot.png"}, "changes.1.files.1.url"),
        ({"name": "dot.png", "url": "file:///etc/passwd"}, "changes.1.files.1.url"),
        ({**good, "name": ""}, "changes.1.files.1.name"),
    ):
        assert refused(cast.ed, space, insert("Bell"), files(good, bad), request=request_id, path=path) == 400
    for count, status in ((0, 400), (21, 400), (20, 200)):
        assert send(cast.ed, space, files(*[good] * count), request=request_id).status_code == status
    assert send(cast.ed, space, files(largest), request=request_id).status_code == 200


def test_a_file_may_be_fetched(cast: Cast, space: str, neighbour: Neighbour) -> None:
    neighbour.routes["/dot.png"] = (200, {"content-type": "image/png"}, make.picture(5, 4))
    made = make.changes(cast.ed, space, files({"name": "dot.png", "url": f"{neighbour.base}/dot.png"}))
    assert cast.instance.http.get(made["insertedFiles"][0]["downloadURL"]).content == make.picture(5, 4)
    missing = files({"name": "dot.png", "url": f"{neighbour.base}/missing.png"})
    assert refused(cast.ed, space, missing, path="changes.0.files.0.url") == 400


def test_nothing_is_fetched_for_who_may_not_write(cast: Cast, space: str, neighbour: Neighbour) -> None:
    fetched: list[str] = []

    def note(request: Any) -> Any:
        fetched.append(request.path)
        return 200, {"content-type": "image/png"}, b"x"

    neighbour.routes["/dot.png"] = note
    picture = files({"name": "dot.png", "url": f"{neighbour.base}/dot.png"})
    opened = make.change_request(cast.ed, space)["id"]
    for request in (None, opened):
        assert send(cast.ria, space, picture, request=request).status_code == 403
        assert send(cast.sol, space, picture, request=request).status_code == 404
    cast.ed.patch(place(space, opened), {"status": "archived"})
    assert send(cast.ed, space, picture, request=opened).status_code == 409
    assert fetched == []


def test_files_go(cast: Cast, space: str, request_id: str | None) -> None:
    made = make.changes(
        cast.ed,
        space,
        files(make.upload("dot.png", b"x", ref="dot")),
        insert("Bell", "![dot](/files/dot)\n", ref="bell"),
        request=request_id,
    )
    bell, (dot,) = ids(made)["bell"], made["insertedFiles"]
    assert statuses(cast.ria, space, bell, request_id) == ["ok"]
    gone = {"operation": "delete_file", "file": dot["id"]}
    make.changes(cast.ed, space, gone, request=request_id)
    assert content(cast.ria, space, request_id)["files"] == []
    assert statuses(cast.ria, space, bell, request_id) == ["broken"]
    assert refused(cast.ed, space, gone, request=request_id, path="changes.0.file") == 400
    twice = [files(make.upload("dot.png", b"x", ref="it")), *[{"operation": "delete_file", "file": "it"}] * 2]
    assert refused(cast.ed, space, *twice, request=request_id, path="changes.2.file") == 400


def test_reusable_contents_come_change_and_go(cast: Cast, space: str, request_id: str | None) -> None:
    make.changes(cast.ed, space, block("Opening hours", "Always.\n"), request=request_id)
    (made,) = content(cast.ria, space, request_id)["reusableContents"]
    assert made["title"] == "Opening hours"
    source = made["git"]["path"]
    there = f"{place(space, request_id)}/content/reusable-contents/{made['id']}"
    assert cast.ria.get(there).json() == made
    bell = insert("Bell", f'{{% include "{source}" %}}\n', ref="bell")
    bell_id = ids(make.changes(cast.ed, space, bell, request=request_id))["bell"]
    assert statuses(cast.ria, space, bell_id, request_id) == ["ok"]
    other = {
        "operation": "update_reusable_content",
        "reusableContent": made["id"],
        "title": "Hours",
        "document": {"markdown": "Never.\n"},
    }
    make.changes(cast.ed, space, other, request=request_id)
    changed = cast.ria.get(there).json()
    assert changed["title"] == "Hours"
    assert changed["document"] != made["document"]
    gone = {"operation": "delete_reusable_content", "reusableContent": made["id"]}
    make.changes(cast.ed, space, gone, request=request_id)
    assert content(cast.ria, space, request_id)["reusableContents"] == []
    assert cast.ria.get(there).status_code == 404
    assert statuses(cast.ria, space, bell_id, request_id) == ["broken"]
    assert refused(cast.ed, space, gone, request=request_id) == 400


def test_reusable_contents_of_one_batch(cast: Cast, space: str, request_id: str | None) -> None:
    change = {"operation": "update_reusable_content", "reusableContent": "it", "title": "After"}
    gone = {"operation": "delete_reusable_content", "reusableContent": "other"}
    batch = [block("Before", "Text.\n", ref="it"), block("Other", "Text.\n", ref="other"), change, gone]
    make.changes(cast.ed, space, *batch, request=request_id)
    (made,) = content(cast.ria, space, request_id)["reusableContents"]
    assert made["title"] == "After"


def test_variables_are_set_as_a_whole_and_evaluated(cast: Cast, space: str, request_id: str | None) -> None:
    expression = '<code class="expression">{}</code>'
    body = f"{expression.format('space.vars.keeper')}, {expression.format('page.vars.day')}\n"
    variables = {"operation": "update_variables", "variables": {"keeper": "Ada", "height": 40, "lit": True}}
    bell = ids(make.changes(cast.ed, space, variables, insert("Bell", body, ref="b"), request=request_id))[
        "b"
    ]
    make.changes(
        cast.ed,
        space,
        {"operation": "update_variables", "page": bell, "variables": {"day": "Sunday"}},
        request=request_id,
    )
    assert content(cast.ria, space, request_id)["variables"] == variables["variables"]
    assert page(cast.ria, space, bell, request_id)["variables"] == {"day": "Sunday"}
    assert page(cast.ria, space, bell, request_id, evaluated="true")["markdown"] == "Ada, Sunday\n"
    make.changes(
        cast.ed, space, {"operation": "update_variables", "variables": {"keeper": "Ed"}}, request=request_id
    )
    assert content(cast.ria, space, request_id)["variables"] == {"keeper": "Ed"}
    assert page(cast.ria, space, bell, request_id, evaluated="true")["markdown"] == "Ed, Sunday\n"
    for wrong in ({"keeper": "x" * 257}, {"keeper": ["Ada"]}, {"keeper": None}, ["keeper"]):
        change = {"operation": "update_variables", "variables": wrong}
        assert refused(cast.ed, space, change, request=request_id) == 400


def test_variables_of_a_change_request_are_its_own(cast: Cast, space: str) -> None:
    opened = make.change_request(cast.ed, space)["id"]
    change = {"operation": "update_variables", "variables": {"keeper": "Ada"}}
    make.changes(cast.ed, space, change, request=opened)
    assert content(cast.ria, space)["variables"] == {}
    assert content(cast.ria, space, opened)["variables"] == {"keeper": "Ada"}


def test_a_page_goes_back_to_a_revision(cast: Cast, space: str, request_id: str | None) -> None:
    first = make.changes(
        cast.ed,
        space,
        insert("Bell", "One.\n", ref="b", emoji="1f514"),
        insert("Tower", ref="t"),
        request=request_id,
    )
    bell, tower = ids(first)["b"], ids(first)["t"]
    change = update(bell, "Two.\n", title="Horn", emoji=None, into=tower)
    make.changes(cast.ed, space, change, request=request_id)
    make.changes(cast.ed, space, revert(bell, revision=first["revision"]), request=request_id)
    found = page(cast.ria, space, bell, request_id)
    assert (found["title"], found["emoji"], found["markdown"]) == ("Bell", "1f514", "One.\n")
    assert found["path"] == "tower/bell"
    never = revert(bell, revision="0" * 20)
    assert refused(cast.ed, space, never, request=request_id, path="changes.0.revision") == 400


def test_a_page_goes_back_to_before_its_last_change(cast: Cast, space: str) -> None:
    bell = ids(make.changes(cast.ed, space, insert("Bell", "One.\n", ref="b")))["b"]
    assert refused(cast.ed, space, revert(bell), path="changes.0.page") == 400
    make.changes(cast.ed, space, update(bell, "Two.\n"))
    make.changes(cast.ed, space, insert("Other"))
    make.changes(cast.ed, space, revert(bell))
    assert text(cast.ria, space, bell) == "One.\n"


def test_a_page_of_a_change_request_goes_back_to_the_space(cast: Cast, space: str) -> None:
    bell = ids(make.changes(cast.ed, space, insert("Bell", "One.\n", ref="b")))["b"]
    opened = make.change_request(cast.ed, space)["id"]
    for word in ("Two.\n", "Three.\n"):
        make.changes(cast.ed, space, update(bell, word), request=opened)
    make.changes(cast.ed, space, update(bell, "Meanwhile.\n"))
    make.changes(cast.ed, space, revert(bell), request=opened)
    assert text(cast.ria, space, bell, opened) == "One.\n"
    make.changes(cast.ed, space, delete(bell), request=opened)
    make.changes(cast.ed, space, revert(bell), request=opened)
    assert text(cast.ria, space, bell, opened) == "One.\n"
    made = ids(make.changes(cast.ed, space, insert("Own", ref="own"), request=opened))["own"]
    assert refused(cast.ed, space, revert(made), request=opened, path="changes.0.page") == 400


def test_a_revision_of_another_space_is_none(cast: Cast, space: str) -> None:
    other = make.space(cast.ada, cast.organization)["id"]
    theirs = make.changes(cast.ed, other, insert("Bell", ref="b"))
    bell = ids(make.changes(cast.ed, space, insert("Bell", ref="b")))["b"]
    change = revert(bell, revision=theirs["revision"])
    assert refused(cast.ed, space, change, path="changes.0.revision") == 400
