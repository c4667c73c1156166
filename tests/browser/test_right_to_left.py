"""A site in a language that is written from right to left, in a real browser."""

from __future__ import annotations

from tests.browser.browser import Browser
from tests.cast import Cast
from tests.visitors import PublishedSite

TEXT = """# دليل

اكتب `docyard --help` هنا.

```bash
docyard serve --port 8000
```

{% stepper %}
{% step %}
## خطوة

اكتب شيئا.
{% endstep %}
{% endstepper %}
"""
HEIGHT = 844
MIXED = """# Handbook

اكتب شيئا.

```js title="src/index.js"
let one = 1;
```
"""


def test_nothing_lies_over_the_words(browser: Browser, cast: Cast) -> None:
    site = PublishedSite(cast, "دليل", languages=["ar"], files={"README.md": TEXT})
    box = "document.querySelector('%s').getBoundingClientRect()"
    with browser.page(width=390, height=HEIGHT) as page:
        page.open(site.url)
        assert page.run("document.documentElement.dir") == "rtl"
        assert page.run(f"{box % '.code .copy'}.left > {box % '.code'}.left + 100"), "code begins on the left"
        assert page.run(f"{box % '.steps h2, .steps h3'}.right < {box % '.steps > li'}.right - 30")
        page.click(".menu-button")
        page.wait_for(".side .close")
        assert page.run(f"{box % '.side'}.height") == HEIGHT
        assert page.run(f"{box % '.side .close'}.left < {box % '.side'}.left + 60")


def test_words_in_latin_letters_begin_where_the_others_do(browser: Browser, cast: Cast) -> None:
    site = PublishedSite(cast, "دليل", languages=["ar"], files={"README.md": MIXED})
    words = """(selector) => {
        const range = document.createRange();
        range.selectNodeContents(document.querySelector(selector));
        return range.getBoundingClientRect();
    }"""
    with browser.page(width=390, height=HEIGHT) as page:
        page.open(site.url)
        page.wait_for(".code .copy")
        assert page.run(f"Math.abs(({words})('h1').right - ({words})('.body p').right) < 2")
        assert page.run(f"({words})('figcaption').right < ({words})('.copy').left"), "its title can be read"
