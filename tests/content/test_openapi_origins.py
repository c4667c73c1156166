"""The places that a page may send requests to, by the servers that a specification names."""

from __future__ import annotations

import pytest

from app.formats.openapi.operation import operation_view
from app.formats.openapi.origins import sources
from app.formats.openapi.views import ServerVariableView, ServerView
from tests.factories import openapi

REGION = ServerVariableView("region", "eu", ["eu", "us"])
TENANT = ServerVariableView("tenant", "acme", [])


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("https://api.example.org/v1", ["https://api.example.org/v1/"]),
        ("HTTPS://API.example.org:8443", ["https://api.example.org:8443"]),
        ("https://api.example.org/a;b", ["https://api.example.org"]),
        ("http://localhost:3000/a", ["http://localhost:3000/a/"]),
        ("http://127.0.0.1", ["http://127.0.0.1"]),
        ("http://api.example.org", []),
        ("/v1", []),
        ("", []),
        ("//api.example.org", []),
        ("https://somebody@api.example.org", []),
        ("https://*.example.org", []),
        ("https://api.example.org; script-src *", []),
        ("https://api.example.org script-src", []),
        ("https://api.example.org,b", []),
        ("javascript:alert(1)", []),
        ("ws://api.example.org", []),
        ("https://", []),
        ("https://[::1]", []),
    ],
)
def test_a_server_is_a_source_if_it_is_written_out_in_full_and_safe(url: str, found: list[str]) -> None:
    assert sources([ServerView(url)]) == found


@pytest.mark.parametrize(
    ("template", "found"),
    [
        ("https://{region}.example.org/v1", ["https://eu.example.org/v1/", "https://us.example.org/v1/"]),
        ("https://example.org/a/{region}/b", ["https://example.org/a/"]),
        ("https://{tenant}.example.org/v1", ["https://*.example.org/v1/"]),
        ("https://{tenant}.org", ["https://acme.org"]),
        ("https://{tenant}", []),
        ("https://api.{tenant}.example.org", ["https://api.acme.example.org"]),
        ("{scheme}://api.example.org", []),
    ],
)
def test_variables_of_a_host_count_with_what_they_may_be(template: str, found: list[str]) -> None:
    tenant = ServerVariableView("tenant", "*", []) if template == "https://{tenant}" else TENANT
    assert sources([ServerView("", "", template, [REGION, tenant])]) == found


def test_a_server_without_a_host_is_below_where_the_document_is_from() -> None:
    document = {**openapi.document(), "servers": [{"url": "/v1"}, {"url": "../v2"}, {"url": "https://a.org"}]}
    view = operation_view(document, "/pets", "get", source="https://api.example.org/docs/openapi.json")
    assert view is not None
    told = [server.url for server in view.servers]
    assert told == ["https://api.example.org/v1", "https://api.example.org/v2", "https://a.org"]


def test_sources_are_not_too_many() -> None:
    assert len(sources([ServerView(f"https://a{number}.example.org") for number in range(500)])) == 40
