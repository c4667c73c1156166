"""The GraphQL schema: roots put together by name, and its SDL."""

from __future__ import annotations

from typing import Any

import strawberry
from strawberry.schema.config import StrawberryConfig

import app.gql.enums  # noqa: F401 - names the enumerations before the first type is made
from app.gql.change_requests import ChangeRequestMutation
from app.gql.collections import CollectionMutation, CollectionQuery
from app.gql.comments import CommentMutation
from app.gql.content import ContentMutation
from app.gql.domains import DomainMutation, DomainQuery
from app.gql.git import GitMutation, GitQuery
from app.gql.grants import GrantMutation
from app.gql.import_runs import ImportRunMutation
from app.gql.installations import InstallationMutation, InstallationQuery
from app.gql.integrations import IntegrationMutation, IntegrationQuery
from app.gql.invites import InviteMutation
from app.gql.member_lists import MemberMutation
from app.gql.merges import MergeMutation
from app.gql.openapi_specs import OpenAPIMutation, OpenAPIQuery
from app.gql.organizations import OrganizationMutation, OrganizationQuery
from app.gql.quotas import QuotaQuery
from app.gql.rendering import RenderingQuery
from app.gql.reviews import ReviewMutation
from app.gql.service import ServiceQuery
from app.gql.shapes import SCALARS
from app.gql.site_grants import SiteGrantMutation, SiteGrantQuery
from app.gql.site_items import SiteItemMutation
from app.gql.site_publishing import SitePublishingMutation, SitePublishingQuery
from app.gql.sites import SiteMutation, SiteQuery
from app.gql.spaces import SpaceMutation, SpaceQuery
from app.gql.sso import SSOMutation, SSOQuery
from app.gql.teams import TeamMutation
from app.gql.translations import TranslationMutation
from app.gql.urls import UrlQueries
from app.gql.users import UserMutation, UserQuery
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
