"""A published site as its visitors come to it: by its address, with a browser's cookies or without."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from typing import Any
from urllib.parse import urlsplit

import httpx

from tests import make
from tests.cast import Cast
from tests.factories.changes import new_page
from tests.factories.sites import ManagedSite, answered
from tests.timing import TIMEOUT

PAGES: dict[str, str | bytes] = {
    "SUMMARY.md": "# Table of contents\n\n* [Start](README.md)\n* [Guide](guide/README.md)\n"
    "  * [Install](guide/install.md)\n  * [Configure](guide/configure.md)\n* [Secret](secret.md)\n",
    "README.md": "# Start\n\nWelcome aboard. See [install](guide/install.md)"
    " and ![](.gitbook/assets/lamp.png).\n",
    "guide/README.md": "# Guide\n\nAll about it.\n",
    "guide/install.md": "---\ndescription: How to install\n---\n\n# Install\n\n"
    "Run the installer.\n\n## Windows\n\nClick.\n",
    "guide/configure.md": "# Configure\n\nBack to [install](install.md).\n",
    "secret.md": "---\nhidden: true\n---\n\n# Secret\n\nThe xylophone is hidden.\n",
    ".gitbook/assets/lamp.png": make.picture(3, 2),
}  # fmt: skip
SCHEMA = {
    "type": "object",
    "properties": {
        "plan": {"type": "string", "description": "The plan", "enum": ["free", "pro"]},
        "staff": {"type": "boolean", "description": "Works here"},
        "unsigned": {
            "type": "object",
            "description": "Said by visitors",
            "properties": {"beta": {"type": "boolean", "description": "Takes part in the beta"}},
            "additionalProperties": False,
        },
    },
    "additionalProperties": False,
}


class Visitor:
    """Somebody at a site; it keeps cookies as browsers do, and follows nothing by itself."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.client = httpx.Client(timeout=TIMEOUT)

    def __enter__(self) -> Visitor:
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()

    def get(self, path: str = "", **options: Any) -> httpx.Response:
        """Return the answer at a path of the site."""
        return self.client.get(self.url + path, **options)

    def post(self, path: str, body: Any) -> httpx.Response:
        """The answer to what is posted."""
        return self.client.post(self.url + path, json=body)

    @property
    def cookies(self) -> str:
        """The cookies it keeps, as it would send them."""
        return "; ".join(f"{cookie.name}={cookie.value}" for cookie in self.client.cookies.jar)


class PublishedSite(ManagedSite):
    """A site that is online, its first space filled with pages."""

    def __init__(self, cast: Cast, *titles: str, files: make.Files | None = None, **fields: Any) -> None:
        changes = {name: fields.pop(name) for name in ("basename", "hostname", "proxy") if name in fields}
        super().__init__(cast, *(titles or ("Handbook",)), **fields)
        make.imported(cast, self.spaces[0], PAGES if files is None else files)
        self.post("/publish", status=200)
        if changes:
            self.placed(**changes)

    @property
    def url(self) -> str:
        """The site's address."""
        return str(self.get()["urls"]["published"])

    @property
    def base(self) -> str:
        """The path that its addresses begin with."""
        return urlsplit(self.url).path.rstrip("/")

    def browser(self) -> Visitor:
        """Somebody without a token at this site."""
        return Visitor(self.url)

    def open(self, path: str = "", **headers: str) -> httpx.Response:
        """Return what somebody gets who comes for the first time."""
        return self.ask("GET", path, headers=headers)

    def ask(self, method: str, path: str = "", **options: Any) -> httpx.Response:
        """Return the same with any method."""
        with httpx.Client(timeout=TIMEOUT) as client:
            return client.request(method, self.url + path, **options)

    def page(self, space: int = 0, **page: Any) -> str:
        """A new page; its id."""
        return new_page(self.cast.ada, self.spaces[space], **page)

    def share(self, name: str = "Partners") -> tuple[str, str]:
        """A share link: its id and its key."""
        made = self.post("/share-links", {"name": name})
        return made["id"], made["urls"]["published"].partition("shareKey=")[2]

    def adapts(self) -> None:
        """Let the site adapt to what it knows of visitors."""
        answered(self.cast.ada.put(f"{self.path}/adaptive-schema", {"jsonSchema": SCHEMA}))
        self.patch("", {"adaptiveContent": {"enabled": True}})

    @property
    def key(self) -> str:
        """The key that visitors' tokens are signed with."""
        return str(self.get("/publishing/auth")["privateKey"])

    def sign_in_at(self, fallback: str) -> None:
        """Say where visitors sign in."""
        self.patch("/publishing/auth", {"backend": "custom", "fallbackURL": fallback})


def token(key: str, /, head: Any = None, seconds: float | None = 600, **claims: Any) -> str:
    """A JWT, written by hand, so that it can be wrong in every way."""
    head = {"alg": "HS256", "typ": "JWT"} if head is None else head
    times = {} if seconds is None else {"exp": int(time.time() + seconds)}
    signed = f"{_part(head)}.{_part({**times, **claims})}"
    if head.get("alg") == "none":
        return f"{signed}."
    digest = {"HS512": hashlib.sha512}.get(head.get("alg"), hashlib.sha256)
    return f"{signed}.{_encoded(hmac.new(key.encode(), signed.encode(), digest).digest())}"


def _part(value: Any) -> str:
    return _encoded(json.dumps(value).encode())


def _encoded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")
