"""Calls about how sites are published, looked at, redirected and granted (see `recipes`)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from tests.cast import Cast
from tests.contract.faces import Call
from tests.contract.recipes_content import filled_space
from tests.contract.recipes_sites import Recipe, Whole
from tests.contract.recipes_teams import team
from tests.factories.changes import new_page
from tests.factories.sites import ManagedSite, answered


def _share_link(cast: Cast) -> Call:
    whole = Whole(cast, visibility="share-link")
    made = whole.site.post("/share-links", {"name": "For partners"})
    return whole.call(shareLinkId=made["id"])


def _share_links(cast: Cast) -> Call:
    whole = Whole(cast, visibility="share-link")
    for name in ("For partners", "For Partners too", "Press"):
        whole.site.post("/share-links", {"name": name})
    return whole.call({"search": "partners"})


def _auth(cast: Cast) -> Call:
    body = {"backend": "custom", "fallbackURL": "https://example.org/login", "logoutURL": None}
    return Whole(cast, visibility="visitor-auth").call(body=body)


def _preview(cast: Cast) -> Call:
    whole = Whole(cast)
    claims = '{"unsigned": {"beta": true}}'
    query = {"siteSpace": whole.variant["id"], "claims": claims, "draft": False, "target": "/start"}
    return whole.call(query)


def _search(cast: Cast) -> Call:
    whole = Whole(cast, visibility="unlisted").published()
    scope = {"mode": "default", "currentSiteSpace": whole.variant["id"]}
    return whole.call(body={"query": "install", "scope": scope})


def _published_url(cast: Cast) -> Call:
    whole = Whole(cast, visibility="unlisted").published()
    return Call(body={"url": whole.site.get()["urls"]["published"] + "/machinery/lamp"})


LOOKS: dict[str, Any] = {
    "themes": {"default": "dark", "toggleable": False},
    "styling": {"theme": "bold", "primaryColor": {"light": "#004488", "dark": "#88ccff"}, "font": "serif"},
    "header": {
        "logo": {"light": "https://example.org/logo.png", "dark": "https://example.org/logo-dark.png"},
        "links": [{"title": "Home", "url": "https://example.org", "style": "button-primary"}],
    },
    "footer": {"groups": [{"title": "Us", "links": [{"title": "Mail", "url": "mailto:ada@example.org"}]}]},
    "announcement": {"message": "The lamp is out."},
}


def _looks_of_space(cast: Cast) -> Call:
    whole = Whole(cast)
    item = whole.variant["id"]
    whole.site.patch(f"/site-spaces/{item}/customization", {"styling": {"corners": "straight"}})
    change = {"styling": {"corners": "circular"}, "header": None}
    return whole.call(body=change, siteSpaceId=item)


def _look_to_try(cast: Cast) -> Call:
    whole = Whole(cast)
    change = {"styling": {"corners": "circular"}, "siteSpace": whole.variant["id"], "target": "/start"}
    return whole.call(body=change)


def _redirect_to(whole: Whole) -> dict[str, Any]:
    pages = whole.cast.ada.get(f"/v1/spaces/{whole.space}/content/pages").json()["pages"]
    return {"kind": "site-page", "siteSpace": whole.shown["id"], "page": pages[0]["id"]}


def _redirects(cast: Cast) -> Whole:
    whole = Whole(cast).published()
    external = {"kind": "external", "url": "https://example.org/old"}
    whole.site.post(
        "/redirects", {"source": "/old", "destination": _redirect_to(whole), "captureWildcard": True}
    )
    whole.site.post("/redirects", {"source": "/older", "destination": external, "permanent": True})
    return whole


def _create_redirect(cast: Cast) -> Call:
    whole = Whole(cast)
    return whole.call(body={"source": "/start", "destination": _redirect_to(whole), "permanent": True})


def _put_redirects(cast: Cast) -> Call:
    whole = _redirects(cast)
    section = {"kind": "site-section", "siteSection": whole.first["id"]}
    redirects = [
        {"source": "/old", "destination": {"kind": "path", "path": "/new"}, "captureWildcard": True},
        {"source": "/section", "destination": section},
    ]
    return whole.call(body={"redirects": redirects})


def _redirect(cast: Cast) -> Call:
    whole = _redirects(cast)
    found = whole.site.get("/redirects")["items"][0]["id"]
    body = {"source": "/ancient", "destination": {"kind": "path", "path": "/handbook"}, "permanent": True}
    return whole.call(body=body, siteRedirectId=found)


def _granted(cast: Cast) -> tuple[Whole, str]:
    whole, keepers = Whole(cast), team(cast)
    body = {"role": "edit", "users": [cast.ria.id, cast.gus.id], "teams": [keepers, team(cast)]}
    answered(cast.ada.post(f"{whole.site.path}/permissions", body), 204)
    return whole, keepers


def _grant(cast: Cast) -> Call:
    body = {"role": "comment", "users": [cast.gus.id, cast.ria.id], "teams": [team(cast)]}
    return Whole(cast).call(body=body)


def _of_user(cast: Cast, body: dict[str, Any] | None = None) -> Call:
    return _granted(cast)[0].call(body=body, userId=cast.gus.id)


def _of_team(cast: Cast, body: dict[str, Any] | None = None) -> Call:
    whole, keepers = _granted(cast)
    return whole.call(body=body, teamId=keepers)


PUBLISHING: dict[str, Recipe] = {
    "listSiteShareLinks": _share_links,
    "createSiteShareLink": lambda cast: Whole(cast).call(body={"name": "For partners"}),
    "updateSiteShareLinkById": lambda cast: Call(
        _share_link(cast).path, body={"name": "For nobody", "active": False}
    ),
    "deleteSiteShareLinkById": _share_link,
    "getSitePublishingAuth": lambda cast: Whole(cast).call(),
    "updateSitePublishingAuth": _auth,
    "regenerateSitePublishingAuth": lambda cast: Whole(cast).call(),
    "getSitePublishingPreview": _preview,
    "searchSiteContent": _search,
    "resolvePublishedUrl": _published_url,
    "getSiteCustomization": lambda cast: Whole(cast).call(),
    "updateSiteCustomization": lambda cast: Whole(cast).call(body=LOOKS),
    "getSiteSpaceCustomization": lambda cast: without_body(_looks_of_space(cast)),
    "overrideSiteSpaceCustomization": _looks_of_space,
    "deleteSiteSpaceCustomization": lambda cast: without_body(_looks_of_space(cast)),
    "previewSiteCustomization": _look_to_try,
    "listSiteRedirects": lambda cast: _redirects(cast).call(),
    "createSiteRedirect": _create_redirect,
    "upsertSiteRedirects": _put_redirects,
    "updateSiteRedirectById": _redirect,
    "deleteSiteRedirectById": lambda cast: without_body(_redirect(cast)),
    "getSiteRedirectBySource": lambda cast: _redirects(cast).call({"source": "/old", "shareKey": "sesame"}),
    "listSitePageFeedback": lambda cast: _feedback(cast),
    "getSitePageFeedbackById": lambda cast: _one_feedback(cast),
    "deleteSitePageFeedbackById": lambda cast: _one_feedback(cast),
    "getSiteStatistics": lambda cast: _visited(cast, interval="week"),
    "listSitePageViews": lambda cast: _visited(cast),
    "listSiteSearchedTerms": lambda cast: _visited(cast, withoutResults=True),
    "listSiteBrokenUrls": lambda cast: _visited(cast),
    "listSiteViewShares": lambda cast: _visited(cast, by="referrer"),
    "inviteToSite": _grant,
    "listUserPermissionsInSite": lambda cast: _granted(cast)[0].call(),
    "listTeamPermissionsInSite": lambda cast: _granted(cast)[0].call(),
    "updateUserPermissionInSite": lambda cast: _of_user(cast, {"role": "review"}),
    "updateTeamPermissionInSite": lambda cast: _of_team(cast, {"role": "read"}),
    "removeUserFromSite": _of_user,
    "removeTeamFromSite": _of_team,
    "listPermissionsAggregateInSite": lambda cast: _granted(cast)[0].call({"role": "edit"}),
    "explainPermissionInSite": lambda cast: _granted(cast)[0].call({"user": cast.ed.id, "action": "view"}),
}


def _feedback(cast: Cast) -> Call:
    """Return what two visitors said of a page of a site that asks."""
    site, space = ManagedSite(cast, visibility="unlisted"), filled_space(cast)
    site.post("/site-spaces", {"spaceId": space})
    answered(cast.ada.put(f"{site.path}/customization", {"feedback": {"enabled": True}}))
    site.post("/publish", status=200)
    page = answered(cast.ada.get(f"/v1/spaces/{space}/content/pages"))["pages"][0]["id"]
    query = {"rating": "bad", "targetPage": page, "withComment": True}
    call = Call({"organizationId": cast.organization, "siteId": site.id}, query)
    for visitor in ("one", "two"):
        give_feedback(cast, call, visitor)
    return call


def give_feedback(cast: Cast, call: Call, visitor: str) -> None:
    """Say something of the page that this list of feedback is of, as a visitor who has not said anything."""
    site = f"/v1/orgs/{cast.organization}/sites/{call.path['siteId']}"
    base = answered(cast.ada.get(site))["urls"]["published"]
    item = answered(cast.ada.get(f"{site}/site-spaces"))["items"][0]["id"]
    said, headers = {"~do": "bad", "comment": "The lamp is missing."}, {"User-Agent": visitor}
    address = f"{base}/~/feedback/{item}/{call.query['targetPage']}"
    answer = cast.instance.http.post(address, data=said, headers=headers)
    assert answer.status_code == 200, answer.text


def _visited(cast: Cast, **query: Any) -> Call:
    """The statistics of a site with a visitor who found something, and with one who did not."""
    site, space = ManagedSite(cast, visibility="unlisted"), filled_space(cast)
    site.post("/site-spaces", {"spaceId": space})
    site.post("/publish", status=200)
    today = datetime.now(UTC).date()
    asked = {
        "since": (today - timedelta(days=20)).isoformat(),
        "until": (today + timedelta(days=1)).isoformat(),
    }
    call = Call({"organizationId": cast.organization, "siteId": site.id}, {**asked, **query})
    visit(cast, call, "")
    visit(cast, call, "guide")
    return call


def visit(cast: Cast, call: Call, word: str) -> None:
    """Visit a new page of the site that this call is about, come from a host of this name, search for the
    word, and follow a link that is broken."""
    site = f"/v1/orgs/{cast.organization}/sites/{call.path['siteId']}"
    base = answered(cast.ada.get(site))["urls"]["published"]
    space = answered(cast.ada.get(f"{site}/site-spaces"))["items"][0]["space"]["id"]
    title = word or "start"
    new_page(cast.ada, space, title=title, slug=title)
    headers = {"User-Agent": "Mozilla/5.0 (a browser)", "Referer": f"https://{title}.example.org/page"}
    for path, status in ((f"/{title}", 200), (f"/~/search?q=zz{title}", 200), (f"/{title}/gone", 404)):
        answer = cast.instance.http.get(base + path, headers=headers, follow_redirects=True)
        assert answer.status_code == status, (path, answer.text)
    cast.instance.keep_visit_counts()


def _one_feedback(cast: Cast) -> Call:
    """Return what an agent reported as missing from a page."""
    call = _feedback(cast)
    site = f"/v1/orgs/{call.path['organizationId']}/sites/{call.path['siteId']}"
    base = answered(cast.ada.get(site))["urls"]["published"]
    page = answered(cast.ada.get(f"{site}/page-feedback"))["items"][0]["url"]
    said = {"missing": "How to clean the lamp.", "query": "clean lamp", "path": page}
    params = {"name": "report_missing", "arguments": said}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    answer = cast.instance.http.post(f"{base}/~/mcp", json=asked)
    assert answer.json()["result"].get("isError") is not True, answer.text
    found = answered(cast.ada.get(f"{site}/page-feedback?source=agent"))["items"][0]
    return Call({**call.path, "pageFeedbackId": found["id"]})


def without_body(call: Call) -> Call:
    """Return the same call, which says nothing."""
    return Call(call.path, call.query)
