"""Settings that readers see: an organization's default content, sizes of covers, icons by name."""

from __future__ import annotations

from urllib.parse import urljoin

import pytest

from tests import anonymous, make
from tests.cast import Cast
from tests.factories.sites import answered
from tests.visitors import PublishedSite


def test_an_organizations_own_address_leads_to_its_default_content(cast: Cast) -> None:
    site = PublishedSite(cast)
    root = f"{cast.instance.settings.sites_base}/{cast.organization}"
    assert anonymous.get(root).status_code == 404
    content = {"type": "site", "site": site.id}
    answered(cast.ada.patch(f"/v1/orgs/{cast.organization}", {"defaultContent": content}))
    shown = anonymous.get(root)
    assert (shown.status_code, shown.headers["location"]) == (307, site.url)
    name = f"works-{cast.organization[-8:].lower()}"
    cast.ada.mutate("updateOrganization", organization=cast.organization, hostname=name)
    by_name = anonymous.get(f"{cast.instance.settings.sites_base}/{name}")
    assert by_name.headers["location"] == f"{cast.instance.settings.sites_base}/{name}/{site.id}"
    site.post("/unpublish", status=200)
    assert anonymous.get(root).status_code == 404, "nobody sees what is not published"


@pytest.mark.parametrize("size", ["hero", "full", "background"])
def test_a_cover_is_as_large_as_its_layout_says(cast: Cast, size: str) -> None:
    site = PublishedSite(cast)
    place = site.spaces[0]
    page = cast.ada.get(f"/v1/spaces/{place}/content/pages").json()["pages"][0]
    files = {"operation": "insert_files", "files": [make.upload("c.png", make.picture(60, 30), ref="c")]}
    cover = {"ref": {"kind": "file", "file": "c"}}
    change = {"operation": "update_page", "page": page["id"], "cover": cover, "layout": {"coverSize": size}}
    made = make.changes(cast.ada, place, files, change)
    told = cast.ada.get(f"/v1/spaces/{place}/content/page/{page['id']}").json()
    assert told["layout"]["coverSize"] == size
    shown = anonymous.get(site.url).text
    assert f'class="page-cover is-{size}"' in shown
    assert made["insertedFiles"][0]["id"] in shown, "a file of the space is shown too"
    assert shown.index("page-cover") < shown.index("<article"), "above the article, not in it"


@pytest.mark.parametrize(("y_pos", "part"), [(-60, "at-70"), (9000, "at-0"), (-9000, "at-100"), (0, None)])
def test_a_cover_has_its_height_and_shows_its_part_of_the_picture(
    cast: Cast, y_pos: float, part: str | None
) -> None:
    site = PublishedSite(cast)
    place = site.spaces[0]
    page = cast.ada.get(f"/v1/spaces/{place}/content/pages").json()["pages"][0]
    files = {"operation": "insert_files", "files": [make.upload("c.png", make.picture(60, 30), ref="c")]}
    cover = {"ref": {"kind": "file", "file": "c"}, "height": 200, "yPos": y_pos}
    make.changes(cast.ada, place, files, {"operation": "update_page", "page": page["id"], "cover": cover})
    shown = anonymous.get(site.url).text.partition('<div class="page-cover sized')[2].partition("</div>")[0]
    assert 'height="200"' in shown
    assert shown.partition('"')[0].strip() == (part or "")


def test_an_icon_by_name_is_drawn(cast: Cast) -> None:
    site = PublishedSite(cast)
    site.patch("", {"icon": "gear"})
    page = anonymous.get(site.url).text
    address = page.partition('rel="icon" type="image/svg+xml" href="')[2].partition('"')[0]
    drawn = anonymous.get(urljoin(site.url, address))
    assert "<path" in drawn.text
    assert "<text" not in drawn.text


def test_a_sponsored_site_says_where_its_ads_stand(cast: Cast) -> None:
    made = answered(cast.ada.post(f"/v1/orgs/{cast.organization}/sites", {"type": "sponsored"}), 201)
    assert made["ads"] == {"status": "pending", "submittable": False}
    asked = "query($o: ID!, $s: ID!) { organization(id: $o) { site(id: $s) { ads { submittable } } } }"
    found = cast.ada.ask(asked, o=cast.organization, s=made["id"])["organization"]["site"]["ads"]
    assert found == {"submittable": False}
    plain = answered(cast.ada.post(f"/v1/orgs/{cast.organization}/sites", {}), 201)
    assert "ads" not in plain
