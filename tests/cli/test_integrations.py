"""`docyard integration publish`: what stands in a folder becomes a version."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from app.cli import main
from app.cli.session import acting_in, change, read
from app.domain.integrations import installations, integrations
from app.models.installations import InstallationCreate
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
def org(fresh_database: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """An organization."""
    monkeypatch.setenv("DOCYARD_DATABASE", fresh_database)
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


def test_fields_without_effect_are_told(
    org: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LAMP_KEY", "from outside")
    (folder / "integration.json").write_text(json.dumps({**MANIFEST, "colour": "red"}))
    assert main(["integration", "publish", str(folder), "--org", org]) == 0
    printed = capsys.readouterr()
    assert printed.out.strip() == "lamp-counter"
    assert "colour: Nothing here knows this field; it is kept without effect." in printed.err


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


def test_an_integration_is_paused_and_goes_on(
    org: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LAMP_KEY", "from outside")
    assert main(["integration", "publish", str(folder), "--org", org]) == 0
    assert main(["integration", "pause", "lamp-counter"]) == 1, "it is installed nowhere"
    new = InstallationCreate(organization=org)
    made = asyncio.run(
        change(None, lambda cx: installations.install(acting_in(cx, org), "lamp-counter", new))
    )

    def status() -> Any:
        found = asyncio.run(
            read(None, lambda cx: installations.get(acting_in(cx, org), "lamp-counter", made.id))
        )
        return found.status

    assert main(["integration", "pause", "no-such"]) == 1
    assert main(["integration", "pause", "lamp-counter", "--org", "elsewhere"]) == 1
    assert status() == "active"
    for command, standing in (("pause", "paused"), ("resume", "active")):
        capsys.readouterr()
        assert main(["integration", command, "lamp-counter", "--org", org]) == 0
        assert "in 1 organization." in capsys.readouterr().err
        assert status() == standing
    assert main(["audit", "verify", "--org", org]) == 0
