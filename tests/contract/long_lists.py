"""Calls of lists with several items: recipes whose lists stay short, with what makes them longer."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from app.api.operation import Operation
from app.kit.ids import new_id
from tests import make
from tests.cast import Cast, Person
from tests.contract.faces import Call, address
from tests.contract.import_sources import PIXEL
from tests.contract.recipes import RECIPES
from tests.contract.recipes_content import space
from tests.contract.recipes_publishing import give_feedback, visit
from tests.contract.recipes_teams import team
from tests.factories import openapi
from tests.factories.integrations import PublishedIntegration, manifest
from tests.factories.sites import answered, base, site, spaces

MORE = 3
Longer = Callable[[Cast, Call], Call | None]


def several(cast: Cast, row: Operation) -> Call:
    """A call of this list after more was added to it several times, each time once at least.

    The recipe itself adds to the lists of the organization, a POST of the same address to others.
    """
    call = RECIPES[row.id](cast)
    for _ in range(MORE):
        if row.id in POSTED:
            body = POSTED[row.id](cast, call)
            answered(cast.ada.post(address(row, call), body), 200 if row.id in ANSWERED_200 else 201)
        elif row.id in LONGER:
            call = LONGER[row.id](cast, call) or call
        else:
            call = RECIPES[row.id](cast)
    return call


def _somebody(cast: Cast, role: str = "review") -> Person:
    return make.newcomer(cast, "mary", role)


def _comment(cast: Cast, call: Call) -> dict[str, Any]:
    return {"body": {"markdown": "And the wick?"}}


def _changed(cast: Cast, call: Call, *changes: dict[str, Any]) -> None:
    request = call.path.get("changeRequestId")
    make.changes(cast.ada, call.path["spaceId"], *changes, request=request)


def _another_page(cast: Cast, call: Call, text: str = "Oil.") -> None:
    page = {"operation": "insert_page", "title": "Lamp", "document": {"markdown": f"{text}\n"}}
    _changed(cast, call, page)


def _another_link(cast: Cast, call: Call, kind: str) -> None:
    _another_page(cast, call, f"See [this](/{kind}s/{call.path[f'{kind}Id']}).")


def _another_file(cast: Cast, call: Call) -> None:
    _changed(cast, call, {"operation": "insert_files", "files": [make.upload("more.png", PIXEL)]})


def _another_file_since(cast: Cast, call: Call) -> Call:
    here = {"spaceId": call.path["spaceId"]}
    _another_file(cast, Call(here))
    revision = cast.ada.get(f"/v1/spaces/{here['spaceId']}").json()["revision"]
    return Call({**here, "revisionId": revision})


def _another_link_since(cast: Cast, call: Call, kind: str) -> Call:
    here = {"spaceId": call.path["spaceId"], f"{kind}Id": call.path[f"{kind}Id"]}
    _another_link(cast, Call(here), kind)
    revision = cast.ada.get(f"/v1/spaces/{here['spaceId']}").json()["revision"]
    return Call({**here, "revisionId": revision})


def _another_edit(cast: Cast, call: Call) -> None:
    new = {"markdown": f"{new_id()}\n"}
    change = {"operation": "update_page", "page": call.query["pageId"], "document": new}
    _changed(cast, call, change)


def _another_commenter(cast: Cast, call: Call) -> None:
    request = call.path.get("changeRequestId")
    place = f"/v1/spaces/{call.path['spaceId']}" + (f"/change-requests/{request}" if request else "")
    answered(_somebody(cast).post(f"{place}/comments", _comment(cast, call)))


def _another_request(cast: Cast, call: Call) -> None:
    make.change_request(cast.ada, call.query["space"])


def _another_reviewer(cast: Cast, call: Call) -> None:
    path = f"/v1/spaces/{call.path['spaceId']}/change-requests/{call.path['changeRequestId']}"
    answered(cast.ed.post(f"{path}/requested-reviewers", {"users": [_somebody(cast).id]}))


def _another_in_collection(cast: Cast, call: Call) -> None:
    space(cast, parent=call.path["collectionId"])


def _another_event(cast: Cast, call: Call) -> Call:
    space(cast)
    return Call(call.path, {"actor": cast.ada.id, "action": "createSpace"})


def _another_member(cast: Cast, call: Call) -> None:
    path = f"/v1/orgs/{cast.organization}/teams/{call.path['teamId']}/members/{_somebody(cast).id}"
    answered(cast.ada.put(path, {"role": "member"}), 204)


def _granted(cast: Cast, call: Call, *, to: str) -> None:
    """Another grant on a space, a collection or a site."""
    name, id_ = list(call.path.items())[-1]
    kind = name.removesuffix("Id")
    place = base(cast, id_) if kind == "site" else f"/v1/{kind}s/{id_}"
    whom = [_somebody(cast, "read").id] if to == "users" else [team(cast)]
    answered(cast.ada.post(f"{place}/permissions", {"role": "edit", to: whom}), 204)


def _another_version(cast: Cast, call: Call) -> None:
    openapi.spec(cast, call.path["specSlug"], openapi.document(info={"title": "Kennel API", "version": "4"}))


def _another_site(cast: Cast, call: Call) -> None:
    made = site(cast.ada, cast.organization, title="Lighthouse", type="basic", spaces=[call.query["space"]])
    answered(cast.ada.post(f"{base(cast, made['id'])}/publish"))


def _another_section(cast: Cast, call: Call) -> None:
    body = {"spaceId": spaces(cast, "More")[0]}
    answered(cast.ada.post(f"{base(cast, call.path['siteId'])}/sections", body), 201)


def _another_site_space(cast: Cast, call: Call) -> Call:
    """One that is no default, as most are."""
    _another_section(cast, call)
    return Call(call.path)


def _another_installation(cast: Cast, call: Call) -> None:
    """An installation elsewhere, where the administrator is one too."""
    made = f"/v1/integrations/{call.path['integrationName']}"
    answered(cast.ada.post(made, manifest(cast, visibility="public")))
    there = answered(cast.ada.post("/v1/orgs", {"title": "Sundials"}), 201)["id"]
    installed = answered(cast.ada.post(f"{made}/installations", {"organization": there}), 201)["id"]
    change = {"externalIds": [call.query["externalId"]]}
    answered(cast.ada.patch(f"{made}/installations/{installed}", change))


def _another_space_of_team(cast: Cast, call: Call) -> None:
    granted = {"role": "read", "teams": [call.path["teamId"]]}
    answered(cast.ada.post(f"/v1/spaces/{space(cast)}/permissions", granted), 204)


def _another_place(cast: Cast, call: Call, *, kind: str) -> None:
    """The installation of the integration on one more space or site."""
    made = f"/v1/integrations/{call.path['integrationName']}/installations"
    installation = cast.ada.get(made).json()["items"][0]["id"]
    there = space(cast) if kind == "space" else site(cast.ada, cast.organization)["id"]
    body = {"space" if kind == "space" else "siteId": there}
    answered(cast.ada.post(f"{made}/{installation}/{kind}s", body), 201)
    change = {"externalIds": [f"lamps-{cast.organization}"]}
    answered(cast.ada.patch(f"{made}/{installation}/{kind}s/{there}", change))


def _another_integration(cast: Cast, call: Call) -> None:
    made = PublishedIntegration(cast)
    if "siteId" in call.path:
        made.on_site(made.install(), call.path["siteId"])
    else:
        made.on_space(made.install(), call.path["spaceId"])


# The bodies of what is posted to the address of a list.
POSTED: dict[str, Callable[[Cast, Call], dict[str, Any]]] = {
    "listOrganizationsForAuthenticatedUser": lambda cast, call: {"title": "Sundials"},
    "listCommentsInSpace": _comment,
    "listCommentsInChangeRequest": _comment,
    "listCommentRepliesInSpace": _comment,
    "listCommentRepliesInChangeRequest": _comment,
    "listChangeRequestsForSpace": lambda cast, call: {"subject": "More"},
    "listReviewsInChangeRequest": lambda cast, call: {"status": "approved"},
    "listSiteSectionGroups": lambda cast, call: {"title": "Further"},
    "listSiteShareLinks": lambda cast, call: {"name": "More partners"},
    "listSiteRedirects": lambda cast, call: {
        "source": f"/{spaces(cast, 'More')[0]}",
        "destination": {"kind": "external", "url": "https://example.org"},
    },
}
ANSWERED_200 = {name for name in POSTED if name.startswith("listComment")}
GRANTS = {
    "listUserPermissions": "users",
    "listTeamPermissions": "teams",
    "listPermissionsAggregate": "users",
}


def _another_publication(cast: Cast, call: Call) -> None:
    PublishedIntegration.of(cast, call.path["integrationName"]).post("", manifest(cast), 200)


def _word() -> str:
    """A new word of letters, since a name with many digits is no word to statistics."""
    return new_id().lower().translate(str.maketrans("0123456789", "abcdefghij"))


LONGER: dict[str, Longer] = {
    "listSitePageFeedback": lambda cast, call: give_feedback(cast, call, new_id()),
    "listSitePageViews": lambda cast, call: visit(cast, call, _word()),
    "listSiteSearchedTerms": lambda cast, call: visit(cast, call, _word()),
    "listSiteBrokenUrls": lambda cast, call: visit(cast, call, _word()),
    "listSiteViewShares": lambda cast, call: visit(cast, call, _word()),
    "listSpacesForOrganizationTeam": _another_space_of_team,
    "listAuditEvents": _another_event,
    "listSpacesInCollectionById": _another_in_collection,
    "listChildrenInCollectionById": _another_in_collection,
    "listSpaceFileBacklinks": partial(_another_link, kind="file"),
    "listChangeRequestFileBacklinks": partial(_another_link, kind="file"),
    "listSpacePageBacklinks": partial(_another_link, kind="page"),
    "listChangeRequestPageBacklinks": partial(_another_link, kind="page"),
    "listRevisionFileBacklinks": partial(_another_link_since, kind="file"),
    "listRevisionPageBacklinks": partial(_another_link_since, kind="page"),
    "listCommentersInSpace": _another_commenter,
    "listCommentersInChangeRequest": _another_commenter,
    "listContributors": _another_commenter,
    "listFiles": _another_file,
    "listFilesInChangeRequestById": _another_file,
    "listFilesInRevisionById": _another_file_since,
    "listChangeRequestsForOrganization": _another_request,
    "listRequestedReviewers": _another_reviewer,
    "listRevisionsInSpace": _another_edit,
    "listRevisionsInChangeRequestById": _another_page,
    "listTeamMembersInOrganizationById": _another_member,
    **{
        f"{name}In{kind}": partial(_granted, to=to)
        for kind in ("Space", "Collection", "Site")
        for name, to in GRANTS.items()
    },
    "listOpenAPISpecVersions": _another_version,
    "listSites": _another_site,
    "listSiteSections": _another_section,
    "listSiteSpaces": _another_site_space,
    "listIntegrationInstallations": _another_installation,
    "listIntegrationVersions": _another_publication,
    "listIntegrationSpaceInstallations": partial(_another_place, kind="space"),
    "listIntegrationSiteInstallations": partial(_another_place, kind="site"),
    "listIntegrationInstallationSpaces": partial(_another_place, kind="space"),
    "listIntegrationInstallationSites": partial(_another_place, kind="site"),
    "listSpaceIntegrations": _another_integration,
    "listSiteIntegrations": _another_integration,
}
