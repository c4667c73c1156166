"""The package: it contains all files, and all dependencies are pinned."""

from __future__ import annotations

import re
import tomllib
from glob import glob
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests.cli.command import ROOT

_PIN = re.compile(r"^([\w.-]+)==(\S+)((?: ;[^\\]*)?)((?: \\\n +--hash=sha256:[0-9a-f]{64})+)$", re.MULTILINE)
BUNDLED = ("git", "s3", "saml", "integrations", "openapi")


def _project() -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return found


def _declared(*extras: str) -> list[Requirement]:
    """The dependencies with those of some extras, or of all; an extra may name others as `docyard[git]`."""
    project = _project()
    optional = project["optional-dependencies"]
    texts, waiting = list(project["dependencies"]), list(extras or optional)
    while waiting:
        for text in optional[waiting.pop()]:
            if text.startswith("docyard["):
                waiting.extend(Requirement(text).extras)
            else:
                texts.append(text)
    return [Requirement(text) for text in texts]


def _pins(file: str) -> dict[str, list[Version]]:
    """The pinned versions by name, which differ for some by platform; all of the file must be pins."""
    text = (ROOT / file).read_text()
    assert not re.sub(r"^#.*\n", "", _PIN.sub("", text), flags=re.MULTILINE).strip()
    pins: dict[str, list[Version]] = {}
    for name, version, _marker, _hashes in _PIN.findall(text):
        pins.setdefault(canonicalize_name(name), []).append(Version(version))
    return pins


@pytest.mark.parametrize(
    ("file", "extras"),
    [("requirements.txt", ()), (".ci/lambda/requirements.txt", BUNDLED)],
    ids=["all", "lambda"],
)
def test_what_the_project_declares_is_pinned_with_hashes(file: str, extras: tuple[str, ...]) -> None:
    pins = _pins(file)
    for requirement in _declared(*extras):
        versions = pins.get(canonicalize_name(requirement.name))
        assert versions, f"{requirement} is not pinned: run .ci/pins"
        assert all(requirement.specifier.contains(version) for version in versions), requirement


def test_the_bundle_has_the_same_versions_as_everything_else() -> None:
    everything = _pins("requirements.txt")
    for name, versions in _pins(".ci/lambda/requirements.txt").items():
        assert set(versions) <= set(everything[name]), name


def test_what_dependencies_need_is_pinned_too() -> None:
    pins = _pins("requirements.txt")
    waiting = _declared()
    seen: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        requirement = waiting.pop()
        name, extras = canonicalize_name(requirement.name), frozenset(requirement.extras)
        if (name, extras) in seen or (requirement.marker and not requirement.marker.evaluate({"extra": ""})):
            continue
        seen.add((name, extras))
        assert Version(metadata.version(name)) in pins.get(name, []), f"{name}: run .ci/pins"
        for needed in map(Requirement, metadata.requires(name) or ()):
            if needed.marker is None or any(needed.marker.evaluate({"extra": e}) for e in ("", *extras)):
                waiting.append(needed)
    assert len(seen) > 100


def test_every_file_of_the_package_is_installed() -> None:
    configuration = tomllib.loads((ROOT / "pyproject.toml").read_text())
    patterns = configuration["tool"]["setuptools"]["package-data"]["app"]
    # Like setuptools' own, this glob finds hidden names only where the pattern spells them out.
    installed = {
        name for pattern in patterns for name in glob(pattern, root_dir=ROOT / "app", recursive=True)
    }
    assert _data(ROOT / "app") <= installed


def _data(folder: Path) -> set[str]:
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and path.suffix not in (".py", ".pyc")
    }
