"""Content in print: what a document holds and how it is marked."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from app.access.context import Context
from app.domain.pdf import typesetting
from app.domain.pdf.pdf_exports import OpenedPdf, PdfSelection
from app.kit.http.headers import FILE
from tests import anonymous, make
from tests.cast import Cast, Person
from tests.factories.changes import new_page, place
from tests.factories.pdfs import address, asked, changed_space, fetched, goals, outline, read, shown, words
from tests.local_server import Neighbour
from tests.timing import TIMEOUT


def page_id(person: Person, space: str, path: str) -> str:
    """The id of a page."""
    return str(person.get(f"/v1/spaces/{space}/content/path/{path}").json()["id"])


def test_a_space_in_print_has_its_pages_links_and_pictures(cast: Cast) -> None:
    space = make.filled_space(cast, title="Keeper’s / handbook")
    answer = anonymous.get(address(cast.ria, space))
    assert answer.headers["content-type"] == "application/pdf"
    assert answer.headers["content-disposition"] == (
        "attachment; filename*=UTF-8''Keeper%E2%80%99s%20_%20handbook.pdf"
    )
    assert answer.headers["content-security-policy"] == FILE["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    reader = read(answer.content)
    assert reader.metadata is not None
    assert reader.metadata.title == "Keeper’s / handbook"
    assert words(reader).startswith("Keeper’s / handbook Revision 2 of 20")
    assert outline(reader) == [
        "Contents",
        "Lighthouse",
        "Notes",
        ["Daily rounds", "Größe der Lampe"],
        "Machinery",
        ["The lamp", ["The wick"], "Its maker"],
    ]
    assert "Where to begin" in words(reader)
    assert "In a storm" not in words(reader)  # hidden
    inside = [(start, goal) for start, goal in goals(reader) if start > 1]
    notes = next(n for n, page in enumerate(reader.pages) if "Back to the start" in page.extract_text())
    assert (2, notes) in inside
    assert (notes, 2) in inside
    assert "https://example.org/maker" in [goal for _, goal in inside]
    assert [len(page.images) for page in reader.pages][2] == 1


TREE: dict[str, str | bytes] = {
    "SUMMARY.md": "# Table of contents\n\n* [Lamp](lamp/README.md)\n  * [Wick](lamp/wick.md)\n"
    "* [End](end.md)\n",
    "lamp/README.md": "---\nvars:\n  fuel: oil\n---\n\n# Lamp\n\n"
    'It is <code class="expression">space.vars.height</code> feet and burns '
    '<code class="expression">page.vars.fuel</code>.\n\n'
    "{% if space.vars.height > 30 %}\nA tall one.\n{% else %}\nA low one.\n{% endif %}\n\n"
    '{% include "../.gitbook/includes/oil.md" %}\n',
    "lamp/wick.md": '# Wick\n\nTrim it.\n\n{% include "../.gitbook/includes/none.md" %}\n',
    "end.md": "# End\n\nDark.\n",
    ".gitbook/vars.yaml": "height: 40\n",
    ".gitbook/includes/oil.md": 'Whale oil for <code class="expression">page.title</code>, see '
    "[the end](../../end.md) ![lamp](../assets/lamp.png).\n\n"
    '{% include "oil.md" %}\n\n{% include "deep.md" %}\n',
    ".gitbook/includes/deep.md": "From the deep.\n",
    ".gitbook/assets/lamp.png": make.picture(3, 2),
}


def test_variables_conditions_and_reusable_contents_are_put_in(cast: Cast) -> None:
    space = make.filled_space(cast, TREE)
    reader = read(fetched(address(cast.ria, space, page=page_id(cast.ria, space, "lamp"))))
    text = words(reader)
    assert "It is 40 feet and burns oil. A tall one. Whale oil for Lamp, see the end" in text
    assert "From the deep." in text
    assert "A low one." not in text
    assert "REUSABLE CONTENT oil.md" in text  # it includes itself: that is said once and not done
    assert "REUSABLE CONTENT ../.gitbook/includes/none.md" in text  # there is no such content
    assert sum(len(page.images) for page in reader.pages) == 1
    whole = read(fetched(address(cast.ria, space)))
    end = next(n for n, page in enumerate(whole.pages) if "Dark." in page.extract_text())
    assert end in [goal for start, goal in goals(whole) if start > 1]


def test_a_page_with_what_is_under_it_or_alone(cast: Cast) -> None:
    space = make.filled_space(cast, TREE, title="Lights")
    lamp = page_id(cast.ria, space, "lamp")
    whole, below = shown(cast.ria, space), shown(cast.ria, space, page=lamp)
    alone = read(fetched(address(cast.ria, space, page=lamp, only="true")))
    assert ("Trim it." in whole, "Dark." in whole) == (True, True)
    assert ("Trim it." in below, "Dark." in below) == (True, False)
    assert "Trim it." not in words(alone)
    assert "A tall one." in words(alone)
    assert words(alone).startswith("Lights Lamp Revision")
    assert outline(alone) == ["Lamp"]
    assert shown(cast.ria, space, only="true") == whole  # without a page there is nothing to leave out


def test_hidden_pages_are_printed_only_where_they_are_asked_for(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    top = new_page(cast.ada, space, title="Top", document={"markdown": "above\n"})
    secret = new_page(cast.ada, space, title="Secret", into=top, document={"markdown": "below\n"})
    new_page(cast.ada, space, title="Child", into=secret, document={"markdown": "deeper\n"})
    make.changes(cast.ada, space, {"operation": "update_page", "page": secret, "hidden": True})
    for text in (shown(cast.ria, space), shown(cast.ria, space, page=top)):
        assert "above" in text
        assert "Secret" not in text
        assert "deeper" not in text
    text = shown(cast.ria, space, page=secret)
    assert "below" in text
    assert "deeper" in text


def test_an_empty_space_is_a_title_page(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization, title="Nothing yet")["id"]
    reader = read(fetched(address(cast.ria, space)))
    assert words(reader).startswith("Nothing yet Revision")


def test_what_a_change_request_changes_is_marked(cast: Cast) -> None:
    space, ids = changed_space(cast)
    new_page(cast.ada, space, title="Under", into=ids["Gone"], document={"markdown": "under text\n"})
    number = make.change_request(cast.ed, space, subject="Better <lights>")["number"]
    plain = shown(cast.ria, space, number)
    assert not [mark for mark in ("NEW", "EDITED", "REMOVED", "MOVED") if mark in plain]
    make.changes(
        cast.ed, space,
        {"operation": "insert_page", "title": "Fresh", "document": {"markdown": "fresh text\n"}},
        {"operation": "update_page", "page": ids["Edited"], "document": {"markdown": "other text\n"}},
        {"operation": "update_page", "page": ids["Moved"], "into": ids["Kept"]},
        {"operation": "update_page", "page": ids["Both"], "into": ids["Kept"], "title": "Both now"},
        {"operation": "delete_page", "page": ids["Gone"]},
        request=number,
    )  # fmt: skip
    make.changes(cast.ada, space, {"operation": "update_page", "page": ids["Kept"], "title": "Main"})
    reader = read(fetched(address(cast.ria, space, number)))
    contents, text = words(reader).split("Contents", 1)[1].split("Kept text")
    assert words(reader).startswith("Lights Change request #1: Better <lights> Revision 1 of")
    listed = " ".join(contents.replace(".", " ").split())
    for line in ("Moved MOVED", "Both now EDITED AND MOVED", "Edited EDITED", "Gone REMOVED", "Fresh NEW"):
        assert line in listed
    assert "Under REMOVED" in listed
    assert not [mark for mark in ("Kept NEW", "Kept EDITED", "Kept MOVED", "Main") if mark in listed]
    assert "other text" in text
    assert "Gone text" not in text
    assert "under text" not in text
    assert "REMOVED" not in shown(cast.ria, space)  # the space itself is as it was
    from_page = shown(cast.ria, space, number, page=ids["Kept"])
    assert "MOVED" in from_page
    assert "NEW" not in from_page
    assert asked(cast.ria, space, number, page=ids["Gone"]).status_code == 404


def test_after_an_update_only_its_own_changes_are_marked(cast: Cast) -> None:
    space, ids = changed_space(cast)
    number = make.change_request(cast.ed, space)["number"]
    make.changes(
        cast.ed, space, {"operation": "update_page", "page": ids["Edited"], "title": "Ours"}, request=number
    )
    make.changes(cast.ada, space, {"operation": "update_page", "page": ids["Kept"], "title": "Theirs"})
    assert cast.ed.post(f"{place(space, number)}/update").status_code == 200
    text = shown(cast.ria, space, number)
    assert "Theirs" in text
    assert text.count("EDITED") == 2  # in the contents and at its page


def test_an_address_leads_to_the_same_bytes_whatever_is_written_meanwhile(cast: Cast) -> None:
    space, ids = changed_space(cast)
    url = address(cast.ria, space)
    make.changes(cast.ada, space, {"operation": "update_page", "page": ids["Kept"], "title": "Renamed"})
    first = fetched(url)
    assert "Renamed" not in words(read(first))
    assert fetched(url) == first
    assert "Renamed" in shown(cast.ria, space)


def test_nothing_is_fetched_from_elsewhere(cast: Cast, neighbour: Neighbour) -> None:
    asked_for: list[str] = []

    def picture(request: Any) -> Any:
        asked_for.append(request.path)
        return 200, {"content-type": "image/png"}, make.picture(2, 2)

    neighbour.routes["/p.png"] = picture
    remote = f"{neighbour.base}/p.png"
    body = (
        f'![a]({remote})\n\n<img src="{remote}">\n\n<iframe src="{remote}"></iframe>\n\n![b](/etc/hostname)\n'
    )
    space = make.filled_space(cast, {"README.md": f"# Here\n\n{body}"})
    text = shown(cast.ria, space)
    assert text.count("outside of this book") == 2
    assert "(not found)" in text
    assert asked_for == []


def test_a_run_takes_no_thread_from_what_others_do(cast: Cast) -> None:
    space = make.filled_space(cast)
    revision = cast.ada.get(f"/v1/spaces/{space}").json()["revision"]
    occupied = threading.Event()

    async def set_while_all_threads_are_busy(cx: Context) -> bytes:
        loop = asyncio.get_running_loop()
        loop.set_default_executor(ThreadPoolExecutor(1))
        busy = asyncio.ensure_future(asyncio.to_thread(occupied.wait, TIMEOUT))
        opened = OpenedPdf(PdfSelection(space, revision), "Handbook", "", "en", 1, cx.now, "Handbook.pdf")
        try:
            made = await typesetting.pdf(cx, opened, lambda: False)
            assert not busy.done()
            return made
        finally:
            occupied.set()
            await busy

    assert cast.instance.inside(set_while_all_threads_are_busy).startswith(b"%PDF")
