"""Scripts that mean harm are stopped within their budget, told by a code, while everything else goes on."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from app.kit.http.outbound import OutboundError, OutboundResponse
from app.kit.sandbox.host import Allowance
from app.kit.sandbox.running import run
from app.kit.sandbox.shapes import PLACES, Budget, ScriptEvent, ScriptFetch, ScriptResult, request_of
from tests.integrations.script_calls import PLACE, call, handler, patient, texts

SLEEPING = "await new Promise((done) => setTimeout(done, 1e6));"
SMALL = Budget(seconds=1.5, busy_seconds=0.3)
TIME, MEMORY, FAILED = "SCRIPT_TIMEOUT", "SCRIPT_MEMORY", "SCRIPT_FAILED"

ENDLESS = {
    "loop": "for (;;);",
    "sort": "const a = Array.from({length: 2e5}, (_, i) => -i % 977); for (;;) a.slice().sort();",
    "compare": "const a = [3, 1, 2]; for (;;) a.sort(() => { for (;;); });",
    "bigint": "let x = 3n ** 100000n; for (;;) x = BigInt.asUintN(150000, x * x);",
    "bigint text": "const x = 7n ** 300000n; for (;;) String(x);",
    "regex": "/^(a+)+$/.test('a'.repeat(60) + 'b');",
    "regex replace": "for (;;) 'a'.repeat(1e5).replace(/(a|aa)+$/, '');",
    "includes": "const text = 'a'.repeat(1e6) + 'b'; for (;;) text.includes('a'.repeat(5e5) + 'c');",
    "json": "const a = Array(1e4).fill({a: 1}); for (;;) JSON.parse(JSON.stringify(a));",
    "microtasks": "const f = () => Promise.resolve().then(f); f(); await new Promise(() => {});",
    "generator": "function* g() { for (;;) yield; } for (const _ of g());",
    "getter": "await { get then() { for (;;); } };",
    "iterator": "new Headers({ *[Symbol.iterator]() { for (;;) yield ['a', 'b']; } });",
    "timers": "const f = () => setTimeout(f, 0); f(); f(); f(); await new Promise(() => {});",
    "intervals": "for (let i = 0; i < 900; i++) setInterval(() => {}, 1); await new Promise(() => {});",
    "sleep": "await new Promise((done) => setTimeout(done, 1e9));",
    "array": "for (;;) new Array(1e6).fill(0).map((x) => x + 1);",
    "logs": "for (;;) console.log('flood');",
    "catch": "for (;;) try { for (;;) null.x; } catch {}",
    "finally": "try { for (;;); } finally { for (;;); }",
    "typed sort": "const a = new Float64Array(1e6); for (;;) a.sort((x, y) => y - x);",
    "copy": "const a = new Uint8Array(8e6); for (;;) a.copyWithin(0, 1);",
    "proxy": "const p = new Proxy({}, { get: (t, k, r) => r }); for (let x = p;;) x = x.x;",
    "random": "for (;;) crypto.getRandomValues(new Uint8Array(65536));",
    "digest": "const a = new Uint8Array(8e6); for (;;) await crypto.subtle.digest('SHA-512', a);",
}
GREEDY = {
    "objects": "const a = []; for (;;) a.push(new Array(1000).fill({}));",
    "buffers": "const a = []; for (;;) a.push(new ArrayBuffer(1e6));",
    "one buffer": "new Uint8Array(2e9);",
    "resizable": "const b = new ArrayBuffer(8, { maxByteLength: 2e9 }); b.resize(1.9e9);",
    "strings": "const a = []; for (let i = 0;; i++) a.push('x'.repeat(1e6) + i);",
    "closures": "let f = () => 0; for (;;) { const g = f; f = () => g; }",
    "map": "const m = new Map(); for (let i = 0;; i++) m.set(i, [i]);",
    "caught": "const a = []; try { for (;;) a.push(new ArrayBuffer(1e6)); } catch { throw 'memory'; }",
}
DEEP = {
    "recursion": "function f() { return f() + 1; } f();",
    "json out": "let o = {}; for (let i = 0; i < 1e5; i++) o = { o }; JSON.stringify(o);",
    "json in": "JSON.parse('['.repeat(1e6));",
    "proxies": "let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); p.x;",
    "promise": "class P extends Promise { then() { return this.then(); } } await P.resolve();",
    "source": "eval('('.repeat(1e6));",
    "text": "let o = {}; for (let i = 0; i < 1e5; i++) o = [o]; String(o);",
    "log": "let o = {}; for (let i = 0; i < 1e5; i++) o = { o }; console.log(o); function f() { f(); } f();",
}


SOONER = {"logs": FAILED, "random": FAILED, "digest": FAILED, "microtasks": MEMORY}


@pytest.mark.parametrize("name", ENDLESS)
def test_what_never_ends_is_stopped(name: str) -> None:
    result = call(handler(ENDLESS[name]), budget=SMALL)
    assert result.error in (TIME, SOONER.get(name, TIME)), result.message
    assert (result.status, result.body) == (0, b"")


@pytest.mark.parametrize("name", GREEDY)
def test_what_takes_all_memory_is_stopped(name: str) -> None:
    result = call(handler(GREEDY[name]))
    if name in ("one buffer", "resizable", "caught"):  # refused by the engine, so the script may go on
        assert result.error in (MEMORY, FAILED), result.message
    else:
        assert result.error == MEMORY, result.message


@pytest.mark.parametrize("name", DEEP)
def test_what_goes_too_deep_fails(name: str) -> None:
    result = call(handler(DEEP[name]))
    assert result.error in (FAILED, MEMORY), result.message


@pytest.mark.parametrize("body", ["for (;;);", "const a = []; for (;;) a.push(new ArrayBuffer(1e6));"])
def test_a_module_is_stopped_while_it_loads(body: str) -> None:
    assert call(body + handler(""), budget=SMALL).error in (TIME, MEMORY)


def test_the_memory_of_the_process_stays_small() -> None:
    program = """
import resource, sys
from tests.integrations.script_calls import call, handler
from tests.integrations.test_sandbox_hostile import GREEDY
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
call(handler("return new Response()"))
before = peak()
for body in GREEDY.values():
    call(handler(body))
print(peak() - before)
"""
    grown = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        check=True,
        cwd=Path(__file__).parents[2],
        text=True,
        timeout=900,
    )
    assert int(grown.stdout) < 3 * 48


TRICKS = {
    "then": "Promise.prototype.then = null; return new Response('x');",
    "json": "JSON.stringify = () => '{'; JSON.parse = () => null; return new Response('x');",
    "toJSON": "Object.prototype.toJSON = () => 'x'; return new Response('x');",
    "iterator": "Array.prototype[Symbol.iterator] = () => { throw 1; }; return new Response('x');",
    "getter": "Object.defineProperty(Object.prototype, 'status', { value: 1e9 }); return Response.json({});",
    "status": "class R extends Response { get status() { return 'x'; } } return new R();",
    "status range": "class R extends Response { get status() { return 101; } } return new R();",
    "headers": "class R extends Response { get headers() { return [['a\\r\\nb', 'c']]; } } return new R();",
    "header value": "class R extends Response { get headers() { return [['a', 'b\\n']]; } } return new R();",
    "header kinds": "class R extends Response { get headers() { return [[1, {}], 5]; } } return new R();",
    "many headers": "return new Response('', { headers: Array(5000).fill().map((_, i) => ['a' + i, 'b']) });",
    "instance": "return { __proto__: Response.prototype, status: 200, headers: [] };",
    "hasInstance": "Object.defineProperty(Response, Symbol.hasInstance, { value: () => true }); return 5;",
    "no globals": "for (const key of Reflect.ownKeys(self)) try { delete self[key]; } catch {} return 1;",
    "error": "throw { get message() { for (;;); }, toString() { for (;;); } };",
    "message": "const e = new Error(); Object.defineProperty(e, 'message', { get() { throw e; } }); throw e;",
    "symbol": "throw Symbol('x');",
}


@pytest.mark.parametrize("name", TRICKS)
def test_tricks_with_prototypes_hurt_only_the_script(name: str) -> None:
    result = call(handler(TRICKS[name]), budget=SMALL)
    if result.error is None:
        assert 200 <= result.status <= 599
        assert all("\n" not in header + value for header, value in result.headers)
    assert call(handler("return new Response('still here')")).body == b"still here"


def test_an_answer_has_a_most_of_bytes() -> None:
    budget = patient(answer_bytes=1000)
    assert call(handler("return new Response('x'.repeat(1000));"), budget=budget).error is None
    result = call(handler("return new Response('x'.repeat(1001));"), budget=budget)
    assert (result.error, result.body) == ("SCRIPT_ANSWER_TOO_LARGE", b"")
    huge = call(handler("return new Response(new Uint8Array(18e6));"), budget=patient(memory=96_000_000))
    assert (huge.error, huge.message) == (FAILED, "The script hands over too much at once.")


def test_a_trace_has_a_most_of_lines_and_bytes() -> None:
    flood = handler("for (let i = 0; i < 500; i++) console.log('line ' + i); return new Response();")
    result = call(flood, budget=patient(log_lines=10))
    assert texts(result) == [*(f"info: line {i}" for i in range(10)), "warn: Further lines were left out."]
    long = handler("for (let i = 0; i < 50; i++) console.log('x'.repeat(1e6)); return new Response();")
    result = call(long, budget=patient(log_bytes=10_000))
    assert sum(len(line.text) for line in result.logs) < 11_000


def test_fetches_are_counted_and_bounded() -> None:
    asked: list[ScriptFetch] = []

    async def fetch(wish: ScriptFetch) -> OutboundResponse:
        asked.append(wish)
        return OutboundResponse(wish.url, 200, {}, "", None, b"x" * 1000)

    script = handler(
        """
        let done = 0;
        for (let i = 0; i < 50; i++) await fetch("https://a.example/" + i).then(() => done++, () => {});
        return new Response(String(done));
        """
    )
    assert call(script, fetch=fetch, budget=patient(fetches=7)).body == b"7"
    assert len(asked) == 7
    assert call(script, fetch=fetch, budget=patient(fetches=50, fetch_bytes=3500)).body == b"3"
    sending = handler("await fetch('https://a.example', { method: 'POST', body: 'x'.repeat(5000) });")
    asked.clear()
    assert call(sending, fetch=fetch, budget=patient(fetch_bytes=4999)).error == FAILED
    assert not asked


def test_a_flood_of_fetches_makes_no_flood_of_work() -> None:
    async def fetch(wish: ScriptFetch) -> OutboundResponse:
        await asyncio.sleep(0.01)
        return OutboundResponse(wish.url, 200, {}, "", None, b"")

    script = handler("for (;;) fetch('https://a.example').catch(() => {});")
    assert call(script, fetch=fetch, budget=SMALL).error in (TIME, FAILED, MEMORY)


@pytest.mark.parametrize(
    "init",
    [
        "{ method: 'CONNECT' }",
        "{ method: 'TRACE' }",
        "{ headers: [['a', '\\u0100']] }",
        "{ headers: [['a', '\\u00e9']] }",
        "{ headers: Array.from({ length: 101 }, (_, i) => ['a' + i, 'b']) }",
        "{ headers: [['a', 'b'.repeat(9000)]] }",
    ],
)
def test_requests_that_cannot_be_sent_are_refused(init: str) -> None:
    async def fetch(wish: ScriptFetch) -> OutboundResponse:
        raise AssertionError("It was sent.")

    result = call(handler(f"await fetch('https://a.example', {init});"), fetch=fetch)
    assert result.error == FAILED
    assert str(result.message).startswith("TypeError")


@pytest.mark.parametrize(
    "wrong",
    [
        {"method": "CONNECT"},
        {"method": "TRACE"},
        {"method": "A B"},
        {"method": None},
        {"url": None},
        {"url": "https://a.example/" + "x" * 8000},
        {"headers": [["a", "\u00e9"]]},
        {"headers": [["a b", "c"]]},
        {"headers": [["a", "b\r\nc: d"]]},
    ],
)
def test_the_host_refuses_what_the_code_around_a_script_would_never_ask(wrong: dict[str, object]) -> None:
    """A script may have changed that code: it is in the same sandbox."""
    asked = {"method": "GET", "url": "https://a.example/", "headers": []}
    assert Allowance(Budget()).admit(asked, b"").method == "GET"
    with pytest.raises(OutboundError):
        Allowance(Budget()).admit({**asked, **wrong}, b"")


def test_other_work_goes_on_while_scripts_compute() -> None:
    """The loop, and a script of another owner, beside scripts that compute until they are given up."""

    async def both() -> ScriptResult:
        request = request_of(ScriptEvent({"type": "task"}, {}), PLACE)

        async def calls(owner: str, script: str) -> ScriptResult:
            return await run(script, request, owner=owner, budget=patient())

        bad = [asyncio.create_task(calls("bad", handler("for (;;);"))) for _ in range(4)]
        good = await calls("good", handler("return new Response('x');"))
        for _ in range(50):
            await asyncio.sleep(0.001)
        assert not any(task.done() for task in bad)
        for task in bad:
            task.cancel()
        await asyncio.gather(*bad, return_exceptions=True)
        return good

    assert asyncio.run(both()).body == b"x"


def test_too_many_calls_of_the_host_end_the_script() -> None:
    script = handler("for (let i = 0; i < 1e6; i++) new TextEncoder().encode('x'); return new Response();")
    result = call(script)
    assert (result.error, result.message) == (FAILED, "The script asks its host too often or too much.")


def test_a_call_that_nobody_waits_for_any_more_leaves_nothing_behind() -> None:
    async def given_up() -> None:
        request = request_of(ScriptEvent({"type": "task"}, {}), PLACE)
        for _ in range(20):
            call = asyncio.create_task(run(handler("for (;;);"), request, owner="x", budget=patient()))
            await asyncio.sleep(0.01)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
        result = await run(handler("return new Response('x');"), request, owner="x", budget=patient())
        assert result.body == b"x"

    asyncio.run(given_up())


def test_places_are_shared_between_owners_and_too_many_calls_are_told() -> None:
    """While scripts of one owner hold all its places, its next is refused, and another owner's runs."""

    async def many() -> tuple[ScriptResult, ScriptResult]:
        request = request_of(ScriptEvent({"type": "task"}, {}), PLACE)
        sleeping = handler(SLEEPING)
        answer = handler("return new Response('x');")
        # From here on places are taken without waiting for the engine.
        await run(answer, request, budget=patient())
        calls = [run(sleeping, request, owner="a", budget=patient()) for _ in range(PLACES // 2)]
        held = [asyncio.create_task(each) for each in calls]
        await asyncio.sleep(0)
        refused = await run(answer, request, owner="a", budget=Budget(seconds=0.2))
        other = await run(answer, request, owner="b", budget=patient())
        for task in held:
            task.cancel()
        await asyncio.gather(*held, return_exceptions=True)
        return refused, other

    refused, other = asyncio.run(many())
    assert refused.error == "SANDBOX_BUSY"
    assert other.body == b"x"


def test_long_words_to_the_host_are_refused() -> None:
    script = handler("return new Response('', { headers: { a: 'x'.repeat(2e6) } });")
    result = call(script)
    assert (result.error, result.message) == (FAILED, "The script asks its host too often or too much.")


def test_a_fault_of_the_network_is_a_failed_fetch(caplog: pytest.LogCaptureFixture) -> None:
    async def broken(_: ScriptFetch) -> OutboundResponse:
        raise RuntimeError("an inner detail")

    script = handler("return new Response(await fetch('https://a.example/').catch(String));")
    assert call(script, fetch=broken).body == b"TypeError: The request failed."
    assert "an inner detail" in caplog.text
    uncaught = call(handler("await fetch('https://a.example/');"), fetch=broken)
    assert uncaught.error == FAILED
    assert "inner" not in str(uncaught.message)


def test_a_memory_that_not_even_the_engine_fits_in_is_told() -> None:
    assert call(handler("return new Response();"), budget=patient(memory=1_000_000)).error == MEMORY


def test_there_are_as_many_places_as_are_given() -> None:
    async def two() -> list[ScriptResult]:
        request = request_of(ScriptEvent({"type": "task"}, {}), PLACE)
        quick, slow = (handler(f"{wait} return new Response('x');") for wait in ("", SLEEPING))
        await run(quick, request, places=1, budget=patient())
        held = asyncio.create_task(run(slow, request, owner="a", places=1, budget=patient()))
        await asyncio.sleep(0)
        refused = await run(quick, request, owner="b", places=1, budget=Budget(seconds=0.1))
        held.cancel()
        await asyncio.gather(held, return_exceptions=True)
        return [refused, await run(quick, request, owner="b", places=1, budget=patient())]

    refused, after = asyncio.run(two())
    assert (refused.error, after.body) == ("SANDBOX_BUSY", b"x")
