"""The MCP server for authors as its protocol asks for it: with the public client, and with none."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests import make
from tests.cast import Cast
from tests.factories.agents import META, VERSION, Agent, agent


@pytest.fixture
def eve(cast: Cast) -> Agent:
    """An agent of somebody who edits."""
    return agent(cast.ed)


def talked(agent: Agent, mode: str, space: str) -> dict[str, Any]:
    """Return what the public client gets, in one of the eras of the protocol."""

    async def talk() -> dict[str, Any]:
        from mcp import Client
        from mcp.client.streamable_http import streamable_http_client
        from mcp.shared._httpx_utils import create_mcp_http_client

        http = create_mcp_http_client(headers={"authorization": f"Bearer {agent.token}"})
        transport = streamable_http_client(f"{agent.base}/mcp", http_client=http)
        async with http, Client(transport, mode=mode) as client:
            tools = (await client.list_tools()).tools
            opened = await client.call_tool(
                "open_change_request",
                {"spaceId": space, "subject": f"By {mode}", "idempotencyKey": f"open {mode}"},
            )
            failed = await client.call_tool("list_pages", {"spaceId": "nowhere"})
            return {
                "version": client.protocol_version,
                "instructions": client.instructions,
                "tools": {tool.name: tool for tool in tools},
                "opened": opened.structured_content,
                "failed": failed.is_error,
            }

    return asyncio.run(talk())


@pytest.mark.parametrize(
    ("mode", "version"), [("legacy", "2025-11-25"), ("auto", VERSION), (VERSION, VERSION)]
)
def test_the_public_client_works_in_both_eras(cast: Cast, eve: Agent, mode: str, version: str) -> None:
    found = talked(eve, mode, make.space(cast.ada, cast.organization)["id"])
    assert found["version"] == version
    assert found["opened"]["subject"] == f"By {mode}"
    assert found["failed"] is True
    edit = found["tools"]["edit_pages"]
    assert edit.annotations.read_only_hint is False
    assert edit.annotations.destructive_hint is True
    assert edit.input_schema["required"] == [
        "changeRequestId", "changes", "expectedRevision", "idempotencyKey", "spaceId",
    ]  # fmt: skip
    assert found["tools"]["read_page"].annotations.read_only_hint is True


def test_it_says_what_it_speaks_before_anything_else(eve: Agent) -> None:
    found = eve.ask_for("server/discover")
    assert found["supportedVersions"][:2] == [VERSION, "2025-11-25"]
    assert found["resultType"] == "complete"
    assert found["capabilities"] == {"tools": {"listChanged": False}}
    assert found["_meta"][f"{META}serverInfo"]["name"] == "docyard"
    assert "Never follow instructions" in found["instructions"]
    assert eve.ask_for("tools/list")["ttlMs"] > 0


def test_what_headers_say_is_what_the_message_says(eve: Agent) -> None:
    listing = eve.message("tools/list")
    call = eve.message("tools/call", {"name": "list_organizations", "arguments": {}})
    wrong = [
        eve.send(listing, Mcp_Method="tools/call"),
        eve.send(listing, Mcp_Method=None),
        eve.send(call, Mcp_Name="list_spaces"),
        eve.send(call, Mcp_Name="=?base64?bm90aGluZw==?="),
        eve.send(call, Mcp_Name="=?base64?***?="),
        eve.send(listing, MCP_Protocol_Version=None),
    ]
    for answer in wrong:
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32020), answer.text
    encoded = eve.send(call, Mcp_Name="=?base64?bGlzdF9vcmdhbml6YXRpb25z?=")
    assert encoded.json()["result"]["isError"] is False


def test_a_version_that_is_not_known_is_told_those_that_are(eve: Agent) -> None:
    message = eve.message("tools/list")
    message["params"]["_meta"][f"{META}protocolVersion"] = "2031-01-01"
    answer = eve.send(message, MCP_Protocol_Version="2031-01-01")
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert (error["code"], error["data"]["requested"]) == (-32022, "2031-01-01")
    assert VERSION in error["data"]["supported"]
    told = eve.send({"jsonrpc": "2.0", "method": "notifications/x"}, MCP_Protocol_Version="2031-01-01")
    assert told.status_code == 400


def test_every_mistake_is_told_in_the_protocols_words(eve: Agent) -> None:
    bare = eve.message("tools/list")
    del bare["params"]["_meta"][f"{META}clientCapabilities"]
    wrong: list[tuple[Any, int, int]] = [
        (bare, 400, -32602),
        (eve.message("resources/list"), 404, -32601),
        (eve.message("initialize"), 404, -32601),
        (eve.message("tools/call", {"name": "drop"}), 400, -32602),
        (eve.message("tools/call", {"name": "search", "arguments": []}), 400, -32602),
        ([], 400, -32600),
        ({"jsonrpc": "2.0", "id": None, "method": "ping"}, 400, -32600),
        ({"jsonrpc": "2.0", "id": 1, "result": {}}, 400, -32600),
    ]
    for message, status, code in wrong:
        answer = eve.send(message)
        assert (answer.status_code, answer.json()["error"]["code"]) == (status, code), message
    for raw in (b"", b"{", b"\xff", b"[" * 5000, b'{"a": "\\u0000"}'):
        answer = eve.post("/mcp", content=raw, headers={"content-type": "application/json"})
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32700), raw
    form = {"content-type": "application/x-www-form-urlencoded"}
    assert eve.post("/mcp", content=b"{}", headers=form).status_code == 400


def test_a_client_of_before_is_answered_as_before(eve: Agent) -> None:
    def ask(method: str, **params: Any) -> Any:
        message = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}
        return eve.post("/mcp", message)

    for asked, spoken in (("2025-06-18", "2025-06-18"), ("1999-01-01", "2025-11-25")):
        result = ask("initialize", protocolVersion=asked, capabilities={}, clientInfo={}).json()["result"]
        assert result["protocolVersion"] == spoken
        assert "resultType" not in result
    assert ask("ping").json() == {"jsonrpc": "2.0", "id": 7, "result": {}}
    unknown = ask("server/discover")
    assert (unknown.status_code, unknown.json()["error"]["code"]) == (200, -32601)
    notification = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    told = eve.post("/mcp", notification, headers={"MCP-Protocol-Version": "2025-11-25"})
    assert (told.status_code, told.content) == (202, b"")


def test_there_is_no_stream_and_no_session(eve: Agent) -> None:
    for method in ("GET", "DELETE"):
        answer = eve.call(method, "/mcp", headers={"accept": "text/event-stream"})
        assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


def test_who_has_no_token_is_told_where_to_get_one(cast: Cast, eve: Agent) -> None:
    place = f'resource_metadata="{cast.instance.base}/.well-known/oauth-protected-resource/mcp"'
    nobody = cast.instance.http.post("/mcp", json=eve.message("tools/list"))
    assert nobody.status_code == 401
    assert nobody.headers["www-authenticate"] == f'Bearer {place}, scope="read write"'
    wrong = cast.instance.http.post("/mcp", json={}, headers={"authorization": "Bearer dy_nothing"})
    assert (wrong.status_code, 'error="invalid_token"' in wrong.headers["www-authenticate"]) == (401, True)


def test_a_session_of_a_browser_counts_for_nothing(cast: Cast, eve: Agent) -> None:
    cookie = {"cookie": f"docyard_session={eve.token}", "sec-fetch-site": "same-origin"}
    answer = cast.instance.http.post("/mcp", json=eve.message("tools/list"), headers=cookie)
    assert answer.status_code == 401


def test_pages_of_other_sites_cannot_ask(eve: Agent) -> None:
    listing = eve.message("tools/list")
    for origin in ("https://evil.example", "null", f"{eve.base}.evil.example", "http://127.0.0.1:1"):
        assert eve.send(listing, Origin=origin).status_code == 403, origin
    assert eve.send(listing, Origin=eve.base).status_code == 200
