"""Factories for changes of content, in a space or a change request, and reads of the content afterwards."""

from __future__ import annotations

from typing import Any

import httpx

from tests import make
from tests.cast import Person

Request = str | int | None


def insert(title: str, markdown: str | None = None, **fields: Any) -> dict[str, Any]:
    """A new document; its text names it unless one is given."""
    text = f"{title}.\n" if markdown is None else markdown
    return {"operation": "insert_page", "title": title, "document": {"markdown": text}, **fields}


def update(page: str, markdown: str | None = None, **fields: Any) -> dict[str, Any]:
    """Another text, metadata or place of a page."""
    text = {} if markdown is None else {"document": {"markdown": markdown}}
    return {"operation": "update_page", "page": page, **text, **fields}


def delete(page: str) -> dict[str, Any]:
    """A page goes."""
    return {"operation": "delete_page", "page": page}


def ids(answer: dict[str, Any]) -> dict[str, str]:
    """The pages that a batch made, by their refs."""
    return {change["ref"]: change["page"]["id"] for change in answer["changes"] if "ref" in change}


def place(space_id: str, request: Request = None) -> str:
    """The address of a space or a change request."""
    return f"/v1/spaces/{space_id}" if request is None else f"/v1/spaces/{space_id}/change-requests/{request}"


def send(person: Person, space_id: str, *batch: dict[str, Any], request: Request = None) -> httpx.Response:
    """The answer to a batch."""
    return person.post(f"{place(space_id, request)}/content", {"changes": list(batch)})


def refused(
    person: Person, space_id: str, *batch: dict[str, Any], request: Request = None, path: str = ""
) -> int:
    """The status that refuses a batch, which leaves the content as it was; `path` is what the error names."""
    before = content(person, space_id, request)
    answer = send(person, space_id, *batch, request=request)
    assert answer.status_code >= 400, answer.text
    if path:
        assert [detail["path"] for detail in answer.json()["error"]["details"]] == [path], answer.text
    assert content(person, space_id, request) == before, "something changed nevertheless"
    return answer.status_code


def content(person: Person, space_id: str, request: Request = None) -> dict[str, Any]:
    """The revision that a place has."""
    answer = person.get(f"{place(space_id, request)}/content")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def page(
    person: Person, space_id: str, page_id: str, request: Request = None, **query: Any
) -> dict[str, Any]:
    """A page with its body."""
    answer = person.get(f"{place(space_id, request)}/content/page/{page_id}", params=query)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def text(person: Person, space_id: str, page_id: str, request: Request = None) -> str:
    """The Markdown of a page."""
    return str(page(person, space_id, page_id, request)["markdown"])


def paths(person: Person, space_id: str, request: Request = None) -> list[str]:
    """The paths of all pages, as they come in the tree."""
    found: list[str] = []
    waiting = list(content(person, space_id, request)["pages"])
    while waiting:
        first = waiting.pop(0)
        found.append(first.get("path", f"-> {first.get('href')}"))
        waiting[:0] = first.get("pages", [])
    return found


def statuses(person: Person, space_id: str, page_id: str, request: Request = None) -> list[str]:
    """Return what becomes of the links of a page, in their order."""
    answer = person.get(f"{place(space_id, request)}/content/page/{page_id}/links")
    assert answer.status_code == 200, answer.text
    return [link["status"] for link in answer.json()["items"]]


def three(person: Person, space_id: str, request: Request = None) -> dict[str, str]:
    """Three pages that lead to each other: Harbour, Quay, and Steps below Quay. Their ids."""
    made = make.changes(
        person,
        space_id,
        insert("Harbour", "[Quay](quay.md), [steps](quay/steps.md#down)\n", ref="harbour"),
        insert("Quay", "[Harbour](harbour.md)\n", ref="quay"),
        insert(
            "Steps",
            "# Steps\n\n## Down\n\n[Up](../quay.md), [home](../harbour.md)\n",
            into="quay",
            ref="steps",
        ),
        request=request,
    )
    return ids(made)


def new_page(person: Person, space: str, request: int | None = None, **page: Any) -> str:
    """A new page; its id."""
    body = {} if "type" in page else {"document": {"markdown": ""}}
    made = make.changes(person, space, {"operation": "insert_page", **body, **page}, request=request)
    return str(made["changes"][0]["page"]["id"])


def history(person: Person, space: str, request: int | None = None, **query: Any) -> dict[str, Any]:
    """The revisions of a line."""
    answer = person.get(f"{place(space, request)}/revisions", params=query)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def latest(person: Person, space: str, request: int | None = None) -> str:
    """The id of a line's last revision."""
    return str(history(person, space, request, limit=1)["items"][0]["id"])
