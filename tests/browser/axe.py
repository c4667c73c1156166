"""What axe finds on the page that is open, by the rules of WCAG and of good practice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.browser.browser import Page

AXE = Path(__file__).parents[1] / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def violations(page: Page, within: str = "") -> list[str]:
    """Return what axe finds on the page, or in what is open on it: the rules that are broken, with where."""
    if not page.run("typeof axe === 'object'"):
        page.run(AXE.read_text(encoding="utf-8") + "; 0")
    place = f"document.querySelector({json.dumps(within)})" if within else "document"
    found: list[dict[str, Any]] = page.run(
        f"axe.run({place}, {{ runOnly: {json.dumps(RULES)}, iframes: false,"
        " resultTypes: ['violations'], selectors: false }).then(({ violations }) =>"
        " violations.map(({ id, nodes }) => ({ id, nodes: nodes.map((each) => each.html.slice(0, 160)) })))"
    )
    return [f"{each['id']}: {html}" for each in found for html in each["nodes"]]
