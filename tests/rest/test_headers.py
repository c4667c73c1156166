"""Security headers of every response: no content sniffing, no referrers, no caching of secrets (threats 35,
71).
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import httpx
import pytest
from starlette.requests import Request

from app.api.rest.errors import failed
from app.kit.http.headers import DATA, page_policy
from app.kit.logs import masked
from tests import anonymous, make
from tests.cast import Cast
from tests.factories.integrations import PublishedIntegration
from tests.visitors import PublishedSite

SCRIPT = """export default { fetch() {
  return new Response("1", { headers: { "content-type": "text/javascript" } });
} };"""


def answers(cast: Cast) -> Iterator[tuple[str, httpx.Response]]:
    """An answer of every kind, by what it is."""
    base, ada = cast.instance.base, cast.ada
    for path in ("/", "/docs", "/graphql", "/healthz", "/v1/", "/v1/openapi.json", "/nothing", "/v1/user",
                 "/sso/session", "/sso/nobody/start", "/static/-/icon.svg", "/static/-/nothing"):  # fmt: skip
        yield path, anonymous.get(base + path)
    page = {"accept": "text/html"}
    yield "a sign-in page", anonymous.get(f"{base}/sso/session", headers=page)
    yield "a list", ada.get(f"/v1/orgs/{cast.organization}/spaces")
    yield "an object", ada.get(f"/v1/orgs/{cast.organization}")
    yield "a refusal", ada.get("/v1/orgs/nobody")
    yield "a change", ada.patch(f"/v1/orgs/{cast.organization}", {"title": "Renamed"})
    yield "nothing", anonymous.post(f"{base}/sso/sign-out", headers={"sec-fetch-site": "same-origin"})
    yield "graphql", ada.post("/graphql", {"query": "{ me { id } }"})
    yield "no graphql", ada.post("/graphql", {"query": "{"})
    space = make.filled_space(cast, {"README.md": "x", "a.js": "alert(1)"})
    file = ada.get(f"/v1/spaces/{space}/content/files").json()["items"][0]["downloadURL"]
    yield "a file", anonymous.get(file)
    yield "an old address of a file", anonymous.get(file.replace("/files/", "/files/1"))
    made = PublishedIntegration(cast, script=SCRIPT)
    endpoint = made.published["urls"]["publicEndpoint"]
    yield "an endpoint", anonymous.get(endpoint)
    yield "no endpoint", anonymous.get(endpoint.replace(made.name, "nobody"))
    yield "an old address", anonymous.get(f"{base}/integrations/{made.name}/endpoint")
    yield "nothing beside sites", anonymous.get(f"{cast.instance.settings.sites_base}/~integrations/x")
    site = PublishedSite(cast)
    for path in ("", "/guide.md", "/llms.txt", "/sitemap.xml", "/~/search?q=x", "/~/tree", "/nothing"):
        yield f"{path} of a site", site.open(path)


def test_every_answer_says_what_may_be_done_with_it(cast: Cast) -> None:
    for kind, answer in answers(cast):
        found = answer.headers
        assert found["x-content-type-options"] == "nosniff", kind
        assert found["referrer-policy"] in ("no-referrer", "same-origin"), kind
        assert "cache-control" in found, kind
        policy = found["content-security-policy"]
        assert "default-src 'none'" in policy or policy.startswith("sandbox "), kind
        assert "frame-ancestors 'none'" in policy or policy.startswith("sandbox "), kind
        if found.get("content-type", "").startswith("application/json") and "etag" not in found:
            assert found["cache-control"] in ("no-store", "private, no-store"), kind


def test_what_opens_something_is_kept_by_nobody(cast: Cast) -> None:
    site = PublishedSite(cast, visibility="share-link")
    site.share()
    made = PublishedIntegration(cast)
    token = f"{made.path}/installations/{made.install()}/tokens"
    for answer in (
        cast.ada.get(f"{site.path}/share-links"),
        cast.ada.get(f"{site.path}/publishing/auth"),
        cast.ada.get(f"{site.path}/publishing/preview"),
        cast.ada.post(f"{site.path}/publishing/auth/regenerate"),
        cast.ada.post(token),
        cast.ada.get(f"/v1/orgs/{cast.organization}/members"),
    ):
        assert answer.is_success, answer.text
        assert answer.headers["cache-control"] == "no-store", answer.url
    assert cast.ada.get(site.path).headers["cache-control"] == "private, no-cache"


@pytest.mark.parametrize("path", ["/", "/graphql", "/sso/session"])
def test_our_pages_take_scripts_and_styles_from_our_files_alone(cast: Cast, path: str) -> None:
    answer = anonymous.get(cast.instance.base + path, headers={"accept": "text/html"})
    origin, folders = answer.headers["content-security-policy"].split(", ")
    for directive in ("style-src 'self'", "form-action", "base-uri 'none'"):
        assert directive in origin
    for directive in folders.split("; "):
        assert directive.split()[1] == "*:*/static/", directive
    assert {directive.split()[0] for directive in folders.split("; ")} >= {"style-src"}
    assert ("script-src *:*/static/" in folders) == (path == "/graphql")


def test_the_reference_takes_scripts_and_styles_from_the_files_of_the_reader_alone(cast: Cast) -> None:
    for path in ("/docs", "/docs/sites/createsite", "/docs/~/search?q=site"):
        answer = anonymous.get(cast.instance.base + path)
        assert answer.status_code == 200
        origin, folders = answer.headers["content-security-policy"].split(", ")
        places = "*:*/docs/~/static/ *:*/docs/~/looks/"
        assert folders == f"script-src {places}; style-src {places}"
        assert "script-src 'self'; style-src 'self'" in origin
        assert "connect-src 'self';" in origin
        assert "frame-ancestors 'none'" in origin


def test_a_site_takes_scripts_and_styles_from_the_files_of_the_reader_alone(cast: Cast) -> None:
    site = PublishedSite(cast)
    for path in ("", "/~/search?q=install"):
        origin, folders = site.open(path).headers["content-security-policy"].split(", ")
        places = f"*:*{site.base}/~/static/ *:*{site.base}/~/looks/"
        assert folders == f"script-src {places}; style-src {places}"
        assert "script-src 'self'; style-src 'self'" in origin
    assert "script-src 'none'" in anonymous.get(f"{site.url}x").headers["content-security-policy"]


def test_a_policy_with_folders_is_the_origin_and_these_folders() -> None:
    given = {"default-src": "'none'", "script-src": "'self' https://a.example", "img-src": "'self'"}
    assert page_policy(given) == "default-src 'none'; script-src 'self' https://a.example; img-src 'self'"
    assert (
        page_policy(given, ["/static/"]) == f"{page_policy(given)}, script-src *:*/static/ https://a.example"
    )


def test_an_answer_that_fails_outside_of_everything_says_it_too() -> None:
    request = Request({"type": "http", "method": "GET", "path": "/", "headers": []})
    answer = asyncio.run(failed(request, RuntimeError("lost")))
    assert answer.status_code == 500
    assert DATA.items() <= dict(answer.headers).items()


@pytest.mark.parametrize(
    ("said", "logged"),
    [
        ("GET https://ada:sesame@git.example.org/x", "GET https://***@git.example.org/x"),
        ("https://x.example/acme?shareKey=sesame&a=1", "https://x.example/acme?shareKey=***&a=1"),
        ("Authorization: Bearer sesame.sesame", "Authorization: Bearer ***"),
        ("token dcy_sesamesesame is gone", "token dcy_*** is gone"),
        ("/sites/a/b/~/preview/sesame/start", "/sites/a/b/~/preview/***/start"),
        ("PUT /uploads/1795249800.sesame/abc/a.bin", "PUT /uploads/***/abc/a.bin"),
        ("/v1/orgs/acme/openapi/pets", "/v1/orgs/acme/openapi/pets"),
        ("/openapi/public/version/api.json", "/openapi/public/version/api.json"),
    ],
)
def test_what_opens_something_is_masked_in_the_log(said: str, logged: str) -> None:
    assert masked(said) == logged
