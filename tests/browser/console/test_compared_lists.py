"""Change requests compared in lists, tables and other blocks that hold blocks: item by item, row by row."""

from __future__ import annotations

import pytest

from tests import make
from tests.browser.browser import Browser
from tests.browser.console.screens import at_work, here, in_frame
from tests.browser.console.test_changes import opened
from tests.browser.console.test_merging import page_at, write
from tests.cast import Cast

MARKS = """[...document.querySelectorAll("ins, del, .was-added, .was-removed")].map((each) =>
    `${each.parentNode.localName} ${each.className || each.localName}: ${each.textContent.trim()}`)"""
"""Every mark: what it is in, what it is, and what it marks."""

LIST = "* Oil\n* Wick\n"
LONGER = "* Oil\n* Glass\n* Wick\n* Mirror\n* Clockwork\n* Foghorn\n* Ladder\n"
MORE = ("Glass", "Mirror", "Clockwork", "Foghorn", "Ladder")
NESTED = "1. Open the tower\n   * Bring the key\n   * Close the shutters\n2. Light the lamp\n"
OTHER = "1. Open the tower\n   * Bring the key and a torch\n   * Ring the bell\n2. Light the lamp\n3. Leave\n"
TASKS = "- [ ] Buy oil\n- [ ] Call the boat\n"
TICKED = "- [x] Buy oil\n- [ ] Call the boat\n"
TABLE = "| Lamp | Range |\n| --- | --- |\n| North | 12 |\n| South | 9 |\n| West | 4 |\n"
ROWS = "| Lamp | Range |\n| --- | --- |\n| North | 14 |\n| West | 4 |\n| East | 7 |\n"
WIDER = (
    "| Lamp | Colour | Range |\n| --- | --- | --- |\n| North | red | 12 |\n| South | | 9 |\n| West | | 4 |\n"
)
HINT = '{% hint style="info" %}\nMind the stairs.\n\n* Left\n{% endhint %}\n'
HINTS = '{% hint style="info" %}\nMind the stairs.\n\n* Left\n* Right\n* Up\n* Down\n{% endhint %}\n'


@pytest.mark.parametrize(
    ("before", "after", "marks"),
    [
        (LIST, LONGER, [f"li was-added: {item}" for item in MORE]),
        (LONGER, LIST, [f"li was-removed: {item}" for item in MORE]),
        (
            NESTED,
            OTHER,
            [
                "li ins: and a torch",
                "li was-removed: Close the shutters", "li was-added: Ring the bell",
                "li was-added: Leave",
            ],
        ),
        (TASKS, TICKED, ["li was-removed: Buy oil", "li was-added: Buy oil"]),
        (
            TABLE,
            ROWS,
            [
                "td del: 12", "td ins: 14",
                "td was-removed: South", "td was-removed: 9",
                "td was-added: East", "td was-added: 7",
            ],
        ),
        (TABLE, WIDER, ["th was-added: Colour", "td was-added: red", "td was-added: ", "td was-added: "]),
        (HINT, HINTS, ["li was-added: Right", "li was-added: Up", "li was-added: Down"]),
    ],
    ids=["longer", "shorter", "nested", "tasks", "rows", "column", "hint"],
)  # fmt: skip
def test_lists_and_tables_are_compared_by_their_items(
    browser: Browser, cast: Cast, before: str, after: str, marks: list[str]
) -> None:
    space = make.filled_space(cast)
    lamp = page_at(cast.ed, space, "machinery/lamp")
    write(cast.ada, space, lamp, f"# The lamp\n\nIt burns oil.\n\n{before}")
    ours = opened(cast.ed, space, subject="Lists")
    write(cast.ed, space, lamp, f"# The lamp\n\nIt burns oil.\n\n{after}", ours["number"])
    with at_work(browser, cast.rhea) as page:
        page.open(here(cast, f"/o/{cast.organization}/s/{space}/~/changes/{ours['number']}/~/changes"))
        page.wait_for("iframe.rendered")
        page.wait("document.querySelector('iframe').getBoundingClientRect().height !== 320")
        assert in_frame(page, MARKS) == marks
