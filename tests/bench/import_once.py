"""One import in one process: `main` with FOLDER and DATABASE as arguments prints its figures as JSON.

The same steps as `docyard import`: read a plan, then write it in one transaction.
"""

from __future__ import annotations

import asyncio
import resource
import sys
import time
from pathlib import Path
from typing import Any

import orjson
from sqlalchemy import select

from app.access.audit_actions import AuditAction
from app.access.context import Actor, Context
from app.domain.accounts import tokens
from app.domain.imports import tree_import
from app.domain.imports.tree_import import Imported
from app.domain.organizations import organizations, users
from app.domain.spaces import spaces
from app.kit.database.engines import open_database
from app.kit.database.statements import query, table
from app.kit.settings import Settings
from app.kit.signing import Signer
from app.models.organizations import OrganizationCreate
from app.models.spaces import Space, SpaceCreate
from app.runtime import Runtime

ACTION = AuditAction("command", "import")
TOKEN = "dcy_bench_reader"  # of a database that nobody else ever opens
SPACES = table(Space)
_ONLY = query(Space, lambda: select(*SPACES.c))


async def measure(folder: Path, path: Path | str, settings: Settings | None = None) -> dict[str, Any]:
    """Make the space, import into it twice."""
    db = open_database(str(path))
    runtime = Runtime(db, settings or Settings(database=str(path)), Signer(b"bench"))
    try:
        await runtime.write(Actor(""), _found, ACTION)
        start = peak()
        first, seconds, cpu = await _timed(runtime, folder)
        most = peak()
        again, again_seconds, _ = await _timed(runtime, folder)
    finally:
        await db.close()
    return {
        "pages": first.imported,
        "seconds": seconds,
        "cpu_seconds": cpu,
        "start_mib": start,
        "self_mib": most,
        "again_seconds": again_seconds,
        "again_changed": again.changed,
        "database_bytes": path.stat().st_size if isinstance(path, Path) else 0,
    }


async def _found(cx: Context) -> Space:
    user = await users.create(cx, "reader@example.org", "Reader")
    cx.actor = Actor(user.id)
    organization = await organizations.create(cx, OrganizationCreate(title="Importers"))
    await tokens.create(cx, user, secret=TOKEN)
    return await spaces.create(cx, organization.id, SpaceCreate(title="Imported"))


async def _timed(runtime: Runtime, folder: Path) -> tuple[Imported, float, float]:
    began, cpu = time.perf_counter(), _cpu()
    with tree_import.open_plan(folder) as plan:

        async def run(cx: Context) -> Imported:
            space = await cx.tx.first(_ONLY)
            assert space is not None
            return await tree_import.import_plan(cx, space, plan)

        result = await runtime.write(Actor(""), run, ACTION)
    return result, time.perf_counter() - began, _cpu() - cpu


def _cpu() -> float:
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(used.ru_utime + used.ru_stime for used in both)


def peak(pid: int | str = "self") -> float:
    """The most memory that a program had, in MiB; `ru_maxrss` is that of its parent where that was more."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def main() -> None:
    """Measure what the command line names; the database has its tables, as that of a command has."""
    print(orjson.dumps(asyncio.run(measure(Path(sys.argv[1]), Path(sys.argv[2])))).decode())
