"""The content of a space through GraphQL."""

from __future__ import annotations

from typing import Any

import pytest

from tests import filled, make, places
from tests.cast import Cast, Person
from tests.local_server import Neighbour, sent

PAGE = """id title type path slug hidden href target { kind url } description icon git { path oid }
    layout { cover title }"""
REVISION = f"""query ($id: ID!, $metadata: Boolean, $computed: Boolean) {{ space(id: $id) {{
    content(metadata: $metadata, computed: $computed) {{ object id parents type variables createdAt
        pages {{ {PAGE} pages {{ {PAGE} pages {{ title }} }} }}
        files {{ id name contentType size downloadURL dimensions {{ width height }} git {{ path }} }}
        reusableContents {{ id title document git {{ path }} }} }} }} }}"""
TREE = "query ($id: ID!) { space(id: $id) { pages { title pages { title pages { title } } } } }"
BODY = """query ($id: ID!, $path: String!, $format: BodyFormat, $evaluated: String! = "false") {
    space(id: $id) { pageByPath(path: $path, format: $format, evaluated: $evaluated) {
        id title markdown document } } }"""
BY_ID = (
    "query ($id: ID!, $page: ID!) { space(id: $id) { page(id: $page) { title markdown pages { title } } } }"
)
FILES = """query ($id: ID!, $first: Int!, $after: String) { space(id: $id) {
    files(first: $first, after: $after) { totalCount pageInfo { hasNextPage endCursor }
        nodes { id name } edges { cursor node { name } } } } }"""
FILE = "query ($id: ID!, $file: ID!) { space(id: $id) { file(id: $file) { name downloadURL } } }"
LINKS = """query ($id: ID!, $status: LinkStatus, $first: Int! = 50, $after: String) { space(id: $id) {
    links(status: $status, first: $first, after: $after) { totalCount stats { total broken { total } }
        pageInfo { hasNextPage endCursor }
        nodes { status relation targetReference { kind url page anchor file }
            locationReferences { kind page internalLocation { type node }
                versionContext { type revision } } } } } }"""
AROUND = """query ($id: ID!, $page: ID!, $file: ID!) { space(id: $id) {
    pageLinks(page: $page) { totalCount stats { total } nodes { status } }
    pageBacklinks(page: $page) { totalCount nodes { kind page } }
    fileBacklinks(file: $file) { totalCount nodes { page } } } }"""
SEARCH = """query ($id: ID!, $text: String!, $first: Int! = 50, $after: String) { space(id: $id) {
    search(query: $text, first: $first, after: $after) { totalCount pageInfo { hasNextPage endCursor }
        nodes { id title path score urls { app } sections { title path body urls { app } } } } } }"""
EVERYWHERE = """query ($id: ID!, $text: String!) { organization(id: $id) { search(query: $text) {
    totalCount nodes { id title type pages { title path } } } } }"""
IMPORT = """mutation ($space: ID!, $source: ImportInput!) { importContent(space: $space, source: $source) {
    revision importedResources totalResources } }"""
INTO_PAGE = """mutation ($space: ID!, $page: ID!, $source: ImportInput!) {
    importContentInPage(space: $space, page: $page, source: $source) { importedResources } }"""


def code(person: Person, query: str, **variables: Any) -> str:
    """The code of the first error."""
    answer = person.gql(query, **variables)
    found: str = answer["errors"][0]["extensions"]["code"]
    return found


def same(told: Any, rest: Any) -> bool:
    """Whether GraphQL tells what REST tells, as far as it was asked; what REST leaves out is null."""
    if isinstance(told, dict):
        return all(same(value, rest.get(name)) for name, value in told.items())
    if isinstance(told, list):
        return rest is None or (len(told) == len(rest) and all(map(same, told, rest)))
    if isinstance(told, str) and isinstance(rest, str):
        return told == rest or told.replace("_", "") == rest.replace("-", "").upper()
    return bool(told == rest)


@pytest.mark.parametrize("options", [{}, {"metadata": False}, {"computed": False}])
def test_a_revision_reads_as_it_does_over_rest(cast: Cast, options: dict[str, bool]) -> None:
    space = make.filled_space(cast)
    rest = cast.ria.get(f"/v1/spaces/{space}/content", params=options).json()
    told = cast.ria.ask(REVISION, id=space, **options)["space"]["content"]
    assert same(told, rest), (told, rest)
    assert [len(told[name]) for name in ("pages", "files", "reusableContents")] == [3, 1, 1]
    assert told["variables"] == {"keeper": "Ada", "height": 40}
    assert (told["files"][0]["git"] is None) == (options == {"metadata": False})


def test_pages_are_a_tree(cast: Cast) -> None:
    space = make.filled_space(cast)
    first, notes, machinery = cast.ria.ask(TREE, id=space)["space"]["pages"]
    assert first == {"title": "Lighthouse", "pages": []}
    assert [page["title"] for page in notes["pages"]] == ["Daily rounds", "Größe der Lampe", "In a storm"]
    assert machinery["pages"][1] == {"title": "Its maker", "pages": None}


@pytest.mark.parametrize("path", ["notes/grosse", "/notes/grosse/", "machinery", "machinery/its-maker"])
def test_a_page_is_found_by_path_and_id(cast: Cast, path: str) -> None:
    space = make.filled_space(cast)
    rest = cast.ria.get(f"/v1/spaces/{space}/content/path/{path.strip('/')}").json()
    told = cast.ria.ask(BODY, id=space, path=path)["space"]["pageByPath"]
    assert same(told, rest)
    by_id = cast.ria.ask(BY_ID, id=space, page=rest["id"])["space"]["page"]
    assert (by_id["title"], by_id["markdown"]) == (rest["title"], rest.get("markdown"))


def test_a_body_comes_in_the_form_asked_for(cast: Cast) -> None:
    text = 'By <code class="expression">space.vars.keeper</code>.\n\n'
    text += "{% if visitor.claims.x %}\nNo.\n{% endif %}\n"
    space = make.filled_space(cast, {"README.md": text, ".gitbook/vars.yaml": "keeper: Ada\n"})

    def body(**options: Any) -> Any:
        return cast.ria.ask(BODY, id=space, path="readme", **options)["space"]["pageByPath"]

    assert (body()["markdown"], body()["document"]) == (text, None)
    document = body(format="DOCUMENT")
    assert document["markdown"] is None
    assert [node["type"] for node in document["document"]["nodes"]] == ["paragraph", "if"]
    assert body(evaluated="true")["markdown"].strip() == "By Ada."
    assert "{% if visitor.claims.x %}" in body(evaluated="deterministic-only")["markdown"]
    assert len(body(format="DOCUMENT", evaluated="true")["document"]["nodes"]) == 1
    assert code(cast.ria, BODY, id=space, path="readme", evaluated="maybe") == "BAD_REQUEST"


def test_files_come_in_connections(cast: Cast) -> None:
    names = [f"{number}.txt" for number in range(5)]
    space = make.filled_space(cast, {"README.md": "x", **dict.fromkeys(names, "same")})
    seen: list[str] = []
    after = None
    for _ in range(3):
        page = cast.ria.ask(FILES, id=space, first=2, after=after)["space"]["files"]
        assert page["totalCount"] == 5
        assert [edge["node"]["name"] for edge in page["edges"]] == [node["name"] for node in page["nodes"]]
        seen += [node["name"] for node in page["nodes"]]
        after = page["pageInfo"]["endCursor"]
    assert (sorted(seen), page["pageInfo"]["hasNextPage"]) == (names, False)
    first = cast.ria.ask(FILES, id=space, first=5, after=None)["space"]["files"]
    rest = cast.ria.ask(FILES, id=space, first=5, after=first["edges"][1]["cursor"])["space"]["files"]
    assert rest["nodes"] == first["nodes"][2:]
    file = first["nodes"][0]
    told = cast.ria.ask(FILE, id=space, file=file["id"])["space"]["file"]
    assert told["name"] == file["name"]
    assert cast.house.http.get(told["downloadURL"]).text == "same"


def test_links_read_as_they_do_over_rest(cast: Cast) -> None:
    space = make.filled_space(
        cast, make.repository({"new.md": "[gone](gone.md) [out](https://example.org/)\n"})
    )
    told = cast.ria.ask(LINKS, id=space)["space"]["links"]
    rest = cast.ria.get(f"/v1/spaces/{space}/links").json()
    assert same(told["nodes"], rest["items"])
    assert told["stats"] == rest["stats"] == {"total": 7, "broken": {"total": 1}}
    broken = cast.ria.ask(LINKS, id=space, status="BROKEN")["space"]["links"]
    assert (broken["totalCount"], broken["nodes"][0]["targetReference"]) == (1, None)
    part = cast.ria.ask(LINKS, id=space, first=6)["space"]["links"]
    more = cast.ria.ask(LINKS, id=space, after=part["pageInfo"]["endCursor"])["space"]["links"]
    assert part["nodes"] + more["nodes"] == told["nodes"]


def test_links_around_a_page_and_a_file(cast: Cast) -> None:
    space = make.filled_space(cast)
    lamp = cast.ria.get(f"/v1/spaces/{space}/content/path/machinery/lamp").json()["id"]
    file = cast.ria.get(f"/v1/spaces/{space}/content/files").json()["items"][0]["id"]
    told = cast.ria.ask(AROUND, id=space, page=lamp, file=file)["space"]
    assert told["pageLinks"] == {"totalCount": 0, "stats": {"total": 0}, "nodes": []}
    assert sorted(node["page"]["path"] for node in told["pageBacklinks"]["nodes"]) == [
        "notes/rounds",
        "readme",
    ]
    assert told["fileBacklinks"]["nodes"][0]["page"]["path"] == "readme"


def test_searches_read_as_they_do_over_rest(cast: Cast) -> None:
    space = make.filled_space(cast, title="Coast")
    told = cast.ria.ask(SEARCH, id=space, text="lamp")["space"]["search"]
    rest = cast.ria.get(f"/v1/spaces/{space}/search", params={"query": "lamp"}).json()
    assert told["totalCount"] == rest["count"] == 3
    assert same(told["nodes"], rest["items"])
    part = cast.ria.ask(SEARCH, id=space, text="lamp", first=1)["space"]["search"]
    more = cast.ria.ask(SEARCH, id=space, text="lamp", after=part["pageInfo"]["endCursor"])["space"]["search"]
    assert part["nodes"] + more["nodes"] == told["nodes"]
    hidden = make.filled_space(cast, title="Hidden")
    places.patched(cast.ada, f"/v1/spaces/{hidden}", {"defaultLevel": None})
    found = cast.ria.ask(EVERYWHERE, id=cast.organization, text="wick")["organization"]["search"]
    assert (found["totalCount"], [node["title"] for node in found["nodes"]]) == (1, ["Coast"])
    assert [page["path"] for page in found["nodes"][0]["pages"]] == ["machinery/lamp", "notes/rounds"]
    for text in ("", "a" * 513, "\0"):
        assert code(cast.ria, SEARCH, id=space, text=text) == "BAD_REQUEST"
        assert code(cast.ria, EVERYWHERE, id=cast.organization, text=text) == "BAD_REQUEST"
    assert cast.ria.ask(SEARCH, id=space, text='NEAR("')["space"]["search"]["totalCount"] == 0


def test_strangers_and_guests_find_nothing(cast: Cast) -> None:
    space, other = make.filled_space(cast), make.filled_space(cast)
    page = cast.ria.get(f"/v1/spaces/{other}/content/path/readme").json()["id"]
    file = cast.ria.get(f"/v1/spaces/{other}/content/files").json()["items"][0]["id"]
    for person in (cast.sol, cast.gus):
        assert code(person, REVISION, id=space) == "NOT_FOUND"
        assert code(person, SEARCH, id=space, text="lamp") == "NOT_FOUND"
    for query, variables in ((BY_ID, {"page": page}), (FILE, {"file": file}), (BODY, {"path": "nothing"})):
        assert code(cast.ria, query, id=space, **variables) == "NOT_FOUND"
    answer = cast.ria.gql(AROUND, id=space, page=page, file=file)
    assert {error["extensions"]["code"] for error in answer["errors"]} == {"NOT_FOUND"}


def test_an_import_fills_a_space_and_a_page(cast: Cast, neighbour: Neighbour) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    archive = neighbour.shows("/all.zip", sent(make.zipped(make.repository())))
    done = cast.ed.ask(IMPORT, space=space, source={"url": archive, "source": "ZIP"})["importContent"]
    assert (done["importedResources"], done["totalResources"]) == (10, 10)
    assert cast.ria.get(f"/v1/spaces/{space}").json()["revision"] == done["revision"]
    page = cast.ria.get(f"/v1/spaces/{space}/content/path/notes").json()["id"]
    single = {"url": neighbour.shows("/one.md", sent("# One\n", "text/markdown")), "source": "MARKDOWN"}
    assert cast.ed.ask(INTO_PAGE, space=space, page=page, source=single) == {
        "importContentInPage": {"importedResources": 1}
    }
    assert cast.ria.ask(BY_ID, id=space, page=page)["space"]["page"]["markdown"] == "# One\n"


def test_an_import_is_refused_with_a_code_and_nothing_happens(cast: Cast, neighbour: Neighbour) -> None:
    space = make.filled_space(cast)
    good = {"url": neighbour.shows("/one.md", sent("# One\n", "text/markdown")), "source": "MARKDOWN"}
    for source in (
        {**good, "source": "NOTION"},
        {**good, "url": "http://10.0.0.1/one.md"},
        {**good, "url": f"{neighbour.base}/nothing"},
        {**good, "url": "ftp://example.org/"},
        {**good, "source": "ZIP"},
    ):
        assert code(cast.ed, IMPORT, space=space, source=source) == "BAD_REQUEST"
    assert code(cast.ria, IMPORT, space=space, source=good) == "FORBIDDEN"
    assert code(cast.sol, IMPORT, space=space, source=good) == "NOT_FOUND"
    assert code(make.token(cast.ada, read_only=True), IMPORT, space=space, source=good) == "FORBIDDEN"
    assert code(cast.ed, INTO_PAGE, space=space, page="nothing", source=good) == "NOT_FOUND"
    cast.ada.patch(f"/v1/spaces/{space}", {"editMode": "locked"})
    assert code(cast.ed, IMPORT, space=space, source=good) == "CONFLICT"
    assert filled.revisions(cast.house, space) == 2
