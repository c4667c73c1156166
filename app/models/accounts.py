"""Ways into an account: links to sign in, passkeys, sessions of browsers, and personal access tokens.

The table of tokens, which all kinds of callers share, is in `models.access`.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field as ShapeField
from pydantic import StringConstraints
from sqlalchemy import BigInteger
from sqlmodel import Field

from app.kit.database.columns import Bytes, Instant, Json, Key
from app.models.base import Change, Column, Enumeration, Location, Names, Shape, Table, absent
from app.models.oauth import OAuthScope
from app.models.queries import BodyTime
from app.models.texts import Form, Label

PasskeyName = Annotated[str, Label(64)]
LinkPurpose = Literal["sign-in", "invitation", "set-up"]


class SignInLink(Table, table=True):
    """A link that signs somebody in, once; only the hash of its code is kept.

    It works in the browser in which it was asked for, if there was one, whose mark is kept as a hash, and
    leads to the path of ours that was wanted. Who has no account gets one; the link of an invitation does
    nothing else. The link that sets a server up names nobody.
    """

    __tablename__ = "sign_in_link"

    hash: str = Field(sa_type=Key, primary_key=True)
    purpose: str
    email: str = Field(sa_type=Key, index=True)
    browser: str | None = Field(default=None, sa_type=Key)
    path: str
    created_at: datetime = Field(sa_type=Instant)
    expires_at: datetime = Field(sa_type=Instant, index=True)


class Passkey(Table, table=True):
    """A passkey: the public half of a key pair whose other half a device of the person keeps (WebAuthn).

    `counter` is how often the device says that it signed; 0 for one that does not count.
    """

    id: str = Field(sa_type=Key, primary_key=True)
    credential_id: str = Field(sa_type=Key, unique=True)
    user_id: str = Field(sa_type=Key, foreign_key="user_account.id", index=True)
    name: str
    public_key: bytes = Field(sa_type=Bytes)
    counter: int = Field(sa_type=BigInteger)
    transports: list[str] = Field(sa_type=Json)
    backed_up: bool
    created_at: datetime = Field(sa_type=Instant)
    last_used_at: datetime | None = Field(default=None, sa_type=Instant)


class PasskeyChallenge(Table, table=True):
    """A challenge that a browser was given, to add a passkey to an account or to sign in; it counts once."""

    __tablename__ = "passkey_challenge"

    challenge: str = Field(sa_type=Key, primary_key=True)
    browser: str = Field(sa_type=Key)
    user_id: str | None = Field(default=None, sa_type=Key)
    expires_at: datetime = Field(sa_type=Instant, index=True)


class PasskeyUpdate(Change):
    """Changes to a passkey."""

    name: PasskeyName = absent("Name of the passkey, 1 to 64 characters.")


class PasskeyOut(Shape):
    """A passkey of a person, which signs them in from a device of theirs."""

    object: Literal["passkey"]
    id: str
    name: str = Field(description="Name of the passkey.")
    backed_up: bool = Field(description="Whether the device keeps the passkey in a backup, or shares it.")
    created_at: datetime
    last_used_at: datetime | None = Field(
        default=None, description="When the passkey last signed the person in. Absent before the first time."
    )
    urls: Location


class SignInLinkOut(Shape):
    """A link that signs a member in once, to be given to them."""

    url: str = ShapeField(description="Address that signs the member in. It cannot be read again.")
    expires_at: datetime = ShapeField(description="When the link ends.")


class SessionsEnd(Change):
    """The sessions to end."""

    keep_current: bool = ShapeField(
        default=False, description="Whether to keep the session of this request. False signs out everywhere."
    )


class UserSessionOut(Shape):
    """A browser in which a person is signed in."""

    object: Literal["session"]
    id: str
    browser: str | None = ShapeField(
        default=None, description="Browser and system, such as `Firefox on Linux`. Absent if it said nothing."
    )
    address: str | None = ShapeField(
        default=None, description="IP address that the session began from. Absent if it is not known."
    )
    organization: Annotated[str | None, Column("organization_id"), Names("Organization")] = ShapeField(
        default=None,
        description="Organization whose identity provider began the session, which it is limited to. Absent "
        "if the person signed in otherwise.",
    )
    current: bool = ShapeField(description="Whether this request was made in the session.")
    created_at: Annotated[datetime, Column("created_at")] = ShapeField(description="When the session began.")
    last_used_at: datetime | None = ShapeField(
        default=None,
        description="When the session was last used, to the minute. Absent if it was not since it began.",
    )
    expires_at: datetime = ShapeField(description="When the session ends at the latest.")
    urls: Location


class MemberSessionOut(UserSessionOut):
    """A session of a member that an identity provider of their organization began."""


MOST_SPACES = 100
TokenName = Annotated[str, Label(100)]
OperationId = Annotated[str, StringConstraints(max_length=100), Form(r"^[a-z][A-Za-z]*$", "an operationId")]
TokenType = Literal["personal", "oauth"]
TokenScope = Literal[
    "read", "write", "space:content:read", "space:content:write", "space:metadata:read",
    "space:metadata:write", "space:git:sync", "site:metadata:read", "site:adaptive:read",
    "site:adaptive:write", "site:visitor:auth", "openapi:read", "openapi:write",
]  # fmt: skip


class TokenCreate(Change):
    """A new personal access token. What is left out or null does not narrow it."""

    name: TokenName = ShapeField(description="Name of the token, 1 to 100 characters.")
    expires_at: BodyTime | None = ShapeField(
        default=None, description="When the token expires. Left out or null, as late as it may."
    )
    read_only: bool = ShapeField(default=False, description="Whether the token refuses every change.")
    organization: Annotated[str, Names("Organization")] | None = ShapeField(
        default=None, description="Limits the token to this organization."
    )
    spaces: Annotated[list[str], ShapeField(min_length=1, max_length=MOST_SPACES), Names("Space")] | None = (
        ShapeField(
            default=None,
            description="Limits the token to these 1 to 100 spaces of one organization. In that organization "
            "it acts as a guest with the person's levels on these spaces.",
        )
    )
    scopes: Annotated[list[TokenScope], ShapeField(min_length=1, max_length=20)] | None = ShapeField(
        default=None,
        description="Scopes that limit the token. An operation needs one of them; `read` and `write` allow "
        "all operations that read or write.",
    )
    operations: Annotated[list[OperationId], ShapeField(min_length=1, max_length=50)] | None = ShapeField(
        default=None,
        description="Operations that the token opens beside those of its scopes, by `operationId`. An "
        "agent's token opens what decides, such as `mergeChangeRequest`, only if it is named here; its scopes"
        " are `read` and `write` then, if they are left out.",
    )
    is_agent: bool = ShapeField(
        default=False,
        description="Whether an agent uses the token, which proposes changes and decides nothing.",
    )


class TokenUpdate(Change):
    """Changes to a token. What it opens stays the same."""

    name: TokenName = absent("Name of the token, 1 to 100 characters.")
    expires_at: BodyTime | None = ShapeField(
        default=None, description="When the token expires. Null: as late as it may."
    )


class TokenOut(Shape):
    """A token of a person: one that they created, or that they let an application have.

    The secret is shown once, when the token is created.
    """

    object: Literal["token"]
    id: str
    type: Annotated[TokenType, Column("kind")] = ShapeField(description="How the token came to be.")
    name: str = ShapeField(description="Name of the token.")
    user: Annotated[str, Column("user_id"), Names("User")] = ShapeField(
        description="Person whose rights the token has."
    )
    read_only: bool = ShapeField(description="Whether the token refuses every change.")
    organization: Annotated[str | None, Column("organization_id"), Names("Organization")] = ShapeField(
        default=None,
        description="Organization that the token is limited to. Absent if it works in all organizations of "
        "its owner.",
    )
    spaces: Annotated[list[str] | None, Names("Space")] = ShapeField(
        default=None, description="Spaces that the token is limited to. Absent if it is not limited."
    )
    scopes: list[OAuthScope] | None = ShapeField(
        default=None, description="Scopes of the token. Absent if it has none and allows every operation."
    )
    operations: list[str] | None = ShapeField(
        default=None,
        description="Operations that the token allows in addition to those of its scopes, by `operationId`. "
        "Absent if there are none.",
    )
    is_agent: bool = ShapeField(description="Whether an agent uses the token.")
    current: bool = ShapeField(description="Whether this request was made with the token.")
    created_at: datetime
    expires_at: datetime | None = ShapeField(
        default=None, description="When the token expires. Absent if it does not."
    )
    last_used_at: datetime | None = ShapeField(
        default=None, description="When the token was last used, to the minute. Absent if it never was."
    )
    urls: Location


class OrganizationTokenOut(TokenOut):
    """A token that is limited to one organization, as the administrators of the organization see it."""


class TokenCreatedOut(Shape):
    """A new token with its secret, which is shown this once."""

    token: TokenOut = ShapeField(description="The token.")
    secret: str = ShapeField(
        description="Secret to send as `Authorization: Bearer`. It cannot be read again."
    )


ENUMERATIONS = (
    Enumeration(
        "TokenType",
        TokenType,
        {"personal": "The person created it.", "oauth": "The person let an application have it."},
    ),
    Enumeration(
        "TokenScope",
        TokenScope,
        {
            "read": "Every operation that reads.",
            "write": "Every operation that writes.",
            "space:content:read": "Read pages, files, revisions, change requests and links, and search.",
            "space:content:write": "Change content, import, and write change requests without merging them.",
            "space:metadata:read": "Read spaces and lists of them.",
            "space:metadata:write": "Change the title and icon of a space.",
            "space:git:sync": "Sync with a repository.",
            "site:metadata:read": "Read sites, their structure and their looks.",
            "site:adaptive:read": "Read the schema of visitors' claims.",
            "site:adaptive:write": "Change the schema of visitors' claims.",
            "site:visitor:auth": "Read the key that signs the tokens of a site's visitors.",
            "openapi:read": "Read OpenAPI specifications.",
            "openapi:write": "Create, change and delete OpenAPI specifications.",
        },
    ),
)
