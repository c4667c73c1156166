"""What `pip install` takes along."""

from __future__ import annotations

import tomllib
from glob import glob
from pathlib import Path

from tests.cli.command import ROOT


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
