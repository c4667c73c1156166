"""Documents in print: asked for, fetched, and what they say, read back from their bytes."""

from __future__ import annotations

import io
from typing import Any

import httpx
from pypdf import PdfReader

from tests import anonymous, make
from tests.cast import Cast, Person
from tests.factories.changes import new_page, place


def read(pdf: bytes) -> PdfReader:
    return PdfReader(io.BytesIO(pdf))


def words(reader: PdfReader, first: int = 0) -> str:
    return " ".join(" ".join(page.extract_text() for page in reader.pages[first:]).split())


def goals(reader: PdfReader) -> list[tuple[int, str | int]]:
    """Every link: the number of its page, and its address or the number of the page it leads to."""
    numbers = {page.indirect_reference: number for number, page in enumerate(reader.pages)}
    found: list[tuple[int, str | int]] = []
    for number, page in enumerate(reader.pages):
        for annotation in page.get("/Annots", []):
            link: Any = annotation.get_object()
            if "/A" in link and "/URI" in link["/A"]:
                found.append((number, str(link["/A"]["/URI"])))
            else:
                goal = link["/Dest"] if "/Dest" in link else link["/A"]["/D"]
                goal = reader.named_destinations[goal].page if isinstance(goal, str) else goal[0]
                found.append((number, numbers[getattr(goal, "indirect_reference", goal)]))
    return found


def outline(reader: PdfReader) -> list[Any]:
    """The titles of the outline, children as lists after their parent."""

    def titles(entries: list[Any]) -> list[Any]:
        return [titles(entry) if isinstance(entry, list) else entry.title for entry in entries]

    return titles(reader.outline)


def asked(person: Person, space: str, request: int | None = None, **query: Any) -> httpx.Response:
    """The answer with the address of a document."""
    return person.get(f"{place(space, request)}/pdf", params=query)


def address(person: Person, space: str, request: int | None = None, **query: Any) -> str:
    """The address of a document."""
    answer = asked(person, space, request, **query)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["url"])


def fetched(url: str) -> bytes:
    """The document behind an address."""
    answer = anonymous.get(url)
    assert answer.status_code == 200, answer.text
    return answer.content


def shown(person: Person, space: str, request: int | None = None, **query: Any) -> str:
    """The words of a document after its title page."""
    return words(read(fetched(address(person, space, request, **query))), 1)


def changed_space(cast: Cast) -> tuple[str, dict[str, str]]:
    """A space of some pages, and their ids by title."""
    space = make.space(cast.ada, cast.organization, title="Lights")["id"]
    titles = ("Kept", "Edited", "Moved", "Both", "Gone")
    return space, {
        t: new_page(cast.ada, space, title=t, document={"markdown": f"{t} text\n"}) for t in titles
    }
