"""Parts that the editor of the console inserts and edits as a whole: blocks, links, files, tables."""

from __future__ import annotations

import base64
import json

import httpx
import pytest

from tests import make
from tests.browser.browser import Browser, Page
from tests.browser.console.screens import DESKTOP, PHONE, STORY_WIDTHS, at_work, faults, here
from tests.browser.console.test_editor import MAIN, SOURCE, drawn, edit, settled, source, text_of, write
from tests.cast import Cast
from tests.factories.integrations import PublishedIntegration
from tests.timing import until

BLOCKS = """query ($space: ID!, $page: ID!) {
    space(id: $space) { page(id: $page) { blocks { __typename } } } }"""
PAGE = 'query ($space: ID!) { space(id: $space) { page(path: "notes") { html } } }'
EDITOR = "document.querySelector('.editor-source').shadowRoot"
CHOICES = f"{EDITOR}.querySelector('.cm-tooltip-autocomplete:not(.cm-tooltip-autocomplete-disabled)')"


def insert(page: Page, text: str) -> None:
    """Type where the cursor is in the editor."""
    drawn(page)
    for sign in text:
        page.call("Input.insertText", text=sign)
        drawn(page)


def offered(page: Page, text: str) -> None:
    """Wait until something is offered to complete what was typed."""
    page.wait(f"!!{CHOICES}?.innerText.includes({json.dumps(text)})")


def take(page: Page, text: str) -> None:
    """Take the choice that is offered in these words.

    It is pressed in the step that finds it, since the list moves as the page beside it grows, and a press
    beside the list closes it. A list that is on its way does not take a press yet.
    """
    before = source(page)
    named = f"(each) => each.innerText.includes({json.dumps(text)})"
    press = (
        f"[...({CHOICES}?.querySelectorAll('li') ?? [])].find({named})?.dispatchEvent("
        "new MouseEvent('mousedown', { bubbles: true, cancelable: true, composed: true }))"
    )

    def is_taken() -> bool:
        page.run(press)
        drawn(page)
        return source(page) != before

    offered(page, text)
    until(is_taken, f"{text} is not taken")


@pytest.mark.parametrize("width", STORY_WIDTHS)
def test_a_block_is_inserted_by_its_form(browser: Browser, cast: Cast, width: int) -> None:
    space = make.filled_space(cast)
    with at_work(browser, cast.rhea, width=width, dark=width == PHONE) as page:
        edit(page, cast, space)
        write(page, "Above.\n\n")
        insert(page, "/hin")
        offered(page, "Hint")
        assert faults(page) == []
        page.press("Enter")
        page.wait_for("dialog select")
        assert faults(page) == []
        page.run("document.querySelector('dialog select').value = 'warning'")
        page.run("document.querySelector('dialog select').dispatchEvent(new Event('change'))")
        page.click("dialog [type=submit]")
        page.wait(f"{SOURCE}.innerText.includes('endhint')")
        page.wait("document.activeElement.matches('.editor-source')")
        insert(page, "Mind it.")
        page.click(MAIN)
        settled(page)
        saved = text_of(cast.ada, space)["markdown"]
        assert saved.endswith('Above.\n\n{% hint style="warning" %}\nMind it.\n{% endhint %}')


@pytest.mark.parametrize("width", STORY_WIDTHS)
def test_a_form_finds_pages_reusable_contents_and_blocks_by_name(
    browser: Browser, cast: Cast, width: int
) -> None:
    space = make.filled_space(cast)
    oil = {"operation": "insert_reusable_content", "title": "Oil", "document": {"markdown": "Whale oil.\n"}}
    included = make.changes(cast.cleo, space, oil)["insertedReusableContents"][0]["id"]
    lamp = text_of(cast.ada, space, "machinery/lamp")["id"]
    counter = PublishedIntegration(cast, blocks=[{"id": "counter", "title": "Lamp counter"}])
    counter.on_space(counter.install(), space)
    with at_work(browser, cast.rhea, width=width, dark=width == DESKTOP) as page:
        edit(page, cast, space)
        write(page, "")
        for block, typed, title, address in (
            ("/reus", "oi", "Oil", f"/reusable-contents/{included}"),
            ("/page", "the lam", "The lamp", f"/pages/{lamp}"),
            ("/integr", "count", "Lamp counter", f"{{% @{counter.name}/counter %}}"),
        ):
            insert(page, block)
            page.wait(f"!!{CHOICES}")
            page.press("Enter")
            page.wait("document.activeElement.matches('dialog [role=combobox]')")
            page.run("document.querySelector('dialog form').requestSubmit()")
            page.wait_for_text("Choose one of the list", "dialog")
            page.run("document.querySelector('dialog [role=combobox]').focus()")
            page.type(typed)
            page.wait_for_text(title, "dialog [role=listbox]:not([hidden])")
            assert faults(page) == []
            page.press("Enter")
            page.wait_for_text(title, "dialog .chosen")
            page.run("document.querySelector('dialog form').requestSubmit()")
            page.wait(f"{SOURCE}.innerText.includes({json.dumps(address)})")
            page.wait("document.activeElement.matches('.editor-source')")
        assert faults(page) == []


def test_every_block_with_a_form_is_read_as_that_block(browser: Browser, cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    with at_work(browser, cast.rhea) as page:
        page.open(here(cast, f"/o/{cast.organization}/s/{space}"))
        page.wait_for_text("No pages yet", "main")
        written = page.run(
            """(async () => {
            const { href } = document.querySelector("link[rel=modulepreload][href$='vendor/preact.js']");
            const blocks = href.replace("vendor/preact.js", "editor/blocks.js");
            const { BLOCKS, begun, written } = await import(blocks);
            const known = {
                address: "https://example.org/a b", addresses: "a.png\\nb.png", page: "/pages/x",
                content: "/reusable-contents/x", block: "lamps/lamp",
                condition: "visitor.claims.beta",
            };
            return BLOCKS.map((block) => {
                const full = begun(block);
                for (const { name, required } of block.asks ?? [])
                    if (required) full[name] = known[name] || full[name] || `a "quoted" ${name}`;
                return [block.name, written(block, full).text, block.end ? block.end(full) : ""];
            });
        })()"""
        )
    kinds = {
        "heading1": "Heading", "heading2": "Heading", "heading3": "Heading", "heading4": "Heading",
        "list": "List",
        "numbers": "List", "tasks": "List", "quote": "Quote", "divider": "Divider", "code": "Code",
        "formula": "Math",
        "footnote": "Paragraph", "table": "Table", "hint": "Hint", "tabs": "Tabs", "stepper": "Stepper",
        "columns": "Columns", "details": "Details", "cards": "Cards", "updates": "Updates", "image": "Image",
        "gallery": "Gallery", "embed": "Embed", "file": "FileBlock", "page": "LinkCard",
        "include": "ReusableContentBlock", "if": "Conditional", "operation": "OpenAPIOperation",
        "webhook": "OpenAPIWebhook", "schemas": "OpenAPISchemas", "integration": "IntegrationBlock",
    }  # fmt: skip
    found: dict[str, str] = {}
    for name, text, end in written:
        body = {
            "operation": "insert_page",
            "type": "document",
            "title": name,
            "document": {"markdown": f"{text}\n\n{end}\n"},
        }
        (made,) = make.changes(cast.ada, space, body)["changes"]
        blocks = cast.ada.ask(BLOCKS, space=space, page=made["page"]["id"])["space"]["page"]["blocks"]
        found[name] = blocks[0]["__typename"] if blocks else ""
    assert {name: kind for name, kind in found.items() if name != "html"} == kinds


def test_pages_and_headings_complete_links(browser: Browser, cast: Cast) -> None:
    space = make.filled_space(cast)
    lamp = text_of(cast.ada, space, "machinery/lamp")["id"]
    with at_work(browser, cast.rhea) as page:
        edit(page, cast, space)
        page.wait_for_text("The lamp", ".side")
        write(page, "See ")
        insert(page, "[[lam")
        take(page, "The lamp")
        page.wait(f"{SOURCE}.innerText.includes('[The lamp](/pages/{lamp})')")
        insert(page, " and [[The lamp#wi")
        take(page, "The wick")
        page.wait(f"{SOURCE}.innerText.includes('[The wick](')")
        assert faults(page) == []
        page.click(MAIN)
        settled(page)
        page.open(here(cast, f"/o/{cast.organization}/s/{space}/~/links"))
        page.wait_for_text("No broken links", "main")
        saved = text_of(cast.ada, space)["markdown"]
        assert "[The lamp](../machinery/lamp.md) and [The wick](../machinery/lamp.md#the-wick)" in saved


def paste_picture(page: Page, picture: bytes) -> None:
    """Paste a picture where the cursor is."""
    page.run(
        f"""(async () => {{
            const sent = "{base64.b64encode(picture).decode()}";
            const bytes = Uint8Array.from(atob(sent), (sign) => sign.charCodeAt(0));
            const clipboardData = new DataTransfer();
            clipboardData.items.add(new File([bytes], "beacon.png", {{ type: "image/png" }}));
            const how = {{ clipboardData, bubbles: true, cancelable: true, composed: true }};
            {SOURCE}.dispatchEvent(new ClipboardEvent("paste", how));
        }})()"""
    )


def test_a_pasted_picture_is_uploaded_and_shown(browser: Browser, cast: Cast) -> None:
    space, picture = make.filled_space(cast), make.picture(5, 4)
    with at_work(browser, cast.rhea) as page:
        edit(page, cast, space)
        write(page, "Look:\n")
        paste_picture(page, picture)
        page.wait(f"{SOURCE}.innerText.includes('![beacon](/files/')")
        page.wait(f"!document.querySelector('{MAIN}').disabled")
        page.click(MAIN)
        settled(page)
        assert "![beacon](" in text_of(cast.ada, space)["markdown"]
        shown = cast.ada.ask(PAGE, space=space)["space"]["page"]["html"]
        address = shown.split('src="')[1].split('"')[0].replace("&amp;", "&")
        assert httpx.get(address).content == picture
        assert faults(page) == []


@pytest.mark.parametrize("width", STORY_WIDTHS)
def test_a_table_is_edited_as_a_table(browser: Browser, cast: Cast, width: int) -> None:
    text = "# Notes\n\n| Hour | Oil |\n|---|--:|\n| 8 | a \\| b |\n\nBelow.\n"
    space = make.filled_space(cast, make.repository({"notes/README.md": text}))
    with at_work(browser, cast.rhea, width=width, dark=width != PHONE) as page:
        edit(page, cast, space)
        page.wait(f"({SOURCE}?.focus(), document.activeElement.matches('.editor-source'))")
        drawn(page)
        for key, code, times in (("Home", 36, 1), ("ArrowDown", 40, 2)):
            for _ in range(times):
                held = {
                    "key": key,
                    "code": key,
                    "windowsVirtualKeyCode": code,
                    "modifiers": 2 if key == "Home" else 0,
                }
                for kind in ("keyDown", "keyUp"):
                    page.call("Input.dispatchKeyEvent", type=kind, **held)
                drawn(page)
        page.click(".editor-tools [aria-label=Table]")
        page.wait("document.activeElement.matches('.grid input')")
        assert page.run("[...document.querySelectorAll('.grid input')].map((each) => each.value)") == [
            "Hour", "Oil", "8", "a \\| b",
        ]  # fmt: skip
        assert faults(page) == []
        for _ in range(2):
            page.press("Enter")
            drawn(page)
        page.wait("document.querySelectorAll('.grid tr').length === 3")
        page.wait("document.activeElement.dataset.cell === '2,0'")
        page.type("9 | later")
        page.click("dialog > .inside > .foot .main")
        page.wait("!document.querySelector('dialog')")
        page.click(MAIN)
        settled(page)
        assert text_of(cast.ada, space)["markdown"] == (
            "# Notes\n\n| Hour       |    Oil |\n".replace("   Oil", "Oil   ")
            + "| ---------- | -----: |\n| 8          | a \\| b |\n| 9 \\| later |        |\n\nBelow.\n"
        )


def test_what_is_inside_of_a_block_stands_out(browser: Browser, cast: Cast) -> None:
    text = '# Notes\n\n{% tabs %}\n{% tab title="One" %}\nInside\n{% endtab %}\n{% endtabs %}\n\nOutside\n'
    space = make.filled_space(cast, make.repository({"notes/README.md": text}))
    with at_work(browser, cast.rhea) as page:
        edit(page, cast, space)
        assert source(page) == text.removesuffix("\n") + "\n"
        depth = r"(each) => /cm-inside-(\d)/.exec(each.className)?.[1] ?? ''"
        found = page.run(f"[...{SOURCE}.querySelectorAll('.cm-line')].map({depth})")
        assert found == ["", "", "1", "2", "2", "2", "1", "", "", ""]
