"""Of a large site a page shows what is around it: its branch, its neighbours, and the way to the rest."""

from __future__ import annotations

import gzip
from typing import Any

import pytest

from app.site_reader.page_tree import LONGEST_LEVEL, MorePages, PageTree, TreeItem
from app.site_reader.rendering.page import page_html
from app.site_reader.rendering.render_context import PageView, SiteView, SpaceVariant
from tests.cast import Cast
from tests.reader.rendering import BASE, Written, looks, parsed, reading, row, whole
from tests.visitors import PublishedSite


def space(*lines: str) -> PageTree:
    """A tree from lines, indented by two: `Title`, `Group:` or `Hidden?`."""
    rows: list[Any] = []
    above: list[str] = []
    for number, line in enumerate(lines):
        depth = (len(line) - len(line.lstrip())) // 2
        title = line.strip()
        given = {
            "title": title.rstrip(":?"),
            "path": title.rstrip(":?").lower(),
            "hidden": title.endswith("?"),
        }
        kind = "group" if title.endswith(":") else "document"
        rows.append(row(number, parent_id=above[depth - 1] if depth else None, kind=kind, **given))
        above[depth:] = [f"p{number}"]
    return PageTree(rows, BASE)


def shown(branches: Any) -> list[Any]:
    """Titles of what is open; a closed branch ends with an ellipsis."""
    made: list[Any] = []
    for branch in branches:
        if isinstance(branch, MorePages):
            made.append(f"+{branch.count}")
        elif branch.inside is None:
            made.append(f"{branch.row.title}…")
        else:
            made.append((branch.row.title, shown(branch.inside)) if branch.inside else branch.row.title)
    return made


TREE = ("Start", "Guide", "  First", "    Deep", "  Second", "Other", "  Inner", "Secret?", "  Below")


def test_a_group_of_nothing_that_is_shown_is_not_shown() -> None:
    tree = space("Start", "Empty:", "Secrets:", "  Secret?", "Outer:", "  Inner:", "Full:", "  Page")
    assert shown(tree.open_at("p0")) == ["Start", ("Full", ["Page"])]
    assert [row.title for row in tree.in_order()] == ["Start", "Page"]
    assert tree.get("p3") is not None


def test_only_the_branch_of_the_page_is_open() -> None:
    tree = space(*TREE)
    assert shown(tree.open_at("p0")) == ["Start", "Guide…", "Other…"]
    assert shown(tree.open_at("p1")) == ["Start", ("Guide", ["First…", "Second"]), "Other…"]
    assert shown(tree.open_at("p3")) == ["Start", ("Guide", [("First", ["Deep"]), "Second"]), "Other…"]


def test_hidden_pages_are_read_but_not_shown() -> None:
    tree = space(*TREE)
    assert tree.get("p7") is not None
    assert "Secret" not in str(shown(tree.open_at("p7")))
    assert [page.title for page in tree.in_order()] == [
        "Start",
        "Guide",
        "First",
        "Deep",
        "Second",
        "Other",
        "Inner",
    ]
    assert tree.around("p7") == (None, None)


def test_pages_follow_each_other_in_the_order_of_the_tree() -> None:
    tree = space(*TREE)
    assert [page.title for page in tree.around("p3") if page] == ["First", "Second"]
    assert tree.around("p0")[0] is None
    assert [page.title for page in tree.above("p3")] == ["Guide", "First"]


def test_groups_are_headings_that_lead_to_their_first_page() -> None:
    tree = space("Group:", "  Inner:", "    Page", "Empty:")
    assert tree.href(tree.get("p0")) == tree.href(tree.get("p2")) == BASE
    assert tree.href(tree.get("p3")) == ""


def test_the_first_page_is_at_the_address_of_its_space() -> None:
    tree = space("Group:", "  Start", "Next page")
    assert tree.href(tree.get("p1")) == BASE
    assert tree.href(tree.get("p2")) == f"{BASE}/next%20page"
    at_a_host_of_its_own = PageTree([row(0)], "")
    assert at_a_host_of_its_own.href(at_a_host_of_its_own.get("p0")) == "/"


def test_parents_that_lead_in_a_circle_or_nowhere_end() -> None:
    rows = [row(0, parent_id="p1"), row(1, parent_id="p0"), row(2, parent_id="gone")]
    tree = PageTree(rows, BASE)
    assert shown(tree.open_at("p0")) == ["Page 2"]
    assert len(tree.above("p0")) <= 2


@pytest.mark.parametrize("at", [0, 50, 5_000, 9_999])
def test_ten_thousand_pages_beside_each_other_are_not_all_sent(at: int) -> None:
    tree = PageTree([row(number) for number in range(10_000)], BASE)
    level = tree.open_at(f"p{at}")
    branches = [each for each in level if isinstance(each, TreeItem)]
    assert len(branches) == LONGEST_LEVEL
    assert any(each.current for each in branches)
    assert len(branches) + sum(each.count for each in level if isinstance(each, MorePages)) == 10_000


def ten_thousand() -> PageTree:
    """A hundred chapters of ten sections of ten pages."""
    rows = [row(number, path=f"chapter-{number}", title=f"Chapter {number}") for number in range(100)]
    rows += [row(100 + n, parent_id=f"p{n // 10}", path=f"c/section-{n}") for n in range(1_000)]
    rows += [row(1_100 + n, parent_id=f"p{100 + n // 10}", path=f"c/s/page-{n}") for n in range(10_000)]
    return PageTree(rows, BASE)


def test_a_page_of_a_large_site_is_light() -> None:
    tree = ten_thousand()
    page = tree.get("p6099")
    html = page_html(PageView(reading().site, tree, page, reading("words\n\n" * 500).document, Written()))
    links = [link for link in parsed(html).every("a") if str(link.attributes.get("href")).startswith(BASE)]
    assert 100 < len(links) < 150
    assert len(gzip.compress(html.encode())) < 6_000


def test_variants_stand_above_the_pages() -> None:
    variants = [
        SpaceVariant("Version 2", "/acme/guide", current=True),
        SpaceVariant("Version 1", "/acme/guide/v1"),
    ]
    page = parsed(whole("x", site={"variants": variants}))
    (menu,) = (each for each in page.every("details") if "variants" in str(each.attributes.get("class")))
    assert [(a.text, a.attributes["href"]) for a in menu.every("a")] == [
        ("Version 2", "/acme/guide"),
        ("Version 1", "/acme/guide/v1"),
    ]


def test_a_group_that_says_nothing_shows_what_is_in_it() -> None:
    rows = [
        row(0),
        row(1, kind="group", title="Group"),
        row(2, parent_id="p1", title="Inside", description="About"),
    ]
    html = page_html(PageView(SiteView("S", BASE, looks()), PageTree(rows, BASE), rows[1], None, Written()))
    (card,) = (a for a in parsed(html).every("a") if "card-link" in str(a.attributes.get("class")))
    assert card.attributes["href"] == f"{BASE}/page-2"
    assert card.all_text == "InsideAbout"


def test_what_is_below_a_page_is_a_list_for_who_asks_for_html(cast: Cast) -> None:
    site = PublishedSite(cast)
    item = site.get("/site-spaces")["items"][0]["id"]
    space_tree = site.open(f"/~/tree?space={item}").json()["pages"]
    guide = next(each["id"] for each in space_tree if each["title"] == "Guide")
    answer = site.open(f"/~/tree?space={item}&page={guide}", accept="text/html")
    assert answer.headers["content-type"].startswith("text/html")
    assert "Accept" in answer.headers["vary"]
    links = [each.attributes["href"] for each in parsed(answer.text).every("a")]
    assert links == [f"{site.base}/guide/install", f"{site.base}/guide/configure"]
    assert "Secret" not in site.open(f"/~/tree?space={item}", accept="text/html").text
