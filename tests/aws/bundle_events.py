"""Has the function of a bundle answer, in the place of its libraries: what `.ci/lambda/check` runs.

It uses nothing but the bundle, so that a library which is missing there is missed.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from importlib import import_module
from typing import Any

from app.aws import handler

HOST = "docs.example.org"
ASKED = [
    ("GET", "/healthz", None, 200),
    ("GET", "/v1/user", None, 401),
    ("GET", "/v1/openapi.json", None, 200),
    ("GET", "/docs", None, 200),
    ("GET", "/graphql", None, 200),
    ("GET", "/sign-in", None, 200),
    ("POST", "/graphql", '{"query": "{ __typename }"}', 401),
    ("POST", "/mcp", '{"jsonrpc": "2.0", "id": 1, "method": "ping"}', 401),
]
# What only some requests and jobs load; all of it is in the bundle.
LOADED_LATER = (
    *("app.domain.git_sync.sync_runs", "app.domain.imports.import_jobs", "app.domain.openapi.openapi_jobs"),
    *("app.domain.revisions.openapi_pages", "app.domain.integrations.deliveries", "app.domain.mail"),
    *("app.domain.privacy.organization_removal", "app.kit.sandbox.running", "app.kit.saml.answers"),
    *("app.site_reader.pages", "app.site_reader.rendering.highlighting", "app.web.passkeys", "app.web.saml"),
    *("obstore", "jsonschema_rs", "webauthn", "aiosmtplib", "dulwich.pack"),
)


def event(method: str, path: str, body: str | None) -> dict[str, Any]:
    """Return the event of a request."""
    headers = {"host": HOST, "x-forwarded-proto": "https", "x-forwarded-port": "443", "accept": "text/html"}
    http = {"method": method, "path": path, "sourceIp": "192.0.2.1", "protocol": "HTTP/1.1", "userAgent": ""}
    return {
        "version": "2.0",
        "rawPath": path,
        "rawQueryString": "",
        "headers": {**headers, **({"content-type": "application/json"} if body else {})},
        "requestContext": {"http": http, "domainName": HOST, "requestId": "check", "stage": "$default"},
        "body": body,
        "isBase64Encoded": False,
    }


def check() -> None:
    """Ask for everything, and raise where an answer is another one."""
    for method, path, body, status in ASKED:
        answer = handler(event(method, path, body), None)
        if answer["statusCode"] != status:
            raise ValueError(
                f"{method} {path} is answered with {answer['statusCode']}: {answer['body'][:300]}"
            )
    handler({"docyard": "work"}, None)
    for name in LOADED_LATER:
        import_module(name)
    print(json.dumps({"answered": len(ASKED), "loaded": len(LOADED_LATER)}))


if __name__ == "__main__":
    status = 1
    try:
        check()
        status = 0
    except Exception:
        traceback.print_exc()
    sys.stdout.flush()
    os._exit(status)  # as Lambda ends an environment: nothing is closed
