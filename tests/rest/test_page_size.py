"""One limit for the text of a page, whichever way it comes: what can come in can be edited."""

from __future__ import annotations

from typing import Any

from app.formats.repository.source_text import MAX_MARKDOWN
from tests import make
from tests.cast import Cast
from tests.factories.changes import insert, send, update
from tests.local_server import Neighbour

LINE = "Oil burns, and é counts twice.\n"
TOO_MUCH = "\n".join([LINE * 60] * (MAX_MARKDOWN // (61 * len(LINE)) + 2))


def test_what_an_import_takes_can_be_edited(cast: Cast) -> None:
    text = f"# Log\n\n{TOO_MUCH}".encode()[: MAX_MARKDOWN - 100].decode(errors="ignore")
    space = make.filled_space(cast, {"log.md": text})
    page = cast.ed.get(f"/v1/spaces/{space}/content/path/log").json()["id"]
    make.changes(cast.ed, space, update(page, text.replace("# Log", "# Logs", 1)))
    found = cast.ed.get(f"/v1/spaces/{space}/content/page/{page}", params={"format": "markdown"}).json()
    assert found["markdown"] == text.replace("# Log", "# Logs", 1)


def test_more_is_refused_on_every_way(cast: Cast, neighbour: Neighbour) -> None:
    assert len(TOO_MUCH) <= MAX_MARKDOWN < len(TOO_MUCH.encode())
    space = make.space(cast.ada, cast.organization)["id"]
    paragraph: dict[str, Any] = {
        "object": "block",
        "type": "paragraph",
        "nodes": [{"object": "text", "leaves": [{"text": TOO_MUCH.replace("\n", " ")}]}],
    }
    document = {"object": "document", "nodes": [paragraph]}
    request = make.change_request(cast.ed, space)["number"]
    block = {"operation": "insert_reusable_content", "title": "Log", "document": {"markdown": TOO_MUCH}}
    for number in (None, request):
        for change, where in (
            (insert("Log", TOO_MUCH), "markdown"),
            ({**insert("Log"), "document": {"document": document}}, "document"),
            (block, "markdown"),
        ):
            answer = send(cast.ed, space, change, request=number)
            assert answer.status_code == 413, answer.text
            told = answer.json()["error"]["details"]
            assert [each["path"] for each in told] == [f"changes.0.document.{where}"]
    change = {"insertPage": {"title": "Log", "document": {"markdown": TOO_MUCH}}}
    assert cast.ed.refused("changeContent", space=space, changes=[change]) == "PAYLOAD_TOO_LARGE"
    neighbour.routes["/log.md"] = (200, {"content-type": "text/markdown"}, TOO_MUCH.encode())
    neighbour.routes["/log.html"] = (200, {"content-type": "text/html"}, f"<p>{TOO_MUCH}</p>".encode())
    for source, path in (("markdown", "log.md"), ("html", "log.html")):
        body = {"source": source, "url": f"{neighbour.base}/{path}"}
        answer = cast.ed.post(f"/v1/spaces/{space}/content/import", body)
        assert answer.status_code == 413, answer.text
        assert answer.json()["error"]["details"][0]["path"] == "url"
    assert cast.ed.get(f"/v1/spaces/{space}/content/pages").json()["pages"] == []
