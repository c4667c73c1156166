"""A space and a repository that belong together, and how the tests sync them."""

from __future__ import annotations

import time
from base64 import b64encode
from collections.abc import Mapping
from typing import Any

from tests import make
from tests.cast import Cast, Person
from tests.git_server import Host, Origin
from tests.make import Files
from tests.timing import TIMEOUT


def basic(user: str, token: str) -> str:
    """Return the value of `Authorization` that is sent for a login."""
    return "Basic " + b64encode(f"{user}:{token}".encode()).decode()


def in_bytes(files: Files) -> dict[str, bytes]:
    return {path: make.in_bytes(content) for path, content in files.items()}


class SyncedSpace:
    """A space and a repository that belong together."""

    def __init__(self, cast: Cast, host: Host, files: Files | None = None, **fields: Any) -> None:
        self.cast = cast
        self.id: str = make.space(cast.ada, cast.organization, **fields)["id"]
        self.path = f"/v1/spaces/{self.id}"
        self.origin: Origin = host.create(f"acme/{self.id}.git", in_bytes(files) if files else None)
        self.body = {"url": self.origin.url, "ref": "main"}

    def start(self, direction: str, person: Person | None = None, **more: Any) -> int:
        body = {**self.body, **({"commitMessage": "From Docyard"} if direction == "export" else {}), **more}
        return (person or self.cast.ada).post(f"{self.path}/git/{direction}", body).status_code

    def sync(self, direction: str, **more: Any) -> dict[str, Any]:
        """Sync, and how it went."""
        assert self.start(direction, **more) == 204
        return self.ended()

    def ended(self) -> dict[str, Any]:
        until = time.monotonic() + TIMEOUT
        while time.monotonic() < until:
            info: dict[str, Any] = self.cast.ada.get(f"{self.path}/git/info").json()
            if info["operation"]["state"] != "running":
                return info
            time.sleep(0.03)
        raise AssertionError("the sync does not end")

    def ok(self, direction: str, **more: Any) -> str:
        """Sync, which must succeed; what is told of it."""
        operation = self.sync(direction, **more)["operation"]
        assert (operation["state"], operation["direction"]) == ("success", direction), operation
        return str(operation["message"])

    def failed(self, direction: str, **more: Any) -> str:
        """Sync, which must fail; the reason."""
        operation = self.sync(direction, **more)["operation"]
        assert operation["state"] == "failure", operation
        return str(operation["message"])

    def get(self, path: str = "", **query: Any) -> Any:
        answer = self.cast.ada.get(f"{self.path}{path}", params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    @property
    def revision(self) -> dict[str, Any]:
        found: dict[str, Any] = self.get("/content")
        return found

    def page(self, path: str, **query: Any) -> dict[str, Any]:
        found: dict[str, Any] = self.get(f"/content/path/{path}", format="markdown", **query)
        return found

    @property
    def links(self) -> dict[str, Any]:
        """How many links the space has, and how many are broken."""
        found: dict[str, Any] = self.get("/links")["stats"]
        return found

    def links_as_imported(self) -> dict[str, Any]:
        """Return how many links a fresh import of the repository has."""
        space = make.filled_space(self.cast, self.origin.files())
        found: dict[str, Any] = self.cast.ada.get(f"/v1/spaces/{space}/links").json()["stats"]
        return found

    def paths(self) -> set[str]:
        """The paths of all pages."""
        found, waiting = set(), list(self.get("/content/pages")["pages"])
        while waiting:
            page = waiting.pop()
            found |= {page["path"]} if "path" in page else set()
            waiting += page.get("pages", [])
        return found

    def ids(self) -> dict[str, str]:
        """The ids of all pages by the files that they come from."""
        found, waiting = {}, list(self.get("/content/pages")["pages"])
        while waiting:
            page = waiting.pop()
            if "git" in page:
                found[page["git"]["path"]] = page["id"]
            waiting += page.get("pages", [])
        return found

    def change(self, *batch: Mapping[str, Any]) -> None:
        make.changes(self.cast.ada, self.id, *batch)

    def write(self, path: str, text: str) -> None:
        """Write what is below a page's heading here."""
        page = self.page(path)
        document = {"markdown": f"# {page['title']}\n\n{text}"}
        self.change({"operation": "update_page", "page": page["id"], "document": document})

    def text(self, path: str) -> str:
        """Return what is below a page's heading here."""
        found: str = self.page(path)["markdown"]
        return found.partition("\n\n")[2]

    def commit(self, changes: Mapping[str, str | bytes | None]) -> str:
        """Commit changed files there."""
        files: dict[str, bytes] = self.origin.files()
        for path, content in changes.items():
            files.pop(path, None)
            if content is not None:
                files[path] = make.in_bytes(content)
        return self.origin.commit(files)

    def requests(self, status: str = "open") -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.get("/change-requests", status=status)["items"]
        return found
