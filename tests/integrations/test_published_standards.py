"""Standards of the web as an integration that is published finds them, compared with Node."""

from __future__ import annotations

import orjson
import pytest

from tests.cast import Cast
from tests.factories.integrations import PublishedIntegration
from tests.integrations.bundling import bundled
from tests.integrations.script_calls import call, handler
from tests.integrations.test_sandbox import in_node

WRONG_IN_NODE = """
  const thrown = (attempt) => { try { attempt(); } catch (reason) { return reason.name; } };
  const refused = async (attempt) => { try { await attempt(); } catch (reason) { return reason.name; } };
  const target = new EventTarget(), buffer = new ArrayBuffer(4);
  target.addEventListener("a", (event) => event.preventDefault(), { passive: true });
  structuredClone(buffer, { transfer: [buffer] });
  const again = new EventTarget(), event = new Event("a");
  let recursion;
  again.addEventListener("a", () => (recursion = thrown(() => again.dispatchEvent(event))));
  again.dispatchEvent(event);
  const key = await crypto.subtle.importKey("raw", new Uint8Array(16), "AES-GCM", false, ["encrypt"]);
  const open = await crypto.subtle.importKey("raw", new Uint8Array(16), "AES-GCM", true, ["encrypt"]);
  return Response.json({
    passive: target.dispatchEvent(new Event("a", { cancelable: true })),
    recursion,
    detached: thrown(() => structuredClone({ buffer }, { transfer: [buffer] })),
    notTransferable: thrown(() => structuredClone(1, { transfer: [{}] })),
    notExtractable: await refused(() => crypto.subtle.exportKey("raw", key)),
    secretAsSpki: await refused(() => crypto.subtle.exportKey("spki", open)),
    bytesAsJwk: await refused(() => crypto.subtle.importKey("jwk", buffer, "AES-GCM", true, ["encrypt"])),
    lastModified: new File([], "a", { lastModified: 1.9 }).lastModified,
    slices: await Promise.all([[NaN, 2], ["1", 2.9]].map((ends) => new Blob(["abc"]).slice(...ends).text())),
  });
"""


@pytest.mark.parametrize("module", ["standards", "edges"])
def test_a_published_script_finds_them_as_in_node(cast: Cast, module: str) -> None:
    script = bundled(module)
    made = PublishedIntegration(cast, script=script)
    made.install()
    answer = cast.instance.http.get(made.published["urls"]["publicEndpoint"])
    assert answer.status_code == 200, answer.text
    assert answer.json() == in_node(script)


def test_where_node_is_wrong_the_standards_hold() -> None:
    result = call(handler(WRONG_IN_NODE))
    assert result.error is None, result.message
    assert orjson.loads(result.body) == {
        "passive": True,
        "recursion": "InvalidStateError",
        "detached": "DataCloneError",
        "notTransferable": "DataCloneError",
        "notExtractable": "InvalidAccessError",
        "secretAsSpki": "NotSupportedError",
        "bytesAsJwk": "TypeError",
        "lastModified": 1,
        "slices": ["ab", "b"],
    }


def test_what_a_listener_throws_is_in_the_trace() -> None:
    body = """
      const target = new EventTarget();
      target.addEventListener("a", () => { throw new RangeError("too dim"); });
      target.dispatchEvent(new Event("a"));
      return new Response();
    """
    (line,) = call(handler(body)).logs
    assert line.text.startswith("Uncaught RangeError: too dim")
