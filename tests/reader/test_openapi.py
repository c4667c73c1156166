"""APIs on published sites: computed pages and blocks of written ones, with everything that calls them."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import orjson
import pytest

from app.access.context import Context
from app.domain.openapi.openapi_versions import BlockReference, Shown, shown
from app.formats.openapi.operation import operation_view
from app.formats.openapi.pages import OperationPage, operations
from app.formats.openapi.schemas import schema_views
from tests.cast import Cast
from tests.content.test_openapi_public import NAMES, answer
from tests.factories import openapi
from tests.reader.rendering import body, parsed
from tests.reader.test_cost import counted
from tests.reader.test_hostile import PAYLOADS, is_inert
from tests.reader.test_previews import offered, opened
from tests.rest.test_openapi_pages import placed
from tests.visitors import PublishedSite

BLOCK = (
    '{% openapi-operation spec="kennel" path="/pets" method="post" %}\nInside\n{% endopenapi-operation %}\n'
)
SUMMARY = "# Table of contents\n\n* [Start](README.md)\n* [Pets](pets.md)\n"
WRITTEN = {"SUMMARY.md": SUMMARY, "README.md": "# Start\n", "pets.md": f"# Pets\n\n{BLOCK}"}
SCHEMAS = '{% openapi-schemas spec="s" %}\n\n{% endopenapi-schemas %}'


@pytest.fixture
def site(cast: Cast) -> PublishedSite:
    """A site with the pages of a specification, and a written one about it."""
    openapi.spec(cast)
    site = PublishedSite(cast, files=WRITTEN)
    placed(cast.ada, site.spaces[0])
    return site


def test_an_operation_is_shown_with_everything(site: PublishedSite) -> None:
    page = site.open("/api/pets/createpet")
    assert page.status_code == 200
    for part in ("POST", "https://api.example.org/v1", "/pets", "Request body", "What it is called",
                 "required", "Authorization", "201", "The new pet", "Rex"):  # fmt: skip
        assert part in page.text, part
    labels = [element.all_text for element in parsed(page.text).every("label")]
    assert labels == ["curl", "Python", "JavaScript", "201"]
    assert "curl -X POST" in page.text
    assert "requests" in page.text
    assert "await" in page.text
    outline = page.text.partition('class="outline"')[2]
    assert 'href="#request-body"' in outline


def test_parameters_are_told_by_where_they_go(site: PublishedSite) -> None:
    listed = site.open("/api/pets/listpets").text
    assert "Query parameters" in listed
    assert "How many" in listed
    one = site.open("/api/pets/getpet").text
    assert "Path parameters" in one
    assert "deprecated" in one


def test_lists_say_that_they_are_and_what_they_hold(cast: Cast) -> None:
    """A body that is a list, and the limits of a list's items, would otherwise be unknown."""
    kinds = {"type": "string", "format": "uuid", "enum": ["cat-1", "dog-1"]}
    schema = {"type": "array", "maxItems": 9, "items": kinds}
    asked = {"name": "kind", "in": "query", "schema": schema}
    document = openapi.document()
    document["paths"]["/pets"]["get"]["parameters"] = [asked]
    given = document["paths"]["/pets"]["get"]["responses"]["200"]
    pet = {"$ref": "#/components/schemas/Pet"}
    given["content"] = {"application/json": {"schema": {"type": "array", "items": pet}}}
    openapi.spec(cast, value=document)
    site = PublishedSite(cast, files=WRITTEN)
    placed(cast.ada, site.spaces[0])
    page = parsed(site.open("/api/pets/listpets").text)
    told = " ".join(each.all_text for name in ("p", "div") for each in page.every(name))
    assert "array of string · uuid" in told
    assert "at most 9 items" in told
    assert "Each item: one of" in told
    assert "cat-1dog-1" in told
    assert "array of Pet" in told


def test_a_written_page_shows_the_block_in_place_of_what_is_inside(site: PublishedSite) -> None:
    page = site.open("/pets").text
    assert "Add a pet" in page
    assert "What it is called" in page
    assert ">Inside<" not in page
    levels = {each.text: name for name in ("h2", "h3") for each in parsed(page).every(name)}
    assert (levels["Add a pet"], levels["Responses"]) == ("h2", "h3")


def said(html: str) -> str:
    """The words of a page, in their order."""
    return unescape(re.sub(r"<[^>]*>", "", html))


def test_every_schema_and_what_an_api_is_about_are_pages_too(site: PublishedSite) -> None:
    models = parsed(site.open("/api/models").text)
    assert [each.all_text for each in models.every("ul") if each.attributes.get("class") == "index"] == [
        "Pet"
    ]
    pet = site.open("/api/models/pet").text
    assert "What it is called" in pet
    assert '"name": "Rex"' in said(pet)
    info = site.open("/api").text
    assert "Dogs and who keeps them." in info


def test_a_schema_leads_to_its_page_from_wherever_it_is_used(site: PublishedSite) -> None:
    """On pages of the specification and on written ones."""
    for path in ("/api/pets/createpet", "/api/models/pet", "/pets"):
        page = parsed(site.open(path).text)
        links = {each.all_text: each.attributes["href"] for each in page.every("a")
                 if each.attributes.get("class") == "kind"}  # fmt: skip
        assert links["array of Pet"] == f"{site.base}/api/models/pet", path


def test_a_schema_without_a_page_leads_nowhere(cast: Cast) -> None:
    openapi.spec(cast)
    site = PublishedSite(cast, files=WRITTEN)
    placed(cast.ada, site.spaces[0], computed={"type": "builtin:openapi", "spec": "kennel", "models": False})
    assert site.open("/api/models/pet").status_code == 404
    shown = parsed(site.open("/api/pets/createpet").text)
    assert [each for each in shown.every("a") if each.attributes.get("class") == "kind"] == []


def test_the_navigation_and_the_heading_say_method_and_deprecation(site: PublishedSite) -> None:
    page = parsed(site.open("/api/pets/getpet").text)
    side = next(each for each in page.every("nav") if each.attributes.get("aria-label") == "Pages")
    told = [each.all_text for each in side.every("a")]
    operations = ["GETList pets", "POSTAdd a pet", "GETGet a pet (Deprecated)"]
    assert [each for each in told if "pet (" in each or each.endswith((" pets", "Add a pet"))] == operations
    signs = [each.all_text for each in page.every("p") if each.attributes.get("class") == "signs"]
    assert signs == ["GETDeprecated"]
    tag = parsed(site.open("/api/pets").text)
    index = next(each for each in tag.every("ul") if each.attributes.get("class") == "index")
    assert [each.all_text for each in index.every("a")] == [
        "GETList pets/pets", "POSTAdd a pet/pets", "GETGet a pet (Deprecated)/pets/{petId}",
    ]  # fmt: skip


@pytest.fixture
def rich(cast: Cast) -> PublishedSite:
    """A site with the pages of a specification that has a lot in it."""
    openapi.spec(cast, value=openapi.rich())
    site = PublishedSite(cast, files=WRITTEN)
    placed(cast.ada, site.spaces[0])
    return site


def test_alternatives_are_told_apart_and_stand_beside_each_other(rich: PublishedSite) -> None:
    page = rich.open("/api/models/animal").text
    tabs = next(each for each in parsed(page).every("div") if each.attributes.get("class") == "tabs")
    assert [each.all_text for each in tabs.every("label")] == ["Cat", "Dog"]
    cat, dog = (said(panel) for panel in page.split('<div class="panel">')[1:3])
    assert "kind: cat" in cat
    assert "at least 1, at most 9, default 9" in cat
    assert "Each item: one of sit roll" in dog
    assert "One of these · chosen by kind" in said(page)
    links = {each.attributes["href"] for each in tabs.every("a")}
    assert links == {f"{rich.base}/api/models/cat", f"{rich.base}/api/models/dog"}


def test_null_maps_patterns_and_who_may_write_are_said(rich: PublishedSite) -> None:
    page = rich.open("/api/models/pet").text
    told = said(page)
    for part in ("tag string or null", "id integer read-only", "secret string write-only",
                 "any other key string", "chip string deprecated", "pattern ^[A-Z]{3}$"):  # fmt: skip
        assert part in told, part


def test_servers_credentials_and_answers_stand_beside_the_text(rich: PublishedSite) -> None:
    page = rich.open("/api/pets/createpet").text
    told = said(page)
    for part in ("https://{region}.example.org/{stage}", "region: eu us · Where data is kept", "stage: v1",
                 "Production", "https://test.example.org", "https://eu.example.org/v1/pets",
                 '"error": "There is no room."', "One of these is enough.", "token HTTP bearer",
                 "key API key header: X-KeyA key of the kennel."):  # fmt: skip
        assert part in told, part
    beside = next(each for each in parsed(page).every("div") if each.attributes.get("class") == "beside")
    labels = [each.all_text for each in beside.every("label")]
    assert labels == ["curl", "Python", "JavaScript", "201", "409"]


def test_a_new_version_is_seen_at_once(site: PublishedSite) -> None:
    assert "What it is called" in site.open("/pets").text
    changed = orjson.loads(openapi.as_text(openapi.document()).replace("What it is called", "Its good name"))
    openapi.spec(site.cast, value=changed)
    assert "Its good name" in site.open("/pets").text


def test_a_block_of_what_is_not_there_shows_what_was_written(cast: Cast) -> None:
    site = PublishedSite(cast, files=WRITTEN)
    page = site.open("/pets").text
    assert "POST" in page
    assert "Inside" in page


def test_another_organizations_specification_is_not_shown(cast: Cast, site: PublishedSite) -> None:
    asked = [BlockReference("openapi-operation", "kennel", "/pets", "post")]

    async def found(cx: Context, organization: str) -> list[Any]:
        return list(await shown(cx, organization, asked))

    assert cast.instance.inside(lambda cx: found(cx, cast.organization)) != [None]
    assert cast.instance.inside(lambda cx: found(cx, cast.elsewhere)) == [None]


def test_one_statement_more_and_none_when_it_was_written_before(cast: Cast, site: PublishedSite) -> None:
    page = f"{site.url}/pets"
    known = 0 if cast.instance.engine == "sqlite" else 1
    plain, shown, again = counted(cast, site.url, page, page)
    assert (shown - plain, again) == (0, known)  # the first page read the space too


def test_a_page_may_send_requests_to_the_servers_of_its_operations_alone(site: PublishedSite) -> None:
    def connects(path: str) -> str:
        policy = site.open(path).headers["content-security-policy"]
        return next(part for part in policy.split("; ") if part.startswith("connect-src"))

    for path in ("/api/pets/createpet", "/pets"):
        assert connects(path) == "connect-src 'self' https://api.example.org/v1/", path
    for path in ("", "/api", "/api/pets", "/api/models/pet"):
        assert connects(path) == "connect-src 'self'", path


def test_nothing_is_tried_in_a_preview(cast: Cast) -> None:
    """Its address is a secret, which no other server is told of."""
    openapi.spec(cast)
    site = PublishedSite(cast, files=WRITTEN)
    placed(cast.ada, site.spaces[0])
    home = opened(offered(site))
    page = opened(f"{home.url}/pets")
    assert 'class="samples"' in page.text
    assert "data-try" not in page.text
    assert "api.example.org" not in page.headers["content-security-policy"]


def _shown(document: dict[str, Any]) -> str:
    """Everything of a specification on one page, each description as hostile as it is."""
    found = list(operations(document))
    made: dict[BlockReference, Shown] = {
        BlockReference("openapi-operation", "s", each.path, each.method): _view(document, each)
        for each in found
    }
    made[BlockReference("openapi-schemas", "s")] = schema_views(document)
    return body("\n\n".join([*map(_tag, found), SCHEMAS]), apis=made)


def _view(document: dict[str, Any], each: OperationPage) -> Shown:
    return operation_view(document, each.path, each.method, each.kind)


def _tag(each: OperationPage) -> str:
    opening = f'{{% openapi-operation spec="s" path="{each.path}" method="{each.method}" %}}'
    return f"{opening}\n\n{{% endopenapi-operation %}}"


def _with(text: str) -> dict[str, Any]:
    """The specification with a text wherever one may stand."""

    def hostile(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {name: hostile(inner, name) for name, inner in value.items()}
        if isinstance(value, list):
            return [hostile(inner, key) for inner in value]
        told = ("description", "summary", "title", "example", "operationId", "format", "default", "name")
        return text if key in told and isinstance(value, str) else value

    found: dict[str, Any] = hostile(openapi.document())
    found["servers"] = [{"url": text, "description": text}]
    pet = found["components"]["schemas"]["Pet"]["properties"]
    pet[text] = {"type": text, "enum": [text], "default": text, "pattern": text}
    found["paths"]["/pets"]["get"]["responses"][text] = {"description": text, "content": {text: {}}}
    return found


@pytest.mark.parametrize("payload", PAYLOADS)
def test_what_a_specification_says_is_inert(payload: str) -> None:
    is_inert(_shown(_with(payload.encode("utf-8", "replace").decode())))


def test_tags_in_descriptions_are_words_and_their_links_lead_out_or_nowhere() -> None:
    document = openapi.document()
    said = '{% include "x.md" %} [a](/secret.md) [b](https://example.org/b) ![](file.png) {{ visitor }}'
    document["paths"]["/pets"]["get"]["description"] = said
    page = _shown(document)
    links = [element.attributes.get("href") for element in parsed(page).every("a")]
    assert [href for href in links if href and not href.startswith("#")] == ["https://example.org/b"]
    assert "include" in page


@pytest.mark.parametrize("name", NAMES)
def test_public_apis_are_shown_as_they_are(name: str) -> None:
    """Operations of large APIs, evenly taken, and all schemas on one page."""
    document: dict[str, Any] = orjson.loads(answer(name)["filesystem"])[name]["specification"]
    for each in list(operations(document))[::40]:
        made = {BlockReference("openapi-operation", "s", each.path, each.method): _view(document, each)}
        page = body(_tag(each), apis=made)
        parsed(page)
        assert "Responses" in page
        assert 'class="api"' in page
    models = {BlockReference("openapi-schemas", "s"): schema_views(document)}
    assert len(body(SCHEMAS, apis=models)) < 6_000_000
