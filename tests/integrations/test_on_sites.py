"""Integrations on published sites: blocks, scripts, visitor sign-in, and events of page views."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest

from app.access.audit_actions import Event
from app.access.context import Context
from app.domain.integrations import component_rendering, endpoints, outbox
from app.domain.integrations.endpoints import EndpointPath
from app.domain.sites import site_integrations
from app.kit.errors import NotFound
from app.models.integration_rendering import RenderRequest
from tests import make
from tests.cast import Cast
from tests.contract.second_process import Stage, staged
from tests.factories.integrations import RENDERING, PublishedIntegration
from tests.factories.sites import ManagedSite
from tests.instance import Instance
from tests.integrations.test_events import settled, until

Ask = Callable[[Callable[[Context], Awaitable[Any]]], Any]
SIGNING_IN = """export default { async fetch(request) {
  const { type, siteId, location, action } = JSON.parse((await request.formData()).get("event"));
  return Response.json({ type, siteId, location, action }, { status: 302, headers: { location: "/in" } });
} };"""


@pytest.fixture(scope="module")
def stage(instance: Instance) -> Iterator[Stage]:
    """Another process of the product."""
    with staged(instance) as stage:
        yield stage


@pytest.fixture
def nobody(stage: Stage) -> Ask:
    """Run something as the pages of a site do: for nobody in particular."""

    def ask(call: Callable[[Context], Awaitable[Any]]) -> Any:
        async def run() -> Any:
            return await call(stage.product.runtime.context_of_nobody())

        return stage.loop.run_until_complete(run())

    return ask


def test_a_visitor_sees_blocks_that_are_active(cast: Cast, nobody: Ask) -> None:
    made = PublishedIntegration(cast, script=RENDERING)
    installation, space = made.install(), make.space(cast.ada, cast.organization)["id"]
    context = {"type": "document", "spaceId": space, "theme": "dark", "editable": False}
    request = RenderRequest.model_validate({"componentId": "lamp", "props": {}, "context": context})
    with pytest.raises(NotFound):
        nobody(lambda cx: component_rendering.render_published(cx, made.name, request))
    made.on_space(installation, space)
    shown = nobody(lambda cx: component_rendering.render_published(cx, made.name, request))
    assert shown.output["element"]["children"][0]["content"] == "Hello world"
    assert "auth" not in made.events()[0]["payload"]


def test_visitors_sign_in_where_an_integration_may_let_them(cast: Cast, nobody: Ask) -> None:
    site = ManagedSite(cast).id
    for scopes, may in ((["site:visitor:auth"], True), (["site:metadata:read"], False)):
        made = PublishedIntegration(cast, script=SIGNING_IN, scopes=scopes)
        door = EndpointPath(made.name, made.install(), "site", site)
        made.on_site(str(door.installation), site)

        def ask(cx: Context, door: EndpointPath = door) -> Awaitable[Any]:
            return endpoints.authenticate_visitor(cx, door, location="/guide", logout=True)

        if not may:
            with pytest.raises(NotFound):
                nobody(ask)
            continue
        answer = nobody(ask)
        assert (answer.status, dict(answer.headers)["location"]) == (302, "/in")
        told = {
            "type": "fetch_visitor_authentication",
            "siteId": site,
            "location": "/guide",
            "action": "logout",
        }
        assert json.loads(answer.body) == told


def test_scripts_are_there_for_the_pages(cast: Cast, nobody: Ask) -> None:
    made = PublishedIntegration(cast, scopes=["site:script:inject"], contentSecurityPolicy="img-src 'self'")
    site = ManagedSite(cast)
    made.on_site(made.install(), site.id)
    (script,) = until(lambda: nobody(lambda cx: site_integrations.published_scripts(cx, site.id)))
    assert script == site.get("/integration-scripts")[0]
    site.post("/publish", status=200)
    assert site.get("/published")["scripts"] == [script]
    assert nobody(lambda cx: site_integrations.published_scripts(cx, "none")) == []


def test_views_are_told_to_whom_may_know(cast: Cast, nobody: Ask) -> None:
    made, blind = (
        PublishedIntegration(cast, scopes=["site:views:read"]),
        PublishedIntegration(cast, scopes=[]),
    )
    site = ManagedSite(cast).id
    for one in (made, blind):
        one.on_site(one.install(), site)
    happening = Event("site_view", cast.organization, "site", site, {"url": "https://docs.example.org/"})
    nobody(lambda cx: outbox.publish(cx, happening))
    view = settled(made, 3)[-1]["payload"]
    assert (view["type"], view["siteId"], view["url"]) == ("site_view", site, "https://docs.example.org/")
    assert "site_view" not in {event["payload"]["type"] for event in blind.events()}
