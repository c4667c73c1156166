"""The GraphQL schema: roots put together by name, and its SDL."""

from __future__ import annotations

from typing import Any

import strawberry
from strawberry.schema.config import StrawberryConfig

import app.api.graphql.enums  # noqa: F401 - names the enumerations before the first type is made
from app.api.graphql.change_requests import ChangeRequestMutation
from app.api.graphql.collections import CollectionMutation, CollectionQuery
from app.api.graphql.comments import CommentMutation
from app.api.graphql.content import ContentMutation
from app.api.graphql.domains import DomainMutation, DomainQuery
from app.api.graphql.git import GitMutation, GitQuery
from app.api.graphql.grants import GrantMutation
from app.api.graphql.import_runs import ImportRunMutation
from app.api.graphql.installations import InstallationMutation, InstallationQuery
from app.api.graphql.integrations import IntegrationMutation, IntegrationQuery
from app.api.graphql.invites import InviteMutation
from app.api.graphql.member_lists import MemberMutation
from app.api.graphql.merges import MergeMutation
from app.api.graphql.openapi_specs import OpenAPIMutation, OpenAPIQuery
from app.api.graphql.organizations import OrganizationMutation, OrganizationQuery
from app.api.graphql.quotas import QuotaQuery
from app.api.graphql.rendering import RenderingQuery
from app.api.graphql.reviews import ReviewMutation
from app.api.graphql.service import ServiceQuery
from app.api.graphql.shapes import SCALARS
from app.api.graphql.site_grants import SiteGrantMutation, SiteGrantQuery
from app.api.graphql.site_items import SiteItemMutation
from app.api.graphql.site_publishing import SitePublishingMutation, SitePublishingQuery
from app.api.graphql.sites import SiteMutation, SiteQuery
from app.api.graphql.spaces import SpaceMutation, SpaceQuery
from app.api.graphql.sso import SSOMutation, SSOQuery
from app.api.graphql.teams import TeamMutation
from app.api.graphql.translations import TranslationMutation
from app.api.graphql.uploads import UploadMutation
from app.api.graphql.urls import UrlQueries
from app.api.graphql.users import UserMutation, UserQuery
from graphql import GraphQLUnionType


@strawberry.type(description="Everything that can be read.")
class Query(
    ServiceQuery,
    UserQuery,
    OrganizationQuery,
    CollectionQuery,
    SpaceQuery,
    GitQuery,
    SSOQuery,
    DomainQuery,
    QuotaQuery,
    SiteQuery,
    SitePublishingQuery,
    SiteGrantQuery,
    OpenAPIQuery,
    IntegrationQuery,
    RenderingQuery,
    InstallationQuery,
    UrlQueries,
):
    pass


@strawberry.type(description="Everything that can be changed: one transaction per field.")
class Mutation(
    UserMutation,
    OrganizationMutation,
    MemberMutation,
    TeamMutation,
    GrantMutation,
    SSOMutation,
    DomainMutation,
    InviteMutation,
    CollectionMutation,
    SpaceMutation,
    ContentMutation,
    ImportRunMutation,
    ChangeRequestMutation,
    MergeMutation,
    ReviewMutation,
    CommentMutation,
    GitMutation,
    SiteMutation,
    SiteItemMutation,
    SitePublishingMutation,
    SiteGrantMutation,
    OpenAPIMutation,
    TranslationMutation,
    IntegrationMutation,
    InstallationMutation,
    UploadMutation,
):
    pass


def _value(source: Any, name: str) -> Any:
    return source.get(name) if isinstance(source, dict) else getattr(source, name, None)


schema = strawberry.Schema(
    Query, Mutation, config=StrawberryConfig(default_resolver=_value, scalar_map=SCALARS)
)


def _member(source: Any, _info: Any, _union: Any) -> str:
    """Tell the type of a union's value by its `object`: sources are dicts."""
    return str(source["object"]).title().replace("-", "")


for _type in schema._schema.type_map.values():
    if isinstance(_type, GraphQLUnionType):
        _type.resolve_type = _member


def sdl() -> str:
    """The schema in GraphQL's schema definition language, as kept in `graphql/schema.graphql`."""
    return schema.as_str() + "\n"


if __name__ == "__main__":
    print(sdl(), end="")
