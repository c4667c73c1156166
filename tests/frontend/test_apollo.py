"""Apollo Client: lists that grow as they are scrolled, and answers of which a part is refused."""

from __future__ import annotations

from collections.abc import Callable

from tests import make
from tests.cast import Cast
from tests.frontend.screens import Screen


def test_a_list_grows_with_every_page(cast: Cast, screens: Callable[[str], Screen]) -> None:
    made = [make.space(cast.ada, cast.organization, title=f"Space {n}")["title"] for n in range(5)]
    shown = screens("apollo").app(cast.ada).call("spaces", cast.organization, 2)
    assert shown["pages"] == 3
    assert sorted(shown["titles"]) == made


def test_what_is_refused_takes_nothing_else_away(cast: Cast, screens: Callable[[str], Screen]) -> None:
    make.space(cast.ada, cast.organization)
    shown = screens("apollo").app(cast.ria).call("refused", cast.organization)
    organization = shown["data"]["organization"]
    assert organization["auditEvents"] is None
    assert organization["title"] == "Analytical Engines"
    assert organization["spaces"]["totalCount"] == 1
    assert shown["message"]


def test_documents_are_sent_once_and_named_by_their_hash_then(
    cast: Cast, screens: Callable[[str], Screen]
) -> None:
    make.space(cast.ada, cast.organization)
    screen = screens("apollo")
    app = screen.app(cast.ada)
    asked = []
    for _ in range(2):
        screen.page.requests.clear()
        assert app.call("byHash", cast.organization) == ["Handbook"]
        sent = [each for each in screen.page.requests if each.url.startswith(f"{cast.ada.base}/graphql")]
        asked.append([each.method for each in sent if each.method != "OPTIONS"])
    assert asked == [["GET", "POST"], ["GET"]]
    screen.page.complaints.clear()  # Chromium tells of every 400, as the first GET was answered
