"""The product as an ASGI application, for servers other than `docyard serve`.

It writes the same log. `uvicorn tests.bench.served:app`.
"""

from __future__ import annotations

from app.kit import logs
from app.kit.settings import Settings
from app.main import create_app

logs.configure()
app = create_app(Settings())
