"""Calls about who belongs to an organization, and how they come to (see `recipes`)."""

from __future__ import annotations

from collections.abc import Callable

from app.kit.ids import new_id
from tests import make
from tests.cast import Cast
from tests.contract.faces import Call
from tests.factories import collections, domains

Recipe = Callable[[Cast], Call]
KEY = "a-key-of-forty-characters-that-is-secret"


def _in_organization(cast: Cast) -> Call:
    return Call({"organizationId": cast.organization})


def _members(cast: Cast) -> Call:
    query = {"sort": "name", "order": "asc", "search": "Example.ORG"}
    return Call({"organizationId": cast.organization}, query)


def _member(cast: Cast) -> Call:
    return Call({"organizationId": cast.organization, "userId": cast.ed.id})


def _newcomer(cast: Cast) -> Call:
    return Call({"organizationId": cast.organization, "userId": make.newcomer(cast, "Nell", "read").id})


def _tied(cast: Cast) -> Call:
    make.provider(cast)
    domain = domains.domain()
    domains.proven(cast.ada, cast.organization, domain)
    nell = make.newcomer(cast, "Nell", "read", domain=domain)
    return Call({"organizationId": cast.organization, "userId": nell.id})


def _update_member(cast: Cast) -> Call:
    return Call(_tied(cast).path, body={"role": "edit", "disabled": False, "sso": True})


def _member_spaces(cast: Cast) -> Call:
    for title in ("One", "Two"):
        make.space(cast.ada, cast.organization, title=title)
    return Call(_member(cast).path, {"order": "asc"})


def _member_teams(cast: Cast) -> Call:
    for title in ("Keepers", "Housekeeping", "Lamps"):
        body = {"title": title, "members": [cast.ed.id]}
        assert cast.ada.put(f"/v1/orgs/{cast.organization}/teams", body).status_code == 201
    return Call(_member(cast).path, {"title": "KEEP"})


def _signing_key(cast: Cast) -> Call:
    return Call({"organizationId": cast.organization}, body={"key": KEY})


def _address() -> str:
    return f"{new_id()}@example.org".lower()


def _invite(cast: Cast) -> Call:
    emails = [_address(), {"email": _address(), "role": "edit"}, cast.ed.email]
    return Call({"organizationId": cast.organization}, body={"emails": emails, "role": None, "sso": False})


def _invited(cast: Cast) -> Call:
    path = f"/v1/orgs/{cast.organization}/invites"
    answer = cast.ada.post(path, {"emails": [_address(), _address()], "role": "comment"})
    assert answer.status_code == 200, answer.text
    invite = answer.json()["invited"][0]["id"]
    return Call({"organizationId": cast.organization, "inviteId": invite})


def _invites(cast: Cast) -> Call:
    _invited(cast)
    return _in_organization(cast)


def _create_link(cast: Cast) -> Call:
    make.links_on(cast)
    space = make.space(cast.ada, cast.organization)["id"]
    return Call({"organizationId": cast.organization}, body={"level": "comment", "space": space})


def _link(cast: Cast) -> Call:
    made = make.link(cast, {"role": "comment"})
    make.link(cast, _create_link(cast).body or {})
    return Call({"organizationId": cast.organization, "inviteId": made["id"]})


def _links(cast: Cast) -> Call:
    _link(cast)
    return _in_organization(cast)


def _update_link(cast: Cast) -> Call:
    return Call(_link(cast).path, body={"role": "read"})


def _accept(cast: Cast) -> Call:
    link = make.link(cast, _create_link(cast).body or {})
    return Call({"organizationId": cast.organization, "inviteId": link["id"]})


def _join(cast: Cast) -> Call:
    """One organization proves the domain of everybody's address; whoever joined it by then leaves."""
    made = cast.__dict__.get("joined")
    if made:
        assert cast.sol.delete(f"/v1/orgs/{made}/members/{cast.ada.id}").status_code in (204, 404)
        return Call({"organizationId": made})
    answer = cast.sol.post("/v1/orgs", {"title": "Sundials"})
    assert answer.status_code == 201, answer.text
    made = cast.__dict__["joined"] = answer.json()["id"]
    domains.proven(cast.sol, made, cast.domain)
    return Call({"organizationId": made})


def _email_domain(cast: Cast) -> Call:
    domain = domains.domain()
    domains.proven(cast.ada, cast.organization, domain)
    return Call({"emailDomain": domain})


def _subdomain(cast: Cast) -> Call:
    hostname = f"h-{cast.organization}".lower()
    collections.patched(cast.ada, f"/v1/orgs/{cast.organization}", {"hostname": hostname})
    return Call({"subdomain": hostname})


def _user(cast: Cast) -> Call:
    return Call({"userId": cast.ed.id})


def _update_user(cast: Cast) -> Call:
    body = {"displayName": "Ada King", "photoURL": "https://example.org/ada.png"}
    return Call({"userId": cast.ada.id}, body=body)


def _export(cast: Cast) -> Call:
    return Call({"userId": cast.ada.id})


def _delete_user(cast: Cast) -> Call:
    nell = make.newcomer(cast, "Nell", "read")
    return Call({"userId": nell.id}, caller=nell)


PEOPLE: dict[str, Recipe] = {
    "listMembersInOrganizationById": _members,
    "getMemberInOrganizationById": _member,
    "removeMemberFromOrganizationById": _newcomer,
    "updateMemberInOrganizationById": _update_member,
    "setUserAsSSOMemberForOrganization": _tied,
    "listSpacesForOrganizationMember": _member_spaces,
    "listTeamsForOrganizationMember": _member_teams,
    "updateOrganizationMemberLastSeenAt": _in_organization,
    "setOrganizationSigningKey": _signing_key,
    "removeOrganizationSigningKey": _in_organization,
    "listEmailInvitesInOrganization": _invites,
    "inviteUsersToOrganization": _invite,
    "joinOrganizationWithInvite": _accept,
    "withdrawEmailInvite": _invited,
    "joinOrganizationByEmailDomain": _join,
    "listOrganizationInvites": _links,
    "createOrganizationInvite": _create_link,
    "getOrganizationInviteById": _link,
    "updateOrganizationInviteById": _update_link,
    "deleteOrganizationInviteById": _link,
    "getOrganizationsForEmailDomain": _email_domain,
    "getSubdomain": _subdomain,
    "getUserById": _user,
    "updateUserById": _update_user,
    "deleteUserById": _delete_user,
    "exportUserById": _export,
}
