"""Web frames of integrations on sites, in a real browser: what they say and are told, and what moves."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.browser.browser import Browser, Page
from tests.cast import Cast
from tests.factories.integrations import PublishedIntegration
from tests.integrations.command_line import published
from tests.visitors import PublishedSite

BLOCKS = [{"id": "gauge", "title": "Gauge"}]
SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => shifts.push(...list.getEntries()))
  .observe({ type: "layout-shift", buffered: true });
"""
FRAMES = "[...document.querySelectorAll('.web-frame > iframe')]"


class Gauges:
    """A site with a page of three gauges, and their integration as people publish theirs."""

    def __init__(self, cast: Cast, folder: Path) -> None:
        self.made: PublishedIntegration = published(cast, folder, "gauge.tsx", blocks=BLOCKS)
        asked = "\n\nSome words.\n\n".join(
            f'{{% @{self.made.name}/gauge name="{name}" %}}' for name in ("one", "two", "three")
        )
        files = {"README.md": "# Start\n", "gauges.md": f"# Gauges\n\n{asked}\n\nThe end.\n"}
        self.site = PublishedSite(cast, files=files)
        self.made.on_space(self.made.install(), self.site.spaces[0])

    @property
    def origin(self) -> str:
        """The origin of the frames."""
        place = urlsplit(self.made.published["urls"]["publicContentEndpoint"])
        return f"{place.scheme}://{place.netloc}"

    def open(self, page: Page) -> None:
        """Show the page and come near all of its frames."""
        page.open(f"{self.site.url}/gauges")
        page.wait(f"{FRAMES}.length === 3")


@pytest.fixture
def gauges(cast: Cast, tmp_path: Path) -> Gauges:
    """A page with three web frames."""
    return Gauges(cast, tmp_path)


def within(page: Page, number: int, script: str) -> None:
    """Run a script in a frame, which has a process of its own."""
    frame = f"{FRAMES}[{number}]"
    src = page.run(f"{frame}.src")
    targets = page.browser.call("Target.getTargets")["targetInfos"]
    (target,) = [each for each in targets if each["url"] == src]
    session = page.browser.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)[
        "sessionId"
    ]
    page.browser.call("Runtime.evaluate", session, expression=script)


def test_a_frame_is_told_the_state_and_acts_on_it_where_it_stands(browser: Browser, gauges: Gauges) -> None:
    with browser.page() as page:
        gauges.open(page)
        page.wait(f"{FRAMES}.every((each) => each.offsetHeight === 180)")
        assert page.run(f"{FRAMES}[0].src").startswith(f"{gauges.origin}/~integrations/")
        page.run(f"window.stays = {FRAMES}[0]")
        within(page, 0, "document.querySelector('button').click()")
        page.wait_for_text("Pressed 2 times", "form.filled")
        within(page, 0, "document.querySelector('button').click()")
        page.wait_for_text("Pressed 4 times", "form.filled")
        assert page.run(f"{FRAMES}[0] === window.stays && {FRAMES}.length === 3")
        told = "parseInt(document.querySelector('#shown').textContent)"
        resize = f"{{ action: '@webframe.resize', size: {{ height: {told} * 100 }} }}"
        within(page, 0, f"top.postMessage({{ action: {resize} }}, '*')")
        page.wait(f"{FRAMES}[0].offsetHeight === 400")
        assert (
            page.run("[...document.querySelectorAll('form.filled')][1].innerText").strip().endswith("0 times")
        )
        assert page.complaints == []


def test_nobody_else_speaks_for_a_frame(browser: Browser, gauges: Gauges) -> None:
    with browser.page() as page:
        gauges.open(page)
        page.wait(f"{FRAMES}.every((each) => each.offsetHeight === 180)")
        page.run("postMessage({ action: { action: '@webframe.resize', size: { height: 900 } } }, '*')")
        forged = "{ data: { action: { action: 'press', by: 9 } }, origin: 'https://evil.example',"
        page.run(f"dispatchEvent(new MessageEvent('message', {forged} source: {FRAMES}[0].contentWindow }}))")
        within(page, 0, "location.href = 'about:blank'")
        page.run("new Promise((done) => setTimeout(done, 300))")
        assert page.run(f"{FRAMES}.map((each) => each.offsetHeight)") == [180, 180, 180]
        page.wait_for_text("Pressed 0 times", "form.filled")


def test_three_frames_move_next_to_nothing(browser: Browser, gauges: Gauges) -> None:
    with browser.page() as page:
        gauges.open(page)
    with browser.page() as page:
        page.call("Page.addScriptToEvaluateOnNewDocument", source=SHIFTS)
        gauges.open(page)
        page.wait(f"{FRAMES}.every((each) => each.offsetHeight === 180)")
        page.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        shifted = page.run(
            "shifts.filter((each) => !each.hadRecentInput).reduce((sum, each) => sum + each.value, 0)"
        )
        assert shifted <= 0.05, page.run("shifts.map((each) => [each.value, each.startTime])")
