"""Agents of the tests: persons with the token of an agent, who call tools over MCP."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import httpx

from app.access.context import Context
from app.domain.accounts import tokens
from app.domain.accounts.tokens import TokenLimits
from app.kit.ids import new_id
from app.kit.signing import new_token
from tests.cast import Person

VERSION = "2026-07-28"
META = "io.modelcontextprotocol/"


@dataclass
class Agent(Person):
    """A program that acts for somebody, with a token of its own (`token_id`)."""

    token_id: str = ""
    run: str | None = None

    def message(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """A request of the newest revision."""
        meta: dict[str, Any] = {
            f"{META}protocolVersion": VERSION,
            f"{META}clientCapabilities": {},
            f"{META}clientInfo": {"name": "tests", "version": "1"},
        }
        return {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**(params or {}), "_meta": meta}}

    def send(self, message: Any, **headers: str | None) -> httpx.Response:
        """Send a message with the headers that it needs; None leaves one out."""
        params = message.get("params", {}) if isinstance(message, dict) else {}
        own: dict[str, str | None] = {
            "MCP-Protocol-Version": VERSION,
            "Mcp-Method": message.get("method") if isinstance(message, dict) else None,
            "Mcp-Name": params.get("name") if isinstance(params, dict) else None,
            "Docyard-Run": self.run,
            "Accept": "application/json, text/event-stream",
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        return self.post("/mcp", message, headers={name: text for name, text in own.items() if text})

    def ask_for(self, method: str, params: dict[str, Any] | None = None) -> Any:
        """The result of a request that must succeed."""
        answer = self.send(self.message(method, params))
        assert answer.status_code == 200, answer.text
        return answer.json()["result"]

    def tries(self, tool: str, **arguments: Any) -> tuple[bool, str]:
        """Tell whether a call of a tool failed, and what it says."""
        result = self.ask_for("tools/call", {"name": tool, "arguments": arguments})
        return result["isError"], result["content"][0]["text"]

    def use(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The data of a call of a tool that must succeed."""
        result = self.ask_for("tools/call", {"name": tool, "arguments": arguments})
        assert not result["isError"], result
        data: dict[str, Any] = result["structuredContent"]
        return data

    def write(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The data of a call of a tool that changes something."""
        return self.use(tool, **{"idempotencyKey": new_id(), **arguments})


def agent(person: Person, **narrowing: Any) -> Agent:
    """An agent of this person, whose token is narrowed as `TokenLimits` takes it."""
    secret = new_token()
    limits = TokenLimits(is_agent=True, **narrowing)

    async def give(cx: Context) -> str:
        return (await tokens.give(cx, person.id, secret, name="agent", limits=limits)).id

    return Agent(person.instance, person.id, person.email, secret, person.instance.inside(give))
