"""Names of the greatest length and text from right to left: every screen holds them on a phone, in German."""

from __future__ import annotations

from typing import Any

import pytest

from tests import make
from tests.browser.browser import Browser
from tests.browser.console.screens import PHONE, at_work, faults, here
from tests.cast import Cast
from tests.factories.collections import collection
from tests.scale import scaled
from tests.visitors import PublishedSite

LATIN = "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenverordnungsentwurf" * 4
HEBREW = "המגדלור הישן על החוף המערבי מאיר את הדרך לספינות בלילה, " * 6
NAMES = {"one long word": LATIN, "right to left": HEBREW}
PARTS: dict[str, tuple[str, ...]] = {
    "/o/{organization}/people": ("", "/teams", "/invitations", "/domains", "/sso", "/audit"),
    "/o/{organization}/s/{space}/~/settings": ("", "/access", "/git"),
    "/o/{organization}/site/{site}": (
        "", "/structure", "/audience", "/look", "/redirects", "/claims", "/access", "/settings",
    ),
    "/account": ("/settings", "/security", "/tokens", "/applications", "/data"),
}  # fmt: skip
SCREENS = (
    "/",
    "/console/new",
    "/o/{organization}",
    "/o/{organization}/settings",
    "/o/{organization}/c/{collection}",
    "/o/{organization}/c/{collection}/settings",
    "/o/{organization}/changes",
    "/o/{organization}/import",
    "/o/{organization}/integrations",
    "/o/{organization}/jobs",
    "/o/{organization}/openapi",
    "/o/{organization}/sites",
    "/o/{organization}/s/{space}",
    "/o/{organization}/s/{space}/name",
    "/o/{organization}/s/{space}/name?comments",
    "/o/{organization}/s/{space}/~/changes",
    "/o/{organization}/s/{space}/~/changes/1",
    "/o/{organization}/s/{space}/~/changes/1/~/changes",
    "/o/{organization}/s/{space}/~/changes/1/name",
    "/o/{organization}/s/{space}/~/edit/name",
    "/o/{organization}/s/{space}/~/edit/name?change=1",
    "/o/{organization}/s/{space}/~/comments",
    "/o/{organization}/s/{space}/~/revisions",
    "/o/{organization}/s/{space}/~/links",
    *(path + part for path, parts in PARTS.items() for part in parts),
)
# What cannot be broken into lines is on every screen; what can, and runs the other way, on some.
SHOWN = {"one long word": SCREENS, "right to left": SCREENS[:: scaled(3, full=1)]}
# Texts that end where their box does without a sign that they go on, or that begin or end off the screen.
CUT = """(() => {
  const isScrolled = (each) => /auto|scroll/.test(getComputedStyle(each).overflowX);
  const scrolls = (each) => each && (isScrolled(each) || scrolls(each.parentElement));
  const isCut = (each) => {
    const { overflowX, textOverflow } = getComputedStyle(each), box = each.getBoundingClientRect();
    const ends = each.scrollWidth > each.clientWidth + 1 && /hidden|clip/.test(overflowX);
    const isOutside = box.right > innerWidth + 1 || box.left < -1;
    return (ends && textOverflow !== "ellipsis") || (isOutside && !scrolls(each.parentElement));
  };
  return [...document.querySelectorAll("header *, main *, dialog *")]
    .filter((each) => each.checkVisibility({ visibilityProperty: true }))
    .filter((each) => !each.closest(".unseen, .side, .skip, svg, iframe"))
    .filter((each) => [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
    .filter(isCut)
    .map((each) => `cut: ${each.tagName} ${each.className} ${each.textContent.trim().slice(0, 60)}`);
})()"""


def named(cast: Cast, name: str) -> dict[str, Any]:
    """Give everything that has a name this one, as long as it may be; returns what stands in paths."""
    ada, organization = cast.ada, cast.organization

    def sent(method: str, path: str, body: dict[str, Any]) -> Any:
        answer = ada.call(method, path, json=body)
        assert answer.status_code < 300, answer.text
        return answer.json() if answer.content else {}

    space = make.filled_space(
        cast, {"README.md": "# Start\n\nSee [it](nowhere.md).\n"}, title=name[:50].strip()
    )
    page = {"operation": "insert_page", "type": "document", "title": name[:255].strip(), "slug": "name"}
    text = f"## {name[:255]}\n\n{name} `{name[:80]}`\n\n| {name[:60]} | {name[:60]} |\n|---|---|\n| 1 | 2 |\n"
    shown = make.changes(
        ada, space, {**page, "description": name[:200].strip(), "document": {"markdown": text}}
    )
    made = shown["changes"][0]["page"]["id"] if "changes" in shown else ""
    request = make.change_request(ada, space, subject=name[:100].strip(), description={"markdown": name})
    make.changes(
        ada,
        space,
        {"operation": "update_page", "page": made, "title": f"2 {name[:250].strip()}"},
        request=request["id"],
    )
    sent("POST", f"/v1/spaces/{space}/comments", {"body": {"markdown": name}, "page": made})
    sent("PUT", f"/v1/orgs/{organization}/teams", {"title": name[:64].strip(), "members": [cast.ed.id]})
    for person in (cast.ada, cast.ed):
        answer = person.patch(f"/v1/users/{person.id}", {"displayName": name[:64].strip()})
        assert answer.status_code == 200, answer.text
    sent("PATCH", f"/v1/orgs/{organization}", {"title": name[:255].strip()})
    shelf = collection(ada, organization, title=name[:50].strip())["id"]
    site = PublishedSite(cast, name[:50].strip(), title=name[:128].strip())
    return {"organization": organization, "space": space, "collection": shelf, "site": site.id}


@pytest.mark.parametrize("name", NAMES)
def test_every_screen_holds_the_longest_names(browser: Browser, cast: Cast, name: str) -> None:
    places, found = named(cast, NAMES[name]), []
    with at_work(browser, cast.ada, width=PHONE) as page:
        page.call("Emulation.setLocaleOverride", locale="de-DE")
        german = "localStorage['docyard.language'] = '\"de\"'"
        page.call("Page.addScriptToEvaluateOnNewDocument", source=german)
        for screen in SHOWN[name]:
            page.open(here(cast, screen.format(**places)))
            page.wait("document.documentElement.lang === 'de'")
            page.wait(
                "!!(document.querySelector('main')?.innerText.trim() || document.querySelector('iframe'))"
            )
            found += [f"{screen}: {each}" for each in (*faults(page), *page.run(CUT))]
            page.complaints.clear()
    assert "\n".join(found) == ""
