"""Operations on a person's own account: tokens, sessions, passkeys and notification preferences."""

from __future__ import annotations

from app.api.operation import family, get, listing, patch, post, remove
from app.domain import notifications
from app.domain.accounts import passkeys, personal_tokens, session_lists, sign_in_links
from app.models.accounts import PasskeyUpdate, SessionsEnd, TokenCreate, TokenUpdate
from app.models.notifications import NotificationPreferencesUpdate
from app.present.accounts import (
    created_token,
    member_session,
    passkey,
    sign_in_link,
    token,
    token_in_organization,
    user_session,
)
from app.present.accounts import preferences as show_preferences

TOKENS = "/user/tokens"
TOKEN = TOKENS + "/{tokenId}"
IN_ORGANIZATION = "/orgs/{organizationId}/tokens"


SESSIONS = "/user/sessions"
OF_MEMBER = "/orgs/{organizationId}/members/{userId}/sessions"


PASSKEY = "/user/passkeys/{passkeyId}"


PREFERENCES = "/user/notification-preferences"


OPERATIONS = [
    *family(
        "Accounts",
        listing(
            "listTokensForAuthenticatedUser",
            TOKENS,
            personal_tokens.list_mine,
            show=token,
            field="User.tokens",
            permission="anybody",
        ),
        post(
            "createToken",
            TOKENS,
            personal_tokens.create,
            body=TokenCreate,
            show=created_token,
            status=201,
            field="createToken",
            permission="anybody",
            secret=True,
        ),
        get(
            "getTokenById",
            TOKEN,
            personal_tokens.get,
            show=token,
            field="User.token",
            permission="anybody",
        ),
        patch(
            "updateTokenById",
            TOKEN,
            personal_tokens.update,
            body=TokenUpdate,
            show=token,
            field="updateToken",
            permission="anybody",
        ),
        remove(
            "revokeTokenById",
            TOKEN,
            personal_tokens.revoke,
            field="revokeToken",
            permission="anybody",
        ),
        listing(
            "listTokensInOrganization",
            IN_ORGANIZATION,
            personal_tokens.list_in_organization,
            show=token_in_organization,
            field="Organization.tokens",
            permission="organization:admin",
        ),
        get(
            "getTokenInOrganization",
            IN_ORGANIZATION + "/{tokenId}",
            personal_tokens.get_in_organization,
            show=token_in_organization,
            field="Organization.token",
            permission="organization:admin",
        ),
        remove(
            "revokeTokenInOrganization",
            IN_ORGANIZATION + "/{tokenId}",
            personal_tokens.revoke_in_organization,
            field="revokeOrganizationToken",
            permission="organization:admin",
        ),
    ),
    *family(
        "Accounts",
        listing(
            "listSessionsForAuthenticatedUser",
            SESSIONS,
            session_lists.list_mine,
            show=user_session,
            field="User.sessions",
            permission="anybody",
        ),
        get(
            "getSessionById",
            SESSIONS + "/{sessionId}",
            session_lists.get,
            show=user_session,
            field="User.session",
            permission="anybody",
        ),
        remove(
            "endSessionById",
            SESSIONS + "/{sessionId}",
            session_lists.end,
            field="endSession",
            permission="anybody",
        ),
        post(
            "endSessions",
            SESSIONS + "/end",
            session_lists.end_all,
            body=SessionsEnd,
            status=204,
            field="endSessions",
            permission="anybody",
            title="End all sessions",
        ),
        listing(
            "listSessionsForOrganizationMember",
            OF_MEMBER,
            session_lists.list_of_member,
            show=member_session,
            field="Member.sessions",
            permission="organization:admin",
        ),
        remove(
            "endSessionsOfOrganizationMember",
            OF_MEMBER,
            session_lists.end_of_member,
            field="endMemberSessions",
            permission="organization:admin",
        ),
        post(
            "createSignInLinkForOrganizationMember",
            "/orgs/{organizationId}/members/{userId}/sign-in-link",
            sign_in_links.create_for_member,
            show=sign_in_link,
            status=201,
            field="createMemberSignInLink",
            permission="organization:admin",
            secret=True,
        ),
    ),
    *family(
        "Accounts",
        listing(
            "listPasskeysForAuthenticatedUser",
            "/user/passkeys",
            passkeys.list_mine,
            show=passkey,
            field="User.passkeys",
            permission="anybody",
        ),
        get(
            "getPasskeyById",
            PASSKEY,
            passkeys.get,
            show=passkey,
            field="User.passkey",
            permission="anybody",
        ),
        patch(
            "updatePasskeyById",
            PASSKEY,
            passkeys.update,
            body=PasskeyUpdate,
            show=passkey,
            field="updatePasskey",
            permission="anybody",
        ),
        remove(
            "deletePasskeyById",
            PASSKEY,
            passkeys.remove,
            field="deletePasskey",
            permission="anybody",
        ),
    ),
    *family(
        "Accounts",
        get(
            "getNotificationPreferences",
            PREFERENCES,
            notifications.get_preferences,
            show=show_preferences,
            field="User.notificationPreferences",
            permission="anybody",
        ),
        patch(
            "updateNotificationPreferences",
            PREFERENCES,
            notifications.update_preferences,
            body=NotificationPreferencesUpdate,
            show=show_preferences,
            field="updateNotificationPreferences",
            permission="anybody",
        ),
    ),
]
