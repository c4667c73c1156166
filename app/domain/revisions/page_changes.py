"""Changes of pages in a batch: inserted, changed, moved, deleted, brought back to what they were."""

from __future__ import annotations

from typing import Any

from app.domain.content.bodies import page_text_of
from app.domain.content.outside_pictures import refuse_outside_pictures
from app.domain.content.page_texts import section_of
from app.domain.revisions import computed_pages, openapi_pages, source_pages
from app.domain.revisions.batch import Batch, PageOutcome, needs, title_of
from app.domain.revisions.drafts import Draft
from app.domain.revisions.new_places import rank_behind
from app.domain.revisions.records import PageRecord
from app.domain.revisions.rollback import reverted
from app.formats.expressions import conditions
from app.formats.markdown.page_sections import source_sections, with_section
from app.formats.repository.metadata import metadata_from
from app.formats.repository.names import clean_title
from app.formats.repository.names import slug as slug_of
from app.formats.repository.source_text import HEAD, title_in
from app.kit import workers
from app.kit.errors import Conflict, Invalid
from app.kit.ids import new_id
from app.models.checks import checked
from app.models.content_changes import ContentChange
from app.models.documents import Body
from app.models.page_layouts import CoverPicture, CoverSent

_TEXTS = ("title", "link_title", "emoji", "icon", "description", "condition")
_NEEDED = {"document": ["document"], "group": ["title"], "link": ["title", "href"]}
_FLAGS = ("hidden", "no_index", "no_robots_index")


async def insert(batch: Batch, change: ContentChange, path: str, index: int) -> None:
    """Insert a page: a document, a group, a link, or one below which pages are computed."""
    if change.type == "computed":
        await _insert_computed(batch, change, path)
        return
    draft, page_id = batch.draft, new_id()
    needs(change, path, *_NEEDED[change.type])
    text = await page_text_of(change.document, f"{path}.document") if change.type == "document" else ""
    said = await _said(batch, change, path)
    title = said.get("title") or title_in("", text[:HEAD]) or "Untitled"
    parent_id = await _parent(batch, change, path, change.type)
    draft.pages[page_id] = PageRecord(
        **{
            **said,
            "page_id": page_id,
            "kind": change.type,
            "title": title,
            "href": change.href,
            **await _place(draft, change, path, parent_id, page_id, slug_of(title)),
        }
    )
    if change.type == "document":
        draft.write(page_id, text)
    batch.remember(change.ref, page_id, path)
    batch.done.append(PageOutcome("created_page", page_id, change.ref))


async def _insert_computed(batch: Batch, change: ContentChange, path: str) -> None:
    """Insert a page, and below it the pages computed from a source; they follow what it says later."""
    needs(change, path, "computed")
    draft, page_id, asked = batch.draft, new_id(), change.computed
    organization, here = draft.line.space.organization_id, f"{path}.computed"
    said = await _said(batch, change, path)
    spec = None
    if asked.type == openapi_pages.TYPE:
        if "spec" not in asked.model_fields_set:
            raise Invalid("A page of this type needs a specification.", path=f"{here}.spec")
        spec = await openapi_pages.named(batch.cx, organization, asked.spec, f"{here}.spec")
        models = asked.models if "models" in asked.model_fields_set else True
        source, otherwise = openapi_pages.placed(spec, models=models), spec.slug.replace("-", " ")
    else:
        source, otherwise = await source_pages.placed(draft, asked, here)
    title = said.get("title") or otherwise.capitalize()
    parent_id = await _parent(batch, change, path, "document")
    page = draft.pages[page_id] = PageRecord(
        **{
            **said,
            **source,
            "page_id": page_id,
            "kind": "document",
            "title": title,
            **await _place(draft, change, path, parent_id, page_id, slug_of(title)),
        }
    )
    if spec is not None:
        await openapi_pages.place(draft, page, spec)
    else:
        await source_pages.place(draft, page)
    batch.remember(change.ref, page_id, path)
    batch.done.append(PageOutcome("created_page", page_id, change.ref))


async def refresh(batch: Batch, change: ContentChange, path: str, index: int) -> None:
    """Have a page that a content source computes, and all below it, computed again."""
    needs(change, path, "page")
    page = await batch.page(change.page, f"{path}.page")
    if not (computed_pages.is_placed(page) and computed_pages.is_of_integration(page)):
        raise Invalid("This is no page of a content source.", path=f"{path}.page")
    await source_pages.ask_again(batch.draft, page)
    batch.done.append(PageOutcome("updated_page", page.page_id))


async def update(batch: Batch, change: ContentChange, path: str, index: int) -> None:
    """Change the fields, the body and the place of a page, as far as they were sent.

    Raises Invalid, naming the field below `path`, for what a page of its kind does not have.
    """
    needs(change, path, "page")
    draft, sent = batch.draft, change.model_fields_set
    page = await batch.page(change.page, f"{path}.page")
    computed_pages.check_change(page, path, body="document" in sent)
    page_id, said = page.page_id, await _said(batch, change, path)
    if "section" in sent:
        needs(change, path, "document")
    if "href" in sent and page.kind == "link":
        said["href"] = change.href
    if "document" in sent:
        if page.kind != "document":
            raise Invalid("Only documents have a body.", path=f"{path}.document")
        text = await _new_text(draft, page, change, path)
        if "title" not in sent and await _is_headed(draft, page, heading := title_in("", text[:HEAD])):
            said["title"] = heading
        draft.write(page_id, text)
    if said or "document" in sent:
        page.set(**said, git_oid=None)
    await _move(batch, change, path, page)
    batch.done.append(PageOutcome("updated_page", page_id))


async def _new_text(draft: Draft, page: PageRecord, change: ContentChange, path: str) -> str:
    """Return the text that a change gives a page, or one section of it."""
    in_section = "section" in change.model_fields_set
    before = await draft.text_of(page) if in_section or change.document.document is not None else ""
    if not in_section:
        return await page_text_of(change.document, f"{path}.document", before)
    sections = await workers.run(len(before), source_sections, before)
    section = section_of(sections, change.section, f"{path}.section")
    text = await page_text_of(change.document, f"{path}.document")
    return await page_text_of(Body(markdown=with_section(before, section, text)), f"{path}.document")


async def _is_headed(draft: Draft, page: PageRecord, heading: str) -> bool:
    """Tell whether a page's title is its first heading, so that it follows when that is another one."""
    if not heading or heading == page.title or title_in(page.front_matter, ""):
        return False
    return title_in("", (await draft.text_of(page))[:HEAD]) == page.title


async def _move(batch: Batch, change: ContentChange, path: str, page: PageRecord) -> None:
    draft, sent, page_id = batch.draft, change.model_fields_set, page.page_id
    parent_id = page.parent_id
    if "into" in sent:
        parent_id = await _parent(batch, change, path, page.kind)
        if page_id in await draft.ancestors(parent_id):
            raise Invalid("A page cannot be moved into itself or below itself.", path=f"{path}.into")
    goes = parent_id != page.parent_id
    if goes or "at" in sent:
        page.rank = await draft.rank_at(parent_id, change.at, page_id)
    if goes or "slug" in sent:
        page.slug = await _slug(draft, change, path, parent_id, page_id, page.slug)
    page.parent_id = parent_id


async def delete(batch: Batch, change: ContentChange, path: str, index: int) -> None:
    """Delete a page with all pages below it."""
    needs(change, path, "page")
    page = await batch.page(change.page, f"{path}.page")
    computed_pages.check_change(page, path)
    await batch.draft.delete(page.page_id)
    batch.done.append(PageOutcome("deleted_page", page.page_id))


async def revert(batch: Batch, change: ContentChange, path: str, index: int) -> None:
    """Restore a page, or some blocks of it, as they were at a revision."""
    needs(change, path, "page")
    page_id = batch.id_of(change.page)
    there = await batch.draft.page(page_id)
    if there is not None:
        computed_pages.check_change(there, path, body=True)
    was_there = there is not None
    await reverted(batch.draft, page_id, change.revision, change.block, path)
    batch.done.append(PageOutcome("updated_page" if was_there else "created_page", page_id))


async def _said(batch: Batch, change: ContentChange, path: str) -> dict[str, Any]:
    """Return what a change says about a page, as columns."""
    said: dict[str, Any] = {
        name: getattr(change, name) for name in (*_TEXTS, *_FLAGS) if name in change.model_fields_set
    }
    if "title" in said:
        said["title"] = title_of(said["title"], f"{path}.title")
    if said.get("link_title"):
        said["link_title"] = clean_title(said["link_title"])
    said = {name: bool(value) if name in _FLAGS else value or None for name, value in said.items()}
    sent = change.model_fields_set
    if said.get("condition"):
        conditions.check(said["condition"], None, path=f"{path}.condition")
    if "layout" in sent:
        said["layout"] = _layout(change.layout, f"{path}.layout")
    if "cover" in sent:
        said["cover"] = await _cover(batch, change.cover, f"{path}.cover")
    if "variables" in sent:
        said["variables"] = change.variables or None
    return said


def _layout(layout: Any, path: str) -> dict[str, Any] | None:
    metadata, problems = metadata_from({"layout": layout})
    if problems:
        raise Invalid(problems[0], path=path)
    return metadata.layout


async def _cover(batch: Batch, cover: dict[str, Any] | None, path: str) -> dict[str, Any] | None:
    if cover is None:
        return None
    sent = checked(CoverSent, cover, strict=True, under=path)
    pictures = {
        name: await _picture(batch, picture, f"{path}.{name}")
        for name, picture in (("ref", sent.ref), ("refDark", sent.ref_dark))
        if picture is not None
    }
    return {**pictures, "yPos": sent.y_pos, **({"height": sent.height} if sent.height else {})}


async def _picture(batch: Batch, picture: CoverPicture, path: str) -> dict[str, str]:
    """Return what a picture of a cover refers to; raises Invalid for a file that is not there."""
    named = picture.file if picture.kind == "file" else picture.url
    if named is None:
        raise Invalid("An image needs this field.", path=f"{path}.{picture.kind}")
    if picture.kind == "url":
        await refuse_outside_pictures(batch.cx, f"![]({named})", f"{path}.url")
        return {"kind": "url", "url": named}
    return {"kind": "file", "file": await batch.file(named, f"{path}.file")}


async def _parent(batch: Batch, change: ContentChange, path: str, kind: str) -> str | None:
    """Return the page that a change puts a page into; None is the root."""
    if change.into is None:
        return None
    parent = await batch.page(change.into, f"{path}.into")
    if parent.kind not in ("document", "group"):
        raise Invalid("Only documents and groups can contain pages.", path=f"{path}.into")
    computed_pages.check_parent(parent, f"{path}.into")
    if kind == "group":
        raise Invalid("A group can only be at the root.", path=f"{path}.into")
    return parent.page_id


async def _place(
    draft: Draft, change: ContentChange, path: str, parent_id: str | None, page_id: str, otherwise: str
) -> dict[str, Any]:
    """Return the columns of a new page that say where it is."""
    wanted = change.slug if "slug" in change.model_fields_set else otherwise
    is_last = change.at is None and slug_of(wanted) == wanted
    rank = await rank_behind(draft, parent_id, wanted) if is_last else None
    slug = wanted
    if rank is None:
        slug = await _slug(draft, change, path, parent_id, page_id, otherwise)
        rank = await draft.rank_at(parent_id, change.at, page_id)
    return {"slug": slug, "parent_id": parent_id, "rank": rank}


async def _slug(
    draft: Draft, change: ContentChange, path: str, parent_id: str | None, page_id: str, otherwise: str
) -> str:
    """Return the slug that a change asks for, or another made unique among the siblings."""
    free = await draft.free_slug(parent_id, otherwise, page_id)
    if "slug" not in change.model_fields_set:
        return free
    wanted = change.slug
    if slug_of(wanted) != wanted:
        raise Invalid(f"This is not a valid slug; a valid one is “{slug_of(wanted)}”.", path=f"{path}.slug")
    if await draft.free_slug(parent_id, wanted, page_id) != wanted:
        raise Conflict("Another page in the same place has this slug.", path=f"{path}.slug")
    return wanted
