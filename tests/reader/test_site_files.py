"""Files of published spaces: from a path that needs no cookie, inert, and while they may (35, 36)."""

from __future__ import annotations

import re
from urllib.parse import unquote

import pytest

from tests import anonymous, make
from tests.cast import Cast
from tests.visitors import PublishedSite

EVIL = b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'><script>alert(2)</script></svg>"


def addresses(site: PublishedSite, path: str = "") -> list[str]:
    """The addresses of files on a page."""
    return re.findall(r'(?:src|href)="([^"]*/~files/[^"]+)"', site.open(path).text)


def with_files(site: PublishedSite, *names: str, data: bytes = EVIL) -> list[str]:
    """The addresses of uploaded files of these names, as a page that links to them has them."""
    uploads = [make.upload(name, data, "text/html", ref=f"f{n}") for n, name in enumerate(names)]
    make.changes(site.cast.ada, site.spaces[0], {"operation": "insert_files", "files": uploads})
    ids = [
        each["id"] for each in site.cast.ada.get(f"/v1/spaces/{site.spaces[0]}/content/files").json()["items"]
    ]
    text = "\n".join(f"[file {n}](/files/{file})\n" for n, file in enumerate(ids))
    site.page(title="Files", document={"markdown": text})
    return addresses(site, "/files")


@pytest.fixture
def site(cast: Cast) -> PublishedSite:
    """A public site."""
    return PublishedSite(cast)


def test_a_picture_is_read_without_any_cookie(site: PublishedSite) -> None:
    (address,) = addresses(site)
    assert address.startswith(f"{site.cast.instance.settings.sites_base}/~files/")
    answer = anonymous.get(address)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/png")
    assert answer.content == make.picture(3, 2)
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in answer.headers["content-security-policy"]
    assert "set-cookie" not in answer.headers
    assert anonymous.head(address).status_code == 200
    assert anonymous.post(address).status_code == 405
    assert anonymous.get(address, headers={"range": "bytes=0-3"}).content == make.picture(3, 2)[:4]
    assert anonymous.get(address, headers={"if-none-match": answer.headers["etag"]}).status_code == 304


def test_what_could_run_is_only_saved(site: PublishedSite) -> None:
    found = with_files(
        site, "page.html", "picture.svg", "feed.xml", "page.HTML", "x.xhtml", "polyglot.pdf.html"
    )
    assert len(found) >= 6
    for address in found:
        answer = anonymous.get(address)
        if answer.content != EVIL:  # the picture that the space came with
            continue
        assert answer.headers["content-disposition"].startswith("attachment"), address
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "sandbox" in answer.headers["content-security-policy"]


def test_names_are_only_names(site: PublishedSite) -> None:
    names = [
        "..%2f..%2fx.txt",
        "C:\\boot.txt",
        "a\u202etxt.exe",
        "x" * 200 + ".txt",
        "UPPER.TXT",
        "….txt",
        "a b&c.txt",
    ]
    for address in with_files(site, *names):
        answer = anonymous.get(address)
        assert answer.status_code == 200, address
        said = unquote(answer.headers["content-disposition"].partition("''")[2])
        assert not set(said) & set("/\\\r\n\u202e"), said


def test_an_address_is_for_one_file_of_one_site(cast: Cast, site: PublishedSite) -> None:
    other = PublishedSite(cast)
    (mine,), (theirs,) = addresses(site), addresses(other)
    head, _, rest = mine.partition("/~files/")
    signature, of_site, space, file, name = rest.split("/")
    _, their_site, their_space, their_file, _ = theirs.partition("/~files/")[2].split("/")
    wrong = [
        (signature, their_site, their_space, their_file),
        (signature, of_site, space, their_file),
        (signature, their_site, space, file),
        (signature.replace("0.", "999999999.", 1), of_site, space, file),
        (signature.replace(".", ".lx", 1), of_site, space, file),
        (signature[:-1] + ("-" if signature[-1] != "-" else "_"), of_site, space, file),
        ("0..", of_site, space, file),
        (signature, of_site, space, f"..%2f{file}"),
        (signature, of_site, space, "' OR 1=1"),
    ]
    for parts in wrong:
        assert anonymous.get(f"{head}/~files/{'/'.join(parts)}/{name}").status_code == 404, parts
    for path in (
        f"{head}/~files",
        f"{head}/~files/",
        f"{head}/~files/{rest}/more",
        f"{head}/~files/{signature}/{of_site}",
    ):
        assert anonymous.get(path).status_code == 404, path
    assert (
        anonymous.get(f"{head}/~files/{signature}/{of_site}/{space}/{file}/another-name").status_code == 200
    )


def test_through_a_sites_host_nobodys_files_are_read(cast: Cast, site: PublishedSite) -> None:
    host = f"docs.{cast.organization}.example".lower()
    own = PublishedSite(cast, hostname=host)
    (address,) = addresses(site)
    path = address.removeprefix(cast.instance.settings.sites_base)
    for tried in (path, f"/sites{path}"):
        assert anonymous.get(cast.instance.base + tried, headers={"host": host}).status_code == 404
    assert own.id not in path


def test_a_file_goes_with_what_it_was_shown_for(cast: Cast, site: PublishedSite) -> None:
    (address,) = addresses(site)
    site.patch("", {"visibility": "share-link"})
    assert anonymous.get(address).status_code == 404
    site.patch("", {"visibility": "visitor-auth"})
    assert anonymous.get(address).status_code == 404
    site.patch("", {"visibility": "unlisted"})
    assert anonymous.get(address).status_code == 200
    site.post("/unpublish", status=200)
    assert anonymous.get(address).status_code == 404
    site.post("/publish", status=200)
    space = f"/v1/spaces/{site.spaces[0]}"
    assert site.cast.ada.delete(space).status_code in (200, 204, 205)
    assert anonymous.get(address).status_code == 404
    assert site.cast.ada.post(f"{space}/restore").status_code == 200
    assert anonymous.get(address).status_code == 200
    item = site.get("/site-spaces")["items"][0]["id"]
    site.patch(f"/site-spaces/{item}", {"draft": True})
    assert anonymous.get(address).status_code == 404
