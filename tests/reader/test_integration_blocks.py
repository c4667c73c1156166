"""Blocks of integrations on published sites: shown, used and refused, as visitors' browsers ask for them."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import urlencode, urljoin

import pytest

from app.formats.contentkit.elements import ELEMENTS
from app.site_reader.rendering.ui_elements import MAKERS
from tests import anonymous
from tests.cast import Cast
from tests.factories.site_blocks import FORM, Lamps, button, form_of, placed, sent, told, with_shown
from tests.reader.rendering import parsed
from tests.reader.test_first_view import named
from tests.reader.test_hostile import PAYLOADS, is_inert
from tests.visitors import PublishedSite, token


def test_a_page_leads_to_its_blocks_and_the_script_shows_them(cast: Cast) -> None:
    lamps = Lamps(cast, '{% @lamps/lamp watt=60 place="hall" %}')
    page = parsed(lamps.site.open("/lamps").text)
    assert next(each.all_text for each in page.every("div") if "data-block" in each.attributes) == "Lamp"
    assert {"blocks.css", "blocks.js"} <= {*named(lamps.site.open("/lamps").text)}
    first = lamps.open()
    assert {"blocks.css", "blocks.js"} <= {*named(first.text)}
    assert told(first) == {"componentId": "lamp", "props": {"watt": 60, "place": "hall"}, "theme": "light"}
    assert first.headers["cache-control"] == "public, max-age=60"
    assert told(lamps.open(query="?theme=dark"))["theme"] == "dark"
    ways = [each.attributes.get("href") for each in parsed(first.text).every("a")]
    assert f"{lamps.site.base}/lamps" in ways
    assert "auth" not in lamps.made.events()[0]["payload"]


def test_code_of_its_language_and_addresses_that_it_unfurls_become_blocks(cast: Cast) -> None:
    embeds = [f'{{% embed url="https://lamps.example.org/{path}" %}}' for path in ("lamp/7", "lampshade")]
    lamps = Lamps(cast, "\n\n".join(["```lamp\non\noff\n```", *embeds, "```python\non\n```"]))
    page = lamps.site.open("/lamps").text
    assert len(placed(page)) == 2
    assert told(lamps.open(0))["props"] == {"content": "on\noff"}
    unfurled = {"action": "@link.unfurl", "url": "https://lamps.example.org/lamp/7"}
    assert told(lamps.open(1))["action"] == unfurled
    assert next(parsed(page).every("pre")).all_text == "on\noff"  # read without a script too


def test_addresses_of_a_pattern_become_blocks(cast: Cast) -> None:
    hosts = ("eu.lamps.example.org/shop/hall/lamp/7", "lamps.example.org/shop/lamp/7", "evil.example/lamp/7")
    lamps = Lamps(cast, "\n\n".join(f'{{% embed url="https://{host}" %}}' for host in hosts))
    assert len(placed(lamps.site.open("/lamps").text)) == 1
    assert told(lamps.open())["action"]["url"] == f"https://{hosts[0]}"


def test_a_document_keeps_its_blocks(cast: Cast) -> None:
    lamps = Lamps(cast, "Nothing.")
    props = {"lines": "a\n\nb", "on": True}
    page = lamps.written(**props)
    where = f"/v1/spaces/{lamps.site.spaces[0]}/content/page/{page}"
    found = cast.ada.get(where, params={"format": "document"}).json()["document"]["nodes"][0]
    assert found["data"] == {"integration": lamps.made.name, "block": "lamp", "props": props}
    assert told(lamps.open(of="/made"))["props"] == props


def test_what_is_not_active_there_is_not_asked(cast: Cast) -> None:
    body = "{% @lamps/lamp %}\n\n{% @lamps/other %}\n\n{% @nobody/lamp %}"
    lamps = Lamps(cast, body, installed=False)
    page = lamps.site.open("/lamps").text
    assert placed(page) == []
    assert "other" in page
    lamps.made.on_space(lamps.installation, lamps.site.spaces[0])
    (address,) = placed(lamps.site.open("/lamps").text)
    assert lamps.at(address).status_code == 200
    place = f"{lamps.made.path}/installations/{lamps.installation}/spaces/{lamps.site.spaces[0]}"
    assert cast.ada.delete(place).status_code == 205
    assert placed(lamps.site.open("/lamps").text) == []
    assert lamps.at(address).status_code == 404


def test_an_installation_on_all_spaces_is_on_these(cast: Cast) -> None:
    lamps = Lamps(cast, "{% @lamps/lamp %}", installed=False)
    lamps.made.patch(f"/installations/{lamps.installation}", {"space_selection": "all"})
    assert told(lamps.open())["componentId"] == "lamp"


def test_what_is_filled_in_and_pressed_reaches_the_script(cast: Cast) -> None:
    options = [{"id": "red", "label": "Red"}, {"id": "blue", "label": "Blue"}]
    named = {"type": "textinput", "state": "name", "initialValue": "A"}
    lamps = Lamps(cast, with_shown(
        {"type": "input", "label": "Name", "element": named},
        {"type": "textinput", "state": "about", "multiline": True},
        {"type": "select", "state": "tone", "options": options, "initialValue": "blue"},
        {"type": "select", "state": "tones", "options": options, "multiple": True, "initialValue": ["red"]},
        {"type": "switch", "state": "on", "initialValue": True},
        {"type": "switch", "state": "off"},
        {"type": "checkbox", "state": "places", "value": "hall"},
        {"type": "checkbox", "state": "places", "value": "roof"},
        {"type": "radio", "state": "watt", "value": 60},
        {"type": "codeblock", "state": "code", "content": "x = 1"},
        {"type": "markdown", "content": {"$state": "name"}},
        button("Save", action="save", how="fast"),
    ))  # fmt: skip
    answer = lamps.press(lamps.open(), "Save", **{"t.name": "B & <b>", "s.places": '"roof"', "v.watt": "60"})
    heard = told(answer)
    assert heard["action"] == {"action": "save", "how": "fast"}
    assert heard["state"] == {
        "name": "B & <b>", "about": "", "tone": "blue", "tones": ["red"], "on": True, "off": False,
        "places": ["roof"], "watt": 60, "code": "x = 1",
    }  # fmt: skip
    assert heard["props"]["shows"][0]["label"] == "Name"
    assert answer.headers["cache-control"] == "private, no-store"
    again = told(lamps.press(answer, "Save", **{"b.on": ""}))
    assert (again["state"]["name"], again["state"]["on"], again["state"]["watt"]) == ("B & <b>", False, 60)


def test_a_modal_opens_and_what_it_returns_is_told(cast: Cast) -> None:
    modal = {"shows": [{"type": "textinput", "state": "name"}, button("Done", action="done")]}
    lamps = Lamps(cast, with_shown(button("Ask", action="@ui.modal.open", componentId="ask", props=modal)))
    opened = lamps.press(lamps.open(), "Ask")
    assert told(opened)["componentId"] == "ask"
    assert "Close" in [each.all_text for each in parsed(opened.text).every("a")]
    closed = told(lamps.press(opened, "Done", **{"t.name": "Ada"}))
    assert closed["componentId"] == "lamp"
    assert closed["action"] == {"action": "@ui.modal.close", "returnValue": {"name": "Ada"}}


def test_nobody_hands_back_what_the_script_did_not_say(cast: Cast) -> None:
    lamps = Lamps(cast, with_shown(button("Go", action="go")) + "\n\n{% @lamps/lamp watt=40 %}")
    first, second = lamps.open(0), lamps.open(1)
    pressed = next(str(each.attributes["value"]) for each in form_of(first).every("button"))
    before = len(lamps.made.events())
    for fields in (
        {"~shown": ""},
        {"~shown": json.dumps({"component": "lamp", "props": {"watt": 1000}, "state": {}})},
        {"~shown": sent(form_of(second))["~shown"][0]},  # of another block
        {"~shown": "é" * 16 + "{}"},
        {"~do": json.dumps({"action": "explode"})},
        {"~do": sent(form_of(first))["~shown"][0]},
        {"~shown": pressed},
        {"~do": pressed.replace("go", "stop")},
        {"t.name": "\x00"},
        {"v.name": '"\\u0000"'},
        {"v.name": "{"},
    ):
        answer = lamps.press(first, **fields)
        assert answer.status_code == 400, (fields, answer.text)
    assert lamps.press(first, **{"t.name": "x" * 300_000}).status_code == 413
    assert len(lamps.made.events()) == before


def test_other_addresses_and_other_ways_lead_nowhere(cast: Cast) -> None:
    lamps = Lamps(cast, "{% @lamps/lamp %}")
    (path,) = placed(lamps.site.open("/lamps").text)
    address = urljoin(lamps.site.url, path)
    for site in ("cross-site", "same-site"):
        answer = anonymous.post(address, content="", headers={**FORM, "sec-fetch-site": site})
        assert answer.status_code == 404
    assert anonymous.put(address).status_code == 405
    item, page, key = path.split("/")[-3:]
    for wrong in (f"{item}/{page}/{key}0", f"{item}/{item}/{key}", f"{page}/{page}/{key}", f"{item}/{page}"):
        assert lamps.at(f"{lamps.site.base}/~/block/{wrong}").status_code == 404
    lamps.site.post("/unpublish", status=200)
    assert anonymous.get(address).status_code == 404


def test_whoever_may_not_read_a_part_does_not_see_its_blocks(cast: Cast) -> None:
    body = "{% if visitor.claims.staff %}\n{% @lamps/lamp %}\n{% endif %}"
    lamps = Lamps(cast, body, visibility="visitor-auth")
    lamps.site.adapts()
    with lamps.site.browser() as staff, lamps.site.browser() as other:
        staff.get(f"?jwt_token={token(lamps.site.key, staff=True)}")
        other.get(f"?jwt_token={token(lamps.site.key, staff=False)}")
        (path,) = (each.removeprefix(lamps.site.base) for each in placed(staff.get("/lamps").text))
        shown = staff.get(path)
        assert shown.status_code == 200
        assert shown.headers["cache-control"] == "private, no-store"
        assert placed(other.get("/lamps").text) == []
        assert other.get(path).status_code == 404
        assert lamps.site.open(path).status_code == 401


def test_what_fails_is_told_to_the_integration(cast: Cast) -> None:
    lamps = Lamps(cast, '{% @lamps/lamp shows="x" %}')
    answer = lamps.open()
    assert answer.status_code == 502
    assert "cannot be shown" in parsed(answer.text).all_text
    assert lamps.made.events()[0]["status"] == "failed"


@pytest.mark.parametrize(
    "value", ["a", 1.5, True, None, [], ["a", {}], {"a": [1]}, {"$state": "x"}], ids=repr
)
def test_whatever_a_state_is_all_elements_are_shown(cast: Cast, value: Any) -> None:
    now = {"$state": "x"}
    option = {"id": now, "label": now}
    image = {"type": "image", "source": {"url": "https://example.org"}, "aspectRatio": now}
    press = {"action": "@ui.url.open", "url": now}
    lamps = Lamps(cast, "Nothing.")
    lamps.written(state={"x": value}, shows=[
        {"type": "card", "title": now, "hint": now, "icon": now, "onPress": press},
        {"type": "card", "title": "Picture", "icon": image},
        {"type": "hstack", "align": now, "children": [{"type": "text", "style": now, "children": [now]}]},
        {"type": "textinput", "state": "x", "placeholder": now, "multiline": now, "disabled": now},
        {"type": "textinput", "state": "y", "initialValue": now, "inputType": now},
        {"type": "select", "state": "x", "options": [option], "acceptInput": True, "placeholder": now},
        {"type": "select", "state": "x", "options": [option], "multiple": True, "acceptInput": True},
        {"type": "switch", "state": "x"},
        {"type": "checkbox", "state": "x", "value": [value]},
        {"type": "radio", "state": "x", "value": [value]},
        {"type": "codeblock", "content": now, "syntax": now},
        {"type": "markdown", "content": now},
        {"type": "hint", "children": [now]},
        {"type": "link", "target": {"url": now}, "children": [now]},
        {"type": "webframe", "source": {"url": now}},
        {"type": "divider", "size": now},
        {"type": "button", "label": now, "tooltip": now, "style": now, "onPress": {"action": "go"}},
        {"type": "button", "icon": now, "trailingIcon": now, "disabled": now, "onPress": {"action": "go"}},
        image,
    ])  # fmt: skip
    shown = lamps.open(of="/made")
    assert shown.status_code == 200, shown.text
    assert lamps.press(shown).status_code == 200


@pytest.mark.parametrize("payload", PAYLOADS[::4])
def test_what_a_script_says_is_inert(cast: Cast, payload: str) -> None:
    payload = payload.encode("utf-8", "replace").decode().replace("\x00", "")[:200]
    url = {"url": f"https://example.org/?{urlencode({'q': payload})}"}
    lamps = Lamps(cast, "Nothing.")
    lamps.written(shows=[
        {"type": "text", "children": [payload]},
        {"type": "markdown", "content": payload},
        {"type": "card", "title": payload, "hint": payload, "onPress": {"action": payload or "x"}},
        {"type": "codeblock", "content": payload, "syntax": payload},
        {"type": "image", "source": url, "aspectRatio": 2},
        {"type": "webframe", "source": url},
        {"type": "link", "target": url, "children": [payload]},
        {"type": "textinput", "state": payload or "x", "initialValue": payload, "placeholder": payload},
    ])  # fmt: skip
    (path,) = placed(lamps.site.open("/made").text)
    answer = lamps.at(path)
    assert answer.status_code == 200, answer.text
    base, here = lamps.site.base, "/acme/guide"
    framed = r'<iframe src="https://example\.org/\?q=[^"]*"[^<>]* sandbox="[^"]*"[^<>]*></iframe>'
    rest, frames = re.subn(framed, "", answer.text)
    assert frames == 1
    is_inert(rest.replace(base, here), forms=(f"{here}/~/search", path.replace(base, here)))


def test_every_element_is_shown() -> None:
    assert set(MAKERS) == set(ELEMENTS) - {"step"}


FRAME: dict[str, Any] = {
    "type": "webframe",
    "source": {"url": "https://frames.example.org/x"},
    "aspectRatio": 2,
}


def test_a_web_frame_is_a_page_at_the_origin_of_its_integration(cast: Cast) -> None:
    lamps = Lamps(cast, "Nothing.")
    urls = lamps.made.published["urls"]
    own = {"type": "webframe", "source": {"url": f"{urls['publicEndpoint']}/frame?a=b"}, "data": {
        "unit": "lamps", "count": {"$state": "count"},
    }}  # fmt: skip
    lamps.written(state={"count": "3"}, shows=[own, FRAME])
    (path,) = placed(lamps.site.open("/made").text)
    shown = lamps.at(path)
    first, second = parsed(shown.text).every("iframe")
    assert first.attributes["src"] == f"{urls['publicContentEndpoint']}/frame?a=b"
    assert "allow-top-navigation" not in str(first.attributes["sandbox"])
    assert (first.attributes["loading"], second.attributes["src"]) == ("lazy", FRAME["source"]["url"])
    holders = [
        each.attributes for each in parsed(shown.text).every("div") if "web-frame" in str(each.attributes)
    ]
    assert urls["publicContentEndpoint"].startswith(f"{holders[0]['data-origin']}/")
    assert json.loads(str(holders[0]["data-state"])) == {"unit": "lamps", "count": "3"}
    assert "data-origin" not in holders[1]  # no messages for strangers
    assert holders[1]["data-ratio"] == "2.0"
    for answer in (shown, lamps.site.open("/made")):
        assert "frame-src http://*.localhost:" in answer.headers["content-security-policy"]
    assert "frame-src" not in PublishedSite(cast).open().headers["content-security-policy"]


def test_an_action_of_a_web_frame_is_told_to_its_script(cast: Cast) -> None:
    lamps = Lamps(cast, with_shown(FRAME))
    shown = lamps.open()
    act = {"action": "press", "by": 2}
    assert told(lamps.press(shown, **{"~framed": json.dumps(act)}))["action"] == act
    for wrong in ("x", "[]", "{}", '{"action": 1}', '{"action": "@ui.modal.open", "componentId": "ask"}'):
        assert lamps.press(shown, **{"~framed": wrong}).status_code == 400, wrong
