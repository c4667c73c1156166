"""Accessibility checks of a page as the browser has drawn it: contrast, names, headings, landmarks, layout
shifts.
"""

from __future__ import annotations

from pathlib import Path

from tests.browser.browser import Page

MOST_SHIFT = 0.05  # of the screen (a good page has less than 0.1)

AUDIT = (Path(__file__).parent / "audit.js").read_text()
SHIFT = """
new Promise((done) => {
  let sum = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) sum += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
  setTimeout(() => done(sum), 300);
})
"""


def faults(page: Page) -> list[str]:
    """Return the faults of the page that is open."""
    found = [str(fault) for fault in page.run(AUDIT)]
    shift = page.run(SHIFT)
    return [*found, *([f"moved by {shift}"] if shift > MOST_SHIFT else [])]
