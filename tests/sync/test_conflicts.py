"""Both sides change: what can be merged is, what both changed waits in a change request, and syncs go on."""

from __future__ import annotations

from typing import Any

from tests.factories.git_sync import SyncedSpace
from tests.git_server import Host


def test_edits_on_both_sides_are_merged_line_by_line(docs: SyncedSpace) -> None:
    docs.write("machinery/lamp", "It burns gas.\n\n## The wick\n\nTrim it daily.\n")
    tip = docs.commit(
        {
            "machinery/lamp.md": "# The lamp\n\nIt burns oil.\n\n## The wick\n\nTrim it weekly.\n",
            "notes/rounds.md": "# Daily rounds\n\nTwice a night.\n",
        }
    )
    assert docs.ok("import") == f"Merged the commit {tip[:7]} into the space."
    merged = "It burns gas.\n\n## The wick\n\nTrim it weekly.\n"
    assert docs.text("machinery/lamp") == merged
    assert docs.text("notes/rounds") == "Twice a night.\n"
    assert docs.revision["git"]["oid"] == tip
    (request,) = docs.requests("merged")
    assert request["subject"] == f"Sync acme/{docs.id}@{tip[:7]}"
    docs.ok("export")
    assert docs.origin.git("diff", "--name-only", tip, "main") == "machinery/lamp.md"
    assert docs.origin.content("main", "machinery/lamp.md") == b"# The lamp\n\n" + merged.encode()


def test_an_export_brings_in_what_others_pushed_before(docs: SyncedSpace) -> None:
    docs.write("machinery/lamp", "It burns gas.\n")
    tip = docs.commit({"notes/fog.md": "# Fog\n\nThick.\n"})
    assert docs.ok("export").startswith(f"Merged the commit {tip[:7]} into the space. Pushed the commit ")
    assert "notes/fog" in docs.paths()
    files = docs.origin.files()
    assert files["notes/fog.md"] == b"# Fog\n\nThick.\n"
    assert b"gas" in files["machinery/lamp.md"]


def test_a_space_that_is_ahead_stays_ahead_over_many_imports(docs: SyncedSpace) -> None:
    docs.write("machinery/lamp", "It burns gas.\n")
    docs.change({"operation": "insert_page", "title": "Ours", "document": {"markdown": "Only here.\n"}})
    deleted = docs.page("notes/storm")["id"]
    docs.change({"operation": "delete_page", "page": deleted})
    ids = set()
    for number in range(4):
        text = f"# Fog\n\nThick, seen {number} times.\n"
        tip = docs.commit({"notes/fog.md": text, f"notes/n{number}.md": f"# N{number}\n"})
        assert docs.ok("import") == f"Merged the commit {tip[:7]} into the space."
        fog = docs.page("notes/fog")
        assert docs.text("notes/fog") == f"Thick, seen {number} times.\n"
        ids.add(fog["id"])
        assert {"ours", f"notes/n{number}"} <= docs.paths()
        assert "notes/storm" not in docs.paths()
        assert docs.text("machinery/lamp") == "It burns gas.\n"
    assert len(ids) == 1
    docs.ok("export")
    files = docs.origin.files()
    assert {"ours.md", "notes/fog.md", "notes/n3.md"} <= files.keys()
    assert "notes/storm.md" not in files
    tip = docs.commit({"notes/n0.md": None})
    docs.ok("import")
    assert "notes/n0" not in docs.paths()


def _conflict(docs: SyncedSpace) -> dict[str, Any]:
    docs.write("machinery/lamp", "It burns gas.\n")
    docs.commit(
        {
            "machinery/lamp.md": "# The lamp\n\nIt is electric.\n",
            "notes/rounds.md": "# Daily rounds\n\nTwice a night.\n",
        }
    )
    told = docs.ok("import")
    (request,) = docs.requests()
    assert f"1 conflict in change request #{request['number']}, which is open." in told
    return request


def test_a_conflict_is_an_open_change_request_and_the_rest_is_merged(docs: SyncedSpace) -> None:
    request = _conflict(docs)
    assert docs.text("machinery/lamp") == "It burns gas.\n"
    assert docs.text("notes/rounds") == "Twice a night.\n"
    merge = f"{docs.path}/change-requests/{request['id']}/merge"
    conflicts = docs.cast.ada.post(merge, {"dryRun": True}).json()["conflicts"]
    assert [(c["page"], c["field"]) for c in conflicts] == [(docs.page("machinery/lamp")["id"], "document")]
    won = docs.cast.ada.post(merge, {"onConflict": "change-request"})
    assert won.json()["result"] == "merge"
    assert docs.text("machinery/lamp") == "It is electric.\n"
    docs.ok("export")
    assert docs.origin.content("main", "machinery/lamp.md") == b"# The lamp\n\nIt is electric.\n"


def test_syncs_go_on_while_a_conflict_waits(docs: SyncedSpace) -> None:
    request = _conflict(docs)
    tip = docs.commit({"notes/fog.md": "# Fog\n"})
    assert docs.ok("import") == f"Merged the commit {tip[:7]} into the space."
    assert "notes/fog" in docs.paths()
    assert [each["id"] for each in docs.requests()] == [request["id"]]
    docs.ok("export")
    files = docs.origin.files()
    assert files["machinery/lamp.md"] == b"# The lamp\n\nIt burns gas.\n"
    assert files["notes/rounds.md"] == b"# Daily rounds\n\nTwice a night.\n"
    kept = docs.get(f"/change-requests/{request['id']}/content/path/machinery/lamp", format="markdown")
    assert kept["markdown"].endswith("\n\nIt is electric.\n")
    tip = docs.commit({"notes/fog.md": "# Fog\n\nThick.\n"})
    assert docs.ok("import") == f"Imported the commit {tip[:7]}."


def test_a_change_request_of_a_later_sync_can_be_updated_and_merged(docs: SyncedSpace) -> None:
    docs.change({"operation": "insert_page", "title": "Ours", "document": {"markdown": "Only here.\n"}})
    docs.commit({"notes/fog.md": "# Fog\n\nThick.\n"})
    docs.ok("import")
    docs.write("notes/fog", "Thin.\n")
    docs.commit({"notes/fog.md": "# Fog\n\nThicker.\n"})
    assert "1 conflict" in docs.ok("import")
    (request,) = docs.requests()
    path = f"{docs.path}/change-requests/{request['id']}"
    changes = docs.cast.ada.get(f"{path}/changes").json()["changes"]
    assert len(changes) == 1, "what came with the sync before is no change of this one"
    updated = docs.cast.ada.post(f"{path}/update", {}).json()
    assert updated["result"] == "conflicts"
    pages = docs.get(f"/change-requests/{request['id']}/content/pages")["pages"]
    assert "ours" in {page["path"] for page in pages}
    assert docs.cast.ada.post(f"{path}/merge", {}).json()["result"] == "merge"
    assert docs.text("notes/fog") == "Thicker.\n"
    assert "ours" in docs.paths()


def test_a_page_deleted_there_and_edited_here_is_a_conflict(docs: SyncedSpace) -> None:
    docs.write("machinery/lamp", "It burns gas.\n")
    docs.commit({"machinery/lamp.md": None})
    assert "conflict" in docs.ok("import")
    assert docs.text("machinery/lamp") == "It burns gas.\n"
    assert len(docs.requests()) == 1


def test_a_branch_that_moves_while_it_is_pushed_to_is_imported_first(docs: SyncedSpace, host: Host) -> None:
    docs.write("machinery/lamp", "It burns gas.\n")
    pushes: list[Any] = []

    def late(request: Any) -> Any:
        if not pushes:
            docs.commit({"notes/fog.md": "# Fog\n"})
        pushes.append(request)
        return host.answer(request)

    address = f"/acme/{docs.id}.git/git-receive-pack"
    host.routes[address] = late
    docs.ok("export")
    assert len(pushes) == 2
    files = docs.origin.files()
    assert "notes/fog.md" in files
    assert b"gas" in files["machinery/lamp.md"]
    assert "notes/fog" in docs.paths()
