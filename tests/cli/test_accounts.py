"""`docyard session` and `docyard notification`, for whoever runs the installation."""

from __future__ import annotations

import re

import pytest

from app.cli import main
from app.domain.accounts import sign_in_links
from tests.accounts.web_client import send, visit, who
from tests.cast import Cast

Captured = pytest.CaptureFixture[str]


def run(cast: Cast, capsys: Captured, *arguments: str, code: int = 0) -> str:
    """Return what a command prints, or says where it is refused."""
    capsys.readouterr()
    assert main([*arguments, "--database", cast.instance.settings.database]) == code
    shown = capsys.readouterr()
    return shown.out if code == 0 else shown.err


def test_an_operator_signs_a_person_out(cast: Cast, capsys: Captured) -> None:
    with visit(cast.instance) as one, visit(cast.instance) as other:
        for browser in (one, other):
            link = cast.instance.inside(lambda cx: sign_in_links.create(cx, cast.ed.email))
            send(browser, browser.get(link))
        listed = run(cast, capsys, "session", "list", cast.ed.email)
        ids = re.findall(r"^(\w{20})\b", listed, re.MULTILINE)
        assert len(ids) == 2
        assert "no such session" in run(
            cast, capsys, "session", "end", cast.tom.email, "--id", ids[0], code=1
        )
        run(cast, capsys, "session", "end", cast.ed.email, "--id", ids[0])
        assert [who(browser) for browser in (one, other)] == [None, cast.ed.email]
        run(cast, capsys, "session", "end", cast.ed.email)
        assert who(other) is None
    assert cast.ed.get("/v1/user").status_code == 200, "tokens live on"
    assert not re.search(r"^\w{20}\b", run(cast, capsys, "session", "list", cast.ed.email), re.MULTILINE)


def test_an_operator_changes_what_a_person_is_told(cast: Cast, capsys: Captured) -> None:
    assert "never" not in run(cast, capsys, "notification", "show", cast.ed.email)
    shown = run(cast, capsys, "notification", "set", cast.ed.email, "--mentions", "never")
    assert re.search(r"mentions +never", shown)
    found = cast.ed.get("/v1/user/notification-preferences").json()
    assert (found["mentions"], found["reviewRequests"]) == ("never", "immediately")
    assert "no user" in run(cast, capsys, "notification", "show", "nobody@example.org", code=1)
    run(cast, capsys, "notification", "set", cast.ed.email, "--invitations", "weekly", code=2)
