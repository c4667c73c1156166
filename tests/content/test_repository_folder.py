"""An export on disk: whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.formats.repository.export_rows import FileRef, write_folder
from app.formats.repository.file_tree import Folder
from app.kit.errors import Conflict, Invalid


def fetch(ref: FileRef) -> list[bytes]:
    return [b"bytes of ", ref.id.encode()]


def test_a_folder_is_written_whole(tmp_path: Path) -> None:
    target = tmp_path / "out"
    target.mkdir()
    assert write_folder([("a/b.md", b"x"), ("c.png", FileRef("f1"))], target, fetch) == 2
    tree = Folder(target)
    assert {path: tree.read(path) for path in tree.paths()} == {"a/b.md": b"x", "c.png": b"bytes of f1"}
    assert [each.name for each in tmp_path.iterdir()] == ["out"]


def test_a_failed_export_leaves_nothing(tmp_path: Path) -> None:
    for bad in ("../out.md", "/etc/x", "a\\b", "a/../../b", "x.md/y.md", "x.md", "nul\0"):
        with pytest.raises(Invalid):
            write_folder([("x.md", b"1"), (bad, b"2")], tmp_path / "out", fetch)
    assert list(tmp_path.iterdir()) == []


def test_a_target_in_use_is_refused(tmp_path: Path) -> None:
    full = tmp_path / "full"
    full.mkdir()
    (full / "mine").write_text("x")
    link = tmp_path / "link"
    link.symlink_to(full)
    for target in (full, link, full / "mine"):
        with pytest.raises(Conflict):
            write_folder([("x.md", b"1")], target, fetch)
    assert (full / "mine").read_text() == "x"
