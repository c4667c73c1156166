"""Blocks of integrations on pages in the console: drawn where they stand, with actions and web frames."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.browser import Browser, Page
from tests.browser.console.screens import PHONE, STORY_WIDTHS, at_work, faults, here, in_frame
from tests.browser.console.test_account import fill, press
from tests.browser.test_web_frames import Gauges
from tests.cast import Cast
from tests.factories.site_blocks import Lamps, button, with_shown

ROOM = "document.querySelector('[data-integration]').getBoundingClientRect()"


def apart(page: Page) -> float:
    """Return how far a block is from the room that the text leaves for it, in pixels."""
    room = in_frame(page, f"({{ top: {ROOM}.top, height: {ROOM}.height }})")
    drawn = page.run(
        "(([a, f]) => ({ top: a.top - f.top, height: a.height }))(['.rendered-above', '.rendered']"
        ".map((each) => document.querySelector(each).getBoundingClientRect()))"
    )
    return float(max(abs(room["top"] - drawn["top"]), abs(room["height"] - drawn["height"])))


@pytest.mark.parametrize("width", STORY_WIDTHS)
def test_a_block_stands_in_its_page_and_answers(browser: Browser, cast: Cast, width: int) -> None:
    shown = [
        {"type": "input", "label": "Name", "element": {"type": "textinput", "state": "name"}},
        button("Save", action="save"),
        button(
            "Ask", action="@ui.modal.open", componentId="ask", props={"shows": [button("Done", action="d")]}
        ),
    ]
    shown.append({"type": "markdown", "content": "Some *words*, **bold** and `code`.\n\n- one\n- two"})
    lamps = Lamps(cast, f"Before it.\n\n{with_shown(*shown)}\n\nAfter it.")
    with at_work(browser, cast.ria, width=width, dark=width == PHONE) as page:
        page.open(here(cast, f"/o/{cast.organization}/s/{lamps.site.spaces[0]}/lamps"))
        page.wait_for_text('"componentId":"lamp"', ".rendered-above pre")
        assert faults(page) == []
        assert apart(page) < 2
        page.wait_for_text("Some words, bold and code.", ".rendered-above")
        assert page.run("document.querySelectorAll('.rendered-above li').length") == 2
        fill(page, "Name", "Ada")
        press(page, "Save", ".rendered-above")
        page.wait_for_text('"state":{"name":"Ada"},"action":{"action":"save"}', ".rendered-above pre")
        press(page, "Ask", ".rendered-above")
        press(page, "Done", "dialog")
        page.wait_for_text('"action":{"action":"@ui.modal.close"', ".rendered-above > .kit > .stack pre")
        assert apart(page) < 2
        assert page.complaints == []


def test_code_and_addresses_become_blocks_and_what_is_not_active_stays(browser: Browser, cast: Cast) -> None:
    body = '```lamp\non\n```\n\n{% embed url="https://lamps.example.org/lamp/1" %}\n'
    lamps = Lamps(cast, body, installed=False)
    address = here(cast, f"/o/{cast.organization}/s/{lamps.site.spaces[0]}/lamps")
    with at_work(browser, cast.ria) as page:
        page.open(address)
        page.wait("(document.querySelector('iframe.rendered')?.offsetHeight ?? 320) !== 320")
        assert in_frame(page, "document.querySelectorAll('pre').length") == 1
        assert page.run("document.querySelectorAll('.rendered-above').length") == 0
        lamps.made.on_space(lamps.installation, lamps.site.spaces[0])
        page.open(address)
        page.wait("document.querySelectorAll('.rendered-above pre').length === 2")
        page.wait_for_text('"props":{"content":"on"}', ".rendered-above")
        page.wait_for_text('"action":{"action":"@link.unfurl"', ".rendered-above:last-child")
        assert in_frame(page, "document.querySelector('[data-integration] pre').checkVisibility()") is False


@pytest.mark.parametrize("width", STORY_WIDTHS)
def test_web_frames_are_told_the_state_and_act_on_it(
    browser: Browser, cast: Cast, tmp_path: Path, width: int
) -> None:
    gauges = Gauges(cast, tmp_path)
    frames = "[...document.querySelectorAll('iframe.web-frame')]"
    with at_work(browser, cast.ada, width=width) as page:
        page.open(here(cast, f"/o/{cast.organization}/s/{gauges.site.spaces[0]}/gauges"))
        page.wait(f"{frames}.length > 0 && {frames}[0].offsetHeight === 180")
        assert page.run(f"{frames}[0].src").startswith(f"{gauges.origin}/~integrations/")
        src = page.run(f"{frames}[0].src")
        targets = page.browser.call("Target.getTargets")["targetInfos"]
        target = next(each["targetId"] for each in targets if each["url"] == src)
        session = page.browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        click = "document.querySelector('button').click()"
        page.browser.call("Runtime.evaluate", session, expression=click)
        page.wait_for_text("Pressed 2 times", ".rendered-above")
        assert apart(page) < 2
