"""Globals of the sandbox compared with Node, and the handling of scripts' responses."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import subprocess
from typing import Any

import pytest

from app.kit.http.outbound import Outbound, OutboundError, OutboundResponse
from app.kit.sandbox.host import fetching
from app.kit.sandbox.running import run
from app.kit.sandbox.shapes import Budget, ScriptEvent, ScriptFetch, ScriptResult, request_of
from tests.integrations.bundling import bundled
from tests.integrations.script_calls import PLACE, call, handler, patient, texts
from tests.local_server import Neighbour

# What an older Node does not have yet: parts of the language, and names of the web.
NEWER = {
    *("AsyncDisposableStack", "DisposableStack", "SuppressedError", "Float16Array", "Iterator"),
    *("self", "CryptoKey", "File", "InternalError"),
}
IN_NODE = """
import {webcrypto} from "node:crypto"; import {File} from "node:buffer"; import {readFileSync} from "node:fs";
globalThis.crypto ??= webcrypto; globalThis.File ??= File;
const source = "data:text/javascript;base64," + readFileSync(0).toString("base64");
const answer = await (await import(source)).default.fetch(new Request("https://docyard.example/"));
console.log(await answer.text());
"""


def in_node(script: str) -> dict[str, Any]:
    made = subprocess.run(
        ["node", "--no-warnings", "--input-type=module", "-e", IN_NODE],
        input=script,
        capture_output=True,
        check=True,
        text=True,
        timeout=300,
    )
    found: dict[str, Any] = json.loads(made.stdout)
    return found


@pytest.mark.parametrize(("module", "least"), [("surroundings", 80), ("standards", 50), ("edges", 30)])
def test_the_surroundings_behave_as_in_node(module: str, least: int) -> None:
    script = bundled(module)
    result = call(script)
    assert result.error is None, result.message
    ours, theirs = json.loads(result.body), in_node(script)
    different = {name: (ours[name], right) for name, right in theirs.items() if ours[name] != right}
    assert not different
    assert len(ours) > least


def test_an_event_arrives_as_the_form_it_is_posted_as() -> None:
    body = handler(
        """
        const form = await request.formData();
        const file = form.get("fetch-body");
        return Response.json({
          method: request.method, url: request.url, names: [...form.keys()],
          event: JSON.parse(form.get("event")), environment: JSON.parse(form.get("environment")),
          body: [...await file.bytes()], env,
        });
        """
    )
    event = {"type": "fetch", "text": 'ü "quoted"\r\n--boundary\u2028😀'}
    result = call(body, event, {"secrets": {"a": "b"}}, body=bytes(range(256)) + b"\r\n--")
    assert (result.status, result.error) == (200, None)
    assert json.loads(result.body) == {
        "method": "POST",
        "url": "https://docyard.example/v1/integrations/tried",
        "names": ["event", "environment", "fetch-body"],
        "event": event,
        "environment": {"secrets": {"a": "b"}},
        "body": [*range(256), 13, 10, 45, 45],
        "env": {},
    }


def test_the_hello_world_renders_and_is_acted_on() -> None:
    event = {"type": "ui_render", "componentId": "hello", "props": {"name": "Ada"}, "context": {}}
    result = call(bundled("hello"), event)
    assert (result.status, result.error) == (200, None)
    cached = {"content-type": "application/json", "cache-control": "private, max-age=60"}
    assert dict(result.headers) == cached
    assert json.loads(result.body)["element"]["children"][0]["content"] == "Hello Ada!"
    assert texts(result) == ["info: Greeting Ada { times: 1 }"]
    again = call(bundled("hello"), {**event, "action": {"action": "again"}})
    assert json.loads(again.body)["element"]["children"][0]["content"] == "Hello Ada!!"
    assert json.loads(again.body)["props"] == {"name": "Ada", "times": 2}


def test_the_tickets_answer_signed_requests_only() -> None:
    sent = b'{"a": "\xc3\xbc"}'
    signature = hmac.new(b"secret", sent, hashlib.sha256).hexdigest()
    environment = {"secrets": {"hook": "secret"}}

    def asked(signed: str) -> Any:
        headers = {"x-signature": signed}
        request = {"method": "POST", "url": "https://docyard.example/hook", "headers": headers}
        return call(bundled("tickets"), {"type": "fetch", "request": request}, environment, body=sent)

    assert json.loads(asked(signature).body) == {"received": {"a": "ü"}}
    assert asked("0" * 64).status == 401


def test_work_given_to_wait_until_is_done_before_the_call_ends() -> None:
    script = handler(
        """
        const sleep = () => new Promise((done) => setTimeout(done, 20));
        ctx.waitUntil((async () => { await sleep(); console.log("done"); })());
        ctx.waitUntil(Promise.reject(new Error("not done")));
        return new Response("answered");
        """
    )
    result = call(script)
    assert result.body == b"answered"
    assert "info: done" in texts(result)
    assert any("not done" in line for line in texts(result))


def test_an_answer_stands_when_the_work_after_it_takes_too_long() -> None:
    endless = "ctx.waitUntil(new Promise(() => setInterval(() => {}, 50)));"
    script = handler(f'{endless} return new Response("ok");')
    result = call(script, budget=Budget(seconds=3))
    assert (result.body, result.error) == (b"ok", None)
    assert "given up" in texts(result)[-1]


async def _echo(asked: ScriptFetch) -> OutboundResponse:
    head = json.dumps([asked.method, asked.headers, asked.redirect]).encode()
    return OutboundResponse(
        asked.url, 404, {"x-a": "b", "content-encoding": "gzip"}, "", None, head + asked.body
    )


def test_a_script_fetches_through_what_it_was_given() -> None:
    script = handler(
        """
        const answer = await fetch("https://api.example/x?y#z", {
          method: "PUT", headers: { "X-Given": "1", cookie: "a" }, body: "ü", redirect: "manual",
        });
        const { status, ok, url, headers } = answer;
        return Response.json([status, ok, url, [...headers], await answer.text()]);
        """
    )
    result = call(script, fetch=_echo)
    assert result.error is None, result.message
    status, ok, url, headers, text = json.loads(result.body)
    assert (status, ok, url, headers) == (404, False, "https://api.example/x?y#z", [["x-a", "b"]])
    sent = [["cookie", "a"], ["x-given", "1"], ["content-type", "text/plain;charset=UTF-8"]]
    assert json.loads(text[:-1]) == ["PUT", sorted(sent), "manual"]
    assert text.endswith("ü")


def test_fetches_run_beside_each_other_and_a_failure_can_be_caught() -> None:
    async def fetch(asked: ScriptFetch) -> OutboundResponse:
        if asked.url.endswith("bad"):
            raise OutboundError("FETCH_ERROR", "bad could not be reached.")
        return OutboundResponse(asked.url, 200, {}, "", None, asked.url[-1:].encode())

    script = handler(
        """
        const urls = ["https://a.example/1", "https://a.example/bad", "https://a.example/3"];
        const all = await Promise.allSettled(urls.map(async (url) => (await fetch(url)).text()));
        return Response.json(all.map((each) => each.value ?? `${each.reason}`));
        """
    )
    assert json.loads(call(script, fetch=fetch).body) == ["1", "TypeError: bad could not be reached.", "3"]


def test_scripts_reach_public_addresses_and_their_own_api_only(next_door: Neighbour) -> None:
    next_door.routes["/v1/user"] = (418, {"content-type": "text/plain"}, b"a teapot")
    script = handler(
        """
        const form = await request.formData();
        const answer = await fetch(JSON.parse(form.get("event")).url);
        return new Response(await answer.text(), { status: answer.status });
        """
    )
    url = f"{next_door.base}/v1/user"
    home = fetching(Outbound(), homes=[f"{next_door.base}/v1"])
    own = call(script, {"url": url}, fetch=home)
    assert (own.status, own.body) == (418, b"a teapot")
    for place in (url, "http://169.254.169.254/latest", "http://[::ffff:127.0.0.1]/", "file:///etc/passwd"):
        refused = call(script, {"url": place}, fetch=fetching(Outbound()))
        assert (refused.error, refused.body) == ("SCRIPT_FAILED", b"")
        assert refused.message is not None
        assert "teapot" not in refused.message
    beside = call(script, {"url": url.replace("127.0.0.1", "localhost")}, fetch=home)
    assert beside.error == "SCRIPT_FAILED"


@pytest.mark.parametrize(
    ("script", "code", "words"),
    [
        ("export default {", "SCRIPT_INVALID", "SyntaxError"),
        ("export default {}", "SCRIPT_INVALID", "no default export with a function fetch"),
        ("export const x = 1;", "SCRIPT_INVALID", "no default export"),
        ('import x from "node:fs"; export default { fetch() {} };', "SCRIPT_INVALID", "imports node:fs"),
        ('throw new Error("at once");', "SCRIPT_FAILED", "at once"),
        ("await new Promise(() => {});", "SCRIPT_FAILED", "cannot happen"),
        (handler('throw new RangeError("boom");'), "SCRIPT_FAILED", "RangeError: boom"),
        (handler("throw undefined;"), "SCRIPT_FAILED", "undefined"),
        (handler("return { status: 200 };"), "SCRIPT_FAILED", "no Response"),
        (handler('await import("node:fs");'), "SCRIPT_FAILED", "node:fs"),
        (handler("await new Promise(() => {});"), "SCRIPT_FAILED", "cannot happen"),
        (handler("await fetch('https://example.org');"), "SCRIPT_FAILED", "no network"),
        (handler("return require('fs');"), "SCRIPT_FAILED", "require"),
        (handler("return process.env;"), "SCRIPT_FAILED", "process"),
    ],
)
def test_what_went_wrong_is_told(script: str, code: str, words: str) -> None:
    result = call(script)
    assert result.error == code
    assert result.message is not None
    assert words in result.message
    assert (result.status, result.body) == (0, b"")


def test_modules_may_wait_before_they_are_loaded() -> None:
    waiting = """
        const answer = (await fetch("https://a.example/")).status;
        await new Promise((done) => setTimeout(done, 5));
    """
    script = handler("return new Response(String(answer));", before=waiting)
    assert call(script, fetch=_echo).body == b"404"


def test_calls_share_nothing() -> None:
    script = handler(
        """
        globalThis.count = (globalThis.count ?? 0) + 1;
        seen.push(1);
        Array.prototype.found = "left over";
        return Response.json([count, seen.length]);
        """,
        before="const seen = [];",
    )
    assert [call(script).body for _ in range(3)] == [b"[1,1]"] * 3
    clean = handler('return Response.json([typeof count, [].found ?? "nothing"]);')
    assert call(clean).body == b'["undefined","nothing"]'


def test_randomness_differs_from_call_to_call() -> None:
    later = handler("return Response.json([Math.random(), crypto.randomUUID()]);")
    drawn = "const id = crypto.randomUUID(), luck = Math.random();"
    early = handler("return new Response(id + luck);", before=drawn)
    for script in (later, early):
        assert len({call(script).body for _ in range(4)}) == 4


def test_nothing_is_around_scripts_that_node_does_not_have() -> None:
    script = handler("return Response.json({ names: Object.getOwnPropertyNames(globalThis) });")
    ours, theirs = json.loads(call(script).body)["names"], in_node(script)["names"]
    assert set(ours) - set(theirs) - NEWER == set()


def test_many_calls_at_once_get_each_its_own_answer() -> None:
    script = handler(
        """
        const { number } = JSON.parse((await request.formData()).get("event"));
        const own = crypto.randomUUID();
        if (number % 3) await new Promise((done) => setTimeout(done, number % 7));
        const answer = number % 4 ? null : await (await fetch("https://a.example/" + number)).text();
        console.log(own);
        if (number % 5 === 0) for (let i = 0; i < 1e5; i++);
        return Response.json([number, answer, own]);
        """
    )

    async def fetch(asked: ScriptFetch) -> OutboundResponse:
        return OutboundResponse(asked.url, 200, {}, "", None, asked.url.rpartition("/")[2].encode())

    async def one(number: int) -> ScriptResult:
        request = request_of(ScriptEvent({"number": number}, {}), PLACE)
        return await run(script, request, owner=str(number % 3), budget=patient(), fetch=fetch)

    async def all_of_them() -> list[ScriptResult]:
        return await asyncio.gather(*(one(number) for number in range(100)))

    own = set()
    for number, result in enumerate(asyncio.run(all_of_them())):
        assert result.error is None, result.message
        said, fetched, id_ = json.loads(result.body)
        assert (said, fetched) == (number, None if number % 4 else str(number))
        assert texts(result) == [f"info: {id_}"]
        own.add(id_)
    assert len(own) == 100
