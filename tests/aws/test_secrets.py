"""Settings that a function reads from a secret instead of having them in its configuration."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest

from app.kit.ids import new_id
from tests.aws.lambda_events import Gateway
from tests.aws.lambda_runtime import BASE, function
from tests.cli.command import AUDIT_KEY, SECRET
from tests.databases import asked, migrated_on, told
from tests.local_server import Answer, Request, serve
from tests.timing import TIMEOUT

ARN = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:docyard-AbCdEf"


class SecretsManager:
    """A server that keeps one secret, of which it tells those who sign what they ask."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.asked: list[str] = []

    def __call__(self, request: Request) -> Answer:
        assert request.headers["x-amz-target"] == "secretsmanager.GetSecretValue"
        assert "AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE/" in request.headers["authorization"]
        self.asked.append(json.loads(request.body)["SecretId"])
        body = json.dumps({"ARN": ARN, "SecretString": self._text}).encode()
        return 200, {"content-type": "application/x-amz-json-1.1"}, body


def environment(server: str) -> dict[str, str]:
    """Return what a function has in its environment beside settings."""
    return {
        "SECRETS_ARN": ARN,
        "AWS_ENDPOINT_URL_SECRETS_MANAGER": server,
        "AWS_DEFAULT_REGION": "eu-central-1",
        "AWS_ACCESS_KEY_ID": "AKIAEXAMPLE",
        "AWS_SECRET_ACCESS_KEY": "example",
    }


def test_settings_are_read_from_a_secret(tmp_path: Path) -> None:
    database = tmp_path / "docyard.db"
    kept = {"DOCYARD_SECRET": SECRET, "DOCYARD_AUDIT_KEY": AUDIT_KEY, "DOCYARD_DATABASE": str(database)}
    secrets = SecretsManager(json.dumps({**kept, "username": "somebody else's"}))
    with (
        serve({"/": secrets}) as server,
        function(tmp_path / "log", DOCYARD_SECRET="", DOCYARD_AUDIT_KEY="", **environment(server)) as api,
        httpx.Client(base_url=BASE, transport=Gateway(api), timeout=TIMEOUT) as client,
    ):
        for _ in range(2):
            refused = client.get("/v1/user", headers={"Authorization": "Bearer unknown"})
            assert refused.status_code == 401
    assert secrets.asked == [ARN]
    assert database.exists()
    assert SECRET not in (tmp_path / "log").read_text()


def test_the_login_of_the_database_is_read_from_a_secret(tmp_path: Path, postgres_server: str) -> None:
    login = {"username": f"proxied {new_id()}", "password": "with:/@ and %"}
    address = migrated_on(postgres_server, secret=SECRET, audit_key=AUDIT_KEY)
    role = f'ROLE "{login["username"]}"'
    told(address, f"CREATE {role} SUPERUSER PASSWORD '{login['password']}' LOGIN")
    told(address, f"ALTER {role} SET search_path = docyard")  # the schema that the tables are in
    secrets = SecretsManager(json.dumps({**login, "engine": "postgres"}))
    with (
        serve({"/": secrets}) as server,
        function(
            tmp_path / "log",
            **{**environment(server), "SECRETS_ARN": ""},
            DATABASE_SECRET_ARN=ARN,
            DOCYARD_DATABASE=f"postgresql://{address.rpartition('@')[2]}",
        ) as api,
        httpx.Client(base_url=BASE, transport=Gateway(api), timeout=TIMEOUT) as client,
    ):
        for _ in range(2):
            refused = client.get("/v1/user", headers={"Authorization": "Bearer unknown"})
            assert refused.status_code == 401, (tmp_path / "log").read_text()
        connected = f"SELECT 1 FROM pg_stat_activity WHERE usename = '{login['username']}'"
        assert asked(address, connected)
    assert secrets.asked == [ARN]
    assert login["password"] not in (tmp_path / "log").read_text()


@pytest.mark.parametrize("text", ["", "[]", "no JSON", '{"username": "ada"}'])
def test_a_secret_without_settings_is_refused(tmp_path: Path, text: str) -> None:
    with (
        serve({"/": SecretsManager(text)}) as server,
        function(tmp_path / "log", **environment(server)) as api,
    ):
        api.events.put({"docyard": "work"})
        kind, answer = api.answers.get(timeout=TIMEOUT)
    assert kind == "error"
    assert answer["errorMessage"].startswith(f"The secret {ARN} must be a JSON object of settings")
