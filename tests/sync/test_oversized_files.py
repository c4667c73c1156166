"""Files of a repository that grew too large for what they are: what is there stays, and nothing is lost."""

from __future__ import annotations

import pytest

from tests import make
from tests.cast import Cast
from tests.factories.changes import place
from tests.factories.git_sync import SyncedSpace
from tests.git_server import Host

LARGE = b"# Large\n\n" + b"Words and more words.\n" * (260_000)
FILES: dict[str, str | bytes] = {
    "README.md": "# Start\n\n[large](large.md)\n",
    "large.md": "# Large\n\nFew words.\n",
    "large/below.md": "# Below\n\nAs it was.\n",
    "shown.md": '# Shown\n\n{% include ".gitbook/includes/block.md" %}\n',
    ".gitbook/includes/block.md": "---\ntitle: Block\n---\n\nFew.\n",
}


def test_a_page_whose_file_grows_too_large_stays_and_nothing_is_pushed_over_it(
    cast: Cast, host: Host
) -> None:
    docs = SyncedSpace(cast, host, FILES)
    docs.ok("export")
    ids, links = docs.ids(), docs.links
    files = docs.origin.files()
    block = ".gitbook/includes/block.md"
    grown = {**files, "large.md": LARGE, block: LARGE, "README.md": b"# Start\n\n[large](large.md)\n\nNew.\n"}
    docs.origin.commit(grown)
    told = docs.ok("import")
    stays = "more than 5 MB; what is there stays as it is"
    assert f"2 files not taken over ({block}: {stays}; large.md: {stays})" in told
    assert (docs.ids(), docs.links) == (ids, links)
    assert docs.page("large")["markdown"] == "# Large\n\nFew words.\n"
    assert [each["title"] for each in docs.revision["reusableContents"]] == ["Block"]
    edit = {
        "operation": "update_page",
        "page": ids["large.md"],
        "document": {"markdown": "# Large\n\nOurs.\n"},
    }
    make.changes(cast.ada, docs.id, edit)
    other = {"operation": "update_page", "page": ids["large/below.md"], "document": {"markdown": "Other.\n"}}
    make.changes(cast.ada, docs.id, other)
    told = docs.ok("export")
    assert "large.md" in told
    pushed = docs.origin.files()
    assert pushed == {**grown, "large/below.md": pushed["large/below.md"]}
    assert b"Other." in pushed["large/below.md"]
    docs.origin.commit({**pushed, "large.md": b"# Large\n\nSmall again.\n"})
    docs.ok("export")
    assert docs.ids() == ids


def test_both_sides_change_while_a_page_is_too_large(cast: Cast, host: Host) -> None:
    docs = SyncedSpace(cast, host, FILES)
    docs.ok("export")
    ids = docs.ids()
    docs.change({"operation": "update_page", "page": ids["shown.md"], "title": "Ours"})
    docs.origin.commit({**docs.origin.files(), "large.md": LARGE})
    docs.ok("export")
    assert docs.ids() == ids
    assert docs.origin.files()["large.md"] == LARGE


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_mirror_import_keeps_files_that_grew_too_large(cast: Cast) -> None:
    space = make.filled_space(cast, {**FILES, "a.bin": b"few"})
    file = cast.ada.get(f"{place(space)}/content/files").json()["items"][0]
    make.imported(
        cast, space, {**FILES, "a.bin": bytes((50 << 20) + 1), "new.bin": bytes((50 << 20) + 1)}, mirror=True
    )
    assert cast.ada.get(f"{place(space)}/content/files").json()["items"] == [file]


def test_a_new_page_that_is_too_large_is_a_file(cast: Cast) -> None:
    files: dict[str, str | bytes] = {**FILES, "large.md": LARGE}
    space = make.filled_space(cast, files)
    names = [file["name"] for file in cast.ada.get(f"{place(space)}/content/files").json()["items"]]
    assert names == ["large.md"]
    make.imported(cast, space, {**FILES, "large.md": LARGE + b"\n"}, mirror=True)
    (file,) = cast.ada.get(f"{place(space)}/content/files").json()["items"]
    assert file["size"] == len(LARGE) + 1
