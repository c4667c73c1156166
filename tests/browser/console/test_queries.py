"""Queries of the console: shown before the server has answered, put back where it refuses, asked again."""

from __future__ import annotations

import json
from typing import Any

from tests import make
from tests.browser.browser import Browser, Page
from tests.browser.console.screens import at_work, here
from tests.cast import Cast

MODULE = "document.querySelector('script[type=module]').src.replace('main.js', 'api/queries.js')"


def called(page: Page, script: str) -> Any:
    """Return what a function of the module of queries comes to, as `(queries) => …`."""
    return page.run(f"import({MODULE}).then({script})")


def test_what_was_shown_at_once_is_put_back_where_the_server_refuses_it(browser: Browser, cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization, title="Handbook")["id"]
    with at_work(browser, cast.ria) as page:
        page.open(here(cast, f"/o/{cast.organization}/s/{space}"))
        page.wait_for_text("Handbook", "main h1")
        given = json.dumps({"space": space, "title": "Mine"})
        titles = called(
            page,
            f"""async ({{ query, mutate }}) => {{
                const space = () => query("Space", {{ space: {json.dumps(space)} }}).data.space;
                const optimistic = {{ [space().id]: {{ title: "Mine" }} }};
                const asked = mutate("UpdateSpace", {given}, {{ optimistic }});
                const titles = [space().title, await asked.then(() => "done", (error) => error.code)];
                return [...titles, space().title];
            }}""",
        )
        assert titles == ["Mine", "FORBIDDEN", "Handbook"]


def test_whoever_asks_again_meanwhile_gets_a_newer_answer(browser: Browser, cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization, title="Handbook")["id"]
    with at_work(browser, cast.ria) as page:
        page.open(here(cast, f"/o/{cast.organization}/s/{space}"))
        page.wait_for_text("Handbook", "main h1")
        page.wait("!document.querySelector('[aria-busy], .bones')")
        asked = called(
            page,
            f"""async ({{ query }}) => {{
                const sent = [], really = window.fetch;
                window.fetch = (...given) => (sent.push(String(given[1]?.body)), really(...given));
                const space = query("Space", {{ space: {json.dumps(space)} }});
                const first = space.refresh();
                await Promise.all([first, space.refresh(), space.refresh()]);
                window.fetch = really;
                return sent.filter((body) => body === sent[0]).length;
            }}""",
        )
        assert asked == 2, "one answer for the first, one for all who came later"
