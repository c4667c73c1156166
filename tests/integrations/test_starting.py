"""A server that starts makes ready what scripts run in, but only where something is installed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.cast import Cast
from tests.factories.integrations import PublishedIntegration

START = """
import asyncio, sys, time
from app.kit.settings import Settings
from app.main import create_app

async def main():
    app = create_app(Settings(database=sys.argv[1], base_url="http://test", sites_url="http://sites"))
    async with app.router.lifespan_context(app):
        until = time.monotonic() + float(sys.argv[2])
        while time.monotonic() < until:
            running = sys.modules.get("app.kit.sandbox.running")
            if running and running._PREPARED:
                return print("ready")
            await asyncio.sleep(0.02)
    print("wasmtime" in sys.modules)

asyncio.run(main())
"""


def started(database: str, seconds: float) -> str:
    given = [database, str(seconds)]
    run = subprocess.run([sys.executable, "-c", START, *given], capture_output=True, text=True, check=True)
    return run.stdout.strip()


def test_the_first_script_waits_for_no_engine(cast: Cast) -> None:
    PublishedIntegration(cast).install()
    assert started(cast.instance.settings.database, 300) == "ready"


def test_where_nothing_is_installed_no_engine_is_made(tmp_path: Path) -> None:
    assert started(str(tmp_path / "empty.db"), 0.5) == "False"
