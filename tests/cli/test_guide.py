"""What the guide says of this version agrees with the program."""

from __future__ import annotations

import re
import tomllib

import yaml

from app.kit.build import VERSION
from app.kit.settings import Settings
from tests.cli.command import ROOT

GUIDE = ROOT / "app/demo/guide"


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
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    variables = yaml.safe_load((GUIDE / ".gitbook/vars.yaml").read_text())
    assert str(variables["version"]) == project
    assert project == VERSION


def test_settings_that_the_guide_names_exist() -> None:
    known = {f"DOCYARD_{name.upper()}" for name in Settings.model_fields}
    for page in GUIDE.rglob("*.md"):
        assert set(re.findall(r"DOCYARD_\w*[A-Z]", page.read_text())) <= known, page
