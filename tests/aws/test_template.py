"""template.yaml says what Lambda runs."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module
from typing import Any

import pytest
from cfnlint.decode import decode  # type: ignore[import-untyped]

from app.kit.settings import Settings
from tests.aws.lambda_runtime import ROOT

TEMPLATE = ROOT / "template.yaml"


@pytest.fixture(scope="module")
def resource() -> dict[str, Any]:
    """The function."""
    template: Any = decode(str(TEMPLATE))[0]
    function: dict[str, Any] = template["Resources"]["Function"]
    return function


@pytest.fixture(scope="module")
def function(resource: dict[str, Any]) -> dict[str, Any]:
    """The function's properties."""
    properties: dict[str, Any] = resource["Properties"]
    return properties


def test_the_template_is_clean() -> None:
    lint = "import sys; from cfnlint.runner import main; sys.exit(main())"
    ran = subprocess.run([sys.executable, "-c", lint, TEMPLATE], capture_output=True, text=True)
    assert (ran.returncode, ran.stdout) == (0, "")


def test_the_template_names_our_handler_and_known_settings(function: dict[str, Any]) -> None:
    module, _, name = function["Handler"].rpartition(".")
    assert callable(getattr(import_module(module), name))
    known = {f"DOCYARD_{name.upper()}" for name in Settings.model_fields}
    assert function["Environment"]["Variables"].keys() <= known
    assert json.loads(function["Events"]["Work"]["Properties"]["Input"]) == {"docyard": "work"}
    assert (function["Runtime"], function["Architectures"]) == ("python3.13", ["arm64"])


def test_a_specification_is_read_within_one_call(function: dict[str, Any]) -> None:
    """One whose processing is cut off would be in progress for ever: it is begun again, and cut off again."""
    aws = import_module("app.aws")
    limit = float(function["Environment"]["Variables"]["DOCYARD_OPENAPI_TIMEOUT"])  # to fetch, and to read
    assert aws.LONGEST_WORK + 2 * limit + aws.SPARE < function["Timeout"]


def test_the_bundle_is_what_pip_installs_of_the_whole_project(resource: dict[str, Any]) -> None:
    assert resource["Properties"]["CodeUri"] == "."
    recipe = (ROOT / resource["Metadata"]["ContextPath"] / "Makefile").read_text()
    _, _, target = recipe.replace("\\\n", "").partition("\nbuild-Function:\n")
    install = target.splitlines()[0].split()
    assert install[1:4] == ["-m", "pip", "install"]
    assert install[install.index("--target") + 1] == '"$(ARTIFACTS_DIR)"'
    assert install[-2:] == ['"$(ARTIFACTS_DIR)"', "."]
