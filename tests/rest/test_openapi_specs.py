"""OpenAPI specifications: fetched or sent, read by the job, kept in versions, handed out."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from app.domain import jobs
from app.kit.errors import Unavailable
from tests.cast import Cast
from tests.factories import openapi
from tests.local_server import Answer, Neighbour, Request, sent

JSON = "application/json"


@pytest.fixture(autouse=True)
def by_hand() -> Iterator[None]:
    """Here specifications are read when a test says so."""
    with openapi.left_alone():
        yield


def put(cast: Cast, source: dict[str, str], slug: str = "kennel") -> dict[str, Any]:
    """A specification with this source, which nobody has read yet."""
    answer = cast.ada.put(openapi.path(cast, slug), {"source": source})
    assert answer.status_code == 200, answer.text
    made: dict[str, Any] = answer.json()
    return made


def got(cast: Cast, tail: str = "", slug: str = "kennel") -> Any:
    """Return the specification as it is now."""
    answer = cast.ada.get(openapi.path(cast, slug) + tail)
    assert answer.status_code == 200, answer.text
    return answer.json()


def processed(cast: Cast, source: dict[str, str], **settings: Any) -> dict[str, Any]:
    """A specification that the job has read."""
    openapi.settled(cast, put(cast, source)["id"], **settings)
    found: dict[str, Any] = got(cast)
    return found


def test_a_text_is_read_by_the_job(cast: Cast) -> None:
    made = put(cast, {"text": openapi.as_text(openapi.document())})
    assert made["processingState"] == "pending"
    assert "lastVersion" not in made
    openapi.settled(cast, made["id"])
    spec = got(cast)
    assert spec["processingState"] == "complete"
    assert spec["lastProcessedAt"]
    assert "lastProcessErrorCode" not in spec
    latest = got(cast, "/versions/latest")
    assert latest["id"] == spec["lastVersion"]
    content = got(cast, "/versions/latest/content")
    assert content["filesystem"] == {
        "openapi.json": {"isEntrypoint": True, "specification": openapi.document()}
    }
    raw = got(cast, "/versions/latest/content/raw")
    assert raw == {"text": openapi.as_text(openapi.document()), "format": "json"}
    assert got(cast, f"/versions/{latest['id']}/content")["filesystem"] == content["filesystem"]


def test_yaml_is_read_as_its_second_version_has_it(cast: Cast) -> None:
    text = (
        "openapi: 3.0.3\ninfo: {title: T, version: 2020-01-01}\n"
        "x-words: [on, no, yes, 0o17, 1_000]\n"
        "paths:\n  /a:\n    get:\n      responses:\n        200: &ok\n          description: Fine\n"
        "        201: *ok\n"
    )
    spec = processed(cast, {"text": text})
    assert "lastProcessErrorCode" not in spec, spec
    (file,) = got(cast, "/versions/latest/content")["filesystem"].items()
    assert file[0] == "openapi.yaml"
    read = file[1]["specification"]
    assert read["info"]["version"] == "2020-01-01"
    assert read["x-words"] == ["on", "no", "yes", 15, "1_000"]
    assert read["paths"]["/a"]["get"]["responses"] == {
        "200": {"description": "Fine"},
        "201": {"description": "Fine"},
    }


@pytest.mark.parametrize(
    "text",
    [
        '{"swagger": "2.0", "info": {"title": "T", "version": "1"}, "paths": {}}',
        '{"openapi": "3.0.4", "info": {"title": "T", "version": "1"}, "paths": {}}',
        '{"openapi": "3.1.1", "info": {"title": "T", "version": "1"}, "webhooks": {}}',
        '{"openapi": "3.2.0", "info": {"title": "T", "version": "1"}, "paths": {"/a": {"query":'
        ' {"responses": {"200": {"description": "Fine"}}}}}}',
    ],
)
def test_every_version_of_the_format_is_taken(cast: Cast, text: str) -> None:
    assert "lastProcessErrorCode" not in processed(cast, {"text": text})


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("just words", "not an OpenAPI specification"),
        ("{", "not valid JSON"),
        ("a: [", "not valid YAML"),
        ('{"openapi": "4.0.0", "info": {"title": "T", "version": "1"}}', "must be 3.0, 3.1 or 3.2"),
        ('{"openapi": "3.1.0", "paths": {}}', "no `info`"),
        ('{"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": []}', "is not of type"),
        ('{"openapi": "3.0.0", "info": {"title": "T", "version": "1"}, "paths": {"/a": {"get": 7}}}', "path"),
        ('{"openapi": "3.0.0", "info": {"title": "T", "version": "1"}, "paths": {}, "components":'
         ' {"schemas": []}}', "components"),
        ('{"openapi": "3.0.0", "info": {"title": "T", "version": "1"}, "paths": {"/a": {"get": {"responses":'
         ' {"200": {"$ref": "#/components/responses/None"}}}}}}', "leads nowhere"),
        ('{"openapi": "3.0.0", "info": {"title": "T", "version": "1"}, "tags": [{"name": "a"}], "paths":'
         ' {"/a": {"get": {"responses": {"200": {"$ref": "#/tags/1"}}}}}}', "leads nowhere"),
        ('{"openapi": "3.0.0", "info": {"title": "T", "version": "1"}, "paths": {"/a": {"get": {"responses":'
         ' {"200": {"$ref": "other.yaml"}}}}}}', "must hold everything itself"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_a_code(cast: Cast, text: str, told: str) -> None:
    spec = processed(cast, {"text": text})
    assert spec["processingState"] == "complete"
    assert spec["lastProcessErrorCode"] == "PARSE_ERROR"
    assert told in " ".join(error["message"] for error in spec["lastProcessedErrors"])
    assert {error["code"] for error in spec["lastProcessedErrors"]} == {"PARSE_ERROR"}
    assert "lastVersion" not in spec


def test_faults_that_readers_need_not_care_about_are_warnings(cast: Cast) -> None:
    schema = {"type": "object", "required": ["id", "id"], "properties": {"size": {"type": "integer",
        "exclusiveMinimum": "yes", "default": "many"}}}  # fmt: skip
    answer = {"description": "Fine", "content": {"application/json": {"schema": schema}}}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "Lamps", "version": "1"},
        "paths": {"/lamps/{id}": {"get": {"operationId": "one", "responses": {"200": answer}}}},
        "components": {"schemas": {"Lamp": schema}},
    }
    spec = processed(cast, {"text": openapi.as_text(document)})
    assert "lastProcessErrorCode" not in spec
    assert spec["lastVersion"]
    warnings = {each["path"]: each["message"] for each in spec["lastProcessedWarnings"]}
    assert any(path.endswith("properties/size/exclusiveMinimum") for path in warnings), warnings
    assert any("/lamps/{id}" in message for message in warnings.values()), warnings
    field = 'openAPISpec(slug: "kennel") { lastProcessedWarnings { path } }'
    asked = cast.ria.ask(f"query($o: ID!) {{ organization(id: $o) {{ {field} }} }}", o=cast.organization)
    told = asked["organization"]["openAPISpec"]["lastProcessedWarnings"]
    assert {each["path"] for each in told} == warnings.keys()
    untold = processed(cast, {"text": openapi.as_text({**document, "info": {"title": "Lamps"}})})
    assert "version" in {each["path"]: each["message"] for each in untold["lastProcessedWarnings"]}["info"]
    assert "lastProcessedWarnings" not in processed(cast, {"text": openapi.as_text(openapi.document())})


def test_a_version_is_new_only_where_the_content_is(cast: Cast) -> None:
    text = openapi.as_text(openapi.document())
    first = processed(cast, {"text": text})
    again = processed(cast, {"text": text})
    assert again["lastVersion"] == first["lastVersion"]
    assert again["lastProcessedAt"] > first["lastProcessedAt"]
    other = processed(cast, {"text": text.replace("1.2.0", "1.3.0")})
    assert other["lastVersion"] != first["lastVersion"]
    broken = processed(cast, {"text": "{"})
    assert broken["lastVersion"] == other["lastVersion"]
    assert broken["lastProcessErrorCode"] == "PARSE_ERROR"
    versions = got(cast, "/versions")
    assert [item["id"] for item in versions["items"]] == [other["lastVersion"], first["lastVersion"]]
    mended = processed(cast, {"text": text})
    assert "lastProcessErrorCode" not in mended


def test_an_address_is_fetched_and_asked_again_only_for_what_is_new(cast: Cast, neighbour: Neighbour) -> None:
    asked: list[Request] = []

    def answer(request: Request) -> Answer:
        asked.append(request)
        if request.headers.get("if-none-match") == '"one"':
            return 304, {}, b""
        return 200, {"content-type": JSON, "etag": '"one"'}, openapi.as_text(openapi.document()).encode()

    url = neighbour.shows("/api.json", answer)
    first = processed(cast, {"url": url})
    assert first["sourceURL"] == url
    assert "lastProcessErrorCode" not in first, first
    again = processed(cast, {"url": url})
    assert again["lastVersion"] == first["lastVersion"]
    assert again["lastProcessedAt"] > first["lastProcessedAt"]
    assert asked[-1].headers["if-none-match"] == '"one"'


def test_it_is_read_again_by_schedule(cast: Cast, neighbour: Neighbour) -> None:
    url = neighbour.shows("/api.json", sent(openapi.as_text(openapi.document()), JSON))
    spec = processed(cast, {"url": url})
    due = openapi.next_reading(cast, spec["id"])
    assert due is not None
    assert abs((due - openapi.moment(spec["lastProcessedAt"])).total_seconds() - 6 * 3600) < 600
    sent_one = processed(cast, {"text": openapi.as_text(openapi.document())})
    assert openapi.next_reading(cast, sent_one["id"]) is None


def test_files_beside_it_are_part_of_it(cast: Cast, neighbour: Neighbour) -> None:
    main = openapi.document()
    main["components"]["schemas"] = {"Pet": {"$ref": "schemas/pet.yaml#/Pet"}}
    url = neighbour.shows("/docs/api.json", sent(openapi.as_text(main), JSON))
    pet = "Pet:\n  type: object\n  properties:\n    owner: {$ref: '#/Owner'}\n    toy: {$ref: toy.json}\n"
    neighbour.shows("/docs/schemas/pet.yaml", sent(pet + "Owner: {type: string}\n", "text/yaml"))
    neighbour.shows("/docs/schemas/toy.json", sent('{"type": "string"}', JSON))
    spec = processed(cast, {"url": url})
    assert "lastProcessErrorCode" not in spec, spec
    content = got(cast, "/versions/latest/content")
    entries = {name: file["isEntrypoint"] for name, file in content["filesystem"].items()}
    assert entries == {"api.json": True, "schemas/pet.yaml": False, "schemas/toy.json": False}
    base = content["url"].removesuffix("api.json")
    assert cast.instance.http.get(content["url"]).json() == main
    assert cast.instance.http.get(f"{base}schemas/pet.yaml").text.startswith(pet)
    neighbour.shows("/docs/schemas/toy.json", sent('{"type": "integer"}', JSON))
    assert processed(cast, {"url": url})["lastVersion"] != spec["lastVersion"]


def test_a_file_that_is_no_longer_referred_to_may_go(cast: Cast, neighbour: Neighbour) -> None:
    """Only a file beside the first one changes, and what it referred to is gone from the server."""

    def entry(request: Request) -> Answer:
        if request.headers.get("if-none-match") == '"one"':
            return 304, {}, b""
        return 200, {"content-type": JSON, "etag": '"one"'}, openapi.as_text(main).encode()

    main = openapi.document()
    main["components"]["schemas"] = {"Pet": {"$ref": "pet.json"}}
    url = neighbour.shows("/docs/api.json", entry)
    neighbour.shows("/docs/pet.json", sent('{"properties": {"toy": {"$ref": "toy.json"}}}', JSON))
    neighbour.shows("/docs/toy.json", sent('{"type": "string"}', JSON))
    first = processed(cast, {"url": url})
    assert set(got(cast, "/versions/latest/content")["filesystem"]) == {"api.json", "pet.json", "toy.json"}
    neighbour.shows("/docs/toy.json", (404, {}, b""))
    neighbour.shows("/docs/pet.json", sent('{"type": "object"}', JSON))
    second = processed(cast, {"url": url})
    assert "lastProcessErrorCode" not in second, second
    assert second["lastVersion"] != first["lastVersion"]
    assert set(got(cast, "/versions/latest/content")["filesystem"]) == {"api.json", "pet.json"}
    neighbour.shows("/docs/pet.json", (404, {}, b""))
    assert processed(cast, {"url": url})["lastProcessErrorCode"] == "FETCH_ERROR"


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ((404, {}, b""), "FETCH_ERROR"),
        ((500, {}, b"secret"), "FETCH_ERROR"),
        ((302, {"location": "file:///etc/passwd"}, b""), "FETCH_ERROR"),
        (sent("hello", "text/plain"), "PARSE_ERROR"),
        (sent(b"x" * 30_000_000, JSON), "FETCH_ERROR"),
    ],
)
def test_what_cannot_be_fetched_ends_with_a_code(
    cast: Cast, neighbour: Neighbour, answer: Answer, code: str
) -> None:
    spec = processed(cast, {"url": neighbour.shows("/api.json", answer)})
    assert (spec["processingState"], spec["lastProcessErrorCode"]) == ("complete", code)
    assert "secret" not in str(spec)


def test_a_server_that_does_not_answer_ends_with_a_code(cast: Cast, neighbour: Neighbour) -> None:
    over = threading.Event()

    def endless() -> Any:
        while not over.is_set():
            yield b" "

    url = neighbour.shows("/api.json", (200, {}, endless()))
    impatient = {"openapi_timeout": 1.0, "openapi_max_bytes": 10**9, "outbound_timeout": 1.0}
    try:
        spec = processed(cast, {"url": url}, **impatient)
    finally:
        over.set()
    assert spec["lastProcessErrorCode"] in ("FETCH_TIMEOUT", "FETCH_ERROR")


def test_a_reading_that_never_comes_to_an_end_ends_with_a_code(cast: Cast) -> None:
    """Its workers were killed, as often as a job may fail: the next one does not begin it again."""
    spec_id = put(cast, {"text": openapi.as_text(openapi.document())})["id"]
    run = openapi.run_of(cast, spec_id)
    openapi.process_job(cast, spec_id, run, attempt=jobs.ATTEMPTS + 1)
    spec = got(cast)
    assert (spec["processingState"], spec["lastProcessErrorCode"]) == ("complete", "PARSE_ERROR")
    assert "lastVersion" not in spec


def test_a_version_that_cannot_be_kept_ends_with_a_code(cast: Cast) -> None:
    new = openapi.document(info={"title": "Not kept", "version": "1"})  # what is kept already is not sent
    spec_id = put(cast, {"text": openapi.as_text(new)})["id"]
    run, closed = openapi.run_of(cast, spec_id), {"blobs": "s3://bucket?endpoint=http://127.0.0.1:9"}
    with pytest.raises(Unavailable):  # it is tried again
        openapi.process_job(cast, spec_id, run, attempt=jobs.ATTEMPTS - 1, **closed)
    assert got(cast)["processingState"] == "progress"
    openapi.process_job(cast, spec_id, run, attempt=jobs.ATTEMPTS, **closed)
    spec = got(cast)
    assert (spec["processingState"], spec["lastProcessErrorCode"]) == ("complete", "PARSE_ERROR")


def test_addresses_that_are_nobodys_business_are_not_fetched(cast: Cast, neighbour: Neighbour) -> None:
    for reference in ("file:///etc/passwd", "http://169.254.169.254/latest", "https://elsewhere.invalid/a"):
        main = openapi.document()
        main["components"]["schemas"] = {"Pet": {"$ref": reference}}
        spec = processed(cast, {"url": neighbour.shows("/api.json", sent(openapi.as_text(main), JSON))})
        assert spec["lastProcessErrorCode"] == "PARSE_ERROR"
        assert "not on its own server" in spec["lastProcessedErrors"][0]["message"]
    spec = processed(cast, {"url": "http://127.0.0.1:9/api.json"})
    assert spec["lastProcessErrorCode"] == "FETCH_ERROR"


def test_a_source_is_one_thing(cast: Cast) -> None:
    text = openapi.as_text(openapi.document())
    wrong: list[dict[str, str]] = [
        {},
        {"url": "https://a.example", "text": text},
        {"text": ""},
        {"url": "ftp://a.example"},
        {"url": "https://ann:secret@a.example/"},
        {"url": "https://a.example/" + "x" * 2048},
    ]
    for source in wrong:
        answer = cast.ada.post(openapi.path(cast), {"slug": "wrong", "source": source})
        assert answer.status_code == 400, source
    for slug in ("Big", "a_b", "-a", "a" * 101, ""):
        answer = cast.ada.post(openapi.path(cast), {"slug": slug, "source": {"text": text}})
        assert answer.status_code == 400, slug


def test_a_slug_is_taken_once(cast: Cast) -> None:
    body = {"slug": "kennel", "source": {"text": openapi.as_text(openapi.document())}}
    assert cast.ada.post(openapi.path(cast), body).status_code == 201
    assert cast.ada.post(openapi.path(cast), body).status_code == 409


def test_who_asked_last_is_right(cast: Cast) -> None:
    old = put(cast, {"text": openapi.as_text(openapi.document())})
    run = openapi.run_of(cast, old["id"])
    put(cast, {"text": openapi.as_text(openapi.document(info={"title": "New", "version": "2"}))})
    openapi.process_job(cast, old["id"], run)
    assert got(cast)["processingState"] == "pending"
    openapi.settled(cast, old["id"])
    (file,) = got(cast, "/versions/latest/content")["filesystem"].values()
    assert file["specification"]["info"]["title"] == "New"
    assert got(cast, "/versions")["count"] == 1


def test_its_files_are_for_those_who_may_read_them(cast: Cast) -> None:
    openapi.spec(cast)
    address = got(cast, "/versions/latest")["url"]
    answer = cast.instance.http.get(address)
    assert answer.json() == openapi.document()
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert (
        cast.instance.http.get(address, headers={"if-none-match": answer.headers["etag"]}).status_code == 304
    )
    parts = address.split("/")
    public = "/".join([*parts[:-3], "public", *parts[-2:]])
    forged = address.replace(parts[-3], parts[-3][:-1] + ("a" if parts[-3][-1] != "a" else "b"))
    for wrong in (public, forged, address.replace(parts[-2], "0" * 20), address + "x"):
        assert cast.instance.http.get(wrong).status_code == 404
    changed = cast.cleo.patch(openapi.path(cast, "kennel"), {"visibility": "public"})
    assert changed.json()["visibility"] == "public"
    assert got(cast, "/versions/latest")["url"] == public
    assert cast.instance.http.get(public).status_code == 200
    cast.cleo.patch(openapi.path(cast, "kennel"), {"visibility": "private"})
    assert cast.instance.http.get(public).status_code == 404


def test_it_is_found_by_its_id_too(cast: Cast) -> None:
    spec = openapi.spec(cast)
    assert got(cast, slug=spec["id"]) == spec
    again = cast.ada.put(openapi.path(cast, spec["id"]), {"source": {"text": "{}"}})
    assert again.json()["slug"] == "kennel"


def test_deleting_one_takes_its_versions_along(cast: Cast) -> None:
    openapi.spec(cast)
    address = got(cast, "/versions/latest")["url"]
    assert cast.cleo.delete(openapi.path(cast, "kennel")).status_code == 205
    assert cast.ada.get(openapi.path(cast, "kennel")).status_code == 404
    assert cast.instance.http.get(address).status_code == 404


def test_before_there_is_a_version_there_is_none(cast: Cast) -> None:
    put(cast, {"url": "https://docs.invalid/api.json"})
    for tail in ("/versions/latest", "/versions/latest/content", "/versions/latest/content/raw"):
        assert cast.ada.get(openapi.path(cast, "kennel") + tail).status_code in (404,)
    assert got(cast, "/versions")["items"] == []


def test_a_version_of_another_specification_is_not_found(cast: Cast) -> None:
    openapi.spec(cast, "one")
    other = openapi.spec(cast, "two")
    for tail in ("", "/content"):
        answer = cast.ada.get(f"{openapi.path(cast, 'one')}/versions/{other['lastVersion']}{tail}")
        assert answer.status_code == 404
