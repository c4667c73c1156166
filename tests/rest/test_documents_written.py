"""Pages written back as structured documents: only what was changed is another text then."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from app.formats.markdown import nodes
from tests import make
from tests.cast import Cast, Person
from tests.factories.changes import insert, update

SOURCE = """\
Quay
====

The *old* quay, see [the steps](steps.md#top).

- ropes
- rings
- __bollards__

> It is high.
"""
FILES = {"quay.md": SOURCE, "steps.md": "# Steps\n\n## Top\n"}


@pytest.fixture
def space(cast: Cast) -> str:
    return make.filled_space(cast, FILES)


def read(person: Person, space: str, **query: str) -> Any:
    answer = person.get(f"/v1/spaces/{space}/content/path/quay", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def markdown(person: Person, space: str) -> str:
    text: str = read(person, space, format="markdown")["markdown"]
    return text


def document(person: Person, space: str) -> Any:
    return copy.deepcopy(read(person, space, format="document")["document"])


def write(person: Person, space: str, made: Any) -> Any:
    page = read(person, space)["id"]
    change = {"operation": "update_page", "page": page, "document": {"document": made}}
    return make.changes(person, space, change)


def test_writing_a_document_back_changes_nothing(cast: Cast, space: str) -> None:
    before, git = cast.ed.get(f"/v1/spaces/{space}/content").json()["id"], read(cast.ed, space)["git"]
    assert write(cast.ed, space, document(cast.ed, space))["revision"] == before
    assert read(cast.ed, space)["git"] == git
    again = make.changes(cast.ed, space, update(read(cast.ed, space)["id"], SOURCE))
    assert again["revision"] == before


def test_only_blocks_that_were_changed_are_written(cast: Cast, space: str) -> None:
    made = document(cast.ed, space)
    made["nodes"][2]["nodes"][1]["nodes"][0]["nodes"][0]["leaves"][0]["text"] = "iron rings"
    write(cast.ed, space, made)
    assert markdown(cast.ed, space) == SOURCE.replace("- rings", "- iron rings")


def test_a_page_of_definitions_alone_takes_blocks(cast: Cast, space: str) -> None:
    definition = "[steps]: steps.md\n"
    make.changes(cast.ed, space, update(read(cast.ed, space)["id"], definition))
    made = document(cast.ed, space)
    assert made["nodes"] == []
    made["nodes"] = [nodes.block("paragraph", [nodes.plain("Mind the gap.")])]
    write(cast.ed, space, made)
    assert markdown(cast.ed, space) == f"{definition}\nMind the gap.\n"


def test_graphql_writes_the_same(cast: Cast, space: str) -> None:
    made = document(cast.ed, space)
    made["nodes"][3]["nodes"][0]["nodes"][0]["leaves"][0]["text"] = "It is low."
    page = read(cast.ed, space)["id"]
    batch = [{"updatePage": {"page": page, "document": {"document": made}}}]
    cast.ed.mutate("changeContent", space=space, changes=batch)
    assert markdown(cast.ed, space) == SOURCE.replace("It is high.", "It is low.")


def test_links_of_a_document_that_stays_follow_as_ever(cast: Cast, space: str) -> None:
    made = document(cast.ed, space)
    steps = cast.ed.get(f"/v1/spaces/{space}/content/path/steps").json()["id"]
    make.changes(cast.ed, space, update(steps, slug="stairs"))
    made["nodes"][3]["nodes"][0]["nodes"][0]["leaves"][0]["text"] = "It is low."
    write(cast.ed, space, made)
    # The document has the link as it was: its block is another one, and the link leads where it led.
    wanted = SOURCE.replace("It is high.", "It is low.").replace("*old*", "_old_")
    assert markdown(cast.ed, space) == wanted.replace("steps.md#top", "stairs.md#top")


def test_edits_by_document_and_by_markdown_merge(cast: Cast, space: str) -> None:
    request = make.change_request(cast.ed, space)["number"]
    made = document(cast.ed, space)
    made["nodes"][1]["nodes"][0]["leaves"][0]["text"] = "This "
    made["nodes"][2]["nodes"][0]["nodes"][0]["nodes"][0]["leaves"][0]["text"] = "long ropes"
    page = read(cast.ed, space)["id"]
    change = {"operation": "update_page", "page": page, "document": {"document": made}}
    make.changes(cast.ed, space, change, request=request)
    make.changes(cast.ed, space, update(page, SOURCE.replace("__bollards__", "__posts__")))
    answer = cast.ada.post(f"/v1/spaces/{space}/change-requests/{request}/merge", {})
    assert answer.json()["result"] == "merge", answer.text
    merged = SOURCE.replace("- ropes", "- long ropes").replace("__bollards__", "__posts__")
    assert merged.replace("The *old*", "This _old_") == markdown(cast.ada, space)


def test_reusable_contents_keep_their_source(cast: Cast, space: str) -> None:
    text = "- one\n- __two__\n"
    new = {"operation": "insert_reusable_content", "title": "List", "document": {"markdown": text}}
    made = make.changes(cast.ed, space, new)
    before = made["revision"]
    (listed,) = cast.ed.get(f"/v1/spaces/{space}/content").json()["reusableContents"]
    block = listed["id"]
    found = cast.ed.get(f"/v1/spaces/{space}/documents/{listed['document']}").json()
    change = {"operation": "update_reusable_content", "reusableContent": block}
    again = make.changes(cast.ed, space, {**change, "document": {"document": found}})
    assert again["revision"] == before


def test_a_new_page_by_document_is_written_as_ever(cast: Cast, space: str) -> None:
    made = document(cast.ed, space)
    answer = make.changes(cast.ed, space, {**insert("Copy"), "document": {"document": made}})
    page = answer["changes"][0]["page"]["id"]
    text = cast.ed.get(f"/v1/spaces/{space}/content/page/{page}", params={"format": "markdown"})
    assert text.json()["markdown"].startswith("# Quay\n\nThe _old_ quay")
