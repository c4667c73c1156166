"""Content goes to a repository and comes from it: to the byte, with what is new, changed, moved and gone."""

from __future__ import annotations

from app.kit.git.objects import blob_id
from tests import make
from tests.cast import Cast
from tests.factories import changes
from tests.factories.git_sync import SyncedSpace, in_bytes
from tests.git_server import Host


def test_an_import_is_a_revision_that_knows_its_commit(cast: Cast, host: Host) -> None:
    docs = SyncedSpace(cast, host, make.repository())
    assert docs.ok("import") == f"Imported the commit {docs.origin.tip()[:7]}."
    revision = docs.revision
    tip = docs.origin.tip()
    assert revision["git"] == {
        "oid": tip,
        "message": "Words",
        "createdByService": False,
        "ref": "main",
    }
    assert docs.page("notes/rounds")["git"] == {
        "oid": blob_id(make.in_bytes(make.repository()["notes/rounds.md"])),
        "path": "notes/rounds.md",
    }
    (file,) = revision["files"]
    assert file["git"]["path"] == ".gitbook/assets/lamp.png"
    assert docs.get()["gitSync"].items() >= {"repoName": f"acme/{docs.id}", "url": docs.origin.url}.items()


def test_what_was_imported_goes_back_as_it_came(docs: SyncedSpace) -> None:
    tip = docs.origin.tip()
    assert docs.ok("export") == "The branch has all of it."
    assert docs.origin.tip() == tip
    revision = docs.revision["id"]
    assert docs.ok("import") == f"The commit {tip[:7]} was synchronised already."
    assert docs.revision["id"] == revision


def test_an_export_pushes_what_was_changed_and_nothing_else(docs: SyncedSpace) -> None:
    docs.write("machinery/lamp", "It burns gas.\n")
    assert "oid" not in docs.page("machinery/lamp").get("git", {})
    docs.ok("export", commitMessage="Gas\n\nIs brighter.")
    changed = docs.origin.git("diff", "--name-only", "main~1", "main")
    assert changed == "machinery/lamp.md"
    content = docs.origin.content("main", "machinery/lamp.md")
    assert b"It burns gas." in content
    assert docs.page("machinery/lamp")["git"] == {"oid": blob_id(content), "path": "machinery/lamp.md"}
    assert docs.origin.git("log", "-1", "--format=%B", "main") == "Gas\n\nIs brighter."
    docs.ok("import")
    assert docs.text("machinery/lamp") == "It burns gas.\n"
    assert docs.requests("merged") == []


def test_a_title_follows_its_heading_and_the_table_of_contents_ends_as_it_did(cast: Cast, host: Host) -> None:
    summary = "# Table of contents\n\n* [Home](README.md)\n* [Lamp](lamp.md)\n* [Named](rope.md)\n\n"
    files = {"README.md": "# Home\n", "lamp.md": "# Lamp\n", "rope.md": "# Rope\n", "SUMMARY.md": summary}
    docs = SyncedSpace(cast, host, files)
    docs.ok("import")
    pages = docs.ids()
    for name in ("lamp", "rope"):
        docs.change(changes.update(pages[f"{name}.md"], f"# Other {name}\n"))
    assert docs.page("lamp")["title"] == "Other lamp"
    assert docs.page("named" if "named" in docs.paths() else "rope")["title"] == "Named"
    docs.ok("export")
    assert docs.origin.content("main", "SUMMARY.md").decode() == summary.replace("[Lamp]", "[Other lamp]")


def test_new_pages_and_files_are_pushed_and_known_then(docs: SyncedSpace) -> None:
    picture = make.picture(5, 5)
    docs.change(
        {"operation": "insert_page", "title": "Fog horn", "document": {"markdown": "It hoots.\n"}},
        {"operation": "insert_files", "files": [make.upload("horn.png", picture)]},
    )
    docs.ok("export")
    files = docs.origin.files()
    assert files["fog-horn.md"].endswith(b"It hoots.\n")
    assert "(fog-horn.md)" in files["SUMMARY.md"].decode()
    assert files[".gitbook/assets/horn.png"] == picture
    assert docs.page("fog-horn")["git"] == {"oid": blob_id(files["fog-horn.md"]), "path": "fog-horn.md"}
    git = {file["name"]: file["git"]["oid"] for file in docs.revision["files"]}
    assert git["horn.png"] == blob_id(picture)
    page = docs.page("fog-horn")["id"]
    tip = docs.commit({"fog-horn.md": "# Fog horn\n\nIt hoots twice.\n"})
    assert docs.ok("import") == f"Imported the commit {tip[:7]}."
    assert docs.page("fog-horn")["id"] == page


def test_what_is_deleted_or_renamed_there_is_so_here(docs: SyncedSpace) -> None:
    summary = make.repository()["SUMMARY.md"]
    assert isinstance(summary, str)
    docs.commit(
        {
            "notes/rounds.md": None,
            "machinery/lamp.md": None,
            "machinery/light.md": make.repository()["machinery/lamp.md"],
            ".gitbook/assets/lamp.png": None,
            "SUMMARY.md": summary.replace("  * [Daily rounds](notes/rounds.md)\n", "").replace(
                "machinery/lamp.md", "machinery/light.md"
            ),
        }
    )
    docs.ok("import")
    assert "notes/rounds" not in docs.paths()
    assert "machinery/light" in docs.paths()
    assert "machinery/lamp" not in docs.paths()
    assert docs.revision["files"] == []


def test_a_page_that_is_renamed_there_stays_the_page_that_it_is_here(docs: SyncedSpace) -> None:
    known = {path: docs.page(path)["id"] for path in ("notes/rounds", "machinery/lamp")}
    (picture,) = docs.revision["files"]
    files = docs.origin.files()
    summary = files["SUMMARY.md"].decode()
    for before, after in (("notes/rounds.md", "rounds.md"), ("machinery/lamp.md", "machinery/light.md")):
        summary = summary.replace(before, after)
    docs.commit(
        {
            "notes/rounds.md": None,
            "rounds.md": files["notes/rounds.md"].replace(b"../", b"") + b"\nAt night too.\n",
            "machinery/lamp.md": None,
            "machinery/light.md": files["machinery/lamp.md"],
            ".gitbook/assets/lamp.png": None,
            ".gitbook/assets/light.png": files[".gitbook/assets/lamp.png"],
            "SUMMARY.md": summary,
        }
    )
    docs.ok("import")
    now = {page["git"]["path"]: page["id"] for page in map(docs.page, docs.paths()) if "git" in page}
    assert now["rounds.md"] == known["notes/rounds"]
    assert now["machinery/light.md"] == known["machinery/lamp"]
    assert not {"notes/rounds.md", "machinery/lamp.md"} & now.keys()
    (file,) = docs.revision["files"]
    assert (file["id"], file["git"]["path"]) == (picture["id"], ".gitbook/assets/light.png")
    assert docs.get("/links", status="broken")["count"] == 3  # by the old names, where nobody changed them
    assert docs.ok("export") == "The branch has all of it."


def test_a_page_renamed_there_and_edited_here_is_both(docs: SyncedSpace) -> None:
    lamp = docs.page("machinery/lamp")["id"]
    docs.write("machinery/lamp", "It burns gas.\n")
    files = docs.origin.files()
    docs.commit(
        {
            "machinery/lamp.md": None,
            "machinery/light.md": files["machinery/lamp.md"],
            "SUMMARY.md": files["SUMMARY.md"].replace(b"machinery/lamp.md", b"machinery/light.md"),
        }
    )
    assert docs.ok("import").startswith("Merged the commit")
    assert docs.requests() == []
    page = docs.page("machinery/light")
    assert (page["id"], page["markdown"].partition("\n\n")[2]) == (lamp, "It burns gas.\n")
    docs.ok("export")
    assert b"It burns gas." in docs.origin.content("main", "machinery/light.md")
    assert "machinery/lamp.md" not in docs.origin.files()


def test_what_is_deleted_or_renamed_here_is_so_there(docs: SyncedSpace) -> None:
    rounds, lamp = docs.page("notes/rounds")["id"], docs.page("machinery/lamp")["id"]
    (file,) = docs.revision["files"]
    docs.change(
        {"operation": "delete_page", "page": rounds},
        {"operation": "update_page", "page": lamp, "slug": "light", "title": "The light"},
        {"operation": "delete_file", "file": file["id"]},
    )
    docs.ok("export")
    files = docs.origin.files()
    assert not {"notes/rounds.md", "machinery/lamp.md", ".gitbook/assets/lamp.png"} & files.keys()
    assert "notes/rounds.md" not in files["SUMMARY.md"].decode()
    renamed = docs.page("machinery/light")
    assert files[renamed["git"]["path"]] == docs.origin.content("main", renamed["git"]["path"])
    docs.commit({"notes/storm.md": "---\nhidden: true\n---\n\n# In a storm\n\nGo out.\n"})
    docs.ok("import")
    assert docs.page("machinery/light")["id"] == lamp


def test_the_first_sync_of_a_space_with_content_adds_and_never_deletes(cast: Cast, host: Host) -> None:
    docs = SyncedSpace(cast, host, make.repository())
    docs.change({"operation": "insert_page", "title": "Ours", "document": {"markdown": "Only here.\n"}})
    docs.ok("import")
    assert {"ours", "notes/rounds"} <= docs.paths()
    docs.commit({"notes/rounds.md": "# Daily rounds\n\nTwice.\n", "notes/storm.md": None})
    docs.ok("import")
    assert {"ours", "notes/rounds"} <= docs.paths()
    assert "notes/storm" not in docs.paths()
    assert docs.text("notes/rounds") == "Twice.\n"
    docs.ok("export")
    assert {"ours.md", "notes/rounds.md"} <= docs.origin.files().keys()


def test_a_forced_import_is_what_the_repository_is(docs: SyncedSpace) -> None:
    docs.write("machinery/lamp", "It burns gas.\n")
    docs.change({"operation": "insert_page", "title": "Ours", "document": {"markdown": "Here.\n"}})
    docs.ok("import", force=True)
    assert "ours" not in docs.paths()
    docs.ok("export")
    assert docs.origin.files() == in_bytes(make.repository())


def test_a_forced_export_is_what_the_space_is(docs: SyncedSpace) -> None:
    docs.write("machinery/lamp", "It burns gas.\n")
    docs.commit({"machinery/lamp.md": "# The lamp\n\nElectric.\n", "notes/fog.md": "# Fog\n"})
    docs.ok("export", force=True)
    files = docs.origin.files()
    assert files["machinery/lamp.md"] == b"# The lamp\n\nIt burns gas.\n"
    assert "notes/fog.md" not in files
    assert docs.requests() == docs.requests("merged") == []


def test_a_standalone_import_leaves_the_space_as_it_is(docs: SyncedSpace) -> None:
    revision = docs.revision["id"]
    docs.commit({"notes/fog.md": "# Fog\n"})
    docs.ok("import", standalone=True)
    assert docs.revision["id"] == revision
    (request,) = docs.requests()
    docs.get(f"/change-requests/{request['id']}/content/path/notes/fog")
    docs.ok("import")
    assert "notes/fog" in docs.paths()


def test_what_the_space_does_not_know_of_stays_in_the_repository(cast: Cast, host: Host) -> None:
    docs = SyncedSpace(cast, host, {"README.md": "# Hi\n", ".github/ci.yml": "on: push\n", "a/b.md": "# B\n"})
    target = docs.origin.blob(b"README.md")
    readme, ci = docs.origin.blob(b"# Hi\n"), docs.origin.blob(b"on: push\n")
    folder = docs.origin.tree(f"100644 blob {ci}\tci.yml")
    docs.origin.commit_tree(
        docs.origin.tree(
            f"100644 blob {readme}\tREADME.md",
            f"120000 blob {target}\tlink.md",
            f"040000 tree {folder}\t.github",
            f"160000 commit {'1' * 40}\tmodule",
        )
    )
    docs.ok("import")
    docs.write("readme", "Ho.\n")
    docs.ok("export")
    listed = docs.origin.git("ls-tree", "-r", "main").splitlines()
    assert [line.split()[0] + " " + line.split("\t")[1] for line in listed] == [
        "100644 .github/ci.yml", "100644 README.md", "120000 link.md", "160000 module",
    ]  # fmt: skip


def test_a_project_directory_and_a_branch_that_is_not_there_yet(cast: Cast, host: Host) -> None:
    docs = SyncedSpace(cast, host, {"src/main.c": "int main;\n", "docs/README.md": "# Hi\n\nThere.\n"})
    inside = {"repoProjectDirectory": "docs/"}
    docs.ok("import", **inside)
    assert docs.paths() == {"readme"}
    docs.write("readme", "Here.\n")
    docs.ok("export", **inside, ref="handbook")
    assert docs.origin.files("handbook") == {
        "src/main.c": b"int main;\n",
        "docs/README.md": b"# Hi\n\nHere.\n",
    }
    assert docs.origin.content("main", "docs/README.md") == b"# Hi\n\nThere.\n"
    docs.ok("export", repoProjectDirectory="elsewhere")
    assert docs.origin.content("main", "elsewhere/README.md") == b"# Hi\n\nHere.\n"


def test_a_branch_is_made_also_when_it_would_be_no_different(docs: SyncedSpace) -> None:
    assert docs.ok("export", ref="release") == "The branch has all of it."
    assert docs.origin.tip("release") == docs.origin.tip()
    assert docs.ok("import", ref="release") == f"The commit {docs.origin.tip()[:7]} was synchronised already."


def test_another_repository_is_not_taken_for_the_one_before(docs: SyncedSpace, host: Host) -> None:
    other = host.create(f"other/{docs.id}.git", {"other.md": b"# Other\n"})
    docs.ok("import", url=other.url)
    assert {"other", "notes/rounds"} <= docs.paths()
    assert docs.get()["gitSync"]["repoName"] == f"other/{docs.id}"


def test_the_times_and_names_of_a_sync_are_told_in_lists_too(docs: SyncedSpace) -> None:
    listed = docs.cast.ada.get(f"/v1/orgs/{docs.cast.organization}/spaces").json()["items"]
    (shown,) = [space["gitSync"] for space in listed if space["id"] == docs.id]
    assert shown == docs.get()["gitSync"]
    assert shown["updatedAt"] == docs.get("/git/info")["updatedAt"]
