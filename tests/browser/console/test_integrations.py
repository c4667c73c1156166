"""The integrations of an organization in the console."""

from __future__ import annotations

import pytest

from tests import make
from tests.browser.browser import Browser
from tests.browser.console.screens import PHONE, STORY_WIDTHS, at_work, faults, here
from tests.browser.console.test_account import fill, press
from tests.browser.console.test_site_structure import find_space
from tests.cast import Cast
from tests.factories.integrations import ACCOUNT, PublishedIntegration, whole

DRAWN = """
export default {
  async fetch(request, env, ctx) {
    const event = JSON.parse((await request.formData()).get("event"));
    if (event.type !== "ui_render") return new Response(null, { status: 204 });
    const saved = event.action?.action === "save" ? event.state.city : null;
    const told = { type: "text", children: [saved ? "Saved " + saved : "Nothing is saved"] };
    const city = { type: "textinput", state: "city", initialValue: "Turin" };
    const loud = { type: "switch", state: "loud", initialValue: false };
    const options = [{ id: "soft", label: "Soft" }, { id: "loud", label: "Loud" }];
    const children = [
      told,
      { type: "input", label: "City", element: city },
      { type: "input", label: "Tone", element: { type: "select", state: "tone", options } },
      { type: "input", label: "Quiet hours", element: loud },
      { type: "button", label: "Keep it", style: "primary", onPress: { action: "save" } },
    ];
    const state = { city: "Turin", ...event.state };
    return Response.json({ type: "element", element: { type: "configuration", children }, state, props: {} });
  },
};
"""


def screen(cast: Cast, tail: str = "") -> str:
    """The address of the integrations, or of one."""
    return here(cast, f"/o/{cast.organization}/integrations{tail}")


@pytest.mark.parametrize("width", STORY_WIDTHS)
def test_an_integration_is_found_installed_configured_and_removed(
    browser: Browser, cast: Cast, width: int
) -> None:
    fields = whole(cast, configurations={"account": ACCOUNT}, title="Lamp counter")
    made = PublishedIntegration(
        cast, **{name: value for name, value in fields.items() if name != "organization"}
    )
    make.space(cast.ada, cast.organization, title="Lighthouse")
    with at_work(browser, cast.ada, width=width, dark=width == PHONE) as page:
        page.open(screen(cast))
        page.wait_for_text("Lamp counter", ".integrations")
        assert faults(page) == []
        fill(page, "Search integrations", "no such thing")
        page.wait_for_text("No integration matches.", "main")
        fill(page, "Search integrations", "lamp")
        page.wait_for_text("Lamp counter", ".integrations")
        page.open(screen(cast, "/~/installed"))
        page.wait_for_text("Nothing is installed.", "main")
        page.open(screen(cast, f"/{made.name}"))
        page.wait_for_text("What it may do", "main")
        page.wait_for_text("Add a script to the pages of sites", "main")
        assert faults(page) == []
        press(page, "Install", "header")
        page.wait_for_text("It will be able to", "dialog")
        press(page, "Install", "dialog")
        page.wait_for_text("Something required is missing", "main")
        assert faults(page) == []
        fill(page, "Key (required)", "lighthouse")
        press(page, "Save")
        page.wait_for_text("Active", ".integration-head")
        press(page, "Add a space")
        find_space(page, "Light")
        press(page, "Install", "dialog")
        page.wait_for_text("Lighthouse", "main .list")
        page.open(screen(cast, f"/{made.name}/events"))
        page.wait_for_text("installation_setup", "main .list")
        press(page, "Details")
        page.wait_for(".integration-payload")
        assert faults(page) == []
        press(page, "Uninstall", "header")
        press(page, "Uninstall", "dialog")
        page.wait_for_text("What it may do", "main")
        assert cast.ada.get(f"/v1/orgs/{cast.organization}/installations").json()["items"] == []


@pytest.mark.parametrize("width", STORY_WIDTHS)
def test_who_publishes_it_manages_secrets_development_and_versions(
    browser: Browser, cast: Cast, width: int
) -> None:
    made = PublishedIntegration(cast, secrets={"TOKEN": "t"}, title="Lamp counter", colour={"lamp": "red"})
    with at_work(browser, cast.ada, width=width, dark=width == PHONE) as page:
        page.open(screen(cast, f"/{made.name}/publishing"))
        page.wait_for_text("Private: only your organization", "main")
        page.wait_for_text('{"lamp":"red"}', "main ul[aria-label='Fields without effect']")
        page.wait_for_text("Version 1", "main .list[aria-label=Versions]")
        assert faults(page) == []
        press(page, "Add a secret")
        fill(page, "Name", "a b")
        fill(page, "Value", "hush")
        press(page, "Save", "dialog")
        page.wait_for("dialog .wrong")
        fill(page, "Name", "KEY")
        assert faults(page) == []
        press(page, "Save", "dialog")
        page.wait_for_text("KEY", "main ul[aria-label=Secrets]")
        assert "hush" not in page.text("main")
        page.click("main [aria-label='Delete TOKEN']")
        press(page, "Delete", "dialog")
        page.wait("document.querySelectorAll('main ul[aria-label=Secrets] li').length === 1")
        fill(page, "URL of your server", "http://tunnel.example.org/")
        press(page, "Turn on")
        page.wait_for_text("https://", "main .wrong")
        fill(page, "URL of your server", "https://tunnel.example.org/")
        press(page, "Turn on")
        page.wait_for_text("On", "main .badge.warn")
        assert made.get("/dev")["tunnelUrl"] == "https://tunnel.example.org/"
        press(page, "Turn off")
        page.wait("!document.querySelector('main .badge.warn')")
        press(page, "Delete the integration")
        fill(page, "Type Lamp counter to delete it", "Lamp counter")
        press(page, "Delete", "dialog")
        page.wait_for_text("Your organization has published no integrations.", "main")
    assert made.by.get(made.path).status_code == 404


def test_what_a_script_draws_to_be_configured_is_a_form(browser: Browser, cast: Cast) -> None:
    made = PublishedIntegration(cast, script=DRAWN, configurations={"account": {"componentId": "settings"}})
    made.install()
    with at_work(browser, cast.ada) as page:
        page.open(screen(cast, f"/{made.name}/settings"))
        page.wait_for_text("Nothing is saved", "main")
        assert faults(page) == []
        fill(page, "City", "Ferrara")
        press(page, "Keep it")
        page.wait_for_text("Saved Ferrara", "main")


def test_a_script_that_fails_to_draw_says_so(browser: Browser, cast: Cast) -> None:
    made = PublishedIntegration(
        cast,
        script="export default { fetch() { throw new Error('no lamp'); } };",
        configurations={"account": {"componentId": "settings"}},
    )
    made.install()
    with at_work(browser, cast.ada) as page:
        page.open(screen(cast, f"/{made.name}/settings"))
        page.wait_for_text("its events say why", "main")
        page.open(here(cast, f"/integrations/{made.name}"))
        page.wait_for_text("What it may do", "main")  # the address of the integration itself leads here, too


FRAMED = """
const PAGE = `<p>not told</p><script>
  const say = (action) => window.top.postMessage({ action }, "*");
  addEventListener("message", ({ data }) => {
    if (data.state?.city === "Turin") say({ action: "keep", city: "Bern" });
  });
  addEventListener("load", () => {
    say({ action: "@webframe.ready" });
    say({ action: "@webframe.resize", size: { height: 90 } });
  });
</script>`;
export default {
  async fetch(request, env, ctx) {
    const event = JSON.parse((await request.formData()).get("event"));
    if (event.type === "fetch") return new Response(PAGE, { headers: { "content-type": "text/html" } });
    if (event.type !== "ui_render") return new Response(null, { status: 204 });
    const url = env.integration.urls.publicEndpoint;
    const city = event.action?.city ?? "Turin";
    const frame = { type: "webframe", source: { url }, data: { city: { $state: "city" } } };
    const children = [{ type: "text", children: ["It is " + city] }, frame];
    const element = { type: "configuration", children };
    return Response.json({ type: "element", element, state: { city }, props: {} });
  },
};
"""


def test_a_web_frame_is_told_the_state_and_acts_in_a_configuration(browser: Browser, cast: Cast) -> None:
    made = PublishedIntegration(
        cast, script=FRAMED, title="Framed", configurations={"account": {"componentId": "settings"}}
    )
    made.install()
    with at_work(browser, cast.ada) as page:
        page.open(screen(cast, f"/{made.name}/settings"))
        page.wait_for_text("It is Bern", "main")
        page.wait("document.querySelector('iframe.web-frame').offsetHeight === 90")
        assert page.run("document.querySelector('iframe.web-frame').src").startswith(
            made.published["urls"]["publicContentEndpoint"]
        )
        assert page.complaints == []
