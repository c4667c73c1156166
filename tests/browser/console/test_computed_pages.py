"""Pages that integrations compute, in the console: inserted, read, computed again, and faults told."""

from __future__ import annotations

import pytest

from app.kit.ids import new_id
from tests import make
from tests.browser.browser import Browser, Page
from tests.browser.console.screens import PHONE, STORY_WIDTHS, at_work, faults, here
from tests.browser.console.test_account import fill
from tests.browser.console.test_changes import press
from tests.cast import Cast
from tests.factories.integrations import PublishedIntegration

SOURCES = [
    {
        "id": "lamps",
        "title": "Lamps",
        "description": "What each lamp is for",
        "configuration": {"componentId": "lamps"},
    }
]
SCRIPT = """
const type = "integration:NAME:lamps";
export default {
  async fetch(request) {
    const event = JSON.parse((await request.formData()).get("event"));
    if (event.type === "content_compute_revision") {
      const place = event.props.place ?? "nowhere";
      if (place === "the deep") return Response.json({ error: "No lamp burns there." }, { status: 404 });
      const north = { id: "north", title: "The north lamp", computed: { type, props: { place } } };
      return Response.json({ pages: [north] });
    }
    if (event.type === "content_compute_document")
      return Response.json({ document: { markdown: `It stands at ${event.props.place}.` } });
    if (event.type !== "ui_render") return new Response(null, { status: 406 });
    if (event.action?.action === "use")
      return Response.json({ type: "complete", returnValue: { props: { place: event.state.place } } });
    const children = [
      { type: "input", label: "Place", element: { type: "textinput", state: "place" } },
      { type: "button", label: "Use it", style: "primary", onPress: { action: "use" } },
    ];
    const state = { place: "", ...event.state }, element = { type: "configuration", children };
    return Response.json({ type: "element", element, state, props: event.props });
  },
};
"""


def installed(cast: Cast, **space: str) -> tuple[PublishedIntegration, str, str]:
    """An integration with a source, its installation, and the space that it is on."""
    name = f"lamp-{new_id().lower()}"
    made = PublishedIntegration(
        cast,
        name=name,
        script=SCRIPT.replace("NAME", name),
        contentSources=SOURCES,
        scopes=["space:content:read"],
    )
    installation = made.install()
    where = make.space(cast.ada, cast.organization, title="Lighthouse", **space)["id"]
    made.on_space(installation, where)
    return made, installation, where


def insert(page: Page, place: str) -> None:
    """Insert a page of the source, for lamps of a place."""
    press(page, "Insert a computed page")
    page.wait_for_text("What each lamp is for", "dialog")
    assert faults(page) == []
    page.press_found("document.querySelector('dialog input[type=radio]')")
    press(page, "Next", "dialog")
    page.wait_for_text("Use it", "dialog")
    assert faults(page) == []
    fill(page, "Place", place)
    press(page, "Use it", "dialog")


@pytest.mark.parametrize("width", STORY_WIDTHS)
def test_a_computed_page_is_inserted_read_and_computed_again(
    browser: Browser, cast: Cast, width: int
) -> None:
    made, installation, space = installed(cast)
    with at_work(browser, cast.ada, width=width, dark=width == PHONE) as page:
        page.open(here(cast, f"/o/{cast.organization}/s/{space}/lamps/the-north-lamp"))
        page.open(here(cast, f"/o/{cast.organization}/s/{space}"))
        page.wait_for_text("Lighthouse", "header")
        if width == PHONE:
            page.click(".menu-button")
        insert(page, "the harbour")
        page.wait_for_text("Computed by “Lamps” of Lamp counter", ".computed-note")
        page.open(here(cast, f"/o/{cast.organization}/s/{space}/lamps/the-north-lamp"))
        page.wait_for_text("Computed by “Lamps” of Lamp counter", ".computed-note")
        assert faults(page) == []
        press(page, "Compute again")
        page.wait_for_text("The pages are being computed.")
        page.open(here(cast, f"/o/{cast.organization}/s/{space}/~/edit/lamps/the-north-lamp"))
        page.wait_for_text("“The north lamp” is not written here", "main")
        page.wait_for_text("Computed by “Lamps”", "main")
        assert faults(page) == []
        cast.ada.delete(f"{made.path}/installations/{installation}")
        page.open(here(cast, f"/o/{cast.organization}/s/{space}/lamps"))
        page.wait_for_text("It is shown as it was before.", ".computed-fault")
        page.wait_for_text("The integration is not active on this space.", ".computed-fault")
        assert faults(page) == []


def test_what_a_source_refuses_is_told_with_what_to_do(browser: Browser, cast: Cast) -> None:
    _, _, space = installed(cast)
    with at_work(browser, cast.ada) as page:
        page.open(here(cast, f"/o/{cast.organization}/s/{space}"))
        page.wait_for_text("Lighthouse", "header")
        insert(page, "the deep")
        page.wait_for_text("could not compute this page.", ".computed-fault")
        page.wait_for_text("No lamp burns there.", ".computed-fault")
        page.wait_for_text("Compute it again in a while.", ".computed-fault")
        assert faults(page) == []


def test_in_a_locked_space_a_computed_page_is_proposed(browser: Browser, cast: Cast) -> None:
    _, _, space = installed(cast, editMode="locked")
    with at_work(browser, cast.ed) as page:
        page.open(here(cast, f"/o/{cast.organization}/s/{space}"))
        page.wait_for_text("Lighthouse", "header")
        insert(page, "the harbour")
        page.wait_for_text("What this change is about", "dialog")
        assert faults(page) == []
        press(page, "Save", "dialog")
        page.wait_for_text("Computed by “Lamps” of Lamp counter", ".computed-note")
        assert faults(page) == []


def test_where_no_integration_computes_pages_that_is_said(browser: Browser, cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization, title="Lighthouse")["id"]
    with at_work(browser, cast.ada) as page:
        page.open(here(cast, f"/o/{cast.organization}/s/{space}"))
        page.wait_for_text("Lighthouse", "header")
        press(page, "Insert a computed page")
        page.wait_for_text("No integration computes pages here", "dialog")
        assert faults(page) == []
