"""A client library of somebody else's making (openid-client) signs people in, from Node.js."""

from __future__ import annotations

from datetime import timedelta

import pytest

from app.domain.accounts.oauth import devices
from app.domain.accounts.oauth.server import DeviceAuthorization
from tests.cast import Cast
from tests.clients.node import ran
from tests.oauth.client import BACK, application, sent_back
from tests.oauth.test_devices import answered


def test_openid_client(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "INTERVAL", timedelta(0))
    monkeypatch.setattr(DeviceAuthorization, "INTERVAL", 1)
    made = [application(cast.ada, kind="public", deviceFlow=True), application(cast.ada, kind="confidential")]
    given = {
        "server": cast.instance.base,
        "back": BACK,
        "applications": [{"id": each["id"], "secret": each.get("secret")} for each in made],
    }
    found = ran(
        "openid.mjs",
        given,
        visit=lambda address: sent_back(cast.ed, address),
        allow=lambda code: answered(cast.ed, code, "allow").status_code,
        deny=lambda code: answered(cast.ed, code, "deny").status_code,
    )
    assert found.pop("device") == {"who": [cast.ed.id], "scope": "read write", "denied": "access_denied"}
    assert set(found) == {"public", "confidential", "registered", "registeredWithSecret"}
    for each in found.values():
        assert each == {
            "who": [cast.ed.id, cast.ed.id],
            "rotated": True,
            "codeAgain": "invalid_grant",
            "afterwards": "invalid_grant",
            "access": 401,
        }
