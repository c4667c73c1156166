"""The demo: one organization with somebody in every role, collections and spaces, the guide among them,
change requests on the guide and discussions about it.

It is made once, in one transaction, in a database that nobody uses yet; a fact in the database remembers it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from sqlalchemy import select

from app.access.audit_actions import AuditAction
from app.access.context import Actor, Context, Membership
from app.access.rights import level
from app.demo import content
from app.domain.accounts import sign_in_links
from app.domain.accounts import tokens as account_tokens
from app.domain.imports import tree_import
from app.domain.organizations import organizations
from app.domain.organizations import users as people
from app.domain.spaces import collections, spaces
from app.kit.database.statements import given, query, table
from app.kit.errors import Conflict, Invalid
from app.models.collections import CollectionCreate
from app.models.organizations import OrganizationCreate
from app.models.service import Fact
from app.models.spaces import SpaceCreate
from app.models.users import User
from app.runtime import Runtime

ORGANIZATION = "Docyard demo"
FACT = "demo"
ACTION = AuditAction("command", "docyard serve --demo")
GUIDE = Path(__file__).parent / "guide"
SHORTEST_TOKEN = 16

FACTS, USERS = table(Fact), table(User)
_FACT = query(Fact, lambda: select(*FACTS.c).where(FACTS.c.name == given("name")))
_ANYBODY = query(User, lambda: select(*USERS.c).limit(1))


@dataclass(slots=True, frozen=True)
class DemoPerson:
    """Somebody's part in the demo; a guest has no role."""

    name: str
    role: str | None

    @property
    def email(self) -> str:
        """Return an address of the domain that is reserved for examples."""
        return f"{self.name.split()[0].lower()}@example.com"


ADMINISTRATOR = DemoPerson("Ada Moreau", "admin")
CREATOR = DemoPerson("Cleo Brandt", "create")
REVIEWER = DemoPerson("Rhea Menon", "review")
EDITOR = DemoPerson("Edda Holm", "edit")
COMMENTER = DemoPerson("Tomas Ruiz", "comment")
CAST = (
    ADMINISTRATOR,
    CREATOR,
    REVIEWER,
    EDITOR,
    COMMENTER,
    DemoPerson("Ria Okafor", "read"),
    DemoPerson("Gus Tanaka", None),
)


@dataclass(slots=True, frozen=True)
class Demo:
    """The demo's address, its site's address, and the tokens of its people if it was made just now."""

    organization_id: str
    space_id: str
    tokens: dict[DemoPerson, str]
    links: dict[DemoPerson, str]
    site: str = ""


async def fill(runtime: Runtime) -> Demo:
    """Make the demo, or find the one that is there.

    Raises Invalid for a preset token that is too easy to guess, and Conflict where the database holds
    something else.
    """
    refuse_weak(runtime.settings.demo_token)
    found = await runtime.db.first(_FACT, name=FACT)
    if found is not None:
        organization_id, space_id, *rest = found.value.split()
        here = content.address(runtime.settings, organization_id, rest[0]) if rest else ""
        return Demo(organization_id, space_id, {}, await _link_everybody(runtime), here)
    if await runtime.db.first(_ANYBODY):
        raise Conflict(
            "This database is in use, and the demo only fills an empty one."
            " Give it a file of its own: docyard serve --demo --database demo.db"
        )
    made = await runtime.write(Actor(""), _make, ACTION)
    return replace(made, links=await _link_everybody(runtime))


async def _link_everybody(runtime: Runtime) -> dict[DemoPerson, str]:
    """Return a new link for each person of the demo that signs them in."""

    async def link(cx: Context) -> dict[DemoPerson, str]:
        known = [part for part in CAST if await sign_in_links.may_sign_in(cx, part.email)]
        return {part: await sign_in_links.create(cx, part.email) for part in known}

    return await runtime.write(Actor(""), link, ACTION)


def refuse_weak(token: str) -> None:
    """Raise Invalid unless a preset token can be sent in a header and not be guessed at once."""
    if token and not (
        len(token) >= SHORTEST_TOKEN and token.isascii() and token.isprintable() and " " not in token
    ):
        raise Invalid(
            f"DOCYARD_DEMO_TOKEN needs at least {SHORTEST_TOKEN} printable ASCII characters without spaces."
        )


async def _make(cx: Context) -> Demo:
    users = {part: await people.create(cx, part.email, part.name) for part in CAST}
    administrator = users[ADMINISTRATOR]
    organization = await organizations.found(cx, administrator.id, OrganizationCreate(title=ORGANIZATION))
    for part, user in users.items():
        if part != ADMINISTRATOR:
            await organizations.add_member(cx, organization.id, user.id, part.role)
    playing = {part: _playing(cx, part, user.id, organization.id) for part, user in users.items()}
    space_id = await _furnish(playing[ADMINISTRATOR], organization.id)
    await content.answer_questions(playing[EDITOR], playing[REVIEWER], users[CREATOR].id, space_id)
    await content.begin_with_links(playing[CREATOR], space_id)
    site_id = await content.publish(playing[ADMINISTRATOR], organization.id, space_id)
    await content.about_a_page(playing[COMMENTER], playing[EDITOR], playing[REVIEWER], space_id)
    await content.about_a_change_request(playing[COMMENTER], playing[EDITOR], space_id)
    preset = {ADMINISTRATOR: cx.settings.demo_token or None}
    tokens = {
        part: await account_tokens.create(cx, user, name="demo", secret=preset.get(part))
        for part, user in users.items()
    }
    await cx.tx.add(Fact, name=FACT, value=f"{organization.id} {space_id} {site_id}")
    here = content.address(cx.settings, organization.id, site_id)
    return Demo(organization.id, space_id, tokens, {}, here)


def _playing(cx: Context, part: DemoPerson, user_id: str, organization_id: str) -> Context:
    """Return the same call, made by somebody of the cast."""
    held = level(part.role)
    membership = Membership(organization_id, held, held)
    return replace(cx, actor=Actor(user_id, memberships={organization_id: membership}))


async def _furnish(cx: Context, organization_id: str) -> str:
    """Create collections and spaces, one collection inside another; return the id of the guide's space."""
    product = await collections.create(cx, organization_id, CollectionCreate(title="Product"))
    guide = await _guide(cx, organization_id, product.id)
    inside = CollectionCreate(title="Engineering", parent=product.id)
    engineering = await collections.create(cx, organization_id, inside)
    for title, emoji, parent in (
        ("Runbooks", "1f9ef", engineering.id),
        ("Release notes", "1f4e3", product.id),
        ("Company handbook", "1f3e0", None),
    ):
        await spaces.create(cx, organization_id, SpaceCreate(title=title, emoji=emoji, parent=parent))
    return guide


async def _guide(cx: Context, organization_id: str, collection_id: str) -> str:
    """Return the space with Docyard's own guide; its id."""
    new = SpaceCreate(title="Docyard guide", emoji="1f4d8", parent=collection_id)
    space = await spaces.create(cx, organization_id, new)
    with tree_import.open_plan(GUIDE) as plan:
        await tree_import.import_plan(cx, space, plan)
    return space.id
