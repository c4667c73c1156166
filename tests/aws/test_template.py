"""template.yaml says what Lambda runs."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import httpx
import pytest
from cfnlint.decode import decode  # type: ignore[import-untyped]

from app.kit.settings import Settings
from tests.aws import lambda_runtime
from tests.aws.lambda_events import Gateway
from tests.aws.lambda_runtime import BASE, ROOT, SNAP_START
from tests.timing import TIMEOUT

SPARE = 5  # seconds for what is done before and after a job
TEMPLATE = ROOT / "template.yaml"


@pytest.fixture(scope="module")
def resources() -> dict[str, Any]:
    """What the stack makes, by its names."""
    template: Any = decode(str(TEMPLATE))[0]
    found: dict[str, Any] = template["Resources"]
    return found


@pytest.fixture(scope="module")
def resource(resources: dict[str, Any]) -> dict[str, Any]:
    """The function."""
    found: dict[str, Any] = resources["Function"]
    return found


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
    of_the_handler = {"SECRETS_ARN", "DATABASE_SECRET_ARN", "WORK_QUEUE_URL"}
    assert function["Environment"]["Variables"].keys() <= {*known, *of_the_handler}
    assert json.loads(function["Events"]["Work"]["Properties"]["Input"]) == {"docyard": "work"}
    assert function["Runtime"] == "python3.13"


def test_no_secret_stands_in_the_configuration(function: dict[str, Any]) -> None:
    """What is resolved when the stack is made can be read by whoever may look at the function."""
    assert "{{resolve:" not in json.dumps(function, default=str)


def test_specifications_and_imports_are_read_within_one_call(function: dict[str, Any]) -> None:
    """One whose processing is cut off would be in progress for ever: it is begun again, and cut off again."""
    aws = import_module("app.aws")
    limit = float(function["Environment"]["Variables"]["DOCYARD_OPENAPI_TIMEOUT"])  # to fetch, and to read
    assert aws.LONGEST_WORK + max(2 * limit, aws.LONGEST_IMPORT) + SPARE < function["Timeout"]


def test_the_bundle_is_what_pip_installs_of_the_whole_project(resource: dict[str, Any]) -> None:
    assert resource["Properties"]["CodeUri"] == "."
    recipe = (ROOT / resource["Metadata"]["ContextPath"] / "Makefile").read_text()
    _, _, target = recipe.replace("\\\n", "").partition("\nbuild-Function:\n")
    install = target.splitlines()[0].split()
    assert install[1:4] == ["-m", "pip", "install"]
    assert install[install.index("--target") + 1] == '"$(ARTIFACTS_DIR)"'
    assert install[-2:] == ['"$(ARTIFACTS_DIR)"', "."]


def test_what_the_bundle_leaves_out_is_never_needed(
    resource: dict[str, Any], fresh_database: str, tmp_path: Path
) -> None:
    recipe = (ROOT / resource["Metadata"]["ContextPath"] / "Makefile").read_text()
    (unused,) = [line.split()[2:] for line in recipe.splitlines() if line.startswith("UNUSED = ")]
    for name in unused:
        (tmp_path / f"{name}.py").write_text("raise ImportError(__name__)")
    environment = {"DOCYARD_DATABASE": fresh_database, "PYTHONPATH": str(tmp_path), **SNAP_START}
    with lambda_runtime.function(tmp_path / "log", **environment) as api:
        api.restore()
        assert api.invoke({"docyard": "work"}) == {"tried": 0}
        with httpx.Client(base_url=BASE, transport=Gateway(api), timeout=TIMEOUT) as client:
            assert client.get("/docs").status_code == 200
            assert client.post("/graphql", json={"query": "{ __typename }"}).status_code == 401


def test_a_killed_environment_costs_three_minutes_at_most(function: dict[str, Any]) -> None:
    """Its job begins again when the lease has ended and the schedule comes."""
    assert function["Events"]["Work"]["Properties"]["ScheduleExpression"] == "rate(1 minute)"
    lease = int(function["Environment"]["Variables"]["DOCYARD_JOB_LEASE"])
    assert Settings(job_lease=lease).job_lease + 60 <= 180


def test_messages_that_fail_again_and_again_are_kept_and_told_of(resources: dict[str, Any]) -> None:
    due, failed = resources["DueWork"]["Properties"], resources["FailedWork"]["Properties"]
    assert due["RedrivePolicy"]["deadLetterTargetArn"] == {"Fn::GetAtt": ["FailedWork", "Arn"]}
    assert due["VisibilityTimeout"] >= 6 * resources["Function"]["Properties"]["Timeout"]
    assert failed["MessageRetentionPeriod"] > due["MessageRetentionPeriod"]
    (dimension,) = resources["WorkIsLeft"]["Properties"]["Dimensions"]
    assert dimension["Value"] == {"Fn::GetAtt": ["FailedWork", "QueueName"]}
    source = resources["Function"]["Properties"]["Events"]["Due"]["Properties"]
    assert source["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
