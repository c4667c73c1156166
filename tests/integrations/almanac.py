"""An integration with a content source, installed on a space: its pages, and what is done with them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from sqlalchemy import select

from app.access.context import Context
from app.domain.integrations.outbox import COMPUTE
from app.kit.database.statements import given, rows, table
from app.kit.ids import new_id
from app.models.jobs import Job
from tests import make
from tests.cast import Cast
from tests.factories.integrations import PublishedIntegration
from tests.integrations.command_line import published
from tests.timing import until

SOURCE = {"id": "almanac", "title": "Almanac", "configuration": {"componentId": "almanac"}}
YEARS = {"id": "years", "title": "Years", "configuration": {"componentId": "years"}}
SOURCES = [SOURCE, YEARS]
JOBS = table(Job)
_WAITING = rows(
    lambda: select(JOBS.c.id).where(
        JOBS.c.kind == COMPUTE, JOBS.c.organization_id == given("organization"), JOBS.c.state != "failed"
    )
)
LAMPS = [["Almanac", [["Lamps", ["The north lamp", "The south lamp"]], "All lamps"]]]


class Almanac:
    """The integration as it is installed on a space."""

    def __init__(self, cast: Cast, folder: Path) -> None:
        self.cast, self.folder = cast, folder
        self.made: PublishedIntegration = self.publish(name=f"lamp-{new_id().lower()}")
        self.installation = self.made.install()
        self.space, self.other = (make.space(cast.ada, cast.organization)["id"] for _ in range(2))
        self.made.on_space(self.installation, self.space)

    def publish(self, **manifest: Any) -> PublishedIntegration:
        """Publish it, the first time or in a new version."""
        said = {"contentSources": SOURCES, "scopes": ["space:content:read"], **manifest}
        said.setdefault("name", getattr(self, "made", None) and self.made.name)
        return published(self.cast, self.folder, "almanac.tsx", **said)

    @property
    def type(self) -> str:
        return f"integration:{self.made.name}:almanac"

    def change(self, **computed: Any) -> dict[str, Any]:
        said = {"type": self.type, "props": {"place": "the harbour"}, **computed}
        return {"operation": "insert_page", "type": "computed", "computed": said}

    def placed(self, request: str | None = None, **computed: Any) -> str:
        """A page of the source; its id."""
        done = make.changes(self.cast.ed, self.space, self.change(**computed), request=request)
        self.cast.instance.look_for_jobs()
        return str(done["changes"][0]["page"]["id"])

    def place(self, request: str | None = None) -> str:
        return f"/v1/spaces/{self.space}" + (f"/change-requests/{request}" if request else "")

    def page(self, page: str, request: str | None = None) -> dict[str, Any]:
        answer = self.cast.ed.get(f"{self.place(request)}/content/page/{page}")
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def computed(self, page: str, request: str | None = None) -> dict[str, Any]:
        """The page, once it was computed."""

        def look() -> dict[str, Any]:
            found = self.page(page, request)
            return found if "version" in found["computed"] else {}

        return until(look, "the source is not asked")

    def refresh(self, page: str, request: str | None = None) -> None:
        make.changes(self.cast.ed, self.space, {"operation": "refresh_page", "page": page}, request=request)
        self.cast.instance.look_for_jobs()

    def configure(self, **configuration: Any) -> None:
        self.made.patch(f"/installations/{self.installation}", {"configuration": configuration})

    def settled(self) -> None:
        """Wait until nothing is to be computed any more."""

        async def waiting(cx: Context) -> bool:
            return bool(await cx.db.all(_WAITING, organization=self.cast.organization))

        self.cast.instance.look_for_jobs()
        until(lambda: not self.cast.instance.inside(waiting), "the sources are asked for ever")

    def asked(self) -> int:
        """Return how often the source was asked for a page's text."""
        return sum(event["payload"]["type"] == "content_compute_document" for event in self.made.events())

    def failed(self, page: str) -> str:
        """Why computing a page has failed, once it has."""
        return until(lambda: str(self.page(page)["computed"].get("error", "")), "nobody tells of the error")

    def shown(self, page: str, wanted: Callable[[dict[str, Any]], object], request: str | None = None) -> Any:
        """The page, once it is as wanted."""

        seen: dict[str, Any] = {}

        def look() -> dict[str, Any]:
            seen.update(found=self.page(page, request))
            return seen if wanted(seen["found"]) else {}

        try:
            return until(look, "")["found"]
        except AssertionError:
            raise AssertionError(f"the page does not become what it should: {seen['found']}") from None

    def tells(self, page: str, reason: str) -> None:
        """Wait until computing a page has failed for a reason."""
        self.shown(page, lambda found: reason in found["computed"].get("error", ""))
