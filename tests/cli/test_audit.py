"""`docyard audit`: what commands leave in the log, and whether it is as it was written."""

from __future__ import annotations

import asyncio

from app.kit.db import open_database
from app.models.audit import AuditEvent
from tests.cli.command import docyard


def test_commands_are_in_the_log_and_what_was_altered_is_told(empty_database: str) -> None:
    def run(*arguments: str) -> str:
        done = docyard(*arguments, database=empty_database)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    run("user", "create", "ann@example.org", "--name", "Ann")
    org = run("org", "create", "Sundials", "--owner", "ann@example.org")
    assert "1" in run("audit", "verify", "--org", org).split()

    async def event(**change: str) -> AuditEvent:
        db = open_database(empty_database)
        try:
            async with db.transaction() as tx:
                return await tx.change(AuditEvent, change, organization_id=org, number=1)
        finally:
            await db.close()

    kept = asyncio.run(event(face="command"))
    assert (kept.actor, kept.action, kept.subject_id) == ("operator", "docyard org create", org)
    assert docyard("audit", "verify", database=empty_database).returncode == 0
    asyncio.run(event(action="docyard org list"))
    found = docyard("audit", "verify", database=empty_database)
    assert found.returncode == 1
    assert "broken from event 1 on" in found.stdout
    assert "Sundials" in found.stderr


def test_an_organization_that_is_not_there_has_no_log(empty_database: str) -> None:
    found = docyard("audit", "verify", "--org", "nowhere", database=empty_database)
    assert found.returncode == 1
    assert "docyard org list" in found.stderr
