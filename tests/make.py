"""Factories: what a test needs to exist, made through the product itself."""

from __future__ import annotations

import io
import secrets
import struct
import zipfile
import zlib
from base64 import b64encode
from collections.abc import Mapping
from typing import Any

from sqlalchemy import select

from app.access.context import Context
from app.domain.accounts import tokens
from app.domain.imports import tree_import
from app.domain.imports.tree_import import Imported
from app.domain.organizations import organizations, users
from app.formats.repository.file_tree import Memory
from app.formats.repository.import_plan import read_plan
from app.kit.database.statements import given, query, table
from app.models.organizations import OrganizationCreate
from app.models.spaces import Space
from tests.cast import Cast, Person
from tests.instance import Instance

Files = Mapping[str, str | bytes]
SPACES = table(Space)
_SPACE = query(Space, lambda: select(*SPACES.c).where(SPACES.c.id == given("id")))

ROLES: dict[str, str | None] = {
    "ada": "admin",
    "cleo": "create",
    "rhea": "review",
    "ed": "edit",
    "tom": "comment",
    "ria": "read",
    "gus": None,
}


def number() -> str:
    """A number as long as an id, that nobody else has: no name of a person is found in it by chance."""
    return f"{secrets.randbelow(10**20):020}"


def cast(instance: Instance) -> Cast:
    """A fresh organization with its people, apart from all others in the same database."""

    async def build(cx: Context) -> Cast:
        domain = f"{number()}.example.org"
        made = {name: await _person(instance, cx, name, domain=domain) for name in [*ROLES, "sol"]}
        ours = await organizations.found(cx, made["ada"].id, OrganizationCreate(title="Analytical Engines"))
        theirs = await organizations.found(cx, made["sol"].id, OrganizationCreate(title="Sundials"))
        for name, role in ROLES.items():
            if name != "ada":
                await organizations.add_member(cx, ours.id, made[name].id, role)
        return Cast(instance, ours.id, **made, elsewhere=theirs.id)

    return instance.inside(build)


async def _person(instance: Instance, cx: Context, name: str, *, domain: str = "example.org") -> Person:
    email = f"{name}.{number()}@{domain}".lower()
    user = await users.create(cx, email, name.title())
    return Person(instance, user.id, email, await tokens.create(cx, user))


def somebody(instance: Instance, name: str, *, domain: str = "example.org") -> Person:
    """Somebody who belongs to no organization."""
    return instance.inside(lambda cx: _person(instance, cx, name, domain=domain))


def newcomer(cast: Cast, name: str, role: str | None, *, domain: str | None = None) -> Person:
    """Somebody else who belongs to the organization."""
    person = somebody(cast.instance, name, domain=domain or cast.domain)
    cast.instance.inside(lambda cx: organizations.add_member(cx, cast.organization, person.id, role))
    return person


def provider(cast: Cast) -> str:
    """An active identity provider of the organization."""
    from tests.saml import certificate

    facts = {"entityID": "https://idp.example.org", "ssoURL": "https://idp.example.org/sso"}
    body = {"label": "Works", "certificate": certificate(), **facts}
    answer = cast.ada.post(f"/v1/orgs/{cast.organization}/saml", body)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def links_on(cast: Cast) -> None:
    """Let the organization be entered by links."""
    answer = cast.ada.patch(f"/v1/orgs/{cast.organization}", {"inviteLinks": True})
    assert answer.status_code == 200, answer.text


def link(cast: Cast, body: dict[str, Any], person: Person | None = None) -> dict[str, Any]:
    """An invite link that this person made, or else the administrator."""
    links_on(cast)
    answer = (person or cast.ada).post(f"/v1/orgs/{cast.organization}/link-invites", body)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


def token(person: Person, **narrowing: Any) -> Person:
    """Return the same person with another token, narrowed as `tokens.create` takes it."""

    async def build(cx: Context) -> str:
        return await tokens.create(cx, await users.by_email(cx, person.email), **narrowing)

    return Person(person.instance, person.id, person.email, person.instance.inside(build))


def space(person: Person, organization: str, **fields: Any) -> dict[str, Any]:
    """A space made by this person."""
    answer = person.post(f"/v1/orgs/{organization}/spaces", {"title": "Handbook", **fields})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


def change_request(person: Person, space_id: str, **fields: Any) -> dict[str, Any]:
    """A change request opened by this person."""
    answer = person.post(f"/v1/spaces/{space_id}/change-requests", fields)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


def changes(
    person: Person, space_id: str, *batch: Mapping[str, Any], request: str | int | None = None
) -> dict[str, Any]:
    """Make a batch of changes and return its outcome, in the space or in one of its change requests."""
    place = (
        f"/v1/spaces/{space_id}" if request is None else f"/v1/spaces/{space_id}/change-requests/{request}"
    )
    answer = person.post(f"{place}/content", {"changes": list(batch)}, params={"compat": "false"})
    assert answer.status_code == 200, answer.text
    made: dict[str, Any] = answer.json()
    return made


def upload(name: str, data: bytes, content_type: str = "image/png", **fields: Any) -> dict[str, Any]:
    """A file as `insert_files` takes it."""
    return {"name": name, "contentType": content_type, "base64": b64encode(data).decode(), **fields}


def repository(changes: Mapping[str, str | bytes | None] | None = None) -> dict[str, str | bytes]:
    """A small tree of Markdown with something of everything; a change to None takes a file away."""
    files: dict[str, str | bytes | None] = {
        "SUMMARY.md": "# Table of contents\n\n* [Lighthouse](README.md)\n* [Notes](notes/README.md)\n"
        "  * [Daily rounds](notes/rounds.md)\n  * [Größe der Lampe](notes/größe.md)\n"
        "\n## Machinery\n\n* [The lamp](machinery/lamp.md)\n* [Its maker](https://example.org/maker)\n",
        "README.md": "---\ndescription: Where to begin\nicon: compass\n---\n\n# Lighthouse\n\n"
        "Read the [notes](notes/README.md), see [![lamp](.gitbook/assets/lamp.png)](machinery/lamp.md).\n",
        "notes/README.md": "# Notes\n\nBack to the [start](../README.md).\n",
        "notes/rounds.md": "# Daily rounds\n\nLook at [the wick](../machinery/lamp.md#the-wick).\n",
        "notes/größe.md": "# Größe der Lampe\n\nDrei Fuß.\n",
        "notes/storm.md": "---\nhidden: true\n---\n\n# In a storm\n\nStay inside.\n",
        "machinery/lamp.md": "# The lamp\n\nIt burns oil.\n\n## The wick\n\nTrim it daily.\n",
        ".gitbook/assets/lamp.png": picture(3, 2),
        ".gitbook/vars.yaml": "keeper: Ada\nheight: 40\n",
        ".gitbook/includes/oil.md": "Whale oil.\n",
    }
    files.update(changes or {})
    return {path: content for path, content in files.items() if content is not None}


def imported(cast: Cast, space_id: str, files: Files, *, mirror: bool = False) -> Imported:
    """Import a tree into a space as the command line does; with `mirror`, what it lacks is removed."""

    async def run(cx: Context) -> Imported:
        into = await cx.db.first(_SPACE, id=space_id)
        assert into is not None
        plan = read_plan(Memory({path: in_bytes(content) for path, content in files.items()}))
        return await tree_import.import_plan(cx, into, plan, mirror=mirror)

    return cast.instance.inside(run)


def filled_space(cast: Cast, files: Files | None = None, **fields: Any) -> str:
    """A space holding this tree, or `repository()`."""
    made: str = space(cast.ada, cast.organization, **fields)["id"]
    imported(cast, made, repository() if files is None else files)
    return made


def zipped(files: Files) -> bytes:
    """The tree as a zip."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return packed.getvalue()


def picture(width: int, height: int) -> bytes:
    """A PNG of this size, all black."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    pixels = chunk(b"IDAT", zlib.compress(bytes(height * (width + 1))))
    return b"\x89PNG\r\n\x1a\n" + head + pixels + chunk(b"IEND", b"")


def in_bytes(content: str | bytes) -> bytes:
    """A file's bytes."""
    return content.encode() if isinstance(content, str) else content
