"""Normalized caches after each mutation of the console: they hold what the server has, unasked."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from typing import Any

import pytest

from app.api.graphql.around import changed_by
from app.api.graphql.fields import short
from app.api.operation import Operation
from tests import make
from tests.cast import Cast
from tests.contract.faces import Call, variables
from tests.contract.import_sources import routes
from tests.contract.recipes import RECIPES
from tests.frontend import console_screens
from tests.frontend.console_screens import Screen
from tests.frontend.screens import GRAPHQL, HERE
from tests.instance import Instance, idle, running
from tests.local_server import port_of, serve

NOT_ON_SCREEN = {
    "createUpload": "returns a URL to send a file to; a change of content then uses the file",
    "createMemberSignInLink": "returns a link that is shown once",
    "endMemberSessions": "only members see their own sessions",
    "rotateOAuthApplicationSecret": "returns a secret that is shown once",
    "setIntegrationSecret": "replaces a value that is never shown",
}
"""Mutations that change nothing that the console shows, and why."""

ASKED_AGAIN = {
    "deleteUser": "the caller's token opens nothing afterwards",
    "deleteOrganization": "the caller may only read afterwards, wherever in it they are",
    "restoreOrganization": "the caller may do everything again, wherever in it they are",
    "unpublishIntegration": "the list of all integrations is at the root, which no payload has",
}
"""Mutations after which a cache has to ask again, and why."""

NOT_COMPARED = {
    "AuditEvents": "every mutation adds to the log, and the console reads it anew each time",
    "OrganizationQuotas": "every request counts",
    "Jobs": "jobs that mutations queue in passing; compared after mutations of jobs",
    "OwnData": "the answer is made anew for each request",
}
"""Screens that are read anew whenever they are opened, and why."""

AFTER_A_JOB = {"redeliverIntegrationEvent"}
"""Mutations of what a job has done."""

CHANGES = [row for row in console_screens.changes() if row.field not in ASKED_AGAIN]
VARIES = re.compile(
    r'(?<=[?&])(signature|expires|token)=[^&"]*|(?<=/)(exports|files|openapi|pdf|uploads)/\d+\.[\w-]+'
    r'|(?<=Cursor": ")[^"]+|(?<=lastUsedAt": )("[^"]+"|null)'
)
"""What is never the same twice: signatures of URLs, cursors (which also say how many items there were), and
when a token was last used."""

Run = Callable[[dict[str, Any]], dict[str, Any]]


@pytest.fixture(scope="module")
def run() -> Iterator[Run]:
    """Runs a case in both clients, in one process for all cases."""
    command = ["node", "caches.mjs", str(GRAPHQL / "schema.graphql")]
    with subprocess.Popen(
        command, cwd=HERE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as node:
        sent, received = node.stdin, node.stdout
        assert sent is not None
        assert received is not None

        def ask(case: dict[str, Any]) -> dict[str, Any]:
            sent.write(json.dumps(case) + "\n")
            sent.flush()
            found: dict[str, Any] = json.loads(received.readline())
            return found

        yield ask
        sent.close()


@pytest.fixture(scope="module")
def server(new_database: Callable[[], str]) -> Iterator[Instance]:
    """A server that does no jobs, since these change what is shown after the mutation."""
    with serve(routes()) as neighbour, ExitStack() as stack:
        own = {"outbound_allow": f"127.0.0.1:{port_of(neighbour)}", "outbound_timeout": 60.0}
        with idle():
            instance = stack.enter_context(running(new_database(), graphql_max_cost=10_000_000, **own))
        yield instance


@pytest.fixture
def cast(server: Instance) -> Cast:
    """A fresh organization with somebody in every role."""
    return make.cast(server)


@pytest.mark.parametrize("row", CHANGES, ids=lambda row: row.id)
def test_after_a_mutation_the_cache_equals_the_server(cast: Cast, run: Run, row: Operation) -> None:
    with working(cast.instance) if row.field in AFTER_A_JOB else nullcontext():
        call = RECIPES[row.id](cast)
    known = known_values(cast, call)
    deleted = changed_by(row) if row.method == "DELETE" else None
    shown = screens_of(known, short(row.parameters[-1]) if deleted else "")
    person = call.caller or cast.ada

    found = run(
        {
            "url": f"{person.base}/graphql",
            "token": person.token,
            "screen": console_screens.query(shown),
            "mutation": console_screens.mutation(row, shown),
            "variables": known,
            "input": variables(row, call)["input"],
            "field": row.field,
            "deletes": deleted.type if deleted else None,
        }
    )
    assert "error" not in found, found["error"]
    assert found["payload"]["userErrors"] == []
    late = [name for name in ("before", "server") if "TIMEOUT" in codes(found[name])]
    assert late == [], "what was not read in time cannot be compared"
    before, server = comparable(found["before"]["data"]), comparable(found["server"]["data"])
    for client, held in found["held"].items():
        assert list(differences(comparable(held), server)) == [], client
    assert (before == server) == (row.field in NOT_ON_SCREEN)


@contextmanager
def working(instance: Instance) -> Iterator[None]:
    """Another server does the jobs of an instance meanwhile."""
    with running(instance.settings.database):
        yield


def known_values(cast: Cast, call: Call) -> dict[str, str]:
    """Return what a call names, with a page of its space, by the names of variables."""
    known = {"organization": cast.organization, "me": cast.ada.id, "creator": cast.ada.id, "action": "VIEW"}
    known |= {short(name): value for name, value in call.path.items()}
    if "space" in known:
        pages = cast.ada.get(f"/v1/spaces/{known['space']}/content").json().get("pages")
        if pages:
            known |= {"page": pages[0]["id"], "path": pages[0]["path"]}
    return known


def screens_of(known: dict[str, str], deleted: str) -> list[Screen]:
    """Return the screens of which all variables are known, without those of what will be deleted."""
    return [
        screen
        for screen in console_screens.screens()
        if screen.variables.keys() <= known.keys()
        and deleted not in screen.variables
        and (screen.name not in NOT_COMPARED or (screen.name == "Jobs" and "job" in known))
    ]


def codes(answer: dict[str, Any]) -> set[str]:
    """Return the codes of the errors in an answer."""
    return {error.get("extensions", {}).get("code", "") for error in answer.get("errors", ())}


def comparable(data: Any) -> Any:
    """Return data without what is never the same twice."""
    return json.loads(VARIES.sub("0", json.dumps(data)))


def differences(held: Any, server: Any, at: str = "") -> Iterator[str]:
    """Return where two values differ, and how."""
    if isinstance(held, dict) and isinstance(server, dict):
        for name in sorted(held.keys() | server.keys()):
            yield from differences(held.get(name), server.get(name), f"{at}.{name}")
    elif isinstance(held, list) and isinstance(server, list) and len(held) == len(server):
        for index, each in enumerate(held):
            yield from differences(each, server[index], f"{at}[{index}]")
    elif held != server:
        yield f"{at}: {json.dumps(held)[:100]} in the cache, {json.dumps(server)[:100]} at the server"
