"""Pictures of other servers in what an agent imports: no agent adds any (see content.outside_pictures)."""

from __future__ import annotations

from app.domain.content.outside_pictures import outside_pictures, refusal
from app.domain.revisions.documents import taken_apart
from app.formats.repository.import_plan import Plan
from app.kit import workers


async def refuse_outside_pictures_in(plan: Plan) -> None:
    """Raise Invalid, naming the file, where a text of a plan or the cover of a page is on another server."""
    found = await workers.run_long(_first, plan)
    if found is not None:
        file, address = found
        raise refusal(address, file)


def _first(plan: Plan) -> tuple[str, str] | None:
    """Return a file that shows a picture of another server, and where that is."""
    documents = [page.source for page in plan.pages if page.source is not None]
    for file in [*documents, *(each.source for each in plan.reusable)]:
        text = taken_apart(file, plan.tree.read(file))
        covers = (cover for cover in (text.metadata.cover, text.metadata.cover_dark) if cover)
        for part in (text.body, *(f"![](<{cover}>)" for cover in covers)):
            if found := outside_pictures(part):
                return file, min(found)
    return None
