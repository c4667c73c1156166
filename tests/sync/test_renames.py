"""Files and folders that are renamed, moved and deleted in a repository, with links that nobody mended."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests import make
from tests.cast import Cast
from tests.factories.git_sync import SyncedSpace
from tests.git_server import Host

Files = Mapping[str, str | bytes]


def moved(files: Files, was: str, now: str) -> dict[str, str | bytes]:
    """The files after `git mv was now`, of a file or of a folder."""
    return {
        now + path.removeprefix(was) if path == was or path.startswith(f"{was}/") else path: content
        for path, content in files.items()
    }


RENAMES: dict[str, tuple[Files, tuple[str, str]]] = {
    "a link into itself": ({"a.md": "# A\n\n[go](#end)\n\n## End\n"}, ("a.md", "b.md")),
    "a folder with links inside": ({"d/a.md": "# A\n\n[b](b.md)\n", "d/b.md": "# B\n\nWords.\n"}, ("d", "e")),
    "a link out of a folder": (
        {"README.md": "# Home\n", "d/a.md": "# A\n\n[home](../README.md)\n"},
        ("d/a.md", "x/y/a.md"),
    ),
    "a page that many lead to": (
        {
            "README.md": "# Home\n\n[a](d/a.md) [b](d/b.md#end)\n",
            "d/README.md": "# D\n\n[a](a.md) [top](../README.md)\n",
            "d/a.md": "# A\n\n[b](b.md) [self](a.md#a)\n",
            "d/b.md": "# B\n\n[a](a.md)\n\n## End\n",
        },
        ("d/a.md", "d/c.md"),
    ),
    "only its case": ({"README.md": "[a](a.md)\n", "a.md": "# A\n\nWords.\n"}, ("a.md", "A.md")),
    "from one form of letters to another": (
        {"README.md": "# Home\n", "cafe\u0301.md": "# Coffee\n\n[self](#coffee)\n"},
        ("cafe\u0301.md", "caf\u00e9.md"),
    ),
}


@pytest.mark.parametrize("name", RENAMES)
@pytest.mark.parametrize("direction", ["import", "export"])
def test_a_rename_in_the_repository_is_taken_over(cast: Cast, host: Host, name: str, direction: str) -> None:
    files, (was, now) = RENAMES[name]
    docs = SyncedSpace(cast, host, files)
    docs.ok("import")
    before = docs.ids()
    docs.origin.commit(make_bytes(moved(files, was, now)))
    tip = docs.origin.tip()
    docs.ok(direction)
    assert docs.ids() == moved(before, was, now)
    assert docs.links == docs.links_as_imported()
    docs.ok("export")
    assert docs.origin.tip() == tip, "something was pushed that nobody changed"


def make_bytes(files: Files) -> dict[str, bytes]:
    return {path: make.in_bytes(content) for path, content in files.items()}


BASE = {
    "README.md": "# Home\n\n[a](en/a.md)\n",
    "en/a.md": "# A\n\nFirst words of this page.\n\n[c](c.md) [dead](dead.md)\n\nLast words of this page.\n",
    "en/c.md": "# C\n\nAbout C.\n",
}
RENAMED = "# A\n\nFirst words of this page.\n\n[c](c.md) [dead](dead.md) now\n\nLast words of this page.\n"


@pytest.mark.parametrize("then", [{"en/c.md": None}, {"en/dead.md": "# Dead\n\nNo more.\n"}, {}])
def test_both_sides_change_and_one_renames(cast: Cast, host: Host, then: Mapping[str, str | None]) -> None:
    docs = SyncedSpace(cast, host, BASE)
    docs.ok("import")
    before = docs.ids()
    docs.change(
        {
            "operation": "update_page",
            "page": before["en/a.md"],
            "document": {"markdown": str(BASE["en/a.md"]).replace("Last words", "Our words")},
        }
    )
    docs.commit({"en/a.md": None, "en/b.md": RENAMED, **then})
    docs.ok("import")
    assert docs.requests() == []
    assert docs.page("en/b")["id"] == before["en/a.md"]
    merged = RENAMED.replace("Last words", "Our words")
    assert docs.page("en/b")["markdown"] == merged
    docs.ok("export")
    assert docs.origin.content("main", "en/b.md") == merged.encode()
    assert docs.origin.content("main", "README.md") == str(BASE["README.md"]).encode()
    assert docs.links == docs.links_as_imported()


def test_groups_with_one_title_stay_apart(cast: Cast, host: Host) -> None:
    """What has no file is known by its place in the order of those that are called the same."""
    summary = "# Contents\n\n## More\n\n* [A](a.md)\n\n## More\n\n* [B](b.md)\n"
    docs = SyncedSpace(cast, host, {"SUMMARY.md": summary, "a.md": "# A\n", "b.md": "# B\n"})
    docs.ok("import")
    before = [page["id"] for page in docs.get("/content/pages")["pages"]]
    docs.commit({"a.md": "# A\n\nWords.\n"})
    docs.ok("import")
    after = docs.get("/content/pages")["pages"]
    assert [page["id"] for page in after] == before
    assert [[below["title"] for below in page["pages"]] for page in after] == [["A"], ["B"]]
