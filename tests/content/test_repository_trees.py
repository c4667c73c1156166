"""Folders and zips as trees: nothing outside, nothing hidden, nothing without bound."""

from __future__ import annotations

import io
import os
import struct
import zipfile
from pathlib import Path

import pytest

from app.formats.repository.file_tree import Folder, Memory, Tree, Under, unfit
from app.formats.repository.import_plan import read_plan
from app.formats.repository.zip_archive import Zip, ZipLimits
from app.kit.errors import Invalid


def contents(tree: Tree) -> dict[str, bytes]:
    return {path: tree.read(path) for path in tree.paths()}


def packed(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content, method)
    return buffer.getvalue()


def refusal(archive: bytes, limits: ZipLimits | None = None) -> str:
    with pytest.raises(Invalid) as caught:
        contents(Zip(archive, limits))
    return caught.value.message


def test_a_folder_is_read_without_following_links(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("secret")
    root = tmp_path / "docs"
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "config").write_text("x")
    (root / "sub").mkdir()
    (root / "sub" / "a.md").write_text("# A\n")
    (root / "b.md").write_text("# B\n")
    (root / "link.md").symlink_to(outside / "secret.md")
    (root / "folder").symlink_to(outside)
    (root / "loop").symlink_to(root)
    os.mkfifo(root / "pipe.md")
    tree = Folder(root)
    assert contents(tree) == {"b.md": b"# B\n", "sub/a.md": b"# A\n"}
    assert tree.read("b.md", 3) == b"# B"
    assert sorted(path for path, _ in tree.passed_over) == ["folder", "link.md", "loop", "pipe.md"]
    reported = [each.file for each in read_plan(tree).report.problems if each.kind == "skipped"]
    assert sorted(reported) == ["folder", "link.md", "loop", "pipe.md"]


def test_a_file_that_became_a_link_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("a")
    (tmp_path / "secret").write_text("secret")
    tree = Folder(tmp_path)
    (tmp_path / "a.md").unlink()
    (tmp_path / "a.md").symlink_to(tmp_path / "secret")
    with pytest.raises(Invalid):
        tree.read("a.md")


def test_only_listed_files_can_be_read(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "secret.md").write_text("x")
    trees: list[Tree] = [Folder(tmp_path / "docs"), Memory({"a": b""}), Zip(packed({"a": b""}))]
    for tree in trees:
        for path in ("../secret.md", "/etc/passwd", "nothing.md", ""):
            with pytest.raises(Invalid):
                tree.read(path)
            with pytest.raises(Invalid):
                tree.size(path)


def test_names_that_are_not_text_are_passed_over(tmp_path: Path) -> None:
    name = os.path.join(os.fsencode(tmp_path), b"\xff.md")
    try:
        with open(name, "wb"):
            pass
    except OSError:
        # Some file systems hold no such name; then there is nothing to pass over.
        return
    tree = Folder(tmp_path)
    assert list(tree.paths()) == []
    assert len(tree.passed_over) == 1
    assert "�" in read_plan(tree).report.as_text()


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/a",
        "a//b",
        "../a",
        "a/../b",
        "a/..",
        "./a",
        "C:\\a",
        "C:a",
        "a\\b",
        "a\0b",
        "a\nb",
        "a\u202egnp.exe",
        "a/" * 70 + "b",
        "x" * 2000,
    ],
)
def test_paths_that_lead_out_or_are_none_are_unfit(path: str) -> None:
    assert unfit(path)
    with pytest.raises(Invalid):
        Memory({path: b""})


def test_a_part_of_a_tree_has_paths_of_its_own() -> None:
    tree = Under(Memory({"en/a.md": b"1", "en/x/b.md": b"2", "de/a.md": b"3", "english.md": b"4"}), "en")
    assert contents(tree) == {"a.md": b"1", "x/b.md": b"2"}
    assert tree.size("x/b.md") == 1


def test_a_zip_is_a_tree_and_its_single_top_folder_is_left_off(tmp_path: Path) -> None:
    files = {
        "repo-main/README.md": b"# Hi\n",
        "repo-main/sub/a.md": b"x" * 100_000,
        "__MACOSX/repo-main/._a": b"?",
    }
    expected = {"README.md": b"# Hi\n", "sub/a.md": b"x" * 100_000}
    archive = packed(files)
    path = tmp_path / "a.zip"
    path.write_bytes(archive)
    for source in (archive, path, io.BytesIO(archive)):
        tree = Zip(source)
        assert contents(tree) == expected
        assert tree.read("sub/a.md", 10) == b"x" * 10
        tree.close()
    assert contents(Zip(packed({"a/x.md": b"1", "b/x.md": b"2"}))) == {"a/x.md": b"1", "b/x.md": b"2"}
    assert contents(Zip(packed({"a/x.md": b"1", "y.md": b"2"}))) == {"a/x.md": b"1", "y.md": b"2"}


def test_a_zip_inside_is_only_a_file() -> None:
    inner = packed({"../../evil.md": b"x"})
    assert contents(Zip(packed({"inner.zip": inner, "a.md": b""})))["inner.zip"] == inner


@pytest.mark.parametrize(
    "name",
    ["../a.md", "a/../../b.md", "/etc/a", "C:\\a.md", "C:/a.md", "a\\..\\b.md", "a//b.md", "./a.md", "a/./b"],
)
def test_a_zip_that_leads_out_is_refused(name: str) -> None:
    assert "refused" in refusal(packed({"ok.md": b"", name: b"x"}))


def test_a_nul_in_a_name_is_refused() -> None:
    archive = packed({"ok.md": b"", "aXb.md": b"x"}).replace(b"aXb.md", b"a\0b.md")
    assert "refused" in refusal(archive)


@pytest.mark.parametrize("pair", [("a.md", "A.MD"), ("straße.md", "STRASSE.md"), ("é.md", "e\u0301.md")])
def test_names_that_could_be_one_file_are_refused(pair: tuple[str, str]) -> None:
    assert "twice" in refusal(packed({pair[0]: b"1", pair[1]: b"2"}))


def test_the_same_name_twice_is_refused() -> None:
    archive = packed({"one.md": b"1", "two.md": b"2"}).replace(b"two.md", b"one.md")
    assert "twice" in refusal(archive)


def test_a_file_that_is_also_a_folder_is_refused() -> None:
    assert "folder" in refusal(packed({"a": b"1", "a/b.md": b"2"}))


def test_links_and_special_files_are_refused() -> None:
    for kind in (0o120777, 0o010644, 0o060644):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            entry = zipfile.ZipInfo("link.md")
            entry.external_attr = kind << 16
            archive.writestr(entry, "/etc/passwd")
        assert "link" in refusal(buffer.getvalue())


def with_flag(archive: bytes, flag: int) -> bytes:
    """Set a general purpose flag in the first central entry."""
    at = archive.index(b"PK\x01\x02") + 8
    flags = struct.unpack_from("<H", archive, at)[0] | flag
    return archive[:at] + struct.pack("<H", flags) + archive[at + 2 :]


def test_encrypted_archives_are_refused() -> None:
    assert "encrypted" in refusal(with_flag(packed({"a.md": b"x"}), 0x1))


def test_names_in_a_bad_encoding_are_refused() -> None:
    archive = with_flag(packed({"aaaa.md": b"x"}), 0x800).replace(b"aaaa.md", b"a\xff\xfea.md")
    assert "UTF-8" in refusal(archive)


def test_utf8_names_without_their_flag_are_read() -> None:
    archive = packed({"aaa.md": b"x", "b.md": b""}).replace(b"aaa.md", "日.md".encode())
    assert "日.md" in contents(Zip(archive))


def test_uncommon_methods_are_refused() -> None:
    assert "method" in refusal(packed({"a.md": b"x"}, zipfile.ZIP_LZMA))


def test_too_many_entries_are_refused_before_they_are_read() -> None:
    archive = packed({f"{number}.md": b"" for number in range(60)}, zipfile.ZIP_STORED)
    assert "entries" in refusal(archive, ZipLimits(entries=50))
    assert len(contents(Zip(archive, ZipLimits(entries=60)))) == 60


def test_bombs_are_refused() -> None:
    bomb = packed({"a.bin": b"\0" * 5_000_000, "b.bin": b"\0" * 5_000_000})
    assert "larger" in refusal(bomb, ZipLimits(file=4_000_000))
    assert "expands" in refusal(bomb, ZipLimits(expanded=8_000_000))
    assert "larger" in refusal(bomb, ZipLimits(packed=1_000))


def test_sizes_in_the_headers_are_not_trusted() -> None:
    honest = packed({"a.bin": b"\0" * 5_000_000})
    at = honest.index(b"PK\x01\x02") + 24
    lying = honest[:at] + struct.pack("<I", 10) + honest[at + 4 :]
    assert "damaged" in refusal(lying, ZipLimits(file=4_000_000))


def test_expanded_bytes_are_counted_once_per_file() -> None:
    tree = Zip(packed({"a": b"x" * 600, "b": b"y" * 300}), ZipLimits(expanded=1_000))
    for _ in range(5):
        assert len(tree.read("a")) == 600
        assert len(tree.read("b", 10)) == 10


def test_broken_archives_are_refused_wherever_they_break() -> None:
    archive = packed({"a.md": b"some text " * 50, "b.md": os.urandom(300)})
    for length in range(0, len(archive), 7):
        refusal(archive[:length])
    for at in range(0, len(archive), 5):
        broken = archive[:at] + bytes([archive[at] ^ 0xFF]) + archive[at + 1 :]
        try:
            contents(Zip(broken))
        except Invalid:
            continue


def test_what_is_no_zip_is_refused(tmp_path: Path) -> None:
    assert "zip" in refusal(b"")
    assert "zip" in refusal(b"PK\x05\x06" + b"\xff" * 18)
    assert "zip" in refusal(os.urandom(5_000))
    with pytest.raises(Invalid):
        Zip(tmp_path / "missing.zip")
    (tmp_path / "bad.zip").write_bytes(b"nothing")
    with pytest.raises(Invalid):
        Zip(tmp_path / "bad.zip")
