"""Files that are not text, and what a sync leaves alone: nothing is pushed changed that nobody changed."""

from __future__ import annotations

import pytest

from tests import make
from tests.cast import Cast
from tests.factories.git_sync import SyncedSpace
from tests.git_server import Host

LATIN = b"# Latin \xe9\xff\n"
ODD = {
    "not UTF-8": LATIN,
    "with front matter": b"---\ntitle: Old\n---\n\n# Latin\n\nCaf\xe9.\n",
    "front matter that is not UTF-8": b"---\ntitle: Caf\xe9\n---\n\n# Latin\n",
    "NUL": b"# Zero\n\nNothing \0 here.\n",
    "UTF-16": "# Wide\n\nWords.\n".encode("utf-16"),
    "a mark before": b"\xef\xbb\xbf# Marked\n\nWords.\n",
    "lines of its own": b"# Lines\r\n\r\nWords.\rMore.\n",
}


@pytest.mark.parametrize("name", ODD)
def test_bytes_survive_both_ways(cast: Cast, host: Host, name: str) -> None:
    files: make.Files = {"README.md": "# Home\n\n[odd](odd.md)\n", "odd.md": ODD[name]}
    docs = SyncedSpace(cast, host, files)
    tip = docs.origin.tip()
    docs.ok("import")
    assert docs.page("odd")["title"]
    docs.ok("export")
    assert docs.origin.tip() == tip
    docs.write("readme", "Edited.\n")
    docs.ok("export")
    assert docs.origin.content("main", "odd.md") == ODD[name]
    odd = docs.page("odd")["id"]
    docs.change({"operation": "update_page", "page": odd, "slug": "old"})
    docs.ok("export")
    assert docs.origin.files()["old.md"] == ODD[name]
    tip = docs.commit({"old.md": None, "moved/odd.md": ODD[name]})
    docs.ok("export")
    assert docs.ids()["moved/odd.md"] == odd
    assert docs.origin.tip() == tip


def test_links_in_what_is_no_text_stay_as_they_are(cast: Cast, host: Host) -> None:
    odd = b"# Caf\xe9\n\n[other](other.md)\n"
    docs = SyncedSpace(cast, host, {"odd.md": odd, "other.md": "# Other\n"})
    docs.ok("import")
    other = docs.page("other")["id"]
    docs.change({"operation": "update_page", "page": other, "slug": "renamed"})
    docs.ok("export")
    assert docs.origin.files() == {"odd.md": odd, "renamed.md": b"# Other\n"}
    page = docs.page("odd")
    (link,) = docs.get(f"/content/page/{page['id']}/links")["items"]
    assert link["status"] == "broken"
    # Saved as it was read nothing changes; with other words it is a text from then on.
    change = {"operation": "update_page", "page": page["id"]}
    docs.change({**change, "document": {"markdown": page["markdown"]}})
    docs.ok("export")
    assert docs.origin.content("main", "odd.md") == odd
    docs.change({**change, "document": {"markdown": "# Café\n"}})
    docs.ok("export")
    assert docs.origin.content("main", "odd.md") == "# Café\n".encode()


def test_what_is_no_text_goes_through_merges_and_rollbacks_whole(cast: Cast, host: Host) -> None:
    docs = SyncedSpace(cast, host, {"odd.md": LATIN, "other.md": "# Other\n"})
    docs.ok("import")
    before = docs.revision["id"]
    docs.write("other", "Ours.\n")
    docs.commit({"odd.md": LATIN + b"More \xe9.\n"})
    docs.ok("import")
    docs.ok("export")
    assert docs.origin.content("main", "odd.md") == LATIN + b"More \xe9.\n"
    assert cast.ada.post(f"{docs.path}/revisions/{before}/restore").status_code == 200
    docs.ok("export")
    assert docs.origin.content("main", "odd.md") == LATIN


@pytest.mark.parametrize("path", ["SUMMARY.md", ".gitbook/vars.yaml", ".gitbook.yaml"])
def test_what_orders_the_tree_is_left_alone_where_it_is_no_text(cast: Cast, host: Host, path: str) -> None:
    odd = b"# Inhalt\n\n* [Caf\xe9](a.md)\n"
    docs = SyncedSpace(cast, host, {path: odd, "a.md": "# A\n", "b.md": "# B\n"})
    docs.ok("import")
    docs.write("a", "Edited.\n")
    page = docs.page("b")["id"]
    docs.change(
        {"operation": "update_page", "page": page, "into": docs.page("a")["id"]},
        {"operation": "update_variables", "variables": {"keeper": "Ada"}},
    )
    docs.ok("export")
    assert docs.origin.content("main", path) == odd
    assert b"Edited." in docs.origin.content("main", "a.md")


def test_links_of_the_file_system_are_not_replaced_by_pages(cast: Cast, host: Host) -> None:
    docs = SyncedSpace(cast, host, {"a.md": "# A\n", "real/x.md": "# X\n"})
    blob, x = docs.origin.blob(b"a.md"), docs.origin.blob(b"# X\n")
    a = docs.origin.blob(b"# A\n")
    real = docs.origin.tree(f"100644 blob {x}\tx.md")
    link = docs.origin.blob(b"real")
    tree = docs.origin.tree(
        f"100644 blob {a}\ta.md",
        f"120000 blob {blob}\tb.md",
        f"120000 blob {link}\td",
        f"040000 tree {real}\treal",
    )
    docs.origin.commit_tree(tree)
    docs.ok("import")
    docs.change(
        {"operation": "insert_page", "title": "B", "document": {"markdown": "Ours.\n"}},
        {"operation": "insert_page", "title": "D", "ref": "d", "document": {"markdown": "Ours.\n"}},
        {"operation": "insert_page", "title": "E", "into": "d", "document": {"markdown": "Ours.\n"}},
        {"operation": "insert_page", "title": "F", "document": {"markdown": "Ours.\n"}},
    )
    told = docs.ok("export")
    modes = docs.origin.git("ls-tree", "-r", "main")
    assert f"120000 blob {blob}\tb.md" in modes
    assert f"120000 blob {link}\td" in modes
    assert "\tf.md" in modes
    assert "b.md" in told
    assert "d/e.md" in told
