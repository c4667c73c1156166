"""`docyard integration publish`: what stands in a folder becomes a version."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from app.cli import main
from app.cli.session import acting_in, read
from app.domain.integrations import integrations
from tests.make import picture

MANIFEST = {
    "name": "lamp-counter",
    "title": "Lamp counter",
    "description": "Counts lamps",
    "scopes": ["space:content:read"],
    "script": "dist/script.js",
    "icon": "icon.png",
    "blocks": [{"id": "lamp", "title": "Lamp", "icon": "icon.png"}],
    "secrets": {"KEY": "${LAMP_KEY}"},
}


@pytest.fixture
def org(empty_database: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """An organization."""
    monkeypatch.setenv("DOCYARD_DATABASE", empty_database)
    assert main(["user", "create", "ann@example.org", "--name", "Ann"]) == 0
    capsys.readouterr()
    assert main(["org", "create", "Example", "--owner", "ann@example.org"]) == 0
    return capsys.readouterr().out.strip()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with everything that a manifest names."""
    (tmp_path / "dist").mkdir()
    (tmp_path / "dist/script.js").write_text("export default { fetch() {} };")
    (tmp_path / "icon.png").write_bytes(picture(2, 2))
    (tmp_path / "integration.json").write_text(json.dumps(MANIFEST))
    return tmp_path


def test_a_folder_is_published_and_published_again(
    org: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LAMP_KEY", "from outside")
    for version in (1, 2):
        capsys.readouterr()
        assert main(["integration", "publish", str(folder), "--org", org]) == 0
        printed = capsys.readouterr()
        assert printed.out.strip() == "lamp-counter"
        assert f"version {version}" in printed.err
    found = asyncio.run(read(None, lambda cx: integrations.get(acting_in(cx, org), "lamp-counter")))
    assert found.manifest["icon"] == found.manifest["blocks"][0]["icon"]


@pytest.mark.parametrize("missing", ["integration.json", "dist/script.js", "icon.png", "LAMP_KEY"])
def test_what_is_missing_is_said_in_a_sentence(
    org: str,
    folder: Path,
    missing: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("LAMP_KEY", "from outside")
    if missing == "LAMP_KEY":
        monkeypatch.delenv(missing)
    else:
        (folder / missing).unlink()
    assert main(["integration", "publish", str(folder), "--org", org]) == 1
    assert missing in capsys.readouterr().err
