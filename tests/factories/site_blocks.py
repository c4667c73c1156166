"""A site whose page asks for blocks of an integration, and the integration; used as visitors' browsers do."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode, urljoin

import httpx

from tests import anonymous
from tests.cast import Cast
from tests.factories.integrations import PublishedIntegration
from tests.reader.rendering import Element, parsed
from tests.visitors import PublishedSite

# Says what it was told, and shows what its property `shows` is; as a modal it is done when one presses there.
SCRIPT = """
export default { async fetch(request) {
  const { componentId, props, state, action, context } = JSON.parse((await request.formData()).get("event"));
  const answer = (body) => Response.json(body, { headers: { "cache-control": "max-age=60" } });
  if (componentId === "ask" && action) return answer({ type: "complete", returnValue: state });
  const said = { componentId, props, state, action, theme: context.theme };
  const told = { type: "codeblock", content: JSON.stringify(said) };
  const children = [told, ...(props.shows ?? [])];
  const root = componentId === "ask" ? "modal" : "block";
  const element = { type: root, children };
  return answer({ type: "element", state: state ?? props.state ?? {}, props, element });
} };"""
BLOCK = {
    "id": "lamp",
    "title": "Lamp",
    "urlUnfurl": ["https://lamps.example.org/lamp", "https://*.lamps.example.org/**/lamp/*"],
    "markdown": {"codeblock": "lamp", "body": "content"},
}
FORM = {"content-type": "application/x-www-form-urlencoded"}
SUMMARY = "# Table of contents\n\n* [Start](README.md)\n* [Lamps](lamps.md)\n"


def placed(page: str) -> list[str]:
    """Return where the blocks of a page are asked for."""
    given = [each.attributes.get("data-block") for each in parsed(page).every("div")]
    return [str(address) for address in given if address]


class Lamps:
    """A site with a page that asks for blocks of an integration, and the integration."""

    def __init__(
        self, cast: Cast, body: str, *, script: str = SCRIPT, installed: bool = True, **site: Any
    ) -> None:
        self.made = PublishedIntegration(cast, script=script, blocks=[BLOCK])
        body = body.replace("@lamps/", f"@{self.made.name}/")
        pages = {"README.md": "# Start\n", "lamps.md": f"# Lamps\n\n{body}\n"}
        self.site = PublishedSite(cast, files={"SUMMARY.md": SUMMARY, **pages}, **site)
        self.installation = self.made.install()
        if installed:
            self.made.on_space(self.installation, self.site.spaces[0])

    def written(self, title: str = "Made", /, **props: Any) -> str:
        """The id of a new page whose document asks for a block with these properties."""
        data = {"integration": self.made.name, "block": "lamp", "props": props}
        node = {"object": "block", "type": "integration", "isVoid": True, "data": data}
        document = {"document": {"object": "document", "nodes": [node]}}
        return self.site.page(title=title, document=document)

    def open(self, number: int = 0, *, of: str = "/lamps", query: str = "") -> httpx.Response:
        """A block of a page by itself."""
        return self.at(placed(self.site.open(of).text)[number] + query)

    def at(self, address: str) -> httpx.Response:
        """Return what somebody finds at an address of the site."""
        return anonymous.get(urljoin(self.site.url, address))

    def press(self, answer: httpx.Response, do: str | None = None, **fields: Any) -> httpx.Response:
        """The form of a block sent as a browser does, with a button and with fields changed."""
        form = form_of(answer)
        pairs = sent(form) | {name: [str(value)] for name, value in fields.items()}
        if do is not None:
            button = next(each for each in form.every("button") if each.all_text.strip() == do)
            pairs["~do"] = [str(button.attributes["value"])]
        address = urljoin(self.site.url, str(form.attributes["action"]))
        return anonymous.post(address, content=urlencode(pairs, doseq=True), headers=FORM)


def form_of(answer: httpx.Response) -> Element:
    """The form that a block is."""
    return next(form for form in parsed(answer.text).every("form") if form.attributes.get("method") == "post")


def sent(form: Element) -> dict[str, list[str]]:
    """The fields of a form as they stand there."""
    pairs: dict[str, list[str]] = {}
    for field in form.every("input"):
        given = field.attributes
        if given.get("type") not in ("checkbox", "radio") or "checked" in given:
            pairs.setdefault(str(given["name"]), []).append(str(given.get("value", "")))
    for area in form.every("textarea"):
        pairs[str(area.attributes["name"])] = [area.all_text]
    for choice in form.every("select"):
        options = (each.attributes for each in choice.every("option"))
        chosen = [str(given["value"]) for given in options if "selected" in given]
        pairs.setdefault(str(choice.attributes["name"]), []).extend(chosen)
    return pairs


def told(answer: httpx.Response) -> Any:
    """Return what the script was told when it showed this."""
    assert answer.status_code == 200, answer.text
    return json.loads(next(parsed(answer.text).every("pre")).all_text)


def with_shown(*elements: dict[str, Any]) -> str:
    """A block that shows these."""
    return f"{{% @lamps/lamp shows='{json.dumps(elements)}' %}}"


def button(label: str, **action: Any) -> dict[str, Any]:
    """A button of an integration."""
    return {"type": "button", "label": label, "onPress": action}
