"""What can go wrong with a content source, and what becomes of its pages then."""

from __future__ import annotations

import pytest

from tests import make
from tests.integrations.almanac import LAMPS, Almanac
from tests.rest.test_openapi_pages import outline, tree


@pytest.fixture
def page(almanac: Almanac) -> str:
    """A page of the source that was computed."""
    page = almanac.placed()
    almanac.computed(page)
    return page


def test_every_fault_of_a_script_is_told_in_words_and_passes(almanac: Almanac, page: str) -> None:
    for fault, told in (
        ("throws", "status 500 instead of 200: Internal server error"),
        ("hangs", "The script computed for too long."),
        ("no pages", "pages must be a list of pages"),
        ("no title", "pages[0].title needs a visible character"),
        ("large", "The answer has more than"),
        ("many", "at most 500 pages"),
        ("no document", "cannot be read: document.nodes[0]"),
    ):
        almanac.configure(fault=fault)
        almanac.tells(page, told)
        assert outline(tree(almanac.cast.ed, almanac.place())) == LAMPS
    almanac.configure()
    almanac.shown(page, lambda found: "error" not in found["computed"])


def test_uninstalling_is_told_on_the_page_and_installing_again_renews_it(almanac: Almanac, page: str) -> None:
    almanac.cast.ada.delete(f"{almanac.made.path}/installations/{almanac.installation}")
    assert almanac.failed(page) == "The integration is not installed here."
    assert outline(tree(almanac.cast.ed, almanac.place())) == LAMPS
    almanac.installation = almanac.made.install()
    almanac.made.on_space(almanac.installation, almanac.space)
    almanac.shown(page, lambda found: "error" not in found["computed"])


def test_an_installation_that_loses_the_space_is_told_on_the_page(almanac: Almanac, page: str) -> None:
    where = f"{almanac.made.path}/installations/{almanac.installation}/spaces"
    almanac.cast.ada.delete(f"{where}/{almanac.space}")
    assert almanac.failed(page) == "The integration is not installed here."
    almanac.made.on_space(almanac.installation, almanac.space)
    almanac.shown(page, lambda found: "error" not in found["computed"])


def test_a_source_that_a_new_version_leaves_out_is_told_on_the_page(almanac: Almanac, page: str) -> None:
    almanac.publish(contentSources=[])
    assert almanac.failed(page) == "The integration has no such content source."
    almanac.publish()
    found = almanac.shown(page, lambda found: "error" not in found["computed"])
    assert found["computed"]["version"] == 3


def test_an_integration_that_is_taken_back_is_told_on_the_page(almanac: Almanac, page: str) -> None:
    assert almanac.cast.ada.delete(almanac.made.path).status_code == 205
    assert almanac.failed(page) == "The integration is not installed here."
    assert outline(tree(almanac.cast.ed, almanac.place())) == LAMPS


def test_a_new_configuration_has_all_pages_computed_again(almanac: Almanac, page: str) -> None:
    almanac.configure(lamps=["west"])
    almanac.shown(page, lambda found: outline(found["pages"])[0] == ["Lamps", ["The west lamp"]])
    almanac.configure(lamps=["west"], words="It is night.")
    west = tree(almanac.cast.ed, almanac.place())[0]["pages"][0]["pages"][0]["id"]
    almanac.shown(west, lambda found: found["markdown"].strip() == "It is night.")


def test_a_configuration_that_the_script_changes_itself_asks_for_nothing(almanac: Almanac, page: str) -> None:
    asked = almanac.asked()
    caller = almanac.made.token(almanac.installation)
    where = f"{almanac.made.path}/installations/{almanac.installation}"
    assert caller.patch(where, {"configuration": {"lamps": ["west"]}}).status_code == 200
    make.changes(
        almanac.cast.ed,
        almanac.space,
        {"operation": "insert_page", "title": "Night", "document": {"markdown": "Dark."}},
    )
    almanac.cast.instance.look_for_jobs()
    almanac.refresh(page)
    almanac.shown(page, lambda found: outline(found["pages"])[0] == ["Lamps", ["The west lamp"]])
    assert almanac.asked() == asked + 1
