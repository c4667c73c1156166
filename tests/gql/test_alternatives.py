"""Inputs that take one of several things: exactly one field, which becomes the form that REST has."""

from __future__ import annotations

from base64 import b64encode

from tests import make
from tests.cast import Cast
from tests.factories.sites import ManagedSite

COMMENT = """mutation ($input: PostCommentInput!) {
  postComment(input: $input) { comment { body { markdown } } userErrors { path } } }"""


def test_a_text_is_given_in_one_form(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    document = {"object": "document", "data": {}, "nodes": []}
    for wrong in ({}, {"markdown": "a", "document": document}, {"markdown": None}):
        (error,) = cast.tom.gql(COMMENT, input={"space": space, "body": wrong})["errors"]
        assert error["extensions"]["code"] == "GRAPHQL_INVALID"
        assert "exactly one field must be specified" in error["message"]
    shown = "comment { body { markdown } }"
    made = cast.tom.mutate("postComment", shown, space=space, body={"markdown": "Lamp.\n"})
    assert made["comment"]["body"]["markdown"] == "Lamp.\n"


def test_neighbours_are_named_by_either_form_of_their_id(cast: Cast) -> None:
    first, second = (make.space(cast.ada, cast.organization)["id"] for _ in range(2))
    order = f"/v1/orgs/{cast.organization}/spaces"
    for beside in (first, f"Space:{first}"):
        cast.ada.mutate("moveSpace", space=second, position={"before": {"space": beside}})
        listed = [each["id"] for each in cast.ada.get(order).json()["items"]]
        assert listed.index(second) < listed.index(first)
        cast.ada.mutate("moveSpace", space=second, position={"after": {"space": beside}})
    told = cast.ada.tried("moveSpace", space=second, position={"before": {"space": "Collection:x"}})
    assert told["userErrors"][0]["path"] == ["position", "before", "space"]

    site = ManagedSite(cast)
    section, other = (site.section(title)["id"] for title in ("Lamps", "Bells"))
    at = {"organization": cast.organization, "site": site.id}
    known = {"siteSection": other, "siteSectionGroup": site.group()["id"]}
    for kind, beside in known.items():
        type_ = f"{kind[0].upper()}{kind[1:]}"
        for id_ in (beside, f"{type_}:{cast.organization}:{site.id}:{beside}"):
            item = {"siteSection": section}
            cast.ada.mutate("moveSiteSection", **at, **item, position={"before": {kind: id_}})
            assert _order(site, section, beside) == [section, beside]
            cast.ada.mutate("sortSiteStructure", **at, item=item, position={"after": {kind: id_}})
            assert _order(site, section, beside) == [beside, section]
    unknown = {"item": {"siteSection": "0000000000000000none"}, "position": {"after": known}}
    (error,) = cast.ada.gql(SORT, input={**at, **unknown})["errors"]
    assert "exactly one field must be specified" in error["message"]
    unknown["position"] = {"after": {"siteSection": other}}
    told = cast.ada.tried("sortSiteStructure", **at, **unknown)
    assert told["userErrors"][0]["path"] == ["item", "siteSection"]


SORT = (
    "mutation ($input: SortSiteStructureInput!) { sortSiteStructure(input: $input) { userErrors { path } } }"
)


def _order(site: ManagedSite, *ids: str) -> list[str]:
    items = site.get("/structure")["structure"]
    return [each["id"] for each in items if each["id"] in ids]


def test_bytes_come_from_one_source(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    bytes_ = b64encode(make.picture(1, 1)).decode()
    file = {"name": "dot.png", "contentType": "image/png", "ref": "dot"}
    sent = {"insertFiles": {"files": [{**file, "source": {"base64": bytes_}}]}}
    cover = {"ref": {"file": "dot"}, "refDark": {"url": "https://example.org/d.png"}}
    page = {"insertPage": {"title": "Lamp", "document": {"markdown": "# Lamp\n"}, "cover": cover}}
    done = cast.ed.mutate("changeContent", "changes { page { restId } }", space=space, changes=[sent, page])
    shown = cast.ed.get(f"/v1/spaces/{space}/content/page/{done['changes'][0]['page']['restId']}").json()
    assert [shown["cover"][each]["kind"] for each in ("ref", "refDark")] == ["file", "url"]
    broken = {"insertFiles": {"files": [{**file, "source": {"base64": "?"}}]}}
    told = cast.ed.tried("changeContent", space=space, changes=[broken])
    path = ["changes", "0", "insertFiles", "files", "0", "source", "base64"]
    assert [each["path"] for each in told["userErrors"]] == [path]

    files = [{"name": "a.md", "source": {"base64": "IyBIaQo="}}]
    where = {"organization": cast.organization, "target": {"space": space}}
    run = cast.ada.mutate("startImportRun", "importRun { source { type } }", source={"files": files}, **where)
    assert run["importRun"]["source"]["type"] == "FILE"
    told = cast.ada.tried("startImportRun", source={"website": "nowhere"}, **where)
    assert [each["path"] for each in told["userErrors"]] == [["source", "website"]]
    files[0]["source"] = {"base64": "?"}
    told = cast.ada.tried("startImportRun", source={"files": files}, **where)
    assert [each["path"] for each in told["userErrors"]] == [["source", "files", "0", "source", "base64"]]


def test_a_link_gives_a_role_or_a_level(cast: Cast) -> None:
    cast.ada.mutate("updateOrganization", organization=cast.organization, inviteLinks=True)
    space = make.space(cast.ada, cast.organization)["id"]
    shown = "invite { role level space { restId } }"
    for access, told in (
        ({"role": "READ"}, {"role": "READ", "level": None, "space": None}),
        (
            {"space": {"space": f"Space:{space}", "level": "EDIT"}},
            {"role": None, "level": "EDIT", "space": {"restId": space}},
        ),
    ):
        made = cast.ada.mutate("createLinkInvite", shown, organization=cast.organization, access=access)
        assert made["invite"] == told
    access = {"collection": {"collection": "0000000000000000none", "level": "EDIT"}}
    refused = cast.ada.tried("createLinkInvite", organization=cast.organization, access=access)
    assert [each["path"] for each in refused["userErrors"]] == [["access", "collection", "collection"]]
