"""`docyard import --site`: a repository with its languages as a site, its report, and importing it again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from app.domain.imports.site_imports import language_of
from app.formats.repository.file_tree import Memory
from app.formats.repository.import_plan import read_plan
from app.formats.repository.import_report import Report
from app.formats.repository.languages import read_languages
from tests import make
from tests.cli.command import Run
from tests.git_server import hosting

BOOK: make.Files = {
    "LANGS.md": "* [English](en/)\n* [Chinese (中文)](zh)\n<!-- * [Español](es/) -->\n* [Lost](fr/)\n",
    "README.md": "# Of the repository\n",
    "Jenkinsfile": "stages",
    "assets/leaf.png": make.picture(3, 2),
    "assets/unused.png": make.picture(2, 2),
    "en/SUMMARY.md": "# Summary\n\n* [Tea](README.md)\n* [Leaves](leaves.md)\n  * [Green](kinds/green.md)\n",
    "en/README.md": "# Welcome\n",
    "en/leaves.md": "# L\n\n![leaf](../assets/leaf.png)\n\n[lost](lost.md)\n",
    "en/kinds/green.md": "# G\n\n[up](../leaves.md)\n",
    "zh/SUMMARY.md": "* [茶](README.md)\n* [叶](leaves.md)\n",
    "zh/README.md": "# 茶\n",
    "zh/leaves.md": "# 叶\n\n[lost](lost.md)\n",
    "es/SUMMARY.md": "* [Té](README.md)\n",
    "es/README.md": "# Té\n",
}


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """A repository with two languages on disk."""
    for path, content in BOOK.items():
        place = tmp_path / "book" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(make.in_bytes(content))
    return tmp_path / "book"


def imported(run: Run, *arguments: object) -> dict[str, Any]:
    """What `import … --json` says."""
    code, out, words = run("import", *arguments, "--json")
    assert code == 0, words
    said: dict[str, Any] = json.loads(out)
    return said


def test_a_repository_of_languages_becomes_a_site_with_a_space_for_each(
    run: Run, organization: str, book: Path, tmp_path: Path
) -> None:
    said = imported(run, book, "--org", organization, "--site", "Tea book", "--publish")
    assert (said["created"], said["published"]) == (True, True)
    shown = [(space["title"], space["language"], space["pages"]) for space in said["spaces"]]
    assert shown == [("English", "en", 3), ("Chinese (中文)", "zh", 2)]
    report = said["report"]
    assert (report["pages"], report["files"], report["unlistedPages"]) == (5, 1, 0)
    causes = {(each["kind"], each["message"]): each for each in report["causes"]}
    broken = causes["broken-link", "“…” leads nowhere."]
    assert (broken["count"], broken["places"]) == (2, ["en/leaves.md:5", "zh/leaves.md:3"])
    assert causes["missing-file", "“…” has no folder with pages."]["places"] == ["LANGS.md:4"]
    assert ("navigation", "“…” has a table of contents and is not in LANGS.md; left out.") in causes
    assert run("export", tmp_path / "en", "--space", said["spaces"][0]["id"])[0] == 0
    held = {str(path.relative_to(tmp_path / "en")) for path in (tmp_path / "en").rglob("*") if path.is_file()}
    english = {path for path in BOOK if path.startswith("en/")}
    assert held == {*english, ".gitbook.yaml", "assets/leaf.png"}
    assert (tmp_path / "en/en/SUMMARY.md").read_bytes() == make.in_bytes(BOOK["en/SUMMARY.md"])


def test_links_of_a_translation_enter_pages_where_those_of_the_original_do(
    run: Run, organization: str, book: Path, tmp_path: Path
) -> None:
    (book / "en/leaves.md").write_text("# L\n\n## Green tea\n\n## More\n")
    (book / "en/kinds/green.md").write_text("# G\n\n## One\n\n## Two\n")
    links = (
        "[a](#green-tea) [b](README.md#welcome) [c](/README#welcome 'x') [d](#绿茶) [e](#g_(o)) [f](/no.md)"
    )
    (book / "zh/leaves.md").write_text(f"---\nicon: x\n---\n\n# 叶\n\n## 绿茶\n\n## 更多\n\n{links}\n")
    (book / "zh/kinds").mkdir()
    (book / "zh/kinds/green.md").write_text("# 绿\n\n## 一\n\n[other headings](#two)\n\n`[code](#one)`\n")
    said = imported(run, book, "--org", organization, "--site", "Tea book")
    assert run("export", tmp_path / "zh", "--space", said["spaces"][1]["id"])[0] == 0
    entered = "[a](#绿茶) [b](README.md#茶) [c](/zh/README#茶 'x') [d](#绿茶) [e](#g_(o)) [f](/no.md)"
    leaves = (tmp_path / "zh/zh/leaves.md").read_text()
    assert leaves == f"---\nicon: x\n---\n\n# 叶\n\n## 绿茶\n\n## 更多\n\n{entered}\n"
    green = (tmp_path / "zh/zh/kinds/green.md").read_text()
    assert green == "# 绿\n\n## 一\n\n[other headings](#two)\n\n`[code](#one)`\n"
    causes = {each["message"]: each["places"] for each in said["report"]["causes"]}
    nowhere = causes["“…” leads to no place in the page."]
    assert sorted(nowhere) == ["zh/kinds/green.md:5", "zh/leaves.md:11"]


def test_importing_a_site_again_updates_its_spaces(run: Run, organization: str, book: Path) -> None:
    first = imported(run, book, "--org", organization, "--site", "Tea book")
    (book / "en/leaves.md").write_text("# New\n")
    (book / "zh/leaves.md").unlink()
    code, site, words = run("import", book, "--org", organization, "--site", "tea BOOK", "--replace")
    assert (code, site) == (0, first["site"])
    assert "English (en): 3 pages.\n" in words
    assert "Chinese (中文) (zh): 1 page.\n" in words
    assert "not published" in words
    again = imported(run, book, "--org", organization, "--site", first["site"], "--publish")
    assert [space["id"] for space in again["spaces"]] == [space["id"] for space in first["spaces"]]
    assert (again["created"], again["published"]) == (False, True)
    (book / "LANGS.md").write_text("* [English](en/)\n* [Español](es/)\n")
    more = imported(run, book, "--org", organization, "--site", first["site"], "--unpublish")
    assert [space["language"] for space in more["spaces"]] == ["en", "es"]
    assert more["spaces"][0]["id"] == first["spaces"][0]["id"]
    assert more["published"] is False


def test_a_repository_without_languages_becomes_a_site_of_one_space(
    run: Run, organization: str, tmp_path: Path
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "mkdocs.yml").write_text("nav: [b.md, a.md]\n")
    for name in ("a", "b"):
        (tmp_path / "docs" / f"{name}.md").write_text(f"# {name}\n")
    said = imported(run, tmp_path, "--org", organization, "--site", "Letters")
    ((space,), report) = (said["spaces"], said["report"])
    assert (space["title"], space["language"], space["pages"]) == ("Letters", None, 2)
    again = imported(run, tmp_path, "--org", organization, "--site", "Letters")
    assert (again["spaces"][0]["id"], again["created"]) == (space["id"], False)
    assert report["causes"] == []


def test_a_repository_at_an_address_is_fetched_at_a_branch(
    run: Run, organization: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {path: make.in_bytes(content) for path, content in BOOK.items()}
    with hosting(tmp_path / "repositories") as host:
        origin = host.create("book.git", files)
        origin.commit({**files, "en/leaves.md": b"# Next\n"}, branch="next")
        address = urlsplit(origin.url).netloc
        site = (origin.url, "--org", organization, "--site", "Tea book")
        code, out, words = run("import", *site)
        assert (code, out) == (1, "")
        assert "Only https addresses" in words
        monkeypatch.setenv("DOCYARD_OUTBOUND_ALLOW", address)
        said = imported(run, *site, "--ref", "next")
        assert [space["language"] for space in said["spaces"]] == ["en", "zh"]
        assert run("export", tmp_path / "en", "--space", said["spaces"][0]["id"])[0] == 0
        assert (tmp_path / "en/en/leaves.md").read_bytes() == b"# Next\n"
        assert "no such" in run("import", *site, "--ref", "nowhere")[2]
        host.login = "Basic YWRhOnMzY3IzdA=="  # ada:s3cr3t
        assert "asks for a user and a token" in run("import", *site)[2]
        monkeypatch.setenv("DOCYARD_GIT_CREDENTIALS", f"{address}=ada:s3cr3t")
        assert imported(run, *site)["site"] == said["site"]


def test_a_space_is_told_as_json_with_its_report(run: Run, organization: str, book: Path) -> None:
    said = imported(run, book / "en", "--org", organization, "--title", "Tea")
    assert len(said["space"]) == 20
    assert said["report"]["pages"] == 3


def test_refusals_of_a_site_say_what_to_give(run: Run, organization: str, book: Path) -> None:
    for arguments, words in (
        (("--site", "Tea"), "--site with --org"),
        (("--org", organization, "--site", "Tea", "--title", "T"), "neither --space nor --title"),
        (("--org", organization, "--title", "T", "--publish"), "need --site"),
        (("--org", organization, "--title", "T", "--ref", "main"), "--ref needs"),
        (("--org", "unknown", "--site", "Tea"), "docyard org list"),
        (("--org", organization, "--site", "T"), "2"),
    ):
        code, out, said = run("import", book, *arguments)
        assert code != 0, arguments
        assert words in said
        assert out == ""


def test_each_language_has_its_pages_and_the_files_that_they_name() -> None:
    tree = Memory({path: make.in_bytes(content) for path, content in BOOK.items()})
    english, chinese = read_languages(tree, Report())
    plan = read_plan(english.tree)
    assert [(page.path, page.title) for page in plan.pages] == [
        ("en", "Tea"),
        ("leaves", "Leaves"),
        ("leaves/green", "Green"),
    ]
    assert [file.source for file in plan.files] == ["assets/leaf.png"]
    assert read_plan(chinese.tree).files == []
    assert read_languages(Memory({"LANGS.md": b"* [x](x)\n", "a.md": b"# A\n"}), Report()) == []


@pytest.mark.parametrize(
    ("folder", "language"),
    [("en", "en"), ("pt_BR", "pt-br"), ("de-AT", "de"), ("zh-Hant", "zh-tw"), ("jp", "ja"), ("docs", None)],
)
def test_folders_are_named_after_languages(folder: str, language: str | None) -> None:
    assert language_of(folder) == language
