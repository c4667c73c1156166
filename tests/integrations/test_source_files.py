"""Files in the answers of content sources: kept as files of the space, on the page that shows them."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

from tests import anonymous, make
from tests.integrations.almanac import LAMPS, Almanac
from tests.local_server import Neighbour, sent
from tests.rest.test_openapi_pages import by_path, outline, tree

SHOWN = "![The map](/files/map)"


def in_base64(data: bytes) -> str:
    """The address that is a picture itself."""
    return f"data:image/png;base64,{b64encode(data).decode()}"


def files(almanac: Almanac) -> list[dict[str, Any]]:
    """The files of the space."""
    answer = almanac.cast.ed.get(f"{almanac.place()}/content/files")
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["items"]
    return found


def test_a_picture_of_an_answer_is_a_file_of_the_space(almanac: Almanac) -> None:
    data = make.picture(40, 30)
    almanac.configure(picture=in_base64(data), words=SHOWN)
    page = almanac.placed()
    almanac.computed(page)
    (file,) = files(almanac)
    assert (file["name"], file["contentType"], file["size"]) == ("map.png", "image/png", len(data))
    assert anonymous.get(file["downloadURL"]).content == data
    north = by_path(almanac.cast.ed, almanac.space, "almanac/lamps/the-north-lamp")
    assert north["markdown"].strip() == f"![The map](/files/{file['id']})"
    html = almanac.cast.ed.ask(
        "query ($space: ID!, $page: ID!) { space(id: $space) { page(id: $page) { html } } }",
        space=almanac.space, page=north["id"],
    )["space"]["page"]["html"]  # fmt: skip
    assert 'width="40"' in html, html


def test_a_picture_stays_changes_and_goes_with_the_answers(almanac: Almanac) -> None:
    first, second = make.picture(4, 4), make.picture(8, 8)
    almanac.configure(picture=in_base64(first), words=SHOWN)
    page = almanac.placed()
    almanac.computed(page)
    (before,) = files(almanac)
    almanac.refresh(page)
    almanac.settled()
    assert [file["id"] for file in files(almanac)] == [before["id"]]
    almanac.configure(picture=in_base64(second), words=SHOWN)
    almanac.settled()
    (after,) = files(almanac)
    assert (after["id"], after["size"]) == (before["id"], len(second))
    own = make.upload("own.png", first)
    make.changes(almanac.cast.ed, almanac.space, {"operation": "insert_files", "files": [own]})
    almanac.configure()
    almanac.settled()
    assert [file["name"] for file in files(almanac)] == ["own.png"]


def test_a_picture_is_fetched_and_one_that_is_not_there_is_told(
    almanac: Almanac, neighbour: Neighbour
) -> None:
    data = make.picture(16, 16)
    almanac.configure(picture=neighbour.shows("/map.png", sent(data, "image/png")))
    page = almanac.placed()
    almanac.computed(page)
    assert [file["size"] for file in files(almanac)] == [len(data)]
    for address, told in (
        ("http://127.0.0.1:9/map.png", "The file “map.png” of the answer cannot be fetched"),
        ("data:image/png;base64,%%%", "is not base64"),
        ("file:///etc/passwd", "files[0].downloadURL must be an address"),
    ):
        almanac.configure(picture=address)
        almanac.tells(page, told)
        assert outline(tree(almanac.cast.ed, almanac.place())) == LAMPS
    assert [file["size"] for file in files(almanac)] == [len(data)]
