"""The pages that a specification becomes: what it is about, an operation each, its schemas.

Bodies are Markdown of our dialect. An operation is an `{% openapi-operation %}` block, which a reader shows
with everything; the text inside is for who reads without one: search, printing, programs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from app.formats.openapi import documents
from app.formats.openapi.documents import Broken
from app.formats.openapi.validation import METHODS
from app.formats.repository.names import slug as slug_of

MOST_PAGES = 10_000  # operations and schemas that have pages of their own
MOST_MODELS = 2_000  # schemas that have pages of their own
MOST_TEXT = 200_000  # characters of one description
MOST_TITLE = 200
MOST_INLINE = 300
MOST_LINES = 500  # of a list in a page
OTHERS = "Other operations"
SPEC = "\0spec\0"  # stands for the slug of the specification until the pages are a space's
_SAFE = re.compile(r"[\w.-]{1,200}")
"""Names of schemas that can stand in a list of names."""
_TAG = re.compile(r"\{(?=[%{#])")
_SPACES = re.compile(r"\s+")


@dataclass(slots=True)
class SpecificationPage:
    """A page. `key` says which it is, from one version to the next; `parent` the key of the one above.

    `props` are those of `computed`. The page without a key is the one that all others are under.
    """

    key: str
    parent: str | None
    title: str
    slug: str
    body: str
    description: str = ""
    props: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True, frozen=True)
class OperationPage:
    """An operation as it stands in the document; `kind` is `operation` or `webhook`."""

    kind: str
    path: str
    method: str
    value: dict[str, Any]
    shared: list[Any]

    @property
    def key(self) -> str:
        """Return what identifies it."""
        return f"{self.kind} {self.method} {self.path}"


def check_number(document: dict[str, Any]) -> None:
    """Raise Broken where a bundle has more operations than have pages."""
    if sum(1 for _ in islice(operations(document), MOST_PAGES + 1)) > MOST_PAGES:
        raise Broken(f"The specification has more than {MOST_PAGES:,} operations.")


def pages_of(document: dict[str, Any]) -> list[SpecificationPage]:
    """Return the pages of a checked bundle, parents before their children."""
    found = list(operations(document))
    tags = _tags(document)
    groups = _groups(tags, found)
    pages = [_info(document, len(found))]
    for name, held in groups.items():
        tag = tags.get(name, {})
        key = f"tag {name}"
        title = _line(tag.get("summary") or tag.get("x-displayName") or name)
        pages.append(
            SpecificationPage(key, "", title, slug_of(name) or "operations",
                 markdown_of(tag.get("description")),
                 props={"doc": "tag", "page": name})
        )  # fmt: skip
        pages += [_operation(document, each, key, name) for each in held]
    pages += _models(document, MOST_PAGES - len(found))
    return _with_free_slugs(pages)


def operations(document: dict[str, Any]) -> Iterator[OperationPage]:
    """Yield every operation of a bundle, webhooks last."""
    for kind, name in (("operation", "paths"), ("webhook", "webhooks")):
        for path, item in _dict(document.get(name)).items():
            if path.startswith("x-"):
                continue
            try:
                item = _dict(documents.follow(document, item))
            except Broken:
                continue
            shared = item.get("parameters") if isinstance(item.get("parameters"), list) else []
            more = {str(m).lower(): each for m, each in _dict(item.get("additionalOperations")).items()}
            for method, value in {**{m: item.get(m) for m in METHODS}, **more}.items():
                if isinstance(value, dict):
                    yield OperationPage(kind, str(path), method, value, shared or [])


def schemas(document: dict[str, Any]) -> dict[str, Any]:
    """Return the named schemas of a bundle."""
    return _dict(document.get("definitions") or _dict(document.get("components")).get("schemas"))


def _tags(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    found = document.get("tags")
    listed = found if isinstance(found, list) else []
    return {str(tag["name"]): tag for tag in listed if isinstance(tag, dict) and "name" in tag}


def _groups(tags: Iterable[str], found: list[OperationPage]) -> dict[str, list[OperationPage]]:
    """Group operations by their first tag, in the order that the document gives its tags."""
    groups: dict[str, list[OperationPage]] = {name: [] for name in tags}
    for operation in found:
        given = operation.value.get("tags")
        first = str(given[0]) if isinstance(given, list) and given else OTHERS
        groups.setdefault(first, []).append(operation)
    return {name: held for name, held in groups.items() if held}


def _info(document: dict[str, Any], count: int) -> SpecificationPage:
    info = _dict(document.get("info"))
    title = _line(info.get("title")) or "API reference"
    parts = [markdown_of(info.get("description"))]
    facts = [
        f"* Version: {_inline(info.get('version'))}" if info.get("version") else "",
        *(f"* Server: `{_code(url)}`" for url in _servers(document)),
        f"* Operations: {count:,}",
    ]
    parts.append("\n".join(fact for fact in facts if fact))
    body = "\n\n".join(part for part in parts if part)
    return SpecificationPage("", None, title, slug_of(title) or "api", body, _line(info.get("summary")),
                {"doc": "info", "page": "info"})  # fmt: skip


def _servers(document: dict[str, Any]) -> list[str]:
    if "swagger" in document:
        host = document.get("host")
        schemes = document.get("schemes") or ["https"]
        return [f"{schemes[0]}://{host}{document.get('basePath', '')}"] if host else []
    servers = document.get("servers")
    return [str(s["url"]) for s in servers[:10] if isinstance(s, dict) and "url" in s] if servers else []


def _operation(
    document: dict[str, Any], operation: OperationPage, parent: str, tag: str
) -> SpecificationPage:
    value, method = operation.value, operation.method
    title = (
        _line(value.get("summary")) or _line(value.get("operationId")) or f"{method.upper()} {operation.path}"
    )
    block = "openapi-webhook" if operation.kind == "webhook" else "openapi-operation"
    name = "name" if operation.kind == "webhook" else "path"
    opening = (
        f'{{% {block} spec="{SPEC}" {name}="{_argument(operation.path)}" method="{_argument(method)}" %}}'
    )
    inside = [f"`{method.upper()} {_code(operation.path)}`", *_parts(document, operation)]
    text = markdown_of(value.get("description"))
    note = (
        '{% hint style="warning" %}\nThis operation is deprecated.\n{% endhint %}'
        if value.get("deprecated")
        else ""
    )
    body = "\n\n".join(part for part in (note, text, opening, *inside, f"{{% end{block} %}}") if part)
    props: dict[str, Any] = {
        "doc": "operation",
        "page": tag,
        "path": operation.path,
        "method": _known(operation),
    }
    if value.get("deprecated"):
        props["deprecated"] = True
    wanted = slug_of(str(value.get("operationId") or value.get("summary") or f"{method}-{operation.path}"))
    return SpecificationPage(operation.key, parent, title, wanted or method, body, props=props)


def _known(operation: OperationPage) -> str:
    return "hook" if operation.kind == "webhook" else operation.method


def _parts(document: dict[str, Any], operation: OperationPage) -> list[str]:
    """Return the parameters and responses as lists of text."""
    given = [*operation.shared, *(operation.value.get("parameters") or [])]
    lines = [line for each in given[:MOST_LINES] if (line := _parameter(document, each))]
    parts = ["**Parameters**", "\n".join(lines)] if lines else []
    answers = []
    for status, response in islice(_dict(operation.value.get("responses")).items(), MOST_LINES):
        if not str(status).startswith("x-"):
            said = _dict(_followed(document, response)).get("description")
            answers.append(f"* `{_code(status)}` {_inline(said)}".rstrip())
    return [*parts, "**Responses**", "\n".join(answers)] if answers else parts


def _parameter(document: dict[str, Any], given: Any) -> str:
    parameter = _dict(_followed(document, given))
    if "name" not in parameter:
        return ""
    where = str(parameter.get("in", ""))
    needed = ", required" if parameter.get("required") else ""
    said = _inline(parameter.get("description"))
    return f"* `{_code(parameter['name'])}` ({_inline(where)}{needed}){': ' + said if said else ''}"


def _models(document: dict[str, Any], most: int) -> list[SpecificationPage]:
    """Return a page for all named schemas, and one for each below it, where they are not too many."""
    names = [str(name) for name in schemas(document) if not str(name).startswith("x-")]
    if not names:
        return []
    said = {name: _described(document, name) for name in names}
    below = [name for name in names if _SAFE.fullmatch(name)] if len(names) <= min(most, MOST_MODELS) else []
    listed = "\n".join(
        f"* `{_code(name)}`{' ' + said[name] if said[name] else ''}" for name in names[:MOST_LINES]
    )
    opening = f'{{% openapi-schemas spec="{SPEC}" grouped="true" %}}'  # without `schemas`: all of them
    body = "" if len(below) == len(names) else f"{opening}\n\n{listed}\n\n{{% endopenapi-schemas %}}"
    pages = [SpecificationPage("models", "", "Models", "models", body, props={"doc": "models"})]
    for name in below:
        block = f'{{% openapi-schemas spec="{SPEC}" schemas="{name}" %}}\n\n`{name}` {said[name]}'
        pages.append(
            SpecificationPage(
                f"model {name}",
                "models",
                name,
                slug_of(name) or "model",
                f"{block.rstrip()}\n\n{{% endopenapi-schemas %}}",
                props={"doc": "model", "page": name},
            )
        )
    return pages


def _described(document: dict[str, Any], name: str) -> str:
    return _inline(_dict(_followed(document, schemas(document)[name])).get("description"))


def _with_free_slugs(pages: list[SpecificationPage]) -> list[SpecificationPage]:
    taken: dict[str | None, set[str]] = {}
    for page in pages:
        others = taken.setdefault(page.parent, set())
        wanted, number = page.slug[:80], 1
        page.slug = wanted
        while page.slug in others:
            page.slug = f"{wanted}-{number}"
            number += 1
        others.add(page.slug)
        page.title = page.title[:MOST_TITLE] or page.slug
    return pages


def _followed(document: dict[str, Any], value: Any) -> Any:
    try:
        return documents.follow(document, value)
    except Broken:
        return {}


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def markdown_of(value: Any) -> str:
    """Return a description, which is Markdown, as such; tags of our dialect in it are plain text."""
    text = str(value or "")[:MOST_TEXT].replace("\0", "").replace("\r\n", "\n").strip()
    return _TAG.sub(r"\\{", text)


def _line(value: Any) -> str:
    """Return a title: one line of plain text."""
    return _SPACES.sub(" ", str(value or "").replace("\0", "")).strip()[:MOST_TITLE]


def _inline(value: Any) -> str:
    """Return a description in one line."""
    text = _SPACES.sub(" ", markdown_of(value))
    return text if len(text) <= MOST_INLINE else f"{text[:MOST_INLINE]}…"


def _code(value: Any) -> str:
    """Return what may stand between backticks."""
    return _line(value).replace("`", "'")


def _argument(value: str) -> str:
    """Return what may stand between the quotes of a tag."""
    flat = _SPACES.sub(" ", value.replace("\0", "")).replace("%}", "")
    return flat.replace("\\", "\\\\").replace('"', '\\"')[:500]
