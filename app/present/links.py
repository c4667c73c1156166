"""Addresses in answers: the API's (`location`) and the application's (`app`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import quote

from app.access.context import Context
from app.domain.integrations import integration_urls
from app.domain.site_addresses import addresses

if TYPE_CHECKING:
    from app.domain.comments.threads import CommentRow, ReplyRow
    from app.domain.integrations.installations import InstallationRow
    from app.domain.integrations.integration_rows import IntegrationRow
    from app.domain.integrations.placements import PlacementRow
    from app.domain.openapi.openapi_versions import VersionRow
    from app.domain.publishing.site_search import SitePageRow
    from app.domain.site_addresses.site_rows import SiteRow
    from app.domain.sites.site_nodes import SiteNode
    from app.models.access import Token
    from app.models.change_requests import ChangeRequest
    from app.models.collections import Collection
    from app.models.domain_claims import DomainClaim
    from app.models.invites import Invite
    from app.models.openapi_specs import OpenAPISpec
    from app.models.organizations import Organization
    from app.models.revisions import Revision
    from app.models.spaces import Space


class InOrganization(Protocol):
    """Something that belongs to an organization and has an id of its own."""

    @property
    def id(self) -> str: ...

    @property
    def organization_id(self) -> str: ...


def api(cx: Context, path: str) -> str:
    """Return an address of this API."""
    return f"{cx.settings.api_base}{path}"


def app(cx: Context, path: str) -> str:
    """Return an address in the application that people use."""
    return f"{cx.settings.app_base}{path}"


def user(cx: Context, user_id: str) -> dict[str, Any]:
    """Return the `urls` of a person."""
    return {"location": api(cx, f"/users/{user_id}")}


def token(cx: Context, token_id: str) -> dict[str, Any]:
    """Return the `urls` of a token of the caller."""
    return {"location": api(cx, f"/user/tokens/{token_id}")}


def token_in_organization(cx: Context, row: Token) -> dict[str, Any]:
    """Return the `urls` of a token that opens one organization, for its administrators."""
    return {"location": api(cx, f"/orgs/{row.organization_id}/tokens/{row.id}")}


def session(cx: Context, session_id: str) -> dict[str, Any]:
    """Return the `urls` of a session of the caller."""
    return {"location": api(cx, f"/user/sessions/{session_id}")}


def sessions_of_member(cx: Context, row: Token) -> dict[str, Any]:
    """Return the `urls` of a session for administrators, who end those of a member together."""
    return {"location": api(cx, f"/orgs/{row.organization_id}/members/{row.user_id}/sessions")}


def audit_event(cx: Context, organization_id: str, number: int) -> dict[str, Any]:
    """Return the `urls` of an event of the audit log."""
    return {"location": api(cx, f"/orgs/{organization_id}/audit-events/{number}")}


def organization(cx: Context, row: Organization) -> dict[str, Any]:
    """Return the `urls` of an organization."""
    urls = {"location": api(cx, f"/orgs/{row.id}"), "app": app(cx, f"/o/{row.id}")}
    return {**urls, "logo": row.logo} if row.logo else urls


def invite(cx: Context, row: Invite) -> dict[str, Any]:
    """Return the `urls` of an invite: where it is accepted, and the page of the application that does so."""
    kind = "invites" if row.email else "link-invites"
    return {
        "location": api(cx, f"/orgs/{row.organization_id}/{kind}/{row.id}"),
        "app": app(cx, f"/o/{row.organization_id}/invite/{row.id}"),
    }


def custom_hostname(cx: Context, hostname: str) -> dict[str, Any]:
    """Return the `urls` of a host of a site's own."""
    return {"location": api(cx, f"/custom-hostnames/{hostname}")}


def quotas(cx: Context, organization_id: str) -> dict[str, Any]:
    """Return the `urls` of the quotas of an organization."""
    return {"location": api(cx, f"/orgs/{organization_id}/quotas")}


def domain(cx: Context, row: DomainClaim) -> dict[str, Any]:
    """Return the `urls` of a claim to a domain."""
    return {"location": api(cx, f"/orgs/{row.organization_id}/domains/{row.id}")}


def import_run(cx: Context, row: InOrganization) -> dict[str, Any]:
    """Return the `urls` of an import run."""
    return {"location": api(cx, f"/orgs/{row.organization_id}/imports/{row.id}")}


def job(cx: Context, row: InOrganization) -> dict[str, Any]:
    """Return the `urls` of a job: the API's, and the page of the application that lists them."""
    return {
        "location": api(cx, f"/orgs/{row.organization_id}/jobs/{row.id}"),
        "app": app(cx, f"/o/{row.organization_id}/jobs"),
    }


def saml_provider(cx: Context, row: InOrganization) -> dict[str, Any]:
    """Return the `urls` of an identity provider."""
    return {"location": api(cx, f"/orgs/{row.organization_id}/saml/{row.id}")}


def passkey(cx: Context, passkey_id: str) -> dict[str, Any]:
    """Return the `urls` of a passkey."""
    return {"location": api(cx, f"/user/passkeys/{passkey_id}")}


def oidc_provider(cx: Context, row: InOrganization) -> dict[str, Any]:
    """Return the `urls` of an OpenID Connect provider."""
    return {"location": api(cx, f"/orgs/{row.organization_id}/oidc/{row.id}")}


def openapi_spec(cx: Context, row: OpenAPISpec) -> dict[str, Any]:
    """Return the `urls` of an OpenAPI specification."""
    return {
        "location": api(cx, f"/orgs/{row.organization_id}/openapi/{row.slug}"),
        "app": app(cx, f"/o/{row.organization_id}/openapi/{row.slug}"),
    }


def openapi_version(cx: Context, row: VersionRow) -> dict[str, Any]:
    """Return the `urls` of a version of an OpenAPI specification."""
    return {"location": api(cx, f"/orgs/{row.organization_id}/openapi/{row.slug}/versions/{row.id}")}


def openapi_file(cx: Context, row: VersionRow) -> str:
    """Return where the file is that a version begins with; its others are beside it.

    For everybody while the specification is public; else signed, good for a day at least, two at most.
    """
    signature = "public"
    if row.visibility != signature:
        until = cx.now.toordinal() + 2
        signature = f"{until}.{cx.signer.sign('openapi', f'{row.id} {until}')}"
    return f"{cx.settings.base_url}/openapi/{signature}/{row.id}/{quote(row.entry)}"


def translation_settings(cx: Context, row: InOrganization) -> dict[str, Any]:
    """Return the `urls` of translation settings."""
    return {"location": api(cx, f"/orgs/{row.organization_id}/translations/{row.id}")}


def collection(cx: Context, row: Collection) -> dict[str, Any]:
    """Return the `urls` of a collection."""
    return {
        "location": api(cx, f"/collections/{row.id}"),
        "app": app(cx, f"/o/{row.organization_id}/c/{row.id}"),
    }


def team(cx: Context, row: InOrganization) -> dict[str, Any]:
    """Return the `urls` of a team."""
    return {"location": api(cx, f"/orgs/{row.organization_id}/teams/{row.id}")}


def space(cx: Context, row: Space) -> dict[str, Any]:
    """Return the `urls` of a space."""
    settings, space_id = cx.settings, row.id
    urls = {
        "location": f"{settings.api_base}/spaces/{space_id}",
        "app": f"{settings.app_base}/o/{row.organization_id}/s/{space_id}",
    }
    if row.icon:
        urls["icon"] = row.icon
    if row.site_url:  # few spaces have one, and lists ask for every row
        urls |= _shown_at(cx, row)
    return urls


def _shown_at(cx: Context, space_row: Space) -> dict[str, str]:
    if not space_row.site_url or space_row.deleted_at:
        return {}
    published = addresses.whole(cx.settings, space_row.site_url)
    is_public = space_row.site_visibility == "public"
    return {"published": published, **({"public": published} if is_public else {})}


def site(cx: Context, row: SiteRow, share_key: str | None = None) -> dict[str, Any]:
    """Return the `urls` of a site."""
    here = f"/o/{row.organization_id}/site/{row.id}"
    urls = {"location": api(cx, f"/orgs/{row.organization_id}/sites/{row.id}"), "app": app(cx, here)}
    return {**urls, **_published(cx, row, addresses.of_site(row), share_key)}


def shared_site(cx: Context, row: SiteRow, key: str) -> str:
    """Return the address that a share link of a site opens."""
    found = addresses.whole(cx.settings, addresses.of_site(row))
    return addresses.keyed(found, "share-link", key)


def site_section(cx: Context, node: SiteNode) -> dict[str, Any]:
    """Return the `urls` of a section of a site."""
    section = node.row
    found = addresses.of_section(node.site, section.path, is_default=section.is_default)
    return _published(cx, node.site, found, node.share_key)


def site_space(cx: Context, node: SiteNode) -> dict[str, Any]:
    """Return the `urls` of a space of a site; visitors are shown no draft."""
    if node.row.draft:
        return {}
    return _published(cx, node.site, addresses.of_space(node.site, node.row), node.share_key)


def published_page(cx: Context, site_row: SiteRow, row: SitePageRow) -> dict[str, Any]:
    """Return where a page is on a site; the row knows its space there as `item_path` and its section."""
    space = addresses.of_space(site_row, row, path=row.item_path)
    return _published(cx, site_row, f"{space}/{quote(row.path)}", None)


def _published(cx: Context, site_row: SiteRow, address: str, share_key: str | None) -> dict[str, Any]:
    if not site_row.published:
        return {}
    found = addresses.whole(cx.settings, address)
    return {"published": addresses.keyed(found, site_row.visibility, share_key)}


def integration(cx: Context, row: IntegrationRow) -> Mapping[str, object]:
    """Return the `urls` of an integration."""
    return integration_urls.of_integration(cx.settings, row)


def integration_picture(cx: Context, row: IntegrationRow, name: str) -> str:
    """Return the address of a picture of an integration, or of somebody else as it is."""
    return integration_urls.of_picture(cx.settings, row.id, name)


def installation(cx: Context, row: InstallationRow) -> Mapping[str, object]:
    """Return the `urls` of an installation."""
    return integration_urls.of_installation(cx.settings, row.integration_name, row.organization_id, row.id)


def placement(cx: Context, row: PlacementRow) -> Mapping[str, object]:
    """Return the `urls` of an installation on a space or site."""
    return integration_urls.of_placement(
        cx.settings, row.integration_name, row.installation_id, row.kind, row.object_id
    )


class ContentPlace(Protocol):
    """The place where content was read: a space, and `at` a change request or revision of it if not now."""

    @property
    def space(self) -> Space: ...

    @property
    def at(self) -> Any: ...


def place(cx: Context, held: ContentPlace) -> str:
    """Return the application's address of a space, a change request or a revision."""
    space_row, at = held.space, held.at
    here = app(cx, f"/o/{space_row.organization_id}/s/{space_row.id}")
    if at is None:
        return here
    return f"{here}/~/changes/{at.number}" if at.kind == "changeRequest" else f"{here}/~/revisions/{at.id}"


def revision(cx: Context, held: ContentPlace, row: Revision) -> dict[str, Any]:
    """Return the `urls` of a revision; sites show the active one of a space."""
    is_active = row.id == held.space.revision_id and (held.at is None or held.at.kind == "revision")
    return {"app": place(cx, held), **(_shown_at(cx, held.space) if is_active else {})}


def page(cx: Context, held: ContentPlace, path: str | None) -> dict[str, Any]:
    """Return the `urls` of a page that was read there."""
    return {"app": f"{place(cx, held)}/{quote(path or '')}"}


def written_page(cx: Context, held: ContentPlace, page_id: str) -> dict[str, Any]:
    """Return the `urls` of a page that was written in a space or a change request."""
    request = "" if held.at is None else f"/change-requests/{held.at.id}"
    return {"location": api(cx, f"/spaces/{held.space.id}{request}/content/page/{page_id}")}


def change_request(cx: Context, space_row: Space, row: ChangeRequest) -> dict[str, Any]:
    """Return the `urls` of a change request."""
    return {
        "app": app(cx, f"/o/{space_row.organization_id}/s/{space_row.id}/~/changes/{row.number}"),
        "location": api(cx, f"/spaces/{space_row.id}/change-requests/{row.id}"),
    }


def comment(cx: Context, space_id: str, row: CommentRow) -> dict[str, Any]:
    """Return the `urls` of a comment."""
    return {"location": f"{_comments(cx, space_id, row)}/{row.id}"}


def reply(cx: Context, space_id: str, row: ReplyRow) -> dict[str, Any]:
    """Return the `urls` of a reply to a comment."""
    return {"location": f"{_comments(cx, space_id, row)}/{row.comment_id}/replies/{row.id}"}


def discussion(cx: Context, organization_id: str, space_id: str, number: int | None, comment_id: str) -> str:
    """Return the application's address of a comment in a space, or in its change request of this number."""
    request = "" if number is None else f"/~/changes/{number}"
    return app(cx, f"/o/{organization_id}/s/{space_id}{request}/~/comments?comment={comment_id}")


def _comments(cx: Context, space_id: str, row: CommentRow | ReplyRow) -> str:
    request = f"/change-requests/{row.change_request_id}" if row.change_request_id else ""
    return api(cx, f"/spaces/{space_id}{request}/comments")
