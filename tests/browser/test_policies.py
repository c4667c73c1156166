"""Content security policies of published sites in a real browser: what they stop, and what they let work."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests import make
from tests.browser.browser import Browser, Page
from tests.browser.test_reader import SAMPLES
from tests.cast import Cast
from tests.factories.integrations import PublishedIntegration
from tests.factories.site_blocks import Lamps, button, with_shown
from tests.local_server import Answer, Request, sent, serve
from tests.visitors import PAGES, PublishedSite

NOTE = """
window.ran = []; window.violations = [];
addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) => {
  violations.push([effectiveDirective, blockedURI]);
});
"""
JAVASCRIPT = "text/javascript"
# As if nothing that people write were sanitized: each of these notes that it ran.
HOSTILE = """
<script>ran.push("inline")</script>
<script nonce="guessed">ran.push("nonce")</script>
<script type="module">ran.push("module")</script>
<img src="data:," onerror="ran.push('handler')">
<svg><script>ran.push("svg")</script></svg>
<iframe srcdoc="<script>parent.ran.push('frame')</script>"></iframe>
<iframe src="javascript:parent.ran.push('address')"></iframe>
<object data="data:text/html,<script>opener</script>"></object>
<script src="data:text/javascript,ran.push('data')"></script>
<script src="UPLOAD"></script>
<script src="ANSWER"></script>
<script src="FOREIGN"></script>
<link rel="stylesheet" href="FOREIGN">
<form id="sent" action="ELSEWHERE"><input name="password" value="secret"></form>
<base href="ELSEWHERE">
"""
RUN_WITHOUT_POLICY = ["inline", "nonce", "module", "handler", "svg", "frame", "address", "data", "foreign"]


@contextmanager
def hostile(page: Page, html: str, *, policies: bool) -> Iterator[None]:
    """Put HTML at the start of the body of every document on its way here; its headers stay, but perhaps
    for the policies."""
    listener = page.browser.listeners[page.session]

    def changed(method: str, params: dict[str, Any]) -> None:
        if method != "Fetch.requestPaused":
            listener(method, params)
            return
        paused = {"requestId": params["requestId"]}
        answer = page.call("Fetch.getResponseBody", **paused)
        body = base64.b64decode(answer["body"]) if answer["base64Encoded"] else answer["body"].encode()
        before, at, after = body.partition(b"<main")
        dropped = {"content-encoding", "content-length"} | (
            set() if policies else {"content-security-policy"}
        )
        page.call(
            "Fetch.fulfillRequest",
            **paused,
            responseCode=params["responseStatusCode"],
            responseHeaders=[
                each for each in params["responseHeaders"] if each["name"].lower() not in dropped
            ],
            body=base64.b64encode(before + html.encode() + at + after).decode(),
        )

    page.browser.listeners[page.session] = changed
    page.call("Fetch.enable", patterns=[{"resourceType": "Document", "requestStage": "Response"}])
    yield
    page.call("Fetch.disable")
    page.browser.listeners[page.session] = listener


def noted(page: Page) -> None:
    """Let the page note what runs in it and what is refused."""
    page.call("Page.addScriptToEvaluateOnNewDocument", source=NOTE)


@pytest.mark.parametrize("policies", [True, False], ids=["with policies", "without"])
def test_nothing_of_others_runs_even_where_a_page_holds_it(
    browser: Browser, cast: Cast, policies: bool
) -> None:
    """Without its policies the same page runs what it is given."""
    answers = f"""export default {{ fetch() {{
      return new Response("ran.push('answer')", {{ headers: {{ "content-type": "{JAVASCRIPT}" }} }});
    }} }};"""
    answer = PublishedIntegration(cast, script=answers).published["urls"]["publicEndpoint"]
    site = PublishedSite(cast, files={**PAGES, "evil.js": "ran.push('upload')"})
    listed = cast.ada.get(f"/v1/spaces/{site.spaces[0]}/content/files").json()["items"]
    (upload,) = [file["downloadURL"] for file in listed if file["name"] == "evil.js"]
    asked: list[str] = []

    def foreign(request: Request) -> Answer:
        asked.append(request.path)
        return sent("ran.push('foreign')", JAVASCRIPT)

    with serve({"/*": foreign}) as elsewhere, browser.page() as page:
        html = HOSTILE.replace("UPLOAD", urlsplit(upload).path).replace("ANSWER", urlsplit(answer).path)
        html = html.replace("FOREIGN", f"{elsewhere}/evil.js").replace("ELSEWHERE", f"{elsewhere}/collect")
        noted(page)
        with hostile(page, html, policies=policies):
            page.open(site.url)
        page.wait("document.querySelector('main').innerText.includes('Welcome aboard.')")
        ran = sorted(set(page.run("ran")))
        assert page.run("document.baseURI === location.href") is policies
        if not policies:
            assert set(ran) >= set(RUN_WITHOUT_POLICY), (asked, page.complaints)
            return
        page.run("document.querySelector('#sent').requestSubmit()")
        page.wait("violations.some(([directive]) => directive === 'form-action')")
        assert (ran, asked) == ([], [])
        refused = page.run("violations")
        for expected in (["script-src-elem", "inline"], ["script-src-attr", "inline"], ["base-uri", None]):
            assert any(each[0] == expected[0] and expected[1] in (each[1], None) for each in refused), refused
        for source in (urlsplit(upload).path, urlsplit(answer).path, f"{elsewhere}/evil.js"):
            assert any(each[1].endswith(source) for each in refused), source


def test_what_a_site_offers_needs_nothing_that_is_refused(browser: Browser, cast: Cast) -> None:
    blocks = [sample.partition("\n-->\n")[0] for sample in SAMPLES.read_text().split("\n=====\n")]
    everything = "# Everything\n\n## All blocks\n\n" + "\n\n".join(blocks) + "\n"
    pictures = {name: make.picture(30, 20) for name in ("shot.png", "dark.png")}
    site = PublishedSite(cast, files={**PAGES, **pictures, "everything.md": everything})
    with browser.page() as page:
        noted(page)
        page.call("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        page.open(f"{site.url}/everything")
        page.click(".code[data-syntax=python] .copy")
        page.wait_for_text("Copied", within=".code[data-syntax=python] .copy")
        page.click(".tabs label:nth-of-type(2)")
        page.click("[data-switch]")
        page.press("/")
        page.wait_for("dialog.search input")
        page.type("installer")
        page.wait_for_text("Run the installer.", within="dialog.search")
        assert page.run("violations") == []
        page.press("Enter")
        page.wait_for_text("Run the installer.", within="main")
        assert page.run("violations") == []
        assert page.complaints == []
        assert page.outside(cast.instance.settings.sites_base) == []


def test_a_block_of_an_integration_needs_nothing_that_is_refused(browser: Browser, cast: Cast) -> None:
    lamps = Lamps(cast, with_shown(button("Save", action="save")))
    with browser.page() as page:
        noted(page)
        page.open(f"{lamps.site.url}/lamps")
        page.click("form.filled button")
        page.wait_for_text('"action":{"action":"save"}', "form.filled pre")
        assert page.run("violations") == []
        assert page.complaints == []


def test_a_file_or_an_answer_of_the_same_origin_is_neither_a_script_nor_a_style(
    browser: Browser, cast: Cast
) -> None:
    """Even where a page could be made to ask for one: policies name the folders of our own files."""
    runs = "window.stolen = true"
    script = f"""export default {{ fetch() {{
      return new Response("{runs}", {{ headers: {{ "content-type": "text/javascript" }} }});
    }} }};"""
    site = PublishedSite(cast, files={**PAGES, "evil.js": runs, "evil.css": "body { display: none }"})
    endpoint = PublishedIntegration(cast, script=script).published["urls"]["publicEndpoint"]
    assert endpoint.startswith(f"{cast.instance.settings.sites_base}/")
    listed = cast.ada.get(f"/v1/spaces/{site.spaces[0]}/content/files").json()["items"]
    files = [file["downloadURL"] for file in listed if file["name"].startswith("evil")]
    assert len(files) == 2
    with browser.page() as page:
        for at, sources in ((site.url, [endpoint]), (f"{cast.instance.base}/docs", files)):
            page.open(at)
            for number, source in enumerate(sources):
                name, address = ("link", "href") if source.endswith(".css") else ("script", "src")
                made = f"Object.assign(document.createElement('{name}'), {{ {address}: '{source}' }})"
                page.run(f"window.e = {made}; e.rel = 'stylesheet'; e.onerror = () => window.no{number} = 1")
                page.run("document.head.append(e)")
                page.wait(f"window.no{number} === 1")
            assert page.run("window.stolen === undefined")
        refused = [said for said in page.complaints if "Content Security Policy" in said]
        assert len(refused) >= 3
