"""GraphQL face of single sign-on."""

from __future__ import annotations

from typing import Any

import strawberry
from strawberry import ID

from app.api.graphql.calls import FIRST, Connection, Info, body, pages, read, reads, write, writes
from app.api.graphql.shapes import input_of, output
from app.api.graphql.teams import Team  # noqa: F401 - declared before the first type that names a team
from app.domain.sso import saml_providers as providers
from app.models.sso import SAMLProviderCreate, SAMLProviderOut, SAMLProviderUpdate, SSOLoginsOut
from app.present.access import logins
from app.present.access import provider as show_provider

SAMLProviderCreateInput: Any = input_of(SAMLProviderCreate)
SAMLProviderUpdateInput: Any = input_of(SAMLProviderUpdate)


@output(SAMLProviderOut)
class SAMLProvider:
    """An identity provider that answers for people of an organization."""


@output(SSOLoginsOut)
class SSOLogins:
    """Every way to sign in to an organization."""


@strawberry.type
class OrganizationSSO:
    """What can be asked of an organization's single sign-on."""

    @reads(providers.list_providers)
    async def saml_providers(
        self: Any, info: Info, first: int = FIRST, after: str | None = None
    ) -> Connection[SAMLProvider]:
        call = providers.list_providers
        return await pages(info, call, self["id"], first=first, after=after, show=show_provider)

    @reads(providers.get)
    async def saml_provider(self: Any, info: Info, id: ID) -> SAMLProvider | None:
        return await read(info, providers.get, self["id"], id, show=show_provider)


@strawberry.type
class SSOQuery:
    @reads(providers.list_logins)
    async def sso_logins(self, info: Info, organization: ID) -> SSOLogins | None:
        return await read(info, providers.list_logins, organization, show=logins)


@strawberry.type
class SSOMutation:
    @writes(providers.create)
    async def create_saml_provider(
        self, info: Info, organization: ID, new: SAMLProviderCreateInput
    ) -> SAMLProvider | None:
        asked = body(SAMLProviderCreate, new)
        return await write(info, providers.create, organization, asked, show=show_provider)

    @writes(providers.update)
    async def update_saml_provider(
        self, info: Info, organization: ID, id: ID, change: SAMLProviderUpdateInput
    ) -> SAMLProvider | None:
        asked = body(SAMLProviderUpdate, change)
        return await write(info, providers.update, organization, id, asked, show=show_provider)

    @writes(providers.delete)
    async def delete_saml_provider(self, info: Info, organization: ID, id: ID) -> bool | None:
        return await write(info, providers.delete, organization, id)
