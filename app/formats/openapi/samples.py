"""Code that calls an operation: for a shell with curl, for Python and for JavaScript.

What a caller has to fill in stands in capitals; every value is quoted by the rules of its language.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from app.formats.openapi.views import ContentView, OperationView, ParameterView, SchemaView, SecurityView

FORM, PARTS = "application/x-www-form-urlencoded", "multipart/form-data"
BASE = "https://api.example.org"


@dataclass(slots=True, frozen=True)
class Sample:
    """Code in one language: `syntax` is what highlights it."""

    label: str
    syntax: str
    code: str


@dataclass(slots=True, frozen=True)
class _Request:
    """The request that a sample shows, in every language. `files` are the parts of a form that are files.

    `is_file`: the whole body is one.
    """

    method: str
    url: str
    headers: dict[str, str]
    kind: str
    body: Any
    files: frozenset[str]
    is_file: bool


class _FormPart(NamedTuple):
    """A field of a form that is sent in parts; `is_file`: a file instead of the text."""

    name: str
    text: str
    is_file: bool


def samples(view: OperationView, base: str = "") -> list[Sample]:
    """Return the code for an operation; `base` is the server's address if not the document's first."""
    request = _request(view, base)
    return [
        Sample("curl", "bash", _curl(request)),
        Sample("Python", "python", _python(request)),
        Sample("JavaScript", "javascript", _javascript(request)),
    ]


def _request(view: OperationView, base: str) -> _Request:
    server = (base or (view.servers[0].url if view.servers else "") or BASE).rstrip("/")
    if server.startswith("/"):
        server = BASE + server
    path, query, headers = view.path, {}, {}
    for parameter in view.parameters:
        value = _value(parameter)
        if parameter.place == "path":
            path = path.replace(f"{{{parameter.name}}}", quote(value, safe=""))
        elif parameter.place == "query" and parameter.required:
            query[parameter.name] = value
        elif parameter.place == "header" and parameter.required:
            headers[parameter.name] = value
        elif parameter.place == "cookie" and parameter.required:
            headers["Cookie"] = f"{parameter.name}={value}"
    for scheme in view.security[0] if view.security else []:
        _authorize(scheme, query, headers)
    content = view.body.contents[0] if view.body and view.body.contents else None
    body = content.examples[0].value if content and content.examples else None
    kind = content.media_type.partition(";")[0].strip().lower() if content else ""
    if content is not None and kind != PARTS:  # who sends parts says themselves what is between them
        headers["Content-Type"] = content.media_type
    url = f"{server}{path}" + (f"?{urlencode(query)}" if query else "")
    files, is_file = _files(content)
    return _Request(view.method.upper(), url, headers, kind, body, files, is_file)


def _files(content: ContentView | None) -> tuple[frozenset[str], bool]:
    """Return which fields of a body are files, and whether all of it is one."""
    if content is None:
        return frozenset(), False
    named = (each.name for each in content.schema.properties if _is_file(each.items or each))
    return frozenset(named), _is_file(content.schema)


def _is_file(schema: SchemaView) -> bool:
    return schema.format == "binary" or schema.type == "file"


def _value(parameter: ParameterView) -> str:
    """Return a value for a parameter: its example, or its name in capitals; of a list one item."""
    schema = parameter.schema
    items = schema.items.enum[:1] if schema.items else []
    for given in (parameter.example, schema.default, *schema.enum[:1], *items):
        known = given[0] if isinstance(given, list) and given else given
        if isinstance(known, bool):
            return str(known).lower()
        if isinstance(known, str | int | float):
            return str(known)
    return parameter.name.upper().replace("-", "_")


def _authorize(scheme: SecurityView, query: dict[str, str], headers: dict[str, str]) -> None:
    if scheme.type == "apiKey" and scheme.place == "query":
        query[scheme.parameter] = "YOUR_KEY"
    elif scheme.type == "apiKey" and scheme.place == "header":
        headers[scheme.parameter] = "YOUR_KEY"
    elif scheme.type == "apiKey":
        headers["Cookie"] = f"{scheme.parameter}=YOUR_KEY"
    elif scheme.scheme == "basic":
        headers["Authorization"] = "Basic YOUR_CREDENTIALS"
    elif scheme.type in ("http", "oauth2", "openIdConnect"):
        headers["Authorization"] = "Bearer YOUR_TOKEN"


def _curl(request: _Request) -> str:
    lines = [f"curl -X {request.method} {_shell(request.url)}"]
    lines += [f"  -H {_shell(f'{name}: {value}')}" for name, value in request.headers.items()]
    if request.kind == PARTS:
        lines += [f"  {_curl_part(part)}" for part in _parts(request)]
    elif request.is_file:
        lines.append("  --data-binary @FILE")
    elif request.body is not None:
        text = _sent(request)
        lines.append(f"  {'--data-raw' if text.startswith('@') else '-d'} {_shell(text)}")
    return " \\\n".join(lines)


def _curl_part(part: _FormPart) -> str:
    if part.is_file:
        return f"-F {_shell(f'{part.name}=@FILE')}"
    option = "--form-string" if part.text.startswith(("@", "<")) else "-F"  # which would name a file
    return f"{option} {_shell(f'{part.name}={part.text}')}"


def _python(request: _Request) -> str:
    known = request.method in ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
    call = f"requests.{request.method.lower()}(" if known else f"requests.request(\n    {request.method!r},"
    lines = ["import requests", "", f"response = {call}", f"    {_quoted(request.url)},"]
    if request.headers:
        lines += [
            "    headers={",
            *(f"        {_quoted(n)}: {_quoted(v)}," for n, v in request.headers.items()),
        ]
        lines.append("    },")
    if request.kind == PARTS:
        named = (f"{_quoted(part.name)}: {_python_part(part)}" for part in _parts(request))
        lines += ["    files={", *(f"        {each}," for each in named), "    },"]
    elif request.is_file:
        lines.append('    data=open("FILE", "rb"),')
    elif request.body is not None:
        if _is_json(request.kind):
            lines.append(f"    json={_indented(_literal(request.body))},")
        else:
            lines.append(f"    data={_indented(_literal(request.body))},")
    return "\n".join([*lines, ")", "response.raise_for_status()", "print(response.text)"])


def _python_part(part: _FormPart) -> str:
    return 'open("FILE", "rb")' if part.is_file else f"(None, {_quoted(part.text)})"


def _javascript(request: _Request) -> str:
    options = [f"  method: {_quoted(request.method)},"]
    if request.headers:
        options += ["  headers: {", *(f"    {_quoted(n)}: {_quoted(v)}," for n, v in request.headers.items())]
        options.append("  },")
    before = []
    if request.kind == PARTS:
        before = ["const form = new FormData();"]
        for part in _parts(request):
            value = "file" if part.is_file else _quoted(part.text)
            before.append(f"form.append({_quoted(part.name)}, {value});")
        options.append("  body: form,")
    elif request.is_file:
        options.append("  body: file,")
    elif request.body is not None and _is_json(request.kind):
        options.append(f"  body: JSON.stringify({_indented(_json(request.body), '  ')}),")
    elif request.body is not None:
        options.append(f"  body: {_quoted(_sent(request))},")
    call = [*before, f"const response = await fetch({_quoted(request.url)}, {{", *options, "});"]
    return "\n".join([*call, "console.log(response.status, await response.text());"])


def _is_json(kind: str) -> bool:
    return kind.endswith(("/json", "+json"))


def _parts(request: _Request) -> list[_FormPart]:
    fields = request.body if isinstance(request.body, dict) else {}
    return [_FormPart(str(name), _plain(value), name in request.files) for name, value in fields.items()]


def _sent(request: _Request) -> str:
    """Return the body as it goes over the wire."""
    if request.kind == FORM:
        return _form(request)
    return _json(request.body) if _is_json(request.kind) else _plain(request.body)


def _form(request: _Request) -> str:
    fields = request.body if isinstance(request.body, dict) else {}
    return urlencode({name: _plain(value) for name, value in fields.items()})


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _json(value: Any) -> str:
    return (
        json.dumps(value, ensure_ascii=False, indent=2) if not isinstance(value, str) else json.dumps(value)
    )


def _quoted(text: str) -> str:
    """Return a text as both Python and JavaScript write it."""
    return json.dumps(text, ensure_ascii=False)


def _shell(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _indented(text: str, by: str = "    ") -> str:
    return text.replace("\n", f"\n{by}")


def _literal(value: Any, depth: int = 0) -> str:
    """Return a value as Python writes it."""
    inner, outer = "    " * (depth + 1), "    " * depth
    if isinstance(value, dict) and value:
        lines = [f"{inner}{_quoted(str(name))}: {_literal(each, depth + 1)}," for name, each in value.items()]
        return "\n".join(["{", *lines, f"{outer}}}"])
    if isinstance(value, list) and value:
        return "\n".join(["[", *(f"{inner}{_literal(each, depth + 1)}," for each in value), f"{outer}]"])
    if isinstance(value, str):
        return _quoted(value)
    return repr(value)
