"""HTTP as an HTTP API hands it to a function: events of format 2.0, made from ordinary requests."""

from __future__ import annotations

import base64
from typing import Any

import httpx

from tests.aws.lambda_runtime import SITES, Api

TEXTUAL = ("text/", "application/json", "application/xml", "application/javascript")
DOMAIN = "abc.execute-api.example.org"


class Gateway(httpx.BaseTransport):
    """Sends requests into a function, so that tests call it like any server."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        answer = self._api.invoke(event(request))
        body = answer["body"].encode()
        if answer["isBase64Encoded"]:
            body = base64.b64decode(body)
        return httpx.Response(answer["statusCode"], headers=answer["headers"], content=body)


def event(request: httpx.Request) -> dict[str, Any]:
    """The event of a request; bodies that are not text travel in base64, cookies apart from the headers."""
    headers = {name.lower(): value for name, value in request.headers.items() if name.lower() != "cookie"}
    host = request.url.host if f"https://{request.url.host}" == SITES else DOMAIN
    made: dict[str, Any] = {
        "version": "2.0",
        "routeKey": "$default",
        "rawPath": request.url.path,
        "rawQueryString": request.url.query.decode(),
        "headers": {**headers, "host": host, "x-forwarded-proto": "https", "x-forwarded-port": "443"},
        "requestContext": {
            "accountId": "123456789012",
            "apiId": "abc",
            "domainName": host,
            "domainPrefix": "abc",
            "http": {
                "method": request.method,
                "path": request.url.path,
                "protocol": "HTTP/1.1",
                "sourceIp": "192.0.2.1",
                "userAgent": headers.get("user-agent", ""),
            },
            "requestId": "id=",
            "routeKey": "$default",
            "stage": "$default",
            "time": "21/Nov/2026:08:00:00 +0000",
            "timeEpoch": 1795248000000,
        },
        "isBase64Encoded": False,
    }
    if "cookie" in request.headers:
        made["cookies"] = request.headers["cookie"].split("; ")
    if request.url.params:
        made["queryStringParameters"] = {
            name: ",".join(request.url.params.get_list(name)) for name in request.url.params
        }
    body = request.read()
    if body:
        made["isBase64Encoded"] = not headers.get("content-type", "").startswith(TEXTUAL)
        made["body"] = base64.b64encode(body).decode() if made["isBase64Encoded"] else body.decode()
    return made
