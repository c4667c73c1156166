"""Comments in the console: beside the text, in change requests, seen at once by others."""

from __future__ import annotations

from typing import Any

import pytest

from tests import make
from tests.browser.browser import Browser
from tests.browser.console.screens import DESKTOP, PHONE, STORY_WIDTHS, at_work, choose, faults, here
from tests.browser.console.test_changes import opened, press
from tests.browser.console.test_merging import LAMP, page_at, write
from tests.cast import Cast
from tests.factories import comments

WITHOUT_REPLIES = """(() => {
  const real = fetch;
  window.fetch = async (...asked) => {
    const answer = await real(...asked);
    if (!answer.headers.get("content-type")?.includes("json")) return answer;
    const told = JSON.parse(await answer.text(), (key, value) => key === "replies" ? null : value);
    return new Response(JSON.stringify(told), answer);
  };
})()"""
"""Has GraphQL answer as it does where a comment is deleted between two reads of one query."""


@pytest.fixture
def space(cast: Cast) -> str:
    """A space with pages."""
    return make.filled_space(cast)


@pytest.mark.parametrize("width", STORY_WIDTHS)
def test_a_comment_on_a_block_is_answered_and_resolved(
    browser: Browser, cast: Cast, space: str, width: int
) -> None:
    look: dict[str, Any] = {"width": width, "dark": width == DESKTOP}
    path = f"/o/{cast.organization}/s/{space}/machinery/lamp"
    with at_work(browser, cast.tom, **look) as toms, at_work(browser, cast.ed, **look) as eds:
        toms.open(here(cast, path))
        press(toms, "Show the comments")
        toms.wait_for_text("No open comments", ".beside")
        assert faults(toms) == []
        toms.wait("document.querySelectorAll('.beside select option').length >= 4")
        toms.run(
            "(s => { s.value = [...s.options].find((o) => o.text === 'Trim it daily.').value;"
            " s.dispatchEvent(new Event('change', { bubbles: true })) })"
            "(document.querySelector('.beside select'))"
        )
        toms.click(".beside textarea")
        toms.type("Who trims it? Ask @Ed")
        toms.wait_for_text("ed.", ".beside [role=listbox]")
        toms.press("Enter")
        toms.wait("document.querySelector('.beside textarea').value.includes('mention://')")
        eds.open(here(cast, f"{path}?comments"))
        eds.wait_for_text("No open comments", ".beside")
        press(toms, "Comment", ".beside")
        toms.wait_for_text("Who trims it? Ask @Ed", ".threads")
        toms.wait_for_text("Trim it daily.", ".threads .about")
        eds.wait_for_text("Who trims it? Ask @Ed", ".threads")  # without asking
        assert faults(eds) == []
        (comment,) = cast.ada.get(comments.comments(space)).json()["items"]
        assert [each["id"] for each in comment["mentions"]] == [cast.ed.id]

        eds.click(".threads [aria-haspopup=menu]")
        choose(eds, "\N{THUMBS UP SIGN}")
        eds.wait_for_text("1", ".reactions")
        toms.wait_for_text("1", ".reactions")
        press(eds, "Reply", ".threads")
        eds.wait("document.activeElement.matches('.threads textarea')")
        eds.type("I do, **daily**.")
        press(eds, "Reply", ".threads .compose")
        toms.wait_for_text("I do, daily.", ".replies")
        assert toms.run("document.querySelector('.replies .prose strong').innerText") == "daily"
        assert faults(toms) == []
        press(toms, "Resolve", ".threads")
        eds.wait_for_text("No open comments", ".beside")
        press(eds, "Show resolved ones", ".beside")
        eds.wait_for_text("Who trims it?", ".threads")
        eds.wait_for_text("Resolved", ".threads")


@pytest.mark.parametrize("width", STORY_WIDTHS)
def test_changes_are_discussed_where_they_are_read(
    browser: Browser, cast: Cast, space: str, width: int
) -> None:
    ours = opened(cast.ed, space, subject="Burn gas")
    lamp = page_at(cast.ed, space, "machinery/lamp")
    write(cast.ed, space, lamp, LAMP.format("gas"), ours["number"])
    own = f"/o/{cast.organization}/s/{space}/~/changes/{ours['number']}"
    with at_work(browser, cast.rhea, width=width, dark=width == PHONE) as page:
        page.open(here(cast, f"{own}/~/changes"))
        page.wait_for("iframe.rendered")
        page.wait("document.querySelector('iframe').getBoundingClientRect().height !== 320")
        page.run("document.querySelector('.beside textarea').focus()")  # a frame above it may still grow
        page.type("Is gas safe?")
        press(page, "Comment", ".beside")
        page.wait_for_text("Is gas safe?", ".beside .threads")
        assert faults(page) == []
        press(page, "Comments1", "main .tabs")
        page.wait_for_text("Is gas safe?", ".threads")
        page.wait_for_text("The lamp", ".threads .about")
        page.click(".compose textarea")
        page.type("All in all: good.")
        press(page, "Comment", "main")
        page.wait_for_text("All in all: good.", ".threads")
        comments.comment(cast.ed, space, "Thank you.", request=ours["number"])
        page.wait_for_text("Thank you.", ".threads")  # without asking
        page.wait_for_text("3", "main .tabs .count")
        assert faults(page) == []


def test_comments_of_a_space_are_listed_edited_and_deleted(browser: Browser, cast: Cast, space: str) -> None:
    comments.comment(cast.tom, space, "About everything.")
    lamp = page_at(cast.ed, space, "machinery/lamp")
    comments.comment(cast.ed, space, "About the lamp.", page=lamp)
    with at_work(browser, cast.tom) as page:
        page.open(here(cast, f"/o/{cast.organization}/s/{space}/~/comments"))
        page.wait_for_text("About everything.", ".threads")
        page.wait_for_text("About the lamp.", ".threads")
        assert faults(page) == []
        page.click(".threads li:last-child [aria-haspopup=menu]")
        choose(page, "Edit")
        page.wait("document.activeElement.matches('.threads textarea')")
        page.press("a", ctrl=True)
        page.type("About nearly everything.")
        press(page, "Save", ".threads")
        page.wait_for_text("About nearly everything.", ".threads")
        page.click(".threads li:last-child [aria-haspopup=menu]")
        choose(page, "Delete")
        page.wait_for_text("Delete this for good?", "dialog")
        press(page, "Delete", "dialog .foot")
        page.wait("!document.querySelector('.threads').innerText.includes('nearly')")
        press(page, "The lamp", ".threads")
        page.wait_for_text("About the lamp.", ".beside .threads")


def test_a_comment_that_goes_while_it_is_read_breaks_nothing(
    browser: Browser, cast: Cast, space: str
) -> None:
    comments.comment(cast.tom, space, "About everything.")
    with at_work(browser, cast.tom) as page:
        page.call("Page.addScriptToEvaluateOnNewDocument", source=WITHOUT_REPLIES)
        page.open(here(cast, f"/o/{cast.organization}/s/{space}/~/comments"))
        page.wait_for_text("About everything.", ".threads")
        assert page.complaints == []


def test_who_may_only_read_comments_writes_none(browser: Browser, cast: Cast, space: str) -> None:
    comments.comment(cast.tom, space, "About everything.")
    with at_work(browser, cast.ria) as page:
        page.open(here(cast, f"/o/{cast.organization}/s/{space}/~/comments"))
        page.wait_for_text("About everything.", ".threads")
        assert page.run("document.querySelectorAll('main textarea').length") == 0
        assert "Reply" not in page.text("main")
        assert "Resolve" not in page.text(".threads")


@pytest.mark.parametrize("width", STORY_WIDTHS)
def test_a_mention_waits_on_the_first_screen_and_leads_to_its_comment(
    browser: Browser, cast: Cast, width: int
) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    body = {"markdown": f"Who trims it, [@Ed](mention://{cast.ed.id})?"}
    comments = f"/v1/spaces/{space}/comments"
    posted = cast.tom.post(comments, {"body": body}).json()["id"]
    cast.tom.post(comments, {"body": {"markdown": "Something else"}})
    with at_work(browser, cast.ed, width=width, dark=width == PHONE) as page:
        page.open(here(cast, "/"))
        page.wait_for_text("Who trims it, @Ed?", "main .list")
        assert faults(page) == []
        page.run("document.querySelector('main .list a.whole').click()")
        page.wait(f"location.search === '?comment={posted}'")
        page.wait("document.querySelectorAll('main .threads > li').length === 1")
        page.wait_for_text("All comments", "main")
        assert faults(page) == []
