"""Another secret for the installation: everything that is stored encrypted is encrypted anew with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from sqlalchemy import delete, select

from app.access.context import Context
from app.domain.infrastructure import stored_secrets
from app.kit.database.statements import command, given, rows, table
from app.kit.signing import Signer
from app.models.base import Table
from app.models.integrations import Integration
from app.models.publishing import ShareLink
from app.models.service import Replay
from app.models.sites import Site

_k, _s, _i, _r = table(ShareLink), table(Site), table(Integration), table(Replay)
# Of every table with secrets: the keys of its rows, and one row at a time, since answers may be large.
_HOLDERS: Mapping[type[Table], tuple[Any, Any]] = {
    ShareLink: (
        rows(lambda: select(_k.c.id)),
        rows(lambda: select(_k.c.id, _k.c.key).where(_k.c.id == given("row"))),
    ),
    Site: (
        rows(lambda: select(_s.c.id)),
        rows(lambda: select(_s.c.id, _s.c.visitor_key).where(_s.c.id == given("row"))),
    ),
    Integration: (
        rows(lambda: select(_i.c.id)),
        rows(lambda: select(_i.c.id, _i.c.secrets).where(_i.c.id == given("row"))),
    ),
    Replay: (
        rows(lambda: select(_r.c.key)),
        rows(lambda: select(_r.c.key, _r.c.body).where(_r.c.key == given("row"))),
    ),
}
_FORGET_REPLAYS = command(lambda: delete(_r))


class IntegrationSecretsRow(Protocol):
    """An integration with its encrypted secrets."""

    id: str
    secrets: str


class ReplayRow(Protocol):
    """A replayed answer with its encrypted body."""

    key: str
    body: bytes


async def renew(cx: Context, new: Signer) -> None:
    """Encrypt all stored secrets with another secret of the installation.

    Raises Conflict where a key cannot be decrypted.
    """

    def link(row: stored_secrets.ShareKeyRow) -> dict[str, Any]:
        return stored_secrets.share_key_columns(new, row.id, stored_secrets.share_key(cx, row))

    def site(row: stored_secrets.SiteKeyRow) -> dict[str, Any]:
        return {
            "visitor_key": new.seal(stored_secrets.VISITOR_KEY, stored_secrets.visitor_key(cx, row), row.id)
        }

    def integration(row: IntegrationSecretsRow) -> dict[str, Any]:
        opened = cx.signer.unseal(stored_secrets.INTEGRATION, row.secrets)
        return {} if opened is None else {"secrets": new.seal(stored_secrets.INTEGRATION, opened)}

    def replay(row: ReplayRow) -> dict[str, Any]:
        opened = cx.signer.unseal_bytes(stored_secrets.REPLAY, row.body, row.key)
        return {} if opened is None else {"body": new.seal_bytes(stored_secrets.REPLAY, opened, row.key)}

    await _change_all(cx, {ShareLink: link, Site: site, Integration: integration, Replay: replay})


async def replace_lost(cx: Context, new: Signer) -> None:
    """Make all stored secrets anew, where those that are stored cannot be decrypted any more.

    Share links get other addresses and sites other keys; integrations get theirs when published anew.
    """

    def link(row: stored_secrets.ShareKeyRow) -> dict[str, Any]:
        return stored_secrets.share_key_columns(new, row.id, stored_secrets.new_share_key())

    def site(row: stored_secrets.SiteKeyRow) -> dict[str, Any]:
        return {"visitor_key": new.seal(stored_secrets.VISITOR_KEY, stored_secrets.new_visitor_key(), row.id)}

    await _change_all(cx, {ShareLink: link, Site: site})
    await cx.tx.run(_FORGET_REPLAYS)


async def _change_all(cx: Context, made: Mapping[type[Table], Callable[[Any], dict[str, Any]]]) -> None:
    for model, values in made.items():
        keys, one = _HOLDERS[model]
        for (key,) in await cx.tx.all(keys):
            if changed := values(await cx.tx.first(one, row=key)):
                await cx.tx.put(model, changed, **{"key" if model is Replay else "id": key})
