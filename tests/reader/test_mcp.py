"""A site for programs that speak the Model Context Protocol: with their own client, and with none."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest

from app.kit.ids import new_id
from tests import anonymous, make
from tests.cast import Cast
from tests.reader.test_page_feedback import AskingSite
from tests.visitors import PublishedSite, token


def talked(url: str, headers: dict[str, str] | None = None) -> dict[str, Any]:
    """Return what the protocol's own client gets from a site."""

    async def talk() -> dict[str, Any]:
        from mcp import ClientSession
        from mcp.client.streamable_http import streamable_http_client

        found: dict[str, Any] = {}
        async with (
            streamable_http_client(url) as (reading, writing, *_),
            ClientSession(reading, writing) as session,
        ):
            started = await session.initialize()
            found["version"] = started.protocol_version
            found["tools"] = [tool.name for tool in (await session.list_tools()).tools]
            await session.send_ping()
            for name, arguments in (
                ("search", {"query": "installer"}),
                ("read_page", {"path": "/guide/install"}),
                ("list_pages", {}),
                ("read_page", {"path": "/nothing"}),
            ):
                answer = await session.call_tool(name, arguments)
                (said,) = answer.content
                assert said.type == "text"
                found[f"{name} {arguments}"] = (answer.is_error, said.text)
        return found

    return asyncio.run(talk())


def call(site: PublishedSite, method: str, params: Any = None, **options: Any) -> httpx.Response:
    """One message."""
    message = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": method,
        **({"params": params} if params is not None else {}),
    }
    return site.ask("POST", "/~/mcp", json=message, **options)


@pytest.fixture
def site(cast: Cast) -> PublishedSite:
    """A public site."""
    return PublishedSite(cast)


def test_the_protocols_own_client_reads_a_site(site: PublishedSite) -> None:
    found = talked(f"{site.url}/~/mcp")
    assert found["tools"] == ["search", "read_page", "list_pages"]
    failed, text = found["search {'query': 'installer'}"]
    assert not failed
    assert f"{site.url}/guide/install" in text
    assert found["read_page {'path': '/guide/install'}"][1].startswith("# Install\n")
    assert "Run the installer." in found["read_page {'path': '/guide/install'}"][1]
    assert found["list_pages {}"][1].splitlines()[0] == f"- Start: {site.url}"
    assert found["read_page {'path': '/nothing'}"][0] is True


def test_a_page_is_read_by_any_way_to_write_its_address(site: PublishedSite) -> None:
    for path in ("guide/install", "/guide/install", "/guide/install.md", f"{site.url}/guide/install#windows"):
        answer = call(site, "tools/call", {"name": "read_page", "arguments": {"path": path}})
        assert "Run the installer" in answer.text, path
    wrong: list[Any] = [
        "",
        "../../etc/passwd",
        "/%2e%2e",
        "https://evil.example/guide/install",
        "a\0b",
        7,
        None,
    ]
    for path in (*wrong, "x" * 9000):
        answer = call(site, "tools/call", {"name": "read_page", "arguments": {"path": path}})
        assert answer.json()["result"]["isError"] is True, path


def test_a_path_that_only_begins_like_the_sites_address_is_one_inside(cast: Cast) -> None:
    site = PublishedSite(cast, proxy=f"{new_id()}.example/docs".lower())
    site.page(title="Docs overview", document={"markdown": "Of the documents"})
    parameters = {"name": "read_page", "arguments": {"path": "/docs-overview"}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": parameters}
    target = site.get()["proxy"]["target"]
    for path in ("/docs-overview", "/docs/docs-overview", f"{site.url}/docs-overview"):
        parameters["arguments"] = {"path": path}
        answer = anonymous.post(f"{target}/~/mcp", json=message)
        assert "Of the documents" in answer.text, path


def test_many_pages_are_listed_in_parts(site: PublishedSite) -> None:
    new = [
        {"operation": "insert_page", "title": f"Page {n}", "document": {"markdown": ""}} for n in range(50)
    ]
    for _ in range(11):
        make.changes(site.cast.ada, site.spaces[0], *new)
    listed = call(site, "tools/call", {"name": "list_pages", "arguments": {}}).json()
    text = listed["result"]["content"][0]["text"]
    assert text.splitlines()[-1] == "There are 554 pages; go on with after=500."
    rest = call(site, "tools/call", {"name": "list_pages", "arguments": {"after": 500}}).json()
    assert len(rest["result"]["content"][0]["text"].splitlines()) == 54


@pytest.mark.parametrize("accept", ["*/*", "application/json, text/event-stream"])
def test_every_mistake_is_told_in_the_protocols_words(site: PublishedSite, accept: str) -> None:
    headers = {"accept": accept}
    assert call(site, "resources/list").json()["error"]["code"] == -32601
    assert call(site, "tools/call", {"name": "drop"}).json()["error"]["code"] == -32602
    assert call(site, "tools/list", []).json()["error"]["code"] == -32602
    wrong: list[tuple[Any, int]] = [
        ([], -32600), ({}, -32600), ({"jsonrpc": "1.0", "id": 1, "method": "ping"}, -32600), ("ping", -32600),
        ({"jsonrpc": "2.0", "id": {}, "method": "ping"}, -32600), ({"jsonrpc": "2.0", "id": 1}, -32600),
        ([{"jsonrpc": "2.0", "id": 1, "method": "ping"}], -32600),
    ]  # fmt: skip
    for message, code in wrong:
        answer = site.ask("POST", "/~/mcp", json=message, headers=headers)
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, code), message
    stateless = call(site, "tools/list", {}, headers={**headers, "mcp-protocol-version": "2026-07-28"})
    assert (stateless.status_code, stateless.json()["error"]["code"]) == (400, -32602)
    headers["content-type"] = "application/json"
    for raw in (b"", b"{", b"\xff", b"[" * 5000):
        answer = site.ask("POST", "/~/mcp", content=raw, headers=headers)
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32700), raw
    assert site.ask("POST", "/~/mcp", content=b"x" * 200_000, headers=headers).status_code == 413


def test_a_notification_is_taken_and_not_answered(site: PublishedSite) -> None:
    told = site.ask("POST", "/~/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert (told.status_code, told.content) == (202, b"")


def test_there_is_no_stream_and_no_session(site: PublishedSite) -> None:
    for method in ("GET", "DELETE", "HEAD"):
        answer = site.ask(method, "/~/mcp", headers={"accept": "text/event-stream"})
        assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
    assert "mcp-session-id" not in call(site, "initialize", {}).headers


def test_an_old_client_is_answered_in_its_version(site: PublishedSite) -> None:
    for asked, spoken in (
        ("2024-11-05", "2024-11-05"),
        ("2025-06-18", "2025-06-18"),
        ("1999-01-01", "2025-11-25"),
    ):
        answer = call(site, "initialize", {"protocolVersion": asked, "capabilities": {}, "clientInfo": {}})
        assert answer.json()["result"]["protocolVersion"] == spoken


def test_pages_of_other_sites_cannot_ask(site: PublishedSite) -> None:
    for origin in ("https://evil.example", "null", "http://127.0.0.1.evil.example"):
        assert call(site, "tools/list", headers={"origin": origin}).status_code == 403, origin
    form = {"content-type": "application/x-www-form-urlencoded"}
    assert site.ask("POST", "/~/mcp", content=b"{}", headers=form).status_code == 400


def test_a_private_sites_answers_are_nobody_elses(cast: Cast) -> None:
    site = PublishedSite(cast, visibility="visitor-auth")
    assert call(site, "tools/list").status_code == 401
    signed = {"authorization": f"Bearer {token(site.key)}"}
    answer = call(site, "tools/call", {"name": "list_pages"}, headers=signed)
    assert "Install" in answer.text
    assert answer.headers["cache-control"] == "private, no-store"


def report(site: PublishedSite, **arguments: Any) -> tuple[bool, str]:
    """Report what is missing; returns whether that failed, and what was said."""
    answer = call(site, "tools/call", {"name": "report_missing", "arguments": arguments}).json()["result"]
    return answer.get("isError", False), answer["content"][0]["text"]


def test_agents_report_what_is_missing_where_the_site_asks(cast: Cast) -> None:
    site = AskingSite(cast)
    tools = call(site, "tools/list").json()["result"]["tools"]
    assert [tool["name"] for tool in tools] == ["search", "read_page", "list_pages", "report_missing"]
    failed, said = report(site, missing="How to clean\0 it.", query="clean", path="/guide/install")
    assert not failed, said
    assert not report(site, missing="How to sell it.")[0]
    assert not report(site, missing="How to sell it.")[0]
    last, first = site.said(source="agent")
    assert (first["comment"], first["query"]) == ("How to clean it.", "clean")
    assert (first["url"], first["space"]) == (f"{site.url}/guide/install", site.spaces[0])
    assert first["page"] == site.action().rsplit("/", 1)[1]
    assert {"rating", "query", "page", "space"} & last.keys() == set()
    assert (last["comment"], last["url"]) == ("How to sell it.", site.url)


def test_reports_of_agents_are_bounded_and_refused_where_the_site_does_not_ask(cast: Cast) -> None:
    site = AskingSite(cast)
    wrong: list[dict[str, Any]] = [
        {}, {"missing": ""}, {"missing": 7}, {"missing": "x" * 513}, {"missing": "\0"},
        {"missing": "It", "query": "x" * 513}, {"missing": "It", "query": ["it"]},
        {"missing": "It", "path": "/nothing"}, {"missing": "It", "path": "/~/search"},
    ]  # fmt: skip
    for arguments in wrong:
        assert report(site, **arguments)[0], arguments
    site.asks(enabled=False)
    refused = call(site, "tools/call", {"name": "report_missing", "arguments": {"missing": "It"}})
    assert refused.json()["error"]["code"] == -32602
    assert "report_missing" not in call(site, "tools/list").text
    assert site.said() == []
