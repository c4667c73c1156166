"""The teams of an organization in the console."""

from __future__ import annotations

import pytest

from tests.browser.browser import Browser
from tests.browser.console.screens import PHONE, STORY_WIDTHS, at_work, choose, faults
from tests.browser.console.test_account import fill, press
from tests.browser.console.test_people import menu_of, people, wait_without
from tests.cast import Cast

MEMBERS = """query ($organization: ID!, $team: ID!) {
  organization(id: $organization) {
    team(id: $team) { members { nodes { member { user { restId } } membership { role } } } }
  }
}"""


@pytest.mark.parametrize("width", STORY_WIDTHS)
def test_a_team_is_made_filled_renamed_and_deleted(browser: Browser, cast: Cast, width: int) -> None:
    where = f"/v1/orgs/{cast.organization}/teams"
    with at_work(browser, cast.ada, width=width, dark=width == PHONE) as page:
        page.open(people(cast, "/teams"))
        page.wait_for_text("There are no teams yet.", "main")
        assert faults(page) == []
        press(page, "Create a team")
        page.wait_for("dialog[open]")
        fill(page, "Name", "Lamplighters")
        press(page, "Create", "dialog")
        page.wait_for_text("Nobody is in this team yet.", "main")
        fill(page, "Add somebody", "Rhea")
        page.wait_for_text("Rhea", ".offered")
        page.press("Enter")
        page.wait_for_text("Rhea", "main .list")
        menu_of(page, "Rhea", "Make owner")
        page.wait_for_text("Owner", "main .list")
        (team,) = cast.ada.get(where).json()["items"]
        found = cast.ada.ask(MEMBERS, organization=cast.organization, team=team["id"])
        (node,) = found["organization"]["team"]["members"]["nodes"]
        assert node["member"]["user"]["restId"] == cast.rhea.id
        assert node["membership"]["role"] == "OWNER"
        assert faults(page) == []
        page.click(".people-part .spread .menu button")
        choose(page, "Rename")
        page.wait_for("dialog[open]")
        fill(page, "Name", "Wick Trimmers")
        press(page, "Save", "dialog")
        page.wait_for_text("Wick Trimmers", "main h2")
        menu_of(page, "Rhea", "Remove from the team")
        wait_without(page, "Rhea")
        page.click(".people-part .spread .menu button")
        choose(page, "Delete")
        press(page, "Delete", "dialog")
        page.wait_for_text("There are no teams yet.", "main")
    assert cast.ada.get(where).json()["items"] == []


def test_members_see_teams_and_change_none(browser: Browser, cast: Cast) -> None:
    cast.ada.mutate("createTeam", organization=cast.organization, title="Lamplighters", members=[cast.ed.id])
    with at_work(browser, cast.ria) as page:
        page.open(people(cast, "/teams"))
        page.wait_for_text("1 member", "main .list")
        assert "Create a team" not in page.text("main")
        page.click("main .list a")
        page.wait_for_text("Ed", "main .list")
        assert not page.run("document.querySelector('main .menu, main .finder')")
