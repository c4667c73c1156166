"""Public endpoints: anybody's request becomes an event, what comes back is kept apart from us."""

from __future__ import annotations

from urllib.parse import urlsplit

import httpx
import pytest

from tests import make
from tests.cast import Cast
from tests.factories.integrations import PublishedIntegration
from tests.local_server import Neighbour

ECHO = """
export default {
  async fetch(request, env) {
    const form = await request.formData();
    const event = JSON.parse(form.get("event"));
    const part = form.get("fetch-body");
    const body = part === null ? null : typeof part === "string" ? part : await part.text();
    const headers = { "set-cookie": "dcs_=stolen", "x-own": "1", "cache-control": "max-age=5" };
    return Response.json({ event, body, installation: env.installation?.id }, { status: 201, headers });
  },
};
"""


def test_a_request_becomes_an_event(cast: Cast) -> None:
    made = PublishedIntegration(cast, script=ECHO, contentSecurityPolicy="frame-ancestors *")
    address = made.published["urls"]["publicEndpoint"]
    headers = {
        "Cookie": "dcs_=secret",
        "Authorization": f"Bearer {cast.ada.token}",
        "X-Hook": "1",
        "Host": "evil.example",
    }
    answer = cast.instance.http.post(f"{address}/hooks/in?a=b", content=b"payload", headers=headers)
    assert answer.status_code == 201, answer.text
    told = answer.json()
    request = told["event"]["request"]
    assert (request["method"], request["url"]) == ("POST", f"{address}/hooks/in?a=b")
    assert request["headers"]["x-hook"] == "1"
    assert not {"cookie", "authorization", "host"} & request["headers"].keys()
    assert told["body"] == "payload"
    assert "installation" not in told
    assert answer.headers["set-cookie"].startswith("endpoint.dcs_=stolen; Path=/~integrations/")
    assert "x-own" not in answer.headers
    assert answer.headers["cache-control"] == "max-age=5"
    policies = answer.headers.get_list("content-security-policy")
    assert policies[0].startswith("sandbox ")
    assert "allow-same-origin" not in policies[0]
    assert policies[1] == "frame-ancestors *"


COOKIES = """
export default {
  async fetch(request) {
    const { request: asked } = JSON.parse((await request.formData()).get("event"));
    if (asked.url.endsWith("/back")) return new Response(asked.headers.cookie ?? "none");
    const headers = new Headers({ location: asked.url.replace("/begin", "/back") });
    headers.append("set-cookie", "verifier=abc.123-x; Path=/; Domain=a.example; Max-Age=600; SameSite=None");
    headers.append("set-cookie", "__Host-state=s; HttpOnly; Secure");
    headers.append("set-cookie", "spaced name=x");
    return new Response(null, { status: 302, headers });
  },
};
"""


def test_a_script_keeps_cookies_from_a_redirect_to_its_end(cast: Cast) -> None:
    made, other = PublishedIntegration(cast, script=COOKIES), PublishedIntegration(cast, script=COOKIES)
    address = made.published["urls"]["publicEndpoint"]
    with httpx.Client() as browser:
        begun = browser.get(f"{address}/begin")
        assert (begun.status_code, begun.headers["location"]) == (302, f"{address}/back")
        kept = f"Path=/~integrations/{made.name}; HttpOnly"
        assert begun.headers.get_list("set-cookie") == [
            f"endpoint.verifier=abc.123-x; {kept}; Max-Age=600",
            f"endpoint.__Host-state=s; {kept}; SameSite=Lax",
        ]
        browser.cookies.set("dcs_", "ours", domain="127.0.0.1")
        assert set(browser.get(f"{address}/back").text.split("; ")) == {
            "verifier=abc.123-x",
            "__Host-state=s",
        }
        assert browser.get(f"{other.published['urls']['publicEndpoint']}/back").text == "none"
    (event, _) = made.told()
    assert "abc.123-x" not in str(event)


def test_an_installation_has_an_endpoint_and_so_has_each_place(cast: Cast) -> None:
    made = PublishedIntegration(cast, script=ECHO)
    installation = made.install()
    space = make.space(cast.ada, cast.organization)["id"]
    placed = made.on_space(installation, space)
    of_installation = made.get(f"/installations/{installation}")["urls"]["publicEndpoint"]
    there = cast.instance.http.get(of_installation)
    assert there.json()["event"]["installationId"] == there.json()["installation"] == installation
    on_space = cast.instance.http.get(placed["urls"]["publicEndpoint"])
    assert on_space.json()["event"]["spaceId"] == space
    theirs = {"Authorization": "Bearer of-another-service"}
    kept = cast.instance.http.get(of_installation, headers=theirs).json()["event"]["request"]["headers"]
    assert kept["authorization"] == "Bearer of-another-service"


def test_what_proves_a_caller_to_the_integration_is_handed_on_and_not_stored(cast: Cast) -> None:
    made = PublishedIntegration(cast, script=ECHO)
    address = made.published["urls"]["publicEndpoint"]
    proofs = {"authorization": "Bearer sesame", "x-hub-signature": "sesame", "x-api-key": "sesame"}
    answer = cast.instance.http.get(
        f"{address}/hook?token=sesame&page=2", headers={**proofs, "x-lamp": "lit"}
    )
    given = answer.json()["event"]["request"]
    assert proofs.items() <= given["headers"].items()
    assert given["url"].endswith("/hook?token=sesame&page=2")
    (told,) = made.events()
    request = told["payload"]["request"]
    assert request["url"].endswith("/hook?token=***&page=2")
    assert request["headers"]["x-lamp"] == "lit"
    assert "sesame" not in str(told)


def test_what_is_not_there_answers_nothing(cast: Cast) -> None:
    made, other = PublishedIntegration(cast, script=ECHO), PublishedIntegration(cast, script=ECHO)
    installation = made.install()
    space = make.space(cast.ada, cast.organization)["id"]
    sites = cast.instance.settings.sites_base
    base = f"{sites}/~integrations/{made.name}"
    for path in (
        f"{sites}/~integrations/nobody/endpoint",
        f"{sites}/~integrations/{other.name}/installations/{installation}/endpoint",
        f"{base}/installations/none/endpoint",
        f"{base}/installations/{installation}/spaces/{space}/endpoint",
        f"{base}/installations/{installation}/pages/{space}/endpoint",
        f"{sites}/~integration-scripts/{installation}/{space}/{'0' * 64}.js",
        f"{sites}/~integration-assets/{made.name}/{'0' * 64}.png",
    ):
        assert cast.instance.http.get(path).status_code == 404, path
    large = cast.instance.http.post(f"{base}/endpoint", content=b"x" * 5_000_001)
    assert large.status_code == 413


def test_a_failing_script_is_a_bad_gateway(cast: Cast) -> None:
    made = PublishedIntegration(
        cast, script="export default { fetch() { throw new Error('secret detail') } };"
    )
    answer = cast.instance.http.get(made.published["urls"]["publicEndpoint"])
    assert answer.status_code == 502
    assert "secret detail" not in answer.text


@pytest.mark.parametrize("status", [600, 999])
def test_a_tunnel_that_answers_no_status_is_a_bad_gateway(
    cast: Cast, neighbour: Neighbour, status: int
) -> None:
    made = PublishedIntegration(cast)
    made.put("/dev", {"tunnelUrl": neighbour.shows("/events", (status, {}, b"odd"))})
    assert cast.instance.http.get(made.published["urls"]["publicEndpoint"]).status_code == 502


CIRCLE = """
export default {
  async fetch(request) {
    const { request: asked } = JSON.parse((await request.formData()).get("event"));
    return new Response("and " + (await (await fetch(asked.url)).text()));
  },
};
"""


def test_a_script_that_calls_itself_ends(cast: Cast) -> None:
    made = PublishedIntegration(cast, script=CIRCLE)
    answer = cast.instance.http.get(made.published["urls"]["publicEndpoint"])
    assert answer.text.startswith("and and and {")
    told = made.told()
    assert [event["status"] for event in told] == ["failed", *["success"] * 3]
    logs = [made.get(f"/events/{event['id']}")["trace"]["logs"] for event in told]
    assert [line["message"] for lines in logs for line in lines] == [
        "3 scripts wait for this one already; they call each other in a circle."
    ]


BODIES = """
export default {
  async fetch(request) {
    const form = await request.formData();
    const { request: asked } = JSON.parse(form.get("event"));
    const wanted = Number(new URL(asked.url).searchParams.get("bytes"));
    const body = wanted ? new Uint8Array(wanted).fill(7) : form.get("fetch-body").stream();
    return new Response(body, { headers: { "content-type": "application/octet-stream" } });
  },
};
"""
FIVE_MB = 5_000_000


@pytest.mark.parametrize("named", ["publicEndpoint", "publicContentEndpoint"])
def test_bodies_of_five_megabytes_go_both_ways_and_larger_ones_do_not(cast: Cast, named: str) -> None:
    made = PublishedIntegration(cast, script=BODIES)
    place = urlsplit(made.published["urls"][named])
    address = f"{cast.instance.settings.sites_base}{place.path}"  # browsers find the host below localhost
    host = {"host": place.netloc}
    sent = bytes(range(250)) * (FIVE_MB // 250)
    echoed = cast.instance.http.post(address, content=sent, headers=host)
    assert (echoed.status_code, echoed.content == sent) == (200, True)
    larger = cast.instance.http.post(address, content=sent + b"x", headers=host)
    assert (larger.status_code, larger.json()["error"]["code"]) == (413, 413)
    assert len(cast.instance.http.get(f"{address}?bytes={FIVE_MB}", headers=host).content) == FIVE_MB
    answer = cast.instance.http.get(f"{address}?bytes={FIVE_MB + 1}", headers=host)
    assert answer.status_code == 502
    (event, *_) = made.told()
    (line,) = made.get(f"/events/{event['id']}")["trace"]["logs"]
    assert line["message"] == "The answer has more than 5000000 bytes."


def test_a_tunnel_s_body_may_be_as_large(cast: Cast, neighbour: Neighbour) -> None:
    made = PublishedIntegration(cast)
    made.put("/dev", {"tunnelUrl": neighbour.shows("/large", (200, {}, b"x" * FIVE_MB))})
    assert len(cast.instance.http.get(made.published["urls"]["publicEndpoint"]).content) == FIVE_MB
