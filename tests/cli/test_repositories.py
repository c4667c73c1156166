"""`docyard import` and `docyard export`, as somebody at a terminal has them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests import make
from tests.cli.command import Run
from tests.databases import asked


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The repository of the tests on disk, with a broken link in it."""
    files = make.repository({"notes/rounds.md": "# Daily rounds\n\n[lost](../nowhere.md)\n"})
    for path, content in files.items():
        place = tmp_path / "repository" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(make.in_bytes(content))
    return tmp_path / "repository"


def tree(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_import_and_export_give_the_same_tree_back(
    run: Run, organization: str, folder: Path, tmp_path: Path
) -> None:
    report = tmp_path / "report.json"
    code, space, words = run("import", folder, "--org", organization, "--title", "Notes", "--report", report)
    assert code == 0
    assert len(space) == 20
    assert "notes/rounds.md:3" in words
    said = json.loads(report.read_text())
    assert any(problem["line"] == 3 for problem in said["problems"])
    assert run("export", tmp_path / "out", "--space", space)[0] == 0
    assert tree(tmp_path / "out") == tree(folder)
    again = run("import", tmp_path / "out", "--space", space)
    assert again[0] == 0
    assert "no new revision" in again[2]


def test_a_report_that_cannot_be_written_stops_the_import_before_it_begins(
    run: Run, organization: str, folder: Path, tmp_path: Path
) -> None:
    for report in (tmp_path / "none" / "report.json", tmp_path):
        code, space, words = run(
            "import", folder, "--org", organization, "--title", "Notes", "--report", report
        )
        assert (code, space) == (1, "")
        assert words.startswith(f"docyard: The report cannot be written to {report}.")


def test_a_zip_is_imported_like_the_folder_it_holds(
    run: Run, organization: str, folder: Path, tmp_path: Path
) -> None:
    packed = tmp_path / "notes.zip"
    packed.write_bytes(make.zipped({f"notes-main/{path}": data for path, data in tree(folder).items()}))
    code, space, _ = run("import", packed, "--org", organization, "--title", "Notes")
    assert code == 0
    run("export", tmp_path / "out", "--space", space)
    assert tree(tmp_path / "out") == tree(folder)


def test_nothing_is_imported_into_a_locked_space(
    run: Run, organization: str, folder: Path, fresh_database: str
) -> None:
    space = run("import", folder, "--org", organization, "--title", "Notes")[1]
    (folder / "notes/storm.md").unlink()
    asked(fresh_database, f"UPDATE space SET edit_mode = 'locked' WHERE id = '{space}'")
    code, said, words = run("import", folder, "--space", space, "--replace")
    assert (code, said) == (1, "")
    assert "The space is locked. Unlock it first." in words
    asked(fresh_database, f"UPDATE space SET edit_mode = 'live' WHERE id = '{space}'")
    assert "no new revision" not in run("import", folder, "--space", space, "--replace")[2]


def test_replace_removes_what_is_gone_and_nothing_else_does(
    run: Run, organization: str, folder: Path, tmp_path: Path
) -> None:
    space = run("import", folder, "--org", organization, "--title", "Notes")[1]
    (folder / "notes/storm.md").unlink()
    run("import", folder, "--space", space)
    run("export", tmp_path / "kept", "--space", space)
    assert "notes/storm.md" in tree(tmp_path / "kept")
    run("import", folder, "--space", space, "--replace")
    run("export", tmp_path / "replaced", "--space", space)
    assert tree(tmp_path / "replaced") == tree(folder)


def test_refusals_say_what_to_do(run: Run, organization: str, folder: Path, tmp_path: Path) -> None:
    for arguments, words in (
        (("import", folder), "--space"),
        (("import", folder, "--org", organization), "--title"),
        (
            ("import", tmp_path / "nothing", "--org", organization, "--title", "T"),
            "neither a folder nor a zip",
        ),
        (("import", folder, "--space", "unknown"), "no space unknown"),
        (("import", folder, "--org", "unknown", "--title", "T"), "docyard org list"),
        (("export", tmp_path / "out", "--space", "unknown"), "no space unknown"),
    ):
        code, out, said = run(*arguments)
        assert (code, out) == (1, "")
        assert words in said


def test_an_export_never_overwrites(run: Run, organization: str, folder: Path) -> None:
    space = run("import", folder, "--org", organization, "--title", "Notes")[1]
    before = tree(folder)
    code, _, said = run("export", folder, "--space", space)
    assert code == 1
    assert "not empty" in said
    assert tree(folder) == before
