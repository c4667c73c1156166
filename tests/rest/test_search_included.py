"""Searches find what pages show of reusable contents, and what their descriptions say."""

from __future__ import annotations

from typing import Any

import pytest

from app.api.catalog import OPERATIONS
from tests import make
from tests.cast import Cast
from tests.contract.faces import Call
from tests.contract.statements import counts_anew
from tests.factories import collections
from tests.rest.test_search import found, hits, in_organization, told

pytestmark = pytest.mark.parametrize("database", ["sqlite", "postgresql", "plain"], indirect=True)
WARNING = ".gitbook/includes/warning.md"
SEARCH = """query ($space: ID!, $words: String!) {
    space(id: $space) { search(query: $words) { nodes { title } } } }"""
INCLUDING: make.Files = {
    "README.md": f'# Start\n\n{{% include "{WARNING}" %}}\n',
    "install.md": "---\ndescription: How to set up the binnacle.\n---\n\n# Install\n\n"
    f'## Before\n\n{{% include "{WARNING}" %}}\n',
    "deep.md": '# Deep\n\n{% include ".gitbook/includes/outer.md" %}\n',
    "linking.md": f"# Linking\n\n[only a link]({WARNING})\n",
    "plain.md": "# Plain\n\nThe binnacle in a text.\n",
    ".gitbook/includes/outer.md": '---\ntitle: Outer\n---\n\nAround it.\n\n{% include "warning.md" %}\n',
    WARNING: "---\ntitle: Caution\n---\n\nMind the bowsprit.\n\n## Spars\n\nThey swing.\n",
}


def reusable(cast: Cast, space: str) -> dict[str, str]:
    """The ids of the reusable contents of a space by their titles."""
    content = cast.ada.get(f"/v1/spaces/{space}/content").json()
    return {block["title"]: block["id"] for block in content["reusableContents"]}


def ids(cast: Cast, space: str) -> dict[str, str]:
    """The ids of the pages of a space by their titles."""
    return {page["title"]: page["id"] for page in cast.ada.get(f"/v1/spaces/{space}/content").json()["pages"]}


def change(cast: Cast, space: str, request: str | None = None, **what: Any) -> None:
    """Make one change of content."""
    make.changes(cast.ada, space, what, request=request)


def test_reusable_content_is_found_on_the_pages_that_show_it(cast: Cast) -> None:
    space = make.filled_space(cast, INCLUDING)
    assert sorted(hits(cast.ria, space, "bowsprit")) == ["Deep", "Install", "Start"]
    assert hits(cast.ria, space, "around") == ["Deep"]
    assert hits(cast.ria, space, "caution") == [], "its title is shown on no page"
    (hit, *_) = [i for i in found(cast.ria, space, "swing")["items"] if i["title"] == "Install"]
    (section,) = hit["sections"]
    assert (section["title"], section["path"], section["body"]) == ("Spars", "install#spars", "They swing.")
    told_of = told(in_organization(cast.ria, cast.organization, "bowsprit"))
    assert [sorted(pages) for pages in told_of.values()] == [["Deep", "Install", "Start"]]
    items = cast.ria.ask(SEARCH, space=space, words="bowsprit")["space"]["search"]["nodes"]
    assert sorted(item["title"] for item in items) == ["Deep", "Install", "Start"]


def test_the_index_follows_reusable_contents(cast: Cast) -> None:
    space = make.filled_space(cast, INCLUDING)
    blocks = reusable(cast, space)
    change(
        cast,
        space,
        operation="update_reusable_content",
        reusableContent=blocks["Caution"],
        document={"markdown": "Mind the capstan.\n"},
    )
    assert hits(cast.ria, space, "bowsprit") == []
    assert sorted(hits(cast.ria, space, "capstan")) == ["Deep", "Install", "Start"]
    change(
        cast,
        space,
        operation="update_reusable_content",
        reusableContent=blocks["Outer"],
        document={"markdown": "Alone.\n"},
    )
    assert sorted(hits(cast.ria, space, "capstan")) == ["Install", "Start"]
    pages = ids(cast, space)
    change(
        cast,
        space,
        operation="update_page",
        page=pages["Start"],
        document={"markdown": "# Start\n\nNo more.\n"},
    )
    assert hits(cast.ria, space, "capstan") == ["Install"]
    change(
        cast,
        space,
        operation="update_page",
        page=pages["Plain"],
        document={"markdown": f'# Plain\n\n{{% include "{WARNING}" %}}\n'},
    )
    assert sorted(hits(cast.ria, space, "capstan")) == ["Install", "Plain"]
    change(cast, space, operation="delete_page", page=pages["Plain"])
    assert hits(cast.ria, space, "capstan") == ["Install"]
    copy = cast.ada.post(f"/v1/spaces/{space}/duplicate").json()["id"]
    change(cast, space, operation="delete_reusable_content", reusableContent=blocks["Caution"])
    assert hits(cast.ria, space, "capstan") == []
    assert hits(cast.ria, copy, "capstan") == ["Install"]


def test_it_follows_a_space_to_another_organization(cast: Cast) -> None:
    space = make.filled_space(cast, INCLUDING)
    collections.joins(cast, cast.ada, cast.elsewhere, "admin")
    assert cast.ada.post(f"/v1/spaces/{space}/transfer", {"organization": cast.elsewhere}).status_code == 200
    for word, titles in (("bowsprit", ["Deep", "Install", "Start"]), ("binnacle", ["Install", "Plain"])):
        assert sorted(hits(cast.sol, space, word)) == titles
    block = reusable(cast, space)["Caution"]
    changed: dict[str, Any] = {"reusableContent": block, "document": {"markdown": "Mind the capstan.\n"}}
    change(cast, space, operation="update_reusable_content", **changed)
    assert (hits(cast.sol, space, "bowsprit"), len(hits(cast.sol, space, "capstan"))) == ([], 3)


def test_an_edit_of_reusable_content_costs_the_same_however_many_pages_show_it(cast: Cast) -> None:
    calls = []
    for pages in (2, 2, 60):  # the first edit in an organization also reads the end of its audit log
        shown: make.Files = {f"{n}.md": f'# P{n}\n\n{{% include "{WARNING}" %}}\n' for n in range(pages)}
        space = make.filled_space(cast, {**shown, WARNING: "---\ntitle: Caution\n---\n\nOak.\n"})
        text = {"operation": "update_reusable_content", "document": {"markdown": "Elm.\n"}}
        body = {"changes": [{**text, "reusableContent": reusable(cast, space)["Caution"]}]}
        calls.append(Call(path={"spaceId": space}, body=body))
    row = next(row for row in OPERATIONS if row.id == "changeContent")
    _, few, many = counts_anew(cast, row, *calls)
    assert few == many


def test_what_is_shown_first_and_what_becomes_reusable_later(cast: Cast) -> None:
    space = make.filled_space(cast, {"a.md": f'# A\n\n{{% include "{WARNING}" %}}\n'})
    assert hits(cast.ria, space, "bowsprit") == []
    make.imported(cast, space, {WARNING: "---\ntitle: Caution\n---\n\nMind the bowsprit.\n"})
    assert hits(cast.ria, space, "bowsprit") == ["A"]


def test_a_change_request_changes_what_is_found_when_it_merges(cast: Cast) -> None:
    space = make.filled_space(cast, INCLUDING)
    request = make.change_request(cast.ada, space)["id"]
    text = {"markdown": f'# Plain\n\n{{% include "{WARNING}" %}}\n'}
    page = ids(cast, space)["Plain"]
    change(cast, space, request, operation="update_page", page=page, document=text)
    block = reusable(cast, space)["Caution"]
    change(
        cast,
        space,
        request,
        operation="update_reusable_content",
        reusableContent=block,
        document={"markdown": "Mind the capstan.\n"},
    )
    assert (hits(cast.ria, space, "capstan"), len(hits(cast.ria, space, "bowsprit"))) == ([], 3)
    assert cast.ada.post(f"/v1/spaces/{space}/change-requests/{request}/merge").status_code == 200
    assert sorted(hits(cast.ria, space, "capstan")) == ["Deep", "Install", "Plain", "Start"]
    assert hits(cast.ria, space, "bowsprit") == []


def test_reusable_contents_that_include_each_other_are_found_once(cast: Cast) -> None:
    files: make.Files = {
        f".gitbook/includes/b{n}.md": f"---\ntitle: B{n}\n---\n\noak {n}\n\n"
        + "".join(f'{{% include "b{other}.md" %}}\n\n' for other in range(8))
        for n in range(8)
    }
    space = make.filled_space(cast, {**files, "a.md": '# A\n\n{% include ".gitbook/includes/b0.md" %}\n'})
    assert hits(cast.ria, space, "oak 7") == ["A"]
    (hit,) = found(cast.ria, space, "oak")["items"]
    assert len(hit["sections"]) == 5


def test_descriptions_are_found_after_headings_and_before_text(cast: Cast) -> None:
    space = make.filled_space(cast, {**INCLUDING, "heading.md": "# Two\n\n## The binnacle\n\nRead on.\n"})
    assert hits(cast.ria, space, "binnacle") == ["Two", "Install", "Plain"]
    assert hits(cast.ria, space, "install binnacle") == ["Install"]
    (hit,) = [each for each in found(cast.ria, space, "binnacle")["items"] if each["title"] == "Install"]
    assert [section["body"] for section in hit["sections"]] == ["How to set up the binnacle."]
    page = ids(cast, space)["Install"]
    change(cast, space, operation="update_page", page=page, description="About the quadrant.")
    assert hits(cast.ria, space, "binnacle") == ["Two", "Plain"]
    assert hits(cast.ria, space, "quadrant") == ["Install"]
    assert "Install" in hits(cast.ria, space, "bowsprit")
    change(cast, space, operation="update_page", page=page, description=None)
    assert hits(cast.ria, space, "quadrant") == []
