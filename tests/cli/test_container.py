"""The files of the container name settings that there are, and the versions that the tests run with."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from app.kit.settings import Settings
from tests.cli.fork_server import ROOT

FOLDER = ROOT / ".ci" / "container"
COMPOSE = yaml.safe_load((FOLDER / "compose.yaml").read_text())
IMAGE = (FOLDER / "Containerfile").read_text()
PINNED = re.compile(r"^([a-z0-9._-]+)==(\S+)", re.MULTILINE)


def setting(variable: str) -> str:
    """The setting that a variable sets."""
    return variable.removeprefix("DOCYARD_").removesuffix("_FILE").lower()


def test_every_variable_is_a_setting() -> None:
    variables = (
        set(re.findall(r"\bDOCYARD_[A-Z_]+", IMAGE)) | COMPOSE["services"]["docyard"]["environment"].keys()
    )
    assert {setting(each) for each in variables} <= Settings.model_fields.keys()


def test_the_server_has_no_rights_and_writes_in_its_folder_alone() -> None:
    service = COMPOSE["services"]["docyard"]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["volumes"] == ["files:/data"]
    assert "USER 10001" in IMAGE.splitlines()
    assert "HEALTHCHECK" in IMAGE


def test_every_secret_comes_from_a_file() -> None:
    given = COMPOSE["services"]["docyard"]["environment"]
    secret = {name for name in given if re.search("SECRET|KEY|TOKEN|DATABASE", name)}
    assert {name.endswith("_FILE") for name in secret} == {True}
    for service in COMPOSE["services"].values():
        assert set(service.get("secrets", ())) <= COMPOSE["secrets"].keys()


def test_the_image_has_the_versions_that_are_tested() -> None:
    def pinned(file: Path) -> dict[str, str]:
        return dict(PINNED.findall(file.read_text()))

    everything, image = pinned(ROOT / "requirements.txt"), pinned(FOLDER / "requirements.txt")
    assert image.items() <= everything.items()
    assert {"starlette", "prometheus-client", "obstore"} <= image.keys()
    assert "pytest" not in image
