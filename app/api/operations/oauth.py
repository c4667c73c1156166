"""Operations on OAuth: the applications that people registered, and what they allowed to others."""

from __future__ import annotations

from app.api.operation import family, get, listing, patch, post, remove
from app.domain.accounts.oauth import applications, grants
from app.models.oauth import OAuthApplicationCreate, OAuthApplicationUpdate
from app.present.accounts import application, application_with_secret, grant

APPLICATIONS = "/user/oauth-applications"
GRANTS = "/user/oauth-grants"

OPERATIONS = family(
    "OAuth",
    listing(
        "listOAuthApplications",
        APPLICATIONS,
        applications.list_own,
        show=application,
        field="User.oauthApplications",
        permission="anybody",
    ),
    post(
        "createOAuthApplication",
        APPLICATIONS,
        applications.create,
        body=OAuthApplicationCreate,
        show=application_with_secret,
        status=201,
        secret=True,
        field="createOAuthApplication",
        permission="anybody",
    ),
    get(
        "getOAuthApplicationById",
        f"{APPLICATIONS}/{{oauthApplicationId}}",
        applications.get_own,
        show=application,
        field="User.oauthApplication",
        permission="anybody",
    ),
    patch(
        "updateOAuthApplicationById",
        f"{APPLICATIONS}/{{oauthApplicationId}}",
        applications.update,
        body=OAuthApplicationUpdate,
        show=application,
        field="updateOAuthApplication",
        permission="anybody",
    ),
    remove(
        "deleteOAuthApplicationById",
        f"{APPLICATIONS}/{{oauthApplicationId}}",
        applications.delete_own,
        field="deleteOAuthApplication",
        permission="anybody",
    ),
    post(
        "rotateOAuthApplicationSecret",
        f"{APPLICATIONS}/{{oauthApplicationId}}/secret",
        applications.rotate_secret,
        show=application_with_secret,
        secret=True,
        field="rotateOAuthApplicationSecret",
        permission="anybody",
    ),
    listing(
        "listOAuthGrants",
        GRANTS,
        grants.list_own,
        show=grant,
        field="User.oauthGrants",
        permission="anybody",
    ),
    get(
        "getOAuthGrantById",
        f"{GRANTS}/{{oauthGrantId}}",
        grants.get_own,
        show=grant,
        field="User.oauthGrant",
        permission="anybody",
    ),
    remove(
        "revokeOAuthGrantById",
        f"{GRANTS}/{{oauthGrantId}}",
        grants.revoke,
        field="revokeOAuthGrant",
        permission="anybody",
    ),
)
