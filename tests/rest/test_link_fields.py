"""Fields of a link: its href, its block, the reason if it is broken, the objects at both ends."""

from __future__ import annotations

from typing import Any

import pytest

from tests import make
from tests.cast import Cast, Person
from tests.factories.changes import ids, insert, place, update

TEXT = """# Top

Words [beta](/pages/beta), ![dot](/files/dot).

* one
* two [up](#top) and [none](#nope)
  * deep [out](https://example.org/)

{% tabs %}
{% tab title="T" %}
Inside [lost](lost.md).
{% endtab %}
{% endtabs %}

| a |
| - |
| [beta](/pages/beta#end) |

{% include "/reusable-contents/oil" %}
"""


@pytest.fixture
def space(cast: Cast) -> str:
    made: str = make.space(cast.ada, cast.organization)["id"]
    return made


def items(person: Person, space: str, path: str, **query: Any) -> list[dict[str, Any]]:
    answer = person.get(f"{place(space)}/{path}", params={"limit": 1000, **query})
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["items"]
    return found


def broken(person: Person, space: str) -> int:
    answer = person.get(f"{place(space)}/links")
    found: int = answer.json()["stats"]["broken"]["total"]
    assert found == len(items(person, space, "links", status="broken"))
    return found


def told(link: dict[str, Any]) -> tuple[str, str, str | None]:
    return link["href"], link["status"], link.get("reason")


def written(cast: Cast, space: str) -> dict[str, str]:
    """Pages A and Beta, a file and a reusable content; ids by ref."""
    made = make.changes(
        cast.ada,
        space,
        {"operation": "insert_files", "files": [make.upload("dot.png", make.picture(1, 1), ref="dot")]},
        {
            "operation": "insert_reusable_content",
            "title": "Oil",
            "ref": "oil",
            "document": {"markdown": "## Oiled\n\nSee [beta](/pages/beta) and [gone](gone.md).\n"},
        },
        insert("Beta", "# Beta\n\nWords.\n\n## End\n", ref="beta"),
        insert("A", TEXT, ref="a"),
    )
    made_ids = ids(made)
    return {**made_ids, "oil": made["insertedReusableContents"][0]["id"]}


def test_links_tell_their_href_block_and_what_is_missing(cast: Cast, space: str) -> None:
    pages = written(cast, space)
    found = items(cast.ria, space, f"content/page/{pages['a']}/links")
    assert [(*told(link), link["block"]) for link in found] == [
        ("beta.md", "ok", None, "1"),
        (".gitbook/assets/dot.png", "ok", None, "1"),
        ("#top", "ok", None, "2.1.0"),
        ("#nope", "broken", "missing-anchor", "2.1.0"),
        ("https://example.org/", "ok", None, "2.1.1.0.0"),
        ("lost.md", "broken", "missing-target", "3.0.0"),
        ("beta.md#end", "ok", None, "4"),
        (f".gitbook/includes/oil-{pages['oil'][-6:].lower()}.md", "ok", None, "5"),
    ]
    blocks = {link["block"] for link in found}
    assert blocks <= keys(cast.ria, space, pages["a"])
    for link in found:
        (location,) = link["locationReferences"]
        assert location["internalLocation"] == {"type": "node", "node": link["block"]}
    assert found[3]["targetReference"]["anchor"] == "nope"
    assert "targetReference" not in found[5]


def keys(person: Person, space: str, page: str) -> set[str]:
    """The keys of all blocks of a page's structured document."""
    answer = person.get(f"{place(space)}/content/page/{page}", params={"format": "document"})
    found, waiting = set(), [answer.json()["document"]]
    while waiting:
        node = waiting.pop()
        found |= {node["key"]} if node.get("object") == "block" else set()
        waiting += node.get("nodes", [])
    return found


def test_graphql_tells_the_same(cast: Cast, space: str) -> None:
    pages = written(cast, space)
    asked = """query($space: ID!, $page: ID!) { space(id: $space) { page(id: $page) { links {
        nodes { href block status reason targetReference { kind anchor } } } } } }"""
    nodes = cast.ria.ask(asked, space=space, page=pages["a"])["space"]["page"]["links"]["nodes"]
    assert nodes[3] == {
        "href": "#nope",
        "block": "2.1.0",
        "status": "BROKEN",
        "reason": "MISSING_ANCHOR",
        "targetReference": {"kind": "ANCHOR", "anchor": "nope"},
    }


def test_a_change_request_tells_the_broken_links_that_it_would_bring(cast: Cast, space: str) -> None:
    made = ids(
        make.changes(
            cast.ada,
            space,
            insert("Beta", "# Beta\n\n## End\n", ref="beta"),
            insert("A", "[beta](/pages/beta) [end](/pages/beta#end) [old](old.md)\n", ref="a"),
            insert("B", "[older](older.md) [beta](/pages/beta)\n", ref="b"),
        )
    )
    request = make.change_request(cast.ed, space)["number"]
    path = f"change-requests/{request}/links"
    assert items(cast.ria, space, path, status="broken", new=True) == []
    text = "# Beta\n\n[lost](lost.md)\n"
    make.changes(
        cast.ed,
        space,
        update(made["beta"], document={"markdown": text}),
        update(made["b"], document={"markdown": "[older](older.md) [newer](newer.md)\n"}),
        request=request,
    )
    brought = items(cast.ria, space, path, status="broken", new=True)
    assert sorted(each["href"].split("#")[-1] for each in brought) == ["end", "lost.md", "newer.md"]
    ours = f"change-requests/{request}/content/page/{made['b']}/links"
    assert [each["href"] for each in items(cast.ria, space, ours, status="broken", new=True)] == ["newer.md"]
    assert items(cast.ria, space, "links", status="broken", new=True) == []
    cast.ed.patch(place(space, request), {"status": "open"})
    assert cast.rhea.post(f"{place(space, request)}/merge", {}).json()["result"] == "merge"
    assert items(cast.ria, space, path, status="broken", new=True) == []
    assert broken(cast.ria, space) == 5


def test_links_in_reusable_contents_are_links_and_follow(cast: Cast, space: str) -> None:
    pages = written(cast, space)
    backlinks = items(cast.ria, space, f"content/page/{pages['beta']}/backlinks")
    (inside,) = [each for each in backlinks if each["kind"] == "reusable-content"]
    assert inside["reusableContent"] == {"id": pages["oil"], "title": "Oil"}
    assert inside["internalLocation"] == {"type": "node", "node": "1"}
    assert broken(cast.ria, space) == 3
    make.changes(cast.ada, space, update(pages["beta"], slug="b2"))
    text = cast.ria.get(f"{place(space)}/content/reusable-contents/{pages['oil']}").json()["document"]
    body = cast.ria.get(f"{place(space)}/documents/{text}")
    assert "../../b2.md" in body.text
    assert len(items(cast.ria, space, f"content/page/{pages['beta']}/backlinks")) == 3
    make.changes(cast.ada, space, {"operation": "delete_page", "page": pages["beta"]})
    assert broken(cast.ria, space) == 6


def test_places_in_what_a_page_includes_are_places_of_the_page(cast: Cast, space: str) -> None:
    pages = written(cast, space)
    made = make.changes(cast.ada, space, insert("C", f"[o](/pages/{pages['a']}#oiled)\n", ref="c"))
    path = f"content/page/{ids(made)['c']}/links"
    assert [told(link) for link in items(cast.ria, space, path)] == [("a.md#oiled", "ok", None)]
    change = {"operation": "update_reusable_content", "reusableContent": pages["oil"]}
    make.changes(cast.ada, space, {**change, "document": {"markdown": "## Dry\n"}})
    assert [told(link) for link in items(cast.ria, space, path)] == [
        ("a.md#oiled", "broken", "missing-anchor")
    ]


def test_a_heading_that_goes_breaks_links_and_mends_them_when_it_comes_back(cast: Cast, space: str) -> None:
    pages = written(cast, space)
    assert broken(cast.ria, space) == 3
    make.changes(cast.ada, space, update(pages["beta"], "# Beta\n\nWords.\n"))
    assert broken(cast.ria, space) == 4
    make.changes(cast.ada, space, update(pages["beta"], '# Beta\n\nWords <a id="end"></a>.\n'))
    assert broken(cast.ria, space) == 3


def test_links_to_other_spaces_are_links_with_backlinks(cast: Cast, space: str) -> None:
    there = make.space(cast.ada, cast.organization, title="Other")["id"]
    pages = written(cast, there)
    text = "[p](/spaces/{0}/pages/{beta}) [e](/spaces/{0}/pages/{beta}#end) [n](/spaces/{0}/pages/{beta}#no)"
    text += " [x](/spaces/{0}/pages/none) [s](/spaces/{0}) [z](/spaces/nowhere/pages/{beta})\n"
    made = make.changes(cast.ada, space, insert("Here", text.format(there, **pages), ref="h"))
    path = f"content/page/{ids(made)['h']}/links"
    found = items(cast.ria, space, path)
    assert [(link["status"], link.get("reason")) for link in found] == [
        ("ok", None),
        ("ok", None),
        ("broken", "missing-anchor"),
        ("broken", "missing-target"),
        ("ok", None),
        ("broken", "missing-target"),
    ]
    target = found[0]["targetReference"]
    assert (target["space"]["id"], target["page"]["id"]) == (there, pages["beta"])
    assert found[4]["targetReference"]["kind"] == "space"
    assert broken(cast.ria, space) == 3
    assert [link["href"] for link in items(cast.ria, space, path, status="ok")] == [
        found[n]["href"] for n in (0, 1, 4)
    ]
    backlinks = items(cast.ria, there, f"content/page/{pages['beta']}/backlinks")
    from_here = [each for each in backlinks if each["space"]["id"] == space]
    assert [each["page"]["title"] for each in from_here] == ["Here"] * 3
    make.changes(cast.ada, there, update(pages["beta"], slug="b2"))
    assert broken(cast.ria, space) == 3
    make.changes(cast.ada, there, {"operation": "delete_page", "page": pages["beta"]})
    assert broken(cast.ria, space) == 5


def test_what_a_caller_may_not_see_of_other_spaces_is_as_if_it_were_not_there(cast: Cast, space: str) -> None:
    hidden = make.space(
        cast.ada,
        cast.organization,
        title="Hidden",
    )["id"]
    there = written(cast, hidden)
    text = f"[p](/spaces/{hidden}/pages/{there['beta']})\n"
    here = ids(make.changes(cast.ada, space, insert("Here", text, ref="h")))
    back = f"[h](/spaces/{space}/pages/{here['h']})\n"
    make.changes(cast.ada, hidden, insert("Secret", back, ref="s"))
    assert cast.ada.patch(f"/v1/spaces/{hidden}", {"defaultLevel": None}).status_code == 200
    path = f"content/page/{here['h']}"
    assert [link["status"] for link in items(cast.ada, space, f"{path}/links")] == ["ok"]
    (link,) = items(cast.ria, space, f"{path}/links")
    assert told(link)[1:] == ("broken", "missing-target")
    assert "targetReference" not in link
    assert "Beta" not in str(link)
    assert (broken(cast.ada, space), broken(cast.ria, space)) == (0, 1)
    assert len(items(cast.ada, space, f"{path}/backlinks")) == 1
    assert items(cast.ria, space, f"{path}/backlinks") == []
    assert cast.ria.get(f"{place(space)}/{path}/backlinks").json()["count"] == 0


def test_links_by_the_id_of_their_own_space_are_judged_there_and_in_copies(cast: Cast, space: str) -> None:
    pages = written(cast, space)
    text = f"[p](/spaces/{space}/pages/{pages['beta']}#end) [s](/spaces/{space})\n"
    make.imported(cast, space, {"here.md": text})
    here = cast.ria.get(f"{place(space)}/content/path/here").json()["id"]
    path = f"content/page/{here}/links"
    assert [link["status"] for link in items(cast.ria, space, path)] == ["ok", "ok"]
    copy = cast.ada.post(f"/v1/spaces/{space}/duplicate", {}).json()["id"]
    make.changes(cast.ada, copy, {"operation": "delete_page", "page": pages["beta"]})
    assert [link["status"] for link in items(cast.ria, copy, path)] == ["ok", "ok"]
    make.changes(cast.ada, space, {"operation": "delete_page", "page": pages["beta"]})
    assert [link["status"] for link in items(cast.ria, copy, path)] == ["broken", "ok"]
    assert [link["status"] for link in items(cast.ria, space, path)] == ["broken", "ok"]
