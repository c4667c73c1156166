"""Passkeys (WebAuthn, level 2): added after signing in otherwise, then a way in of their own.

A device signs a challenge that it was given, for this server's origin, after its owner has shown to it who
they are. A challenge counts once, in the browser that was given it, for five minutes.
"""

from __future__ import annotations

import json
from datetime import timedelta
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import delete, select

from app.access.context import Actor, Context
from app.domain.accounts import sign_in_links
from app.domain.accounts.sessions import Browser, SignedIn
from app.kit.database.columns import Instant
from app.kit.database.paging import Listing, Page
from app.kit.database.statements import command, given, query, table
from app.kit.errors import Conflict, Forbidden, Invalid, NotFound
from app.kit.ids import new_id
from app.kit.settings import Settings
from app.kit.signing import token_hash
from app.models.accounts import Passkey, PasskeyChallenge, PasskeyUpdate
from app.models.queries import PageQuery
from app.models.users import User

VALID = timedelta(minutes=5)
MOST = 20  # passkeys of one person
REFUSED = "This passkey does not sign anybody in here."
NOT_INSTALLED = "Passkeys are not installed here; they come with the extra `docyard[passkeys]`."
PASSKEYS, PASSKEY_CHALLENGES, USERS = table(Passkey), table(PasskeyChallenge), table(User)
_OWN = PASSKEYS.c.user_id == given("user")
_MINE = Listing("passkeys", Passkey, lambda: select(*PASSKEYS.c).where(_OWN), order=lambda: [PASSKEYS.c.id])
_ONE = query(Passkey, lambda: select(*PASSKEYS.c).where(_OWN, PASSKEYS.c.id == given("id")))
_ALL = query(Passkey, lambda: select(*PASSKEYS.c).where(_OWN).order_by(PASSKEYS.c.id))
_BY_CREDENTIAL = query(
    Passkey, lambda: select(*PASSKEYS.c).where(PASSKEYS.c.credential_id == given("credential"))
)
_USER = query(User, lambda: select(*USERS.c).where(USERS.c.id == given("id")))
_TAKE = query(
    PasskeyChallenge,
    lambda: (
        delete(PASSKEY_CHALLENGES)
        .where(PASSKEY_CHALLENGES.c.challenge == given("challenge"))
        .returning(*PASSKEY_CHALLENGES.c)
    ),
)
_FORGET = command(
    lambda: delete(PASSKEY_CHALLENGES).where(PASSKEY_CHALLENGES.c.expires_at < given("now", Instant()))
)


async def list_mine(cx: Context, query: PageQuery) -> Page[Passkey]:
    """List the passkeys of the caller, oldest first."""
    _refuse_limited(cx.actor)
    return await _MINE.page(cx.db, query.paging, cx.tokens, user=cx.actor.user_id)


async def get(cx: Context, passkey_id: str) -> Passkey:
    """Get a passkey of the caller."""
    _refuse_limited(cx.actor)
    found = await cx.db.first(_ONE, user=cx.actor.user_id, id=passkey_id)
    if found is None:
        raise NotFound("There is no such passkey.")
    return found


async def update(cx: Context, passkey_id: str, change: PasskeyUpdate) -> Passkey:
    """Rename a passkey of the caller."""
    _refuse_narrow(cx.actor)
    found = await get(cx, passkey_id)
    values = change.sent()
    _note(cx, found)
    return await cx.tx.change(Passkey, values, id=found.id) if values else found


async def remove(cx: Context, passkey_id: str) -> None:
    """Delete a passkey of the caller; it signs them in no more, and what it began lives on."""
    _refuse_narrow(cx.actor)
    found = await get(cx, passkey_id)
    _note(cx, found)
    await cx.tx.remove(Passkey, id=found.id)


async def begin_adding(cx: Context, browser: str) -> str:
    """Return what a browser needs to make a passkey for the caller, as JSON.

    Raises Conflict for who has too many, and where the server has no name; Forbidden for a narrowed session.
    """
    _refuse_narrow(cx.actor)
    web = _library()
    known = await cx.db.all(_ALL, user=cx.actor.user_id)
    if len(known) >= MOST:
        raise Conflict(f"A person may have at most {MOST} passkeys; delete one first.")
    user = await cx.db.first(_USER, id=cx.actor.user_id)
    assert user is not None
    options = web.generate_registration_options(
        rp_id=_name(cx.settings),
        rp_name="Docyard",
        user_id=user.id.encode(),
        user_name=user.email,
        user_display_name=user.display_name,
        authenticator_selection=web.helpers.structs.AuthenticatorSelectionCriteria(
            resident_key=web.helpers.structs.ResidentKeyRequirement.REQUIRED,
            user_verification=web.helpers.structs.UserVerificationRequirement.REQUIRED,
        ),
        exclude_credentials=[
            web.helpers.structs.PublicKeyCredentialDescriptor(id=web.base64url_to_bytes(each.credential_id))
            for each in known
        ],
    )
    await _keep(cx, options.challenge, browser, user.id)
    written: str = web.options_to_json(options)
    return written


async def add(cx: Context, browser: str, name: str, answer: dict[str, Any]) -> Passkey:
    """Add the passkey that a device has made for the caller; raises Invalid for what is none."""
    _refuse_narrow(cx.actor)
    web, challenge = _library(), await _taken(cx, answer, browser, cx.actor.user_id)
    try:
        made = web.verify_registration_response(
            credential=answer,
            expected_challenge=web.base64url_to_bytes(challenge),
            expected_rp_id=_name(cx.settings),
            expected_origin=_origin(cx.settings),
            require_user_verification=True,
        )
    except (web.helpers.exceptions.WebAuthnException, ValueError, TypeError, KeyError):
        raise Invalid("The response of the device does not belong to this request.", path="answer") from None
    transports = (answer.get("response") or {}).get("transports")
    added = await cx.tx.add(
        Passkey,
        id=new_id(),
        credential_id=web.helpers.bytes_to_base64url(made.credential_id),
        user_id=cx.actor.user_id,
        name=name,
        public_key=made.credential_public_key,
        counter=made.sign_count,
        transports=[str(each)[:20] for each in transports[:10]] if isinstance(transports, list) else [],
        backed_up=made.credential_backed_up,
        created_at=cx.now,
        last_used_at=None,
    )
    _note(cx, added)
    return added


async def begin_signing_in(cx: Context, browser: str) -> str:
    """Return what a browser needs to ask a device for a passkey of this server, as JSON."""
    web = _library()
    options = web.generate_authentication_options(
        rp_id=_name(cx.settings),
        user_verification=web.helpers.structs.UserVerificationRequirement.REQUIRED,
    )
    await _keep(cx, options.challenge, browser, None)
    written: str = web.options_to_json(options)
    return written


async def sign_in(cx: Context, browser: str, caller: Browser, answer: dict[str, Any]) -> SignedIn:
    """Sign in whose passkey answers; raises Forbidden for an answer that does not count."""
    web, challenge = _library(), await _taken(cx, answer, browser, None)
    key = await cx.db.first(_BY_CREDENTIAL, credential=str(answer.get("id") or ""))
    if key is None:
        raise Forbidden(REFUSED)
    try:
        done = web.verify_authentication_response(
            credential=answer,
            expected_challenge=web.base64url_to_bytes(challenge),
            expected_rp_id=_name(cx.settings),
            expected_origin=_origin(cx.settings),
            credential_public_key=key.public_key,
            credential_current_sign_count=key.counter,
            require_user_verification=True,
        )
        named = web.base64url_to_bytes(str(answer["response"].get("userHandle") or "")).decode()
    except (web.helpers.exceptions.WebAuthnException, ValueError, TypeError, KeyError, AttributeError):
        raise Forbidden(REFUSED) from None
    if named and named != key.user_id:
        raise Forbidden(REFUSED)
    used = {"counter": done.new_sign_count, "backed_up": done.credential_backed_up, "last_used_at": cx.now}
    await cx.tx.put(Passkey, used, id=key.id)
    user = await cx.db.first(_USER, id=key.user_id)
    assert user is not None
    return await sign_in_links.begin_session(cx, user, caller)


async def _keep(cx: Context, challenge: bytes, browser: str, user_id: str | None) -> None:
    await cx.tx.run(_FORGET, now=cx.now)
    await cx.tx.add(
        PasskeyChallenge,
        challenge=_library().helpers.bytes_to_base64url(challenge),
        browser=token_hash(browser),
        user_id=user_id,
        expires_at=cx.now + VALID,
    )


async def _taken(cx: Context, answer: dict[str, Any], browser: str, user_id: str | None) -> str:
    """Use up the challenge that an answer names, and return it; raises Forbidden."""
    web = _library()
    try:
        said = json.loads(web.base64url_to_bytes(answer["response"]["clientDataJSON"]))
        challenge = str(said["challenge"])
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise Invalid("This is not the response of a device.", path="answer") from None
    taken = await cx.tx.first(_TAKE, challenge=challenge)
    given_to = (token_hash(browser), user_id)
    if taken is None or taken.expires_at <= cx.now or (taken.browser, taken.user_id) != given_to:
        raise Forbidden("This took too long, or was started in another browser. Start again.")
    return challenge


def _note(cx: Context, passkey: Passkey) -> None:
    """Note for the audit logs of the person's organizations, all of which a passkey opens."""
    for organization_id in list(cx.actor.memberships)[: sign_in_links.MOST_TOLD]:
        cx.note("passkey", passkey.id, organization_id, passkey.name)


def _refuse_limited(actor: Actor) -> None:
    """Refuse what is limited to an organization: passkeys belong to the person as a whole."""
    if actor.only_organization is not None:
        raise Forbidden("A token limited to one organization has no access to passkeys.")


def _refuse_narrow(actor: Actor) -> None:
    """Refuse whoever may do less than a passkey would open."""
    _refuse_limited(actor)
    if actor.scopes is not None or actor.is_agent:
        raise Forbidden("Only people who are signed in without limits can manage passkeys.")


def _name(settings: Settings) -> str:
    name = urlsplit(settings.base_url).hostname or ""
    try:
        ip_address(name)
    except ValueError:
        return name
    raise Conflict("Passkeys need a server with a hostname; this one has only an IP address.")


def _origin(settings: Settings) -> str:
    parts = urlsplit(settings.base_url)
    return f"{parts.scheme}://{parts.netloc}"


def _library() -> Any:
    try:
        import webauthn
    except ModuleNotFoundError:
        raise Conflict(NOT_INSTALLED) from None
    return webauthn
