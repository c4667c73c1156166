"""Pages placed for a content source of an integration, which a job then fills (see `source_jobs`)."""

from __future__ import annotations

from typing import Any

import orjson

from app.access.context import Context
from app.access.fetch import fetch_named
from app.domain.integrations import content_sources
from app.domain.openapi import openapi_specs
from app.domain.openapi.openapi_specs import NONE
from app.domain.revisions import source_renewals
from app.domain.revisions.drafts import Draft
from app.domain.revisions.records import PageRecord, storable
from app.kit.errors import Invalid, NotFound
from app.models.content_changes import Computed, SourceReference
from app.models.spaces import Space

LARGEST_PROPS = 64_000
UNREAD = "The pages of this source are being made.\n"


async def placed(draft: Draft, asked: Computed, path: str) -> tuple[dict[str, Any], str]:
    """Return what makes a page the one that a source's pages are below, and what to call it.

    Raises Invalid, naming the field, where the source is not there or something cannot be depended on.
    """
    cx, space = draft.cx, draft.line.space
    for name in ("spec", "models"):
        if name in asked.model_fields_set:
            raise Invalid("Only pages of `builtin:openapi` have this.", path=f"{path}.{name}")
    try:
        to = await content_sources.source_of(cx, space.id, asked.type)
    except NotFound as none:
        raise Invalid(none.message, path=f"{path}.type") from None
    name, source = content_sources.names_of(asked.type)
    sources = to.integration.manifest["contentSources"]
    title = next(each["title"] for each in sources if each["id"] == source)
    props = storable(asked.props) if "props" in asked.model_fields_set else {}
    if len(orjson.dumps(props)) > LARGEST_PROPS:
        raise Invalid(f"Properties may have at most {LARGEST_PROPS:,} bytes.", path=f"{path}.props")
    dependencies = asked.dependencies if "dependencies" in asked.model_fields_set else {}
    refs = {
        each: {"ref": await _reference(cx, space, said.ref, f"{path}.dependencies.{each}.ref")}
        for each, said in dependencies.items()
    }
    computed = {"type": asked.type, "props": props, "dependencies": refs}
    return {
        "computed": computed,
        "computed_seed": source_renewals.seed_of(space.organization_id, name),
    }, title


async def _reference(cx: Context, space: Space, ref: SourceReference, path: str) -> dict[str, str]:
    """Return a reference to a space or a specification that the caller sees, of the same organization."""
    field = "space" if ref.kind == "space" else "spec"
    if field not in ref.model_fields_set:
        raise Invalid("A reference of this kind needs this field.", path=f"{path}.{field}")
    if ref.kind == "openapi":
        try:
            spec = await openapi_specs.find(cx, space.organization_id, ref.spec)
        except NotFound:
            raise Invalid(NONE, path=f"{path}.spec") from None
        return {"kind": "openapi", "spec": spec.id}
    found = await fetch_named(cx, Space, ref.space, path=f"{path}.space", can="view")
    if found.organization_id != space.organization_id or found.id == space.id:
        raise Invalid("This must be another space of the organization.", path=f"{path}.space")
    return {"kind": "space", "space": found.id}


async def place(draft: Draft, page: PageRecord) -> None:
    """Have a new page filled by a job."""
    draft.write(page.page_id, UNREAD)
    await _ask(draft, page, again=False)


async def ask_again(draft: Draft, page: PageRecord) -> None:
    """Have a page computed again, whether what it depends on has changed or not."""
    await _ask(draft, page, again=True)


async def _ask(draft: Draft, page: PageRecord, *, again: bool) -> None:
    line, type_ = draft.line, (page.computed or {})["type"]
    await source_renewals.ask(draft.cx, line.id, line.space.organization_id, page.page_id, type_, again=again)
