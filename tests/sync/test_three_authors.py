"""A day of three authors: an import, change requests that overlap, a conflict, a rollback, and Git both ways
with renames on both sides; to the byte at the end.

The repository is our guide; `DOCYARD_PROOF_REPOSITORY` names another folder.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tests import make
from tests.cast import Cast, Person
from tests.cli.command import ROOT
from tests.factories.git_sync import SyncedSpace
from tests.git_server import Host

REPOSITORY = Path(os.environ.get("DOCYARD_PROOF_REPOSITORY", ROOT / "app/demo/guide"))


def files_of(folder: Path) -> dict[str, str | bytes]:
    """Everything in a folder, without Git's own."""
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file())
    found = {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
    return {path: content for path, content in found.items() if not path.startswith(".git/")}


def edit(
    docs: SyncedSpace, person: Person, page: str, was: str, now: str, request: int | None = None
) -> None:
    """Replace a piece of a page's Markdown."""
    place = docs.path if request is None else f"{docs.path}/change-requests/{request}"
    shown = person.get(f"{place}/content/page/{page}", params={"format": "markdown"}).json()
    assert was in shown["markdown"], shown["markdown"][:500]
    document = {"markdown": shown["markdown"].replace(was, now, 1)}
    batch = {"operation": "update_page", "page": page, "document": document}
    make.changes(person, docs.id, batch, request=request)


def merge(docs: SyncedSpace, person: Person, request: int, **body: str) -> dict[str, Any]:
    answer = person.post(f"{docs.path}/change-requests/{request}/merge", body)
    assert answer.status_code == 200, answer.text
    merged: dict[str, Any] = answer.json()
    return merged


def paragraphs(content: str | bytes) -> list[str]:
    """The lines that are a paragraph of plain words, each there once."""
    lines = make.in_bytes(content).decode(errors="replace").split("\n")
    around = zip(["", *lines], lines, [*lines[1:], ""], strict=False)
    alone = [line for before, line, after in around if not before and not after]
    return [line for line in alone if line[:1].isalpha() and line.isascii() and lines.count(line) == 1]


def test_a_day_of_three_authors(cast: Cast, host: Host) -> None:
    files = files_of(REPOSITORY)
    docs = SyncedSpace(cast, host, files)
    docs.ok("import")
    tip = docs.origin.tip()
    assert docs.ok("export") == "The branch has all of it."
    assert docs.origin.tip() == tip
    ids = docs.ids()
    leaves = [path for path in ids if path.endswith(".md") and not path.endswith("README.md")]
    rich = [path for path in leaves if len(paragraphs(files[path])) > 3]
    assert len(rich) > 8
    touched = {"SUMMARY.md"}

    # Two change requests edit different paragraphs of one page; a third one edits what the first did.
    page, other = rich[0], rich[1]
    first, _, third, *_ = paragraphs(files[page])
    numbers = [make.change_request(person, docs.id)["number"] for person in (cast.ed, cast.cleo, cast.ed)]
    edit(docs, cast.ed, ids[page], first, "The first author was here.", numbers[0])
    edit(docs, cast.cleo, ids[page], third, "The second author was here.", numbers[1])
    edit(docs, cast.cleo, ids[other], paragraphs(files[other])[0], "A second page.", numbers[1])
    edit(docs, cast.ed, ids[page], first, "The third author was here.", numbers[2])
    touched |= {page, other}
    assert merge(docs, cast.ada, numbers[0])["result"] == "merge"
    merged = merge(docs, cast.ada, numbers[1])
    assert merged["result"] == "merge"
    stuck = merge(docs, cast.ada, numbers[2])
    assert (stuck["result"], [each["page"] for each in stuck["conflicts"]]) == ("conflicts", [ids[page]])
    assert merge(docs, cast.ada, numbers[2], onConflict="change-request")["result"] == "merge"

    # What the second request brought is taken back; what came after stays.
    answer = cast.ada.post(f"{docs.path}/revisions/{merged['revision']}/revert", {})
    assert answer.status_code == 200, answer.text
    text = docs.get(f"/content/page/{ids[page]}", format="markdown")["markdown"]
    assert "The third author was here." in text
    assert third in text
    assert "The second author was here." not in text
    docs.ok("export")
    now = docs.origin.files()
    assert {path for path in files if now.get(path) != make.in_bytes(files[path])} == {page}

    # Both sides rename and edit: a file there, a page here, and different paragraphs of a third one.
    there, here, both = rich[2], rich[3], rich[4]
    changed = docs.origin.files()
    renamed = there.removesuffix(".md") + "-renamed.md"
    changed[renamed] = changed.pop(there)
    changed["SUMMARY.md"] = changed["SUMMARY.md"].replace(f"({there})".encode(), f"({renamed})".encode())
    one, *_, last = paragraphs(files[both])
    changed[both] = changed[both].replace(one.encode(), b"Changed in the repository.")
    docs.origin.commit(changed)
    edit(docs, cast.ed, ids[both], last, "Changed in the space.")
    docs.change({"operation": "update_page", "page": ids[here], "slug": "renamed-here"})
    docs.ok("import")
    docs.ok("export")
    assert docs.requests() == []
    assert docs.ids()[renamed] == ids[there]
    now = docs.origin.files()
    assert there not in now
    assert b"Changed in the repository." in now[both]
    assert b"Changed in the space." in now[both]

    # The repository, the space, and a fresh import of the repository are the same.
    tip = docs.origin.tip()
    assert docs.ok("import")
    assert docs.ok("export") == "The branch has all of it."
    fresh = SyncedSpace(cast, host, now)
    fresh.ok("import")
    assert fresh.links == docs.links
    assert fresh.paths() == docs.paths()
    assert fresh.ok("export") == "The branch has all of it."
    untouched = files.keys() & now.keys() - touched - {there, here, both}
    differing = [path for path in untouched if now[path] != make.in_bytes(files[path])]
    moved = {Path(path).name.encode() for path in (there, here)}  # links to them are rewritten
    assert all(any(name in make.in_bytes(files[path]) for name in moved) for path in differing), differing
