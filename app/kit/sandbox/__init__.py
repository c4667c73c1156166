"""Runs scripts of strangers: JavaScript modules inside QuickJS inside WebAssembly.

    result = await run(
        script,
        request_of(Event(event, environment), url),
        environment={}, owner=integration_name, budget=Budget(), fetch=fetching(outbound, homes=[api_base]),
    )

A script is an ES module (as esbuild bundles it with `--format=esm`) whose default export has
`fetch(request, env, ctx)` and answers with a Response. `run` never raises because of the script: what went
wrong is in the result. `run` may be awaited from any event loop; scripts run on threads of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from app.kit.sandbox.shapes import (
    PLACES,
    Budget,
    Code,
    Event,
    Fetch,
    Headers,
    LogLine,
    ScriptFetch,
    ScriptRequest,
    ScriptResult,
)

if TYPE_CHECKING:
    from app.kit.http.outbound import Outbound

__all__ = [
    "PLACES",
    "Budget",
    "Code",
    "Event",
    "Fetch",
    "Headers",
    "LogLine",
    "ScriptFetch",
    "ScriptRequest",
    "ScriptResult",
    "fetching",
    "prepare",
    "request_of",
    "run",
]


def request_of(event: Event, url: str) -> ScriptRequest:
    """The POST an event is delivered as: a multipart form, the same for the sandbox and for a dev tunnel."""
    from app.kit.sandbox.posting import posted

    return posted(event, url)


def fetching(outbound: Outbound, *, homes: Sequence[str] = ()) -> Fetch:
    """The network as scripts get it: the guarded client, and `homes`, our own hosts, even if private."""
    from app.kit.sandbox.fetches import guarded

    return guarded(outbound, homes)


async def prepare() -> None:
    """Make the engine ready, which takes about a second where it was not compiled when packaging.

    Without the extra `integrations` nothing happens: calls will tell.
    """
    from app.kit.sandbox.engine import SandboxMissing
    from app.kit.sandbox.running import prepare as make_ready

    with suppress(SandboxMissing):
        await make_ready()


async def run(
    script: str,
    request: ScriptRequest,
    *,
    environment: dict[str, object] | None = None,
    owner: str = "",
    budget: Budget | None = None,
    fetch: Fetch | None = None,
    places: int = PLACES,
) -> ScriptResult:
    """Call a script's `fetch` with a request. `environment` is its second argument, `env`.

    So many scripts as there are `places` live at once, each with the memory of its budget. Scripts of one
    `owner` never take more than half of them. Waits for a place at most for the budget's seconds. Without
    `fetch` a script cannot reach the network. Returns when what was given to `ctx.waitUntil` is settled too.
    """
    from app.kit.sandbox.running import run as run_script

    return await run_script(script, request, environment or {}, owner, budget or Budget(), fetch, places)
