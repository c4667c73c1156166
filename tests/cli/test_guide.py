"""Statements of the guide about this version match the program."""

from __future__ import annotations

import json
import re
import tomllib

import yaml

from app.api.catalog import OPERATIONS
from app.cli.installation import NEW
from app.formats.markdown.hrefs import candidates, follow
from app.formats.markdown.scanner import scan
from app.formats.repository.file_tree import Folder
from app.formats.repository.import_plan import load, read_plan
from app.kit.build import VERSION
from app.kit.settings import Settings
from graphql import build_schema, parse, validate
from tests.cli.command import ROOT

GUIDE = ROOT / "app/demo/guide"
FENCES = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
ROWS = re.compile(r"^\| `(\w+)` \| `([A-Z]+) (\S+)` \|$", re.MULTILINE)


def test_every_setting_is_described_and_no_other() -> None:
    described = re.findall(r"(?m)^\| `(DOCYARD_\w+)` \|", (GUIDE / "operating/settings.md").read_text())
    assert sorted(described) == sorted(f"DOCYARD_{name.upper()}" for name in Settings.model_fields)


def test_numbers_and_words_are_described_with_their_default() -> None:
    text = (GUIDE / "operating/settings.md").read_text()
    rows = dict(re.findall(r"(?m)^\| `DOCYARD_(\w+)` \| ([^|]*[^| ]) +\|", text))
    for name, field in Settings.model_fields.items():
        default = field.default
        if default == "":
            continue
        shown = rows[name.upper()].strip("`")
        assert shown == (
            str(default).lower() if isinstance(default, bool) else f"{default}".removesuffix(".0")
        )


def test_the_version_is_the_same_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "app.kit.build.VERSION"}
    variables = yaml.safe_load((GUIDE / ".gitbook/vars.yaml").read_text())
    assert str(variables["version"]) == VERSION
    assert f"- {VERSION} " in (ROOT / "README.md").read_text()


def test_settings_that_the_guide_names_exist() -> None:
    variables = {f"DOCYARD_{name.upper()}" for name in Settings.model_fields}
    known = variables | {f"{name}_FILE" for name in variables} | {NEW}
    for page in GUIDE.rglob("*.md"):
        assert set(re.findall(r"DOCYARD_\w*[A-Z]", page.read_text())) <= known, page


def test_links_of_the_guide_lead_somewhere() -> None:
    plan = read_plan(Folder(GUIDE))
    sources = [page.source for page in plan.pages if page.source]
    sources += [block.source for block in plan.reusable]
    scans = {source: scan(load(plan, source).body) for source in sources}
    anchors = {source: {heading.anchor for heading in found.headings} for source, found in scans.items()}
    known = {*sources, *(file.source for file in plan.files)}
    for source, found in scans.items():
        for link in found.links:
            kind, target = follow(link.href, source)
            if kind == "external":
                continue
            assert target is not None, (source, link.href)
            there = next((path for path in candidates(target.path) if path in known), None)
            assert there is not None, (source, link.href)
            assert target.anchor is None or target.anchor in anchors[there], (source, link.href)


def test_requests_and_answers_of_the_guide_can_be_read() -> None:
    schema = build_schema((ROOT / "graphql/schema.graphql").read_text())
    for page in GUIDE.rglob("*.md"):
        for language, text in FENCES.findall(page.read_text()):
            if language == "json":
                json.loads(text)
            elif language == "python":
                compile(text, str(page), "exec")
            elif language == "graphql":
                assert not validate(schema, parse(text)), (page, text)


def test_operations_that_the_guide_names_are_at_these_addresses() -> None:
    known = {row.id: (row.method, "/v1" + row.path.replace(":path", "").rstrip("/")) for row in OPERATIONS}
    told = [row for page in GUIDE.rglob("*.md") for row in ROWS.findall(page.read_text())]
    assert len(told) > 70
    for name, method, address in told:
        assert name in known, name
        assert known[name][0] == method, name
        whole = known[name][1]
        assert whole.endswith(address[1:]) if address[0] == "…" else whole == address.rstrip("/"), name


def test_readme_and_architecture_name_what_is_there() -> None:
    for page in (ROOT / "README.md", ROOT / "app/ARCHITECTURE.md", ROOT / "tests/bench/README.md"):
        text = page.read_text()
        for link in re.findall(r"\]\(([^)#:]+)\)", text):
            assert (page.parent / link).exists(), (page, link)
        for path in re.findall(r"`([\w.-]+/[\w./-]+(?:\.py|\.tsv|\.graphql|/))`", text):
            assert any((base / path).exists() for base in (ROOT, ROOT / "app")), (page, path)


def test_the_map_of_the_code_names_every_package() -> None:
    """Each line of the map is indented below its folder and begins with names, two spaces apart."""
    drawn = (ROOT / "app/ARCHITECTURE.md").read_text().split("```")[1]
    named, folders = set(), {0: ROOT}
    for line in drawn.strip("\n").split("\n"):
        indent = len(line) - len(line.lstrip())
        names = re.match(r"(?:[\w.]+(?:/|\.py) {2,})+", line.lstrip() + "  ")
        for name in names[0].split() if names else ():
            path = folders[indent] / name
            assert path.exists(), path
            named.add(path)
            folders[indent + 2] = path
    packages = {path.parent for path in (ROOT / "app").glob("*/__init__.py")}
    packages |= {path.parent for path in (ROOT / "app/domain").glob("*/__init__.py")}
    assert packages <= named
