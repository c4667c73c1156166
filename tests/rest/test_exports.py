"""Content as files: zips behind signed addresses."""

from __future__ import annotations

import io
import zipfile
from datetime import UTC, datetime
from typing import Any

from app.kit.http.headers import FILE
from tests import anonymous, make
from tests.cast import Cast, Person


def address(person: Person, space: str) -> str:
    """Return where a space's content is fetched."""
    answer = person.get(f"/v1/spaces/{space}/export")
    assert answer.status_code == 200, answer.text
    return str(answer.json()["url"])


def unpacked(url: str) -> dict[str, bytes]:
    """The files of a zip by their paths."""
    with zipfile.ZipFile(io.BytesIO(anonymous.get(url).content)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def content(person: Person, space: str) -> list[Any]:
    """Titles, paths and types of a space's pages."""
    pages = person.get(f"/v1/spaces/{space}/content", params={"limit": 100}).json()["pages"]
    found = []
    while pages:
        page = pages.pop(0)
        pages.extend(page.get("pages", ()))
        found.append((page["title"], page.get("path"), page["type"]))
    return sorted(found)


def test_an_export_is_a_zip_that_imports_the_same_space(cast: Cast) -> None:
    space = make.filled_space(cast, title="Keeper’s / handbook")
    url = address(cast.ria, space)
    answer = anonymous.get(url)
    assert answer.headers["content-type"] == "application/zip"
    name = "attachment; filename*=UTF-8''Keeper%E2%80%99s%20_%20handbook.zip"
    assert answer.headers["content-disposition"] == name
    assert answer.headers["content-security-policy"] == FILE["content-security-policy"]
    assert anonymous.head(url).headers["content-type"] == "application/zip"
    assert anonymous.get(url).content == answer.content, "the same files are the same bytes"
    files = unpacked(url)
    assert "SUMMARY.md" in files
    assert b"# The lamp" in files["machinery/lamp.md"]
    again = make.space(cast.ada, cast.organization)["id"]
    make.imported(cast, again, files)
    assert content(cast.ada, again) == content(cast.ada, space)


def test_an_address_of_an_export_is_good_for_an_hour(cast: Cast) -> None:
    asked = datetime.now(UTC).timestamp()
    url = address(cast.ria, make.filled_space(cast))
    signature = url.partition("/exports/")[2].partition("/")[0]
    until, _, rest = signature.partition(".")
    assert asked + 3599 <= int(until) <= datetime.now(UTC).timestamp() + 3600
    assert anonymous.get(url.replace(signature, f"{int(until) + 1}.{rest}")).status_code in (403, 404)


def test_it_is_of_the_content_when_it_is_fetched(cast: Cast) -> None:
    space = make.filled_space(cast)
    url = address(cast.ria, space)
    change = {
        "operation": "insert_page",
        "type": "document",
        "title": "Fog",
        "document": {"markdown": "Ring."},
    }
    make.changes(cast.ada, space, change)
    assert b"Ring." in unpacked(url)["fog.md"]
    cast.ada.delete(f"/v1/spaces/{space}")
    assert anonymous.get(url).status_code == 404


def test_only_who_sees_the_space_has_an_address_and_no_address_can_be_made_up(cast: Cast) -> None:
    space, other = make.filled_space(cast), make.filled_space(cast)
    for person in cast.members.values():
        expected = 404 if person is cast.gus else 200
        assert person.get(f"/v1/spaces/{space}/export").status_code == expected
    assert cast.sol.get(f"/v1/spaces/{space}/export").status_code == 404
    url = address(cast.ria, space)
    signature = url.split("/")[4]
    until = signature.partition(".")[0]
    for wrong in (
        url.replace(space, other),
        url.replace(signature, f"{until}.AAAAAAAAAAAAAAAA"),
        url.replace(until, str(int(until) + 1)),
        url.replace(signature, f"1790000000.{signature.partition('.')[2]}"),
        url.replace(signature, "none"),
    ):
        answer = anonymous.get(wrong)
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, 404)
