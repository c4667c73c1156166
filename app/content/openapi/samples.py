"""Code that calls an operation: for a shell with curl, for Python and for JavaScript.

What a caller has to fill in stands in capitals; every value is quoted by the rules of its language.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from app.content.openapi.views import OperationView, ParameterView, SecurityView

FORM = "application/x-www-form-urlencoded"
BASE = "https://api.example.org"


@dataclass(slots=True, frozen=True)
class Sample:
    """Code in one language: `syntax` is what highlights it."""

    label: str
    syntax: str
    code: str


@dataclass(slots=True, frozen=True)
class _Request:
    """What is asked, in every language."""

    method: str
    url: str
    headers: dict[str, str]
    kind: str
    body: Any


def samples(view: OperationView, base: str = "") -> list[Sample]:
    """The code for an operation; `base` is the server's address if not the document's first."""
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
    if content is not None:
        headers["Content-Type"] = content.media_type
    url = f"{server}{path}" + (f"?{urlencode(query)}" if query else "")
    return _Request(view.method.upper(), url, headers, content.media_type if content else "", body)


def _value(parameter: ParameterView) -> str:
    """A value for a parameter: its example, or its name in capitals."""
    for known in (parameter.example, parameter.schema.default, *parameter.schema.enum[:1]):
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
    if request.body is not None:
        text = _form(request) if request.kind == FORM else _json(request.body)
        lines.append(f"  -d {_shell(text)}")
    return " \\\n".join(lines)


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
    if request.body is not None:
        if _is_json(request.kind):
            lines.append(f"    json={_indented(_literal(request.body))},")
        else:
            lines.append(f"    data={_indented(_literal(request.body))},")
    return "\n".join([*lines, ")", "response.raise_for_status()", "print(response.text)"])


def _javascript(request: _Request) -> str:
    options = [f"  method: {_quoted(request.method)},"]
    if request.headers:
        options += ["  headers: {", *(f"    {_quoted(n)}: {_quoted(v)}," for n, v in request.headers.items())]
        options.append("  },")
    if request.body is not None:
        if request.kind == FORM:
            options.append(f"  body: {_quoted(_form(request))},")
        elif _is_json(request.kind):
            options.append(f"  body: JSON.stringify({_indented(_json(request.body), '  ')}),")
        else:
            options.append(f"  body: {_quoted(_plain(request.body))},")
    call = [f"const response = await fetch({_quoted(request.url)}, {{", *options, "});"]
    return "\n".join([*call, "console.log(response.status, await response.text());"])


def _is_json(kind: str) -> bool:
    return kind.partition(";")[0].strip().lower().endswith(("/json", "+json"))


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
    """A text as both Python and JavaScript write it."""
    return json.dumps(text, ensure_ascii=False)


def _shell(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _indented(text: str, by: str = "    ") -> str:
    return text.replace("\n", f"\n{by}")


def _literal(value: Any, depth: int = 0) -> str:
    """A value as Python writes it."""
    inner, outer = "    " * (depth + 1), "    " * depth
    if isinstance(value, dict) and value:
        lines = [f"{inner}{_quoted(str(name))}: {_literal(each, depth + 1)}," for name, each in value.items()]
        return "\n".join(["{", *lines, f"{outer}}}"])
    if isinstance(value, list) and value:
        return "\n".join(["[", *(f"{inner}{_literal(each, depth + 1)}," for each in value), f"{outer}]"])
    if isinstance(value, str):
        return _quoted(value)
    return repr(value)
