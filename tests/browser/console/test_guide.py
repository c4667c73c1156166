"""The guide that comes with the program: found from the first page, whole, and readable by everybody."""

from __future__ import annotations

import re

import httpx
import pytest

from app.console import guide
from tests.browser.browser import Browser
from tests.browser.console.screens import PHONE, SCREENS, faults, here
from tests.cast import Cast
from tests.timing import TIMEOUT


@pytest.mark.parametrize(("width", "dark"), SCREENS)
def test_the_first_page_leads_to_the_guide(browser: Browser, cast: Cast, width: int, dark: bool) -> None:
    with browser.page(width=width, height=844 if width == PHONE else 900, dark=dark) as page:
        page.open(here(cast, "/"))
        assert faults(page) == []
        page.click("main a[href$='docs/guide']")
        page.wait_for_text("Docyard", "article h1, article")
        assert faults(page) == []
        page.click(".guide-contents summary")
        page.click(".guide-contents a[href$='/docs/guide/writing/sampler']")
        page.wait("location.pathname.endsWith('/docs/guide/writing/sampler')")
        page.wait("document.readyState === 'complete'")
        assert faults(page) == []


def test_every_page_of_the_guide_is_there_and_so_is_what_it_links_to(cast: Cast) -> None:
    broken, files = [], set()
    known = {f"/docs/guide/{path}".rstrip("/") for path in guide.pages()}
    with httpx.Client(base_url=cast.instance.base, timeout=TIMEOUT) as client:
        for path in guide.pages():
            answer = client.get(f"/docs/guide/{path}")
            assert answer.status_code == 200, path
            for href in re.findall(r'(?:href|src)="(/docs/guide[^"#]*)', answer.text):
                if "/.gitbook/" in href:
                    files.add(href)
                elif href.rstrip("/") not in known:
                    broken.append((path, href))
        assert broken == []
        assert files
        for file in files:
            answer = client.get(file)
            assert (answer.status_code, "sandbox" in answer.headers["content-security-policy"]) == (200, True)


@pytest.mark.parametrize(
    "path", ["none", "../demo/cast.py", ".gitbook/assets/../vars.yaml", ".gitbook/vars.yaml"]
)
def test_nothing_else_is_read(cast: Cast, path: str) -> None:
    with httpx.Client(base_url=cast.instance.base, timeout=TIMEOUT) as client:
        assert client.get(f"/docs/guide/{path.replace('..', '%2e%2e')}").status_code == 404
