"""Helpers for calling scripts."""

from __future__ import annotations

import asyncio
from typing import Any

from app.kit.sandbox.running import run
from app.kit.sandbox.shapes import Budget, Fetch, ScriptEvent, ScriptResult, request_of

PLACE = "https://docyard.example/v1/integrations/tried"


def call(
    script: str,
    event: dict[str, Any] | None = None,
    environment: dict[str, Any] | None = None,
    *,
    body: bytes | None = None,
    budget: Budget | None = None,
    fetch: Fetch | None = None,
) -> ScriptResult:
    """Return what a script makes of an event, without haste where no budget is given."""
    request = request_of(ScriptEvent(event or {"type": "task"}, environment or {}, body), PLACE)
    return asyncio.run(run(script, request, budget=budget or patient(), fetch=fetch))


def patient(**most: Any) -> Budget:
    """A budget that a slow machine does not use up, with these limits."""
    return Budget(**{"seconds": 300, "busy_seconds": 300, **most})


def handler(body: str, *, before: str = "") -> str:
    """A script whose fetch does this."""
    return f"{before}\nexport default {{ async fetch(request, env, ctx) {{ {body} }} }};"


def texts(result: ScriptResult) -> list[str]:
    """The lines of a trace, each with its level."""
    return [f"{line.level}: {line.text}" for line in result.logs]
