"""Properties that no file name can express survive a round trip: icons of groups, special slugs."""

from __future__ import annotations

from typing import Any

import pytest

from tests import make
from tests.cast import Cast
from tests.factories.git_sync import SyncedSpace
from tests.git_server import Host

SLUGS = ("readme", "index", "summary")


def rows(docs: SyncedSpace) -> list[tuple[Any, ...]]:
    """Return what the tree says of every page, in order."""
    found, waiting = [], list(docs.get("/content/pages")["pages"])
    while waiting:
        page = waiting.pop(0)
        found.append(tuple(page.get(name) for name in ("type", "title", "slug", "path", "icon", "emoji")))
        waiting = [*page.get("pages", []), *waiting]
    return found


def marked(cast: Cast, host: Host) -> SyncedSpace:
    """A space with such pages at the root, in a group and below a page."""
    docs = SyncedSpace(cast, host)
    docs.change(
        {"operation": "insert_page", "title": "Home", "document": {"markdown": "Hi.\n"}},
        {"operation": "insert_page", "type": "group", "title": "Machines", "icon": "gear", "ref": "group"},
        {"operation": "insert_page", "type": "group", "title": "Sails", "emoji": "26f5"},
        {"operation": "insert_page", "title": "Parent", "document": {"markdown": "P.\n"}, "ref": "parent"},
    )
    ids = {page["title"]: page["id"] for page in docs.get("/content/pages")["pages"]}
    for parent in ("Machines", "Parent", None):
        for slug in SLUGS:
            new = {"operation": "insert_page", "title": f"About {slug}", "slug": slug}
            into = {"into": ids[parent]} if parent else {}
            docs.change({**new, **into, "document": {"markdown": f"On {slug}.\n"}})
    below = next(page["id"] for page in docs.get("/content/pages")["pages"] if page.get("slug") == "readme")
    leaf = {"title": "Leaf", "into": below, "document": {"markdown": "L.\n"}}
    docs.change({"operation": "insert_page", **leaf})
    return docs


def test_icons_of_groups_and_special_slugs_come_back(cast: Cast, host: Host) -> None:
    docs = marked(cast, host)
    before = rows(docs)
    assert {row[3] for row in before} >= {"readme", "parent/index", "machines/summary", "readme/leaf"}
    docs.ok("export")
    files = docs.origin.files()
    assert b"## Machines <!-- icon: gear -->" in files["SUMMARY.md"]
    again = SyncedSpace(cast, host, files)
    again.ok("import")
    assert rows(again) == before
    tip = again.origin.tip()
    again.ok("export")
    assert again.origin.tip() == tip


def test_a_commit_leaves_them_as_they_are(cast: Cast, host: Host) -> None:
    docs = marked(cast, host)
    docs.ok("export")
    before, ids = rows(docs), docs.ids()
    files = docs.origin.files()
    docs.commit({"parent.md": files["parent.md"] + b"\nMore.\n"})
    docs.ok("import")
    assert (rows(docs), docs.ids()) == (before, ids)
    tip = docs.origin.tip()
    docs.ok("export")
    assert docs.origin.tip() == tip


@pytest.mark.parametrize("summary", ["## Machines\n\n* [A](a.md)\n", "* Machines\n  * [A](a.md)\n"])
def test_a_table_of_contents_without_icons_keeps_those_of_the_space(
    cast: Cast, host: Host, summary: str
) -> None:
    docs = SyncedSpace(
        cast, host, {"README.md": "# Hi\n", "a.md": "# A\n", "SUMMARY.md": f"# S\n\n{summary}"}
    )
    docs.ok("import")
    group = next(page for page in docs.get("/content/pages")["pages"] if page["type"] == "group")
    docs.change({"operation": "update_page", "page": group["id"], "icon": "gear"})
    before = rows(docs)
    docs.commit({"a.md": "# A\n\nMore.\n"})
    docs.ok("import")
    assert rows(docs) == before
    docs.ok("export")
    marked_here = docs.origin.files()["SUMMARY.md"].decode()
    assert "Machines <!-- icon: gear -->" in marked_here
    docs.commit({"SUMMARY.md": marked_here.replace("gear", "wrench")})
    docs.ok("import")
    assert [row[4] for row in rows(docs) if row[0] == "group"] == ["wrench"]


def test_what_only_looks_like_it_is_left_alone(cast: Cast, host: Host) -> None:
    files: make.Files = {
        "README.md": "# Hi\n",
        "readme-page.md": "# R\n",
        "index-page.md": "---\nslug: other\n---\n\n# I\n",
        "a.md": "---\nslug: readme\n---\n\n# A\n",
    }
    docs = SyncedSpace(cast, host, files)
    docs.ok("import")
    assert docs.paths() == {"readme", "readme-page", "index-page", "a"}
    before = docs.origin.files()
    docs.ok("export")
    assert docs.origin.files() == before
