"""The content of a space through GraphQL."""

from __future__ import annotations

from typing import Any

import pytest

from tests import make
from tests.cast import Cast, Person
from tests.factories import collections, space_rows
from tests.local_server import Neighbour, sent

PAGE = """restId title type path slug hidden href target { url } description icon git { path oid }
    layout { cover title }"""
CONTENT = f"""query ($id: ID!, $computed: Boolean) {{ space(id: $id) {{
    currentRevision {{ __typename restId parentIds type createdAt }} variables
    pages(computed: $computed) {{ {PAGE} pages {{ {PAGE} pages {{ title }} }} }}
    files {{ nodes {{
        restId name contentType size downloadURL dimensions {{ width height }} git {{ path }} }} }}
    reusableContents {{ restId title documentId git {{ path }} }} }} }}"""
TREE = "query ($id: ID!) { space(id: $id) { pages { title pages { title pages { title } } } } }"
BODY = """query ($id: ID!, $path: String!, $evaluated: Boolean! = false) { space(id: $id) {
    page(path: $path) { restId title markdown(evaluated: $evaluated) document(evaluated: $evaluated) } } }"""
BY_ID = (
    "query ($id: ID!, $page: ID!) { space(id: $id) { page(id: $page) { title markdown pages { title } } } }"
)
FILES = """query ($id: ID!, $first: Int!, $after: String) { space(id: $id) {
    files(first: $first, after: $after) { totalCount pageInfo { hasNextPage endCursor }
        nodes { restId name } edges { cursor node { name } } } } }"""
FILE = "query ($id: ID!, $file: ID!) { space(id: $id) { file(id: $file) { name downloadURL } } }"
LINKS = """query ($id: ID!, $status: LinkStatus, $first: Int! = 50, $after: String) { space(id: $id) {
    links(filter: {status: $status}, first: $first, after: $after) {
        totalCount stats { total broken { total } } pageInfo { hasNextPage endCursor }
        nodes { status relation
            targetReference { kind url page { restId title path } anchor file { restId name } }
            locationReferences { kind page { restId path } internalLocation { node }
                versionContext { type revisionId } } } } } }"""
AROUND = """query ($id: ID!, $page: ID!, $file: ID!) { space(id: $id) {
    page(id: $page) { links { totalCount stats { total } nodes { status } }
        backlinks { totalCount nodes { kind page { path } } } }
    file(id: $file) { backlinks { totalCount nodes { page { path } } } } } }"""
SEARCH = """query ($id: ID!, $text: String!, $first: Int! = 50, $after: String) { space(id: $id) {
    search(query: $text, first: $first, after: $after) { totalCount pageInfo { hasNextPage endCursor }
        nodes { restId title path score urls { app } sections { title path body urls { app } } } } } }"""
EVERYWHERE = """query ($id: ID!, $text: String!) { organization(id: $id) { search(query: $text) {
    totalCount nodes { restId title pages { title path } } } } }"""
IMPORTED = "revisionId space { revisionId } importedResources totalResources"


WHERE = """query ($id: ID!, $request: ID!, $revision: ID!, $page: ID!, $file: ID!) { space(id: $id) {
    ...Links changeRequest(id: $request) { ...Links } revision(id: $revision) { ...Links } } }
  fragment Links on Content { __typename
    links { totalCount stats { total broken { total changeRequest } }
        nodes { status href locationReferences { versionContext { type } } } }
    broken: links(filter: {status: BROKEN}) { nodes { href } }
    page(id: $page) { links { totalCount stats { total } } backlinks { totalCount nodes { page { title } } } }
    file(id: $file) { backlinks { totalCount } } }"""


def code(person: Person, query: str, **variables: Any) -> str:
    """The code of the first error."""
    answer = person.gql(query, **variables)
    found: str = answer["errors"][0]["extensions"]["code"]
    return found


def same(told: Any, rest: Any) -> bool:
    """Tell whether GraphQL tells what REST tells, as far as it was asked; what REST leaves out is null."""
    if isinstance(told, dict):
        renamed = {"restId": "id", "documentId": "document", "revisionId": "revision"}
        return all(same(value, rest.get(renamed.get(name, name))) for name, value in told.items())
    if isinstance(told, list):
        return rest is None or (len(told) == len(rest) and all(map(same, told, rest)))
    if isinstance(told, str) and isinstance(rest, str):
        return told == rest or told.replace("_", "") == rest.replace("-", "").upper()
    return bool(told == rest)


@pytest.mark.parametrize("options", [{}, {"computed": False}])
def test_content_reads_as_it_does_over_rest(cast: Cast, options: dict[str, bool]) -> None:
    space = make.filled_space(cast)
    rest = cast.ria.get(f"/v1/spaces/{space}/content", params=options).json()
    told = cast.ria.ask(CONTENT, id=space, **options)["space"]
    revision = told.pop("currentRevision")
    assert (revision.pop("__typename"), revision.pop("parentIds")) == ("Revision", rest["parents"])
    assert same(revision, rest)
    told["files"] = told["files"]["nodes"]
    assert same(told, rest), (told, rest)
    assert [len(told[name]) for name in ("pages", "files", "reusableContents")] == [3, 1, 1]
    assert told["variables"] == {"keeper": "Ada", "height": 40}
    assert told["files"][0]["git"]


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
    told = cast.ria.ask(BODY, id=space, path=path)["space"]["page"]
    told.pop("document")
    assert same(told, rest)
    by_id = cast.ria.ask(BY_ID, id=space, page=rest["id"])["space"]["page"]
    assert (by_id["title"], by_id["markdown"]) == (rest["title"], rest.get("markdown"))


def test_a_body_comes_in_the_form_asked_for(cast: Cast) -> None:
    text = 'By <code class="expression">space.vars.keeper</code>.\n\n'
    text += "{% if visitor.claims.x %}\nNo.\n{% endif %}\n"
    space = make.filled_space(cast, {"README.md": text, ".gitbook/vars.yaml": "keeper: Ada\n"})

    def body(**options: Any) -> Any:
        return cast.ria.ask(BODY, id=space, path="readme", **options)["space"]["page"]

    plain = body()
    assert plain["markdown"] == text
    assert [node["type"] for node in plain["document"]["nodes"]] == ["paragraph", "if"]
    evaluated = body(evaluated=True)
    assert evaluated["markdown"].strip() == "By Ada."
    assert len(evaluated["document"]["nodes"]) == 1
    refused = cast.ria.gql(BODY, id=space, path="readme", evaluated="maybe")
    assert "data" not in refused
    assert "$evaluated" in refused["errors"][0]["message"]


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
    told = cast.ria.ask(FILE, id=space, file=file["restId"])["space"]["file"]
    assert told["name"] == file["name"]
    assert cast.instance.http.get(told["downloadURL"]).text == "same"


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
    assert told["page"]["links"] == {"totalCount": 0, "stats": {"total": 0}, "nodes": []}
    assert sorted(node["page"]["path"] for node in told["page"]["backlinks"]["nodes"]) == [
        "notes/rounds",
        "readme",
    ]
    assert told["file"]["backlinks"]["nodes"][0]["page"]["path"] == "readme"


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
    collections.patched(cast.ada, f"/v1/spaces/{hidden}", {"defaultLevel": None})
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
        assert code(person, CONTENT, id=space) == "NOT_FOUND"
        assert code(person, SEARCH, id=space, text="lamp") == "NOT_FOUND"
    for query, variables in ((BY_ID, {"page": page}), (FILE, {"file": file}), (BODY, {"path": "nothing"})):
        assert code(cast.ria, query, id=space, **variables) == "NOT_FOUND"
    answer = cast.ria.gql(AROUND, id=space, page=page, file=file)
    assert {error["extensions"]["code"] for error in answer["errors"]} == {"NOT_FOUND"}


def test_an_import_fills_a_space_and_a_page(cast: Cast, neighbour: Neighbour) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    archive = neighbour.shows("/all.zip", sent(make.zipped(make.repository())))
    done = cast.ed.mutate("importContent", IMPORTED, space=space, url=archive, source="ZIP")
    assert (done["importedResources"], done["totalResources"]) == (10, 10)
    assert cast.ria.get(f"/v1/spaces/{space}").json()["revision"] == done["revisionId"]
    assert done["space"] == {"revisionId": done["revisionId"]}
    page = cast.ria.get(f"/v1/spaces/{space}/content/path/notes").json()["id"]
    single = {"url": neighbour.shows("/one.md", sent("# One\n", "text/markdown")), "source": "MARKDOWN"}
    shown = "importedResources page { restId markdown }"
    assert cast.ed.mutate("importContent", shown, space=space, page=page, **single) == {
        "importedResources": 1,
        "page": {"restId": page, "markdown": "# One\n"},
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
        assert cast.ed.refused("importContent", space=space, **source) == "BAD_REQUEST"
    assert cast.ria.refused("importContent", space=space, **good) == "FORBIDDEN"
    assert cast.sol.refused("importContent", space=space, **good) == "NOT_FOUND"
    read_only = make.token(cast.ada, read_only=True)
    assert read_only.refused("importContent", space=space, **good) == "FORBIDDEN"
    assert cast.ed.refused("importContent", space=space, page="nothing", **good) == "NOT_FOUND"
    cast.ada.patch(f"/v1/spaces/{space}", {"editMode": "locked"})
    assert cast.ed.refused("importContent", space=space, **good) == "CONFLICT"
    assert space_rows.revisions(cast.instance, space) == 2


def test_links_are_those_of_the_place_where_they_are_asked_for(cast: Cast) -> None:
    space = make.filled_space(cast)
    root = f"/v1/spaces/{space}"
    past = cast.ada.get(root).json()["revision"]
    home = cast.ada.get(f"{root}/content/path/readme").json()["id"]
    (file,) = cast.ada.get(f"{root}/content/files").json()["items"]
    request = make.change_request(cast.ed, space)["id"]
    draft = {"operation": "update_page", "page": home, "document": {"markdown": "[gone](gone.md)\n"}}
    make.changes(cast.ed, space, draft, request=request)
    make.changes(cast.ada, space, {**draft, "document": {"markdown": "Nothing leads away.\n"}})
    asked = {"id": space, "request": request, "revision": past, "page": home, "file": file["id"]}
    now = cast.ria.ask(WHERE, **asked)["space"]
    drafted, before = now["changeRequest"], now["revision"]
    found = {each["__typename"]: each["links"]["stats"] for each in (now, drafted, before)}
    others = found["Space"]["total"]  # links of other pages
    assert found == {
        "Space": {"total": others, "broken": {"total": 0, "changeRequest": None}},
        "ChangeRequest": {"total": others + 1, "broken": {"total": 1, "changeRequest": 1}},
        "Revision": {"total": others + 3, "broken": {"total": 0, "changeRequest": None}},
    }
    assert [each["href"] for each in drafted["broken"]["nodes"]] == ["gone.md"]
    assert now["broken"]["nodes"] == before["broken"]["nodes"] == []
    assert [each["page"]["links"]["totalCount"] for each in (now, drafted, before)] == [0, 1, 3]
    assert [each["file"]["backlinks"]["totalCount"] for each in (now, drafted, before)] == [0, 0, 1]
    assert [each["page"]["backlinks"]["nodes"] for each in (now, drafted, before)] == [
        [{"page": {"title": "Notes"}}]
    ] * 3
    for place, links in ((f"/change-requests/{request}", drafted), (f"/revisions/{past}", before)):
        rest = cast.ria.get(f"{root}{place}/links").json()
        assert (rest["count"], rest["stats"]["total"]) == (links["links"]["totalCount"],) * 2
        assert same(links["links"]["nodes"], rest["items"])
        assert cast.sol.get(f"{root}{place}/links").status_code == 404
    assert cast.ria.get(f"{root}/revisions/nowhere/links").status_code == 404
