"""The console by keyboard alone: dialogs take the keys at once and give the focus back."""

from __future__ import annotations

from tests.browser.browser import Browser
from tests.browser.console.screens import at_work, here
from tests.cast import Cast

WATCH = """
    window.drawn = [];
    new MutationObserver((changes) => changes.forEach(({ addedNodes }) => addedNodes.forEach((node) => {
        const dialog = node.nodeType === 1 && (node.matches("dialog") ? node : node.querySelector("dialog"));
        if (dialog) drawn.push([dialog.matches(":modal"), dialog.contains(document.activeElement)]);
    }))).observe(document.body, { childList: true, subtree: true }); 0
"""
"""Notes of each dialog, in the moment it is drawn, whether it is modal and whether it has the focus."""


def test_a_dialog_has_the_keys_from_the_moment_it_is_drawn(browser: Browser, cast: Cast) -> None:
    with at_work(browser, cast.ed) as page:
        page.open(here(cast, "/account/tokens"))
        page.wait_for_text("Create a token", "main")
        page.run(WATCH)
        named = "(each) => each.innerText === 'Create a token'"
        button = f"[...document.querySelectorAll('main button')].find({named})"
        page.run(f"{button}.focus()")
        page.press("Enter")
        page.wait_for("dialog input")
        page.press("Escape")
        page.wait("!document.querySelector('dialog')")
        assert page.run(f"document.activeElement === {button}")
        page.press("/")
        page.press("/")  # at once: the dialog is there, and so this is written
        page.wait("document.querySelector('dialog.palette input')?.value === '/'")
        assert page.run("drawn") == [[True, True], [True, True]]
