"""The first start: one link that makes the first person the administrator of an organization."""

from __future__ import annotations

from app.domain.accounts import sign_in_links
from tests import make
from tests.accounts.web_client import OURS, send, visit, who
from tests.instance import running


def test_a_new_server_is_set_up_once(fresh_database: str) -> None:
    with running(fresh_database) as instance, visit(instance) as browser, visit(instance) as second:
        old = instance.inside(sign_in_links.create_for_set_up)
        link = instance.inside(sign_in_links.create_for_set_up)
        assert old
        assert link
        assert browser.get(old).status_code == 404  # the newest counts
        page = browser.get(link)
        assert send(browser, page, email="no address", name="Ada", organization="Engines").status_code == 400
        assert send(browser, page, email="Ada@Example.org", name="Ada", organization="").status_code == 400
        done = send(browser, page, email="Ada@Example.org", name="Ada", organization="Engines")
        assert done.status_code == 303
        assert who(browser) == "ada@example.org"
        json = {"Accept": "application/json", **OURS}
        mine = browser.get("/v1/orgs", headers=json).json()["items"]
        assert [each["title"] for each in mine] == ["Engines"]
        members = browser.get(f"/v1/orgs/{mine[0]['id']}/members", headers=json).json()["items"]
        assert [each["role"] for each in members] == ["admin"]
        refused = send(second, page, email="eve@example.org", name="Eve", organization="Evil")
        assert refused.status_code == 404
        assert instance.inside(sign_in_links.create_for_set_up) is None


def test_a_link_to_set_up_opens_nothing_once_there_is_somebody(fresh_database: str) -> None:
    with running(fresh_database) as instance, visit(instance) as browser:
        link = instance.inside(sign_in_links.create_for_set_up)
        assert link
        page = browser.get(link)
        make.somebody(instance, "Ada")
        refused = send(browser, page, email="eve@example.org", name="Eve", organization="Evil")
        assert refused.status_code == 404
        assert who(browser) is None
