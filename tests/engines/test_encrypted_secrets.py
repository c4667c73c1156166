"""Secrets that are stored are encrypted with a secret that is not in the database."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import pytest
from alembic import command
from alembic.config import Config

from app import migrations
from app.kit.installation_secret import mark
from app.kit.signing import Signer
from tests.cast import Cast
from tests.cli.command import SECRET, docyard
from tests.cli.test_migrate import organization_of_before
from tests.databases import asked
from tests.factories.integrations import PublishedIntegration
from tests.instance import running
from tests.visitors import PublishedSite, token


def dump(database: str) -> bytes:
    """Everything that is stored, as text."""
    if "://" not in database:
        with closing(sqlite3.connect(database)) as file:
            return "\n".join(file.iterdump()).encode("utf-8", "replace")

    async def tables() -> bytes:
        connection = await asyncpg.connect(database)
        names = await connection.fetch(
            "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1"
        )
        found = [await connection.fetch(f'SELECT t::text FROM "{row[0]}" t') for row in names]
        await connection.close()
        return "\n".join(row[0] for rows in found for row in rows).encode()

    return asyncio.run(tables())


def holds(stored: bytes, secret: str) -> bool:
    """Tell whether a text is in a dump, as it is or as the engines write bytes."""
    raw = secret.encode()
    return raw in stored or raw.hex().encode() in stored.lower()


def test_whoever_has_the_database_alone_has_no_secret(cast: Cast) -> None:
    site = PublishedSite(cast, visibility="share-link")
    made = PublishedIntegration(cast, secrets={"TOKEN": "lighthouse-secret"})
    once, twice = {"Idempotency-Key": "once"}, {"Idempotency-Key": "twice"}
    tokens = f"{made.path}/installations/{made.install()}/tokens"
    issued = cast.ada.post(tokens, headers=once).json()["token"]
    link = cast.ada.post(f"{site.path}/share-links", {"name": "Press"}, headers=twice).json()
    secrets = {
        "the key of a share link": link["urls"]["published"].partition("shareKey=")[2],
        "the key of a site": site.key,
        "a secret of an integration": "lighthouse-secret",
        "a token that was answered": issued,
        "a token": cast.ada.token,
        "what encrypts": cast.instance.settings.secret,
    }
    stored = dump(cast.instance.settings.database)
    assert holds(stored, site.id), "the dump has what is stored"
    assert [what for what, secret in secrets.items() if holds(stored, secret)] == []
    again = cast.ada.post(tokens, headers=once)
    assert (again.json()["token"], again.headers["idempotency-replayed"]) == (issued, "true")


def test_an_encrypted_key_opens_nothing_in_another_row() -> None:
    signer = Signer(b"secret")
    sealed = signer.seal("visitor key", "lamp", "one")
    assert signer.unseal("visitor key", sealed, "one") == "lamp"
    assert signer.unseal("visitor key", sealed, "two") is None
    assert signer.unseal("share link key", sealed, "one") is None
    assert Signer(b"another").unseal("visitor key", sealed, "one") is None
    assert signer.unseal("visitor key", "lamp", "one") is None


def test_a_signature_counts_for_one_purpose_and_one_secret() -> None:
    signer = Signer(b"secret")
    signature = signer.sign("page", "lamp")
    assert signer.good("page", "lamp", signature)
    assert not signer.good("oidc", "lamp", signature)
    assert not signer.good("page", "lamps", signature)
    assert not Signer(b"another").good("page", "lamp", signature)


def before(database: str) -> None:
    """An installation of an earlier version, whose secret is in the database."""
    command.upgrade(migrations.configuration(Config(), database), "0010")
    organization_of_before(database)
    sealed = Signer(b"the one in the database").seal(
        "integration secrets", json.dumps({"signing": "s", "secrets": {"TOKEN": "lamp"}})
    )
    times = {"created_at": AT, "updated_at": AT}
    site = {
        "organization_id": "1", "type": "basic", "title": "S", "title_folded": "s", "published": True,
        "adaptive_content": False, "agents_context": "included", "base_level": 0, "lineage": "",
        "visibility": "share-link", "visitor_backend": {"backend": "custom"}, **times,
    }  # fmt: skip
    link = {"site_id": "site", "name": "L", "name_folded": "l", "active": True, "created_at": AT}
    integration = {
        "name": "lamps", "organization_id": "1", "user_id": "u", "version": 1, "runtime": "v1",
        "title": "Lamps", "description": "", "searched": "lamps", "target": "all", "visibility": "private",
        "verified": False, "scopes": [], "categories": [], "block_domains": [], "has_blocks": False,
        "tunnel_all": False, "has_content_sources": False, "manifest": {}, **times,
    }  # fmt: skip
    answer = {"fingerprint": "f", "status": 200, "headers": {}, "created_at": AT}
    user = {"email": "a@example.org", "display_name": "Ada", "created_at": AT}
    insert(database, "fact", name="secret", value="the one in the database")
    insert(database, "user_account", id="u", **user)
    insert(database, "site", id="site", visitor_key="the visitor key", **site)
    insert(database, "site_share_link", id="link", key="the share key", **link)
    insert(database, "integration", id="i", secrets=sealed, **integration)
    insert(database, "replay", key="k", body=b'{"a": 1}', **answer)


AT = "2026-11-21T10:00:00.000Z"


def insert(database: str, table: str, **values: Any) -> None:
    """A row as an earlier version wrote it."""
    names = ", ".join(values)
    literals = ", ".join(map(_literal, values.values()))
    bytes_ = "bytea" if "://" in database else "blob"
    asked(database, f"INSERT INTO {table} ({names}) VALUES ({literals})".replace("{bytes}", bytes_))


def _literal(value: Any) -> str:
    match value:
        case bool() | int():
            return str(value).lower()
        case bytes():
            return f"CAST('{value.decode()}' AS {{bytes}})"
        case str():
            return f"'{value}'"
    return f"'{json.dumps(value)}'"


@pytest.mark.parametrize("chosen", [True, False], ids=["set", "in the database"])
def test_what_was_stored_before_is_encrypted(
    empty_database: str, chosen: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if not chosen:
        monkeypatch.setenv("DOCYARD_SECRET", "")
    before(empty_database)
    migrations.upgrade(empty_database)
    secret = SECRET if chosen else "the one in the database"
    file = Path("docyard.secret" if "://" in empty_database else f"{empty_database}.secret")
    assert file.exists() is not chosen
    if not chosen:
        assert (file.read_text(), file.stat().st_mode & 0o777) == (f"{secret}\n", 0o600)
    stored = dump(empty_database)
    for was in ("the one in the database", "the visitor key", "the share key", '{"a": 1}'):
        assert not holds(stored, was), was
    signer = Signer(secret.encode())
    ((key,),) = asked(empty_database, "SELECT visitor_key FROM site")
    assert signer.unseal("visitor key", str(key), "site") == "the visitor key"
    ((key, hash_),) = asked(empty_database, "SELECT key, key_hash FROM site_share_link")
    assert signer.unseal("share link key", str(key), "link") == "the share key"
    assert hash_ == signer.fingerprint("share link key", "the share key")
    ((body,),) = asked(empty_database, "SELECT body FROM replay")
    assert signer.unseal_bytes("replay", bytes(body), "k") == b'{"a": 1}'  # type: ignore[call-overload]
    ((held,),) = asked(empty_database, "SELECT secrets FROM integration")
    assert json.loads(signer.unseal("integration secrets", str(held)) or "")["secrets"] == {"TOKEN": "lamp"}
    assert asked(empty_database, "SELECT value FROM fact WHERE name = 'secret_mark'") == [(mark(secret),)]


def opened(database: str, url: str, key: str, visitor: tuple[str, str], **settings: object) -> list[int]:
    """Return how a share link and a visitor's token are answered by a server on this database."""
    with running(database, **settings) as instance:
        base = instance.settings.sites_base
        return [
            httpx.get(f"{base}{url}?shareKey={key}").status_code,
            httpx.get(f"{base}{visitor[0]}?jwt_token={token(visitor[1])}").status_code,
        ]


def test_a_secret_is_rotated_and_nothing_is_lost(fresh_database: str) -> None:
    from tests import make

    with running(fresh_database) as instance:
        cast = make.cast(instance)
        shared, private = (
            PublishedSite(cast, visibility="share-link"),
            PublishedSite(cast, visibility="visitor-auth"),
        )
        key, sign_in = shared.share()[1], private.key
        made = PublishedIntegration(cast, secrets={"TOKEN": "lamp"})
        signing = cast.ada.put(f"/v1/orgs/{cast.organization}/signing-key", {"key": "beacon" * 8})
        assert signing.status_code == 200, signing.text
        place, visited = (site.url.removeprefix(instance.settings.sites_base) for site in (shared, private))
    assert opened(fresh_database, place, key, (visited, sign_in)) == [303, 303]
    missing = docyard("secret", "rotate", database=fresh_database)
    assert (missing.returncode, "DOCYARD_NEW_SECRET" in missing.stderr) == (1, True)
    done = docyard("secret", "rotate", database=fresh_database, DOCYARD_NEW_SECRET="another-one")
    assert done.returncode == 0, done.stderr
    old = docyard("org", "list", database=fresh_database)
    assert (old.returncode, "another secret" in old.stderr) == (1, True)
    again = (fresh_database, place, key, (visited, sign_in))
    assert opened(*again, secret="another-one") == [303, 303]
    with running(fresh_database, secret="another-one") as instance:
        held = asked(fresh_database, f"SELECT secrets FROM integration WHERE name = '{made.name}'")[0][0]
        assert "lamp" in (instance.signer.unseal("integration secrets", str(held)) or "")
        query = f"SELECT signing_key FROM organization WHERE id = '{cast.organization}'"
        ((held,),) = asked(fresh_database, query)
        assert instance.signer.unseal("signing key", str(held)) == "beacon" * 8
    # Where it is lost, what it encrypted is made anew.
    lost = docyard("secret", "rotate", "--lost", database=fresh_database, DOCYARD_SECRET="a-third-one")
    assert lost.returncode == 0, lost.stderr
    assert opened(*again, secret="a-third-one") == [404, 403]


def test_a_secret_in_a_file_is_rotated_there(tmp_path: Path) -> None:
    database = str(tmp_path / "docyard.db")
    unset = {"DOCYARD_SECRET": ""}
    assert docyard("migrate", database=database, **unset).returncode == 0
    file = Path(f"{database}.secret")
    first = file.read_text()
    assert len(first.strip()) >= 32
    assert docyard("secret", "rotate", database=database, **unset).returncode == 0
    second = file.read_text()
    assert len(second.splitlines()) == 1
    assert second != first
    assert docyard("org", "list", database=database, **unset).returncode == 0
    file.write_text(first)
    refused = docyard("org", "list", database=database, **unset)
    assert (refused.returncode, len(refused.stderr.splitlines())) == (1, 1)
    file.write_text(second + first)  # as while it is rotated
    assert docyard("org", "list", database=database, **unset).returncode == 0
    file.unlink()
    assert docyard("org", "list", database=database, **unset).returncode == 1
    assert docyard("secret", "rotate", "--lost", database=database, **unset).returncode == 0
    assert docyard("org", "list", database=database, **unset).returncode == 0
