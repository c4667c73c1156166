"""Secrets that are stored because they are shown or used again, encrypted with the installation's secret.

Each is bound to the row that holds it: what is copied into another row opens nothing there.

Another secret for the installation: everything that is stored encrypted is encrypted anew with it.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from sqlalchemy import delete, select

from app.access.context import Context
from app.kit.database.statements import command, given, rows, table
from app.kit.errors import Conflict
from app.kit.signing import Signer
from app.models.base import Table
from app.models.integrations import Integration
from app.models.jobs import OutgoingMail
from app.models.organizations import Organization
from app.models.publishing import ShareLink
from app.models.replays import Replay
from app.models.sites import Site
from app.models.spaces import Space
from app.models.sso import IdentityProvider

INTEGRATION = "integration secrets"
SHARE_KEY = "share link key"
VISITOR_KEY = "visitor key"
REPLAY = "replay"
CLIENT_SECRET = "OIDC client"
MAIL = "mail"
GIT_LOGIN = "Git login"
SIGNING_KEY = "signing key"


class SiteKeyRow(Protocol):
    """A site with the encrypted key that its visitors are signed in with."""

    id: str
    visitor_key: str


class ShareKeyRow(Protocol):
    """A share link with its encrypted key."""

    id: str
    key: str


def visitor_key(cx: Context, site: SiteKeyRow) -> str:
    """Return the key that visitors' tokens are signed with; raises Conflict where it cannot be decrypted."""
    return _opened(cx, VISITOR_KEY, site.visitor_key, site.id)


def share_key(cx: Context, link: ShareKeyRow) -> str:
    """Return the key of a share link; raises Conflict where it cannot be decrypted."""
    return _opened(cx, SHARE_KEY, link.key, link.id)


def new_share_key() -> str:
    """Return a key for a share link."""
    return secrets.token_urlsafe(24)


def new_visitor_key() -> str:
    """Return a key for a site."""
    return secrets.token_urlsafe(32)


def share_key_columns(signer: Signer, link_id: str, key: str) -> dict[str, str]:
    """Return the columns of a share link with this key: the key itself, and what it is found by."""
    return {
        "key": signer.seal(SHARE_KEY, key, link_id),
        "key_hash": signer.fingerprint(SHARE_KEY, key),
    }


def _opened(cx: Context, purpose: str, sealed: str, about: str) -> str:
    found = cx.signer.unseal(purpose, sealed, about)
    if found is None:
        raise Conflict("This key can no longer be decrypted; create a new one.")
    return found


SHARE_LINKS, SITES, INTEGRATIONS, REPLAYS = table(ShareLink), table(Site), table(Integration), table(Replay)
ORGANIZATIONS = table(Organization)
IDENTITY_PROVIDERS, OUTGOING_MAILS, SPACES = table(IdentityProvider), table(OutgoingMail), table(Space)
# Of every table with secrets: the keys of its rows, and one row at a time, since answers may be large.
_HOLDERS: Mapping[type[Table], tuple[Any, Any]] = {
    ShareLink: (
        rows(lambda: select(SHARE_LINKS.c.id)),
        rows(lambda: select(SHARE_LINKS.c.id, SHARE_LINKS.c.key).where(SHARE_LINKS.c.id == given("row"))),
    ),
    Site: (
        rows(lambda: select(SITES.c.id)),
        rows(lambda: select(SITES.c.id, SITES.c.visitor_key).where(SITES.c.id == given("row"))),
    ),
    Integration: (
        rows(lambda: select(INTEGRATIONS.c.id)),
        rows(
            lambda: select(INTEGRATIONS.c.id, INTEGRATIONS.c.secrets).where(INTEGRATIONS.c.id == given("row"))
        ),
    ),
    IdentityProvider: (
        rows(lambda: select(IDENTITY_PROVIDERS.c.id).where(IDENTITY_PROVIDERS.c.client_secret.is_not(None))),
        rows(
            lambda: select(IDENTITY_PROVIDERS.c.id, IDENTITY_PROVIDERS.c.client_secret).where(
                IDENTITY_PROVIDERS.c.id == given("row")
            )
        ),
    ),
    OutgoingMail: (
        rows(lambda: select(OUTGOING_MAILS.c.id)),
        rows(
            lambda: select(OUTGOING_MAILS.c.id, OUTGOING_MAILS.c.content).where(
                OUTGOING_MAILS.c.id == given("row")
            )
        ),
    ),
    Space: (
        rows(lambda: select(SPACES.c.id).where(SPACES.c.git_sync.is_not(None))),
        rows(lambda: select(SPACES.c.id, SPACES.c.git_sync).where(SPACES.c.id == given("row"))),
    ),
    Organization: (
        rows(lambda: select(ORGANIZATIONS.c.id).where(ORGANIZATIONS.c.signing_key.is_not(None))),
        rows(
            lambda: select(ORGANIZATIONS.c.id, ORGANIZATIONS.c.signing_key).where(
                ORGANIZATIONS.c.id == given("row")
            )
        ),
    ),
    Replay: (
        rows(lambda: select(REPLAYS.c.key)),
        rows(lambda: select(REPLAYS.c.key, REPLAYS.c.body).where(REPLAYS.c.key == given("row"))),
    ),
}
_FORGET_REPLAYS = command(lambda: delete(REPLAYS))


class IntegrationSecretsRow(Protocol):
    """An integration with its encrypted secrets."""

    id: str
    secrets: str


class ClientSecretRow(Protocol):
    """An OpenID Connect provider with its encrypted client secret."""

    id: str
    client_secret: str


class MailRow(Protocol):
    """A mail that waits, with its encrypted content."""

    id: str
    content: str


class SyncedSpaceRow(Protocol):
    """A space whose sync with a repository may have an encrypted login."""

    id: str
    git_sync: dict[str, Any] | None


class SigningKeyRow(Protocol):
    """An organization with the encrypted key that claims about its members are signed with."""

    id: str
    signing_key: str


class ReplayRow(Protocol):
    """A replayed answer with its encrypted body."""

    key: str
    body: bytes


async def renew(cx: Context, new: Signer) -> None:
    """Encrypt all stored secrets with another secret of the installation.

    Raises Conflict where a key cannot be decrypted.
    """

    def link(row: ShareKeyRow) -> dict[str, Any]:
        return share_key_columns(new, row.id, share_key(cx, row))

    def site(row: SiteKeyRow) -> dict[str, Any]:
        return {"visitor_key": new.seal(VISITOR_KEY, visitor_key(cx, row), row.id)}

    def integration(row: IntegrationSecretsRow) -> dict[str, Any]:
        opened = cx.signer.unseal(INTEGRATION, row.secrets)
        return {} if opened is None else {"secrets": new.seal(INTEGRATION, opened)}

    def provider(row: ClientSecretRow) -> dict[str, Any]:
        opened = cx.signer.unseal(CLIENT_SECRET, row.client_secret, row.id)
        return {} if opened is None else {"client_secret": new.seal(CLIENT_SECRET, opened, row.id)}

    def mail(row: MailRow) -> dict[str, Any]:
        opened = cx.signer.unseal(MAIL, row.content, row.id)
        return {} if opened is None else {"content": new.seal(MAIL, opened, row.id)}

    def space(row: SyncedSpaceRow) -> dict[str, Any]:
        sync = row.git_sync or {}
        opened = cx.signer.unseal(GIT_LOGIN, sync["login"], row.id) if sync.get("login") else None
        return {"git_sync": {**sync, "login": new.seal(GIT_LOGIN, opened, row.id)}} if opened else {}

    def organization(row: SigningKeyRow) -> dict[str, Any]:
        opened = cx.signer.unseal(SIGNING_KEY, row.signing_key)
        return {} if opened is None else {"signing_key": new.seal(SIGNING_KEY, opened)}

    def replay(row: ReplayRow) -> dict[str, Any]:
        opened = cx.signer.unseal_bytes(REPLAY, row.body, row.key)
        return {} if opened is None else {"body": new.seal_bytes(REPLAY, opened, row.key)}

    holders: Mapping[type[Table], Callable[[Any], dict[str, Any]]] = {
        ShareLink: link,
        Site: site,
        Integration: integration,
        IdentityProvider: provider,
        OutgoingMail: mail,
        Space: space,
        Organization: organization,
        Replay: replay,
    }
    await _change_all(cx, holders)


async def replace_lost(cx: Context, new: Signer) -> None:
    """Make all stored secrets anew, where those that are stored cannot be decrypted any more.

    Share links get other addresses and sites other keys; integrations get theirs when published anew.
    """

    def link(row: ShareKeyRow) -> dict[str, Any]:
        return share_key_columns(new, row.id, new_share_key())

    def site(row: SiteKeyRow) -> dict[str, Any]:
        return {"visitor_key": new.seal(VISITOR_KEY, new_visitor_key(), row.id)}

    await _change_all(cx, {ShareLink: link, Site: site})
    await cx.tx.run(_FORGET_REPLAYS)


async def remove(cx: Context) -> None:
    """Remove all stored secrets of organizations, as in an archive that is not to hold any."""

    def space(row: SyncedSpaceRow) -> dict[str, Any]:
        return {"git_sync": {**(row.git_sync or {}), "login": None}}

    removed: Mapping[type[Table], Callable[[Any], dict[str, Any]]] = {
        ShareLink: lambda _: {"key": "", "key_hash": ""},
        Site: lambda _: {"visitor_key": ""},
        Integration: lambda _: {"secrets": ""},
        IdentityProvider: lambda _: {"client_secret": None},
        Space: space,
        Organization: lambda _: {"signing_key": None},
    }
    await _change_all(cx, removed)


async def _change_all(cx: Context, made: Mapping[type[Table], Callable[[Any], dict[str, Any]]]) -> None:
    for model, values in made.items():
        keys, one = _HOLDERS[model]
        for (key,) in await cx.tx.all(keys):
            if changed := values(await cx.tx.first(one, row=key)):
                await cx.tx.put(model, changed, **{"key" if model is Replay else "id": key})
