"""Redirects of a site in GraphQL."""

from __future__ import annotations

from tests.cast import Cast
from tests.factories.changes import new_page
from tests.factories.collections import patched
from tests.factories.sites import ManagedSite
from tests.gql.test_together import counted

QUERY = """query ($organization: ID!, $site: ID!) { organization(id: $organization) { site(id: $site) {
    redirects { nodes { source destination { ... on ToPage { pageId page { restId title } } } } } } } }"""


def to_page(s: ManagedSite, source: str, page: str, space: int = 0) -> None:
    """A redirect to a page of a space of the site."""
    shown = s.get("/site-spaces")["items"][space]["id"]
    to = {"kind": "site-page", "siteSpace": shown, "page": page}
    s.post("/redirects", {"source": source, "destination": to})


def test_a_redirect_tells_of_the_page_that_it_leads_to(cast: Cast) -> None:
    s = ManagedSite(cast, "Guide", "Internal")
    titled = zip(s.spaces, ("Start", "Salaries"), strict=True)
    pages = [new_page(cast.ada, space, title=title) for space, title in titled]
    for n, page in enumerate(pages):
        to_page(s, f"/{n}", page, n)
    patched(cast.ada, f"/v1/spaces/{s.spaces[1]}", {"defaultLevel": None})

    def titles(person: str) -> list[str | None]:
        answer = getattr(cast, person).ask(QUERY, organization=cast.organization, site=s.id)
        found = [each["destination"] for each in answer["organization"]["site"]["redirects"]["nodes"]]
        return [each["page"] and each["page"]["title"] for each in found]

    assert titles("ada") == ["Start", "Salaries"]
    assert titles("ed") == ["Start", None]


def test_pages_of_redirects_cost_the_same_however_many_there_are(cast: Cast) -> None:
    s = ManagedSite(cast, "Guide")
    counts = []
    for n in range(4):
        page = new_page(cast.ada, s.spaces[0], title=f"Page {n}")
        to_page(s, f"/{n}", page)
        counts.append(counted(cast.ada, QUERY, organization=cast.organization, site=s.id)[1])
    assert len(set(counts[1:])) == 1
