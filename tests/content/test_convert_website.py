"""Websites become trees of Markdown: only what lies under the address, in the site's order, within bounds.

Threat 39: a page cannot lead an import to other hosts, nor make it endless.
"""

from __future__ import annotations

import asyncio
import gzip
import subprocess
import sys
import threading
import time
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest

from app.formats.html_import.imported_files import page_files, summary
from app.formats.html_import.url_scope import UrlScope, clean, key, read_robots, read_sitemap, scope_of
from app.formats.html_import.website import ImportedSite, crawl, planned
from app.kit.errors import Invalid
from app.kit.http.outbound import Outbound, OutboundError, OutboundResponse
from tests.local_server import Answer, Request, Routes, gzipped, html, port_of, redirect, serve, slow

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)


def crawled(base: str, path: str = "/", **bounds: object) -> ImportedSite:
    outbound = Outbound(allow=frozenset({("127.0.0.1", port_of(base))}), timeout=120)
    return asyncio.run(crawl(outbound.fetch, base + path, **bounds))  # type: ignore[arg-type]


def imported(routes: Routes, path: str = "/", **bounds: object) -> ImportedSite:
    with serve(routes) as base:
        return crawled(base, path, **bounds)


def page(title: str, *links: str) -> Answer:
    anchors = " ".join(f'<a href="{link}">{link}</a>' for link in links)
    return html(f"<main><h1>{title}</h1>{anchors}</main>")


def titles(site: ImportedSite) -> list[str]:
    """The titles in the table of contents, in order."""
    lines = site.tree["SUMMARY.md"].decode().splitlines()
    return [line.split("[")[1].split("]")[0] for line in lines if "[" in line]


def sitemap_of(*addresses: str, index: bool = False) -> bytes:
    root, entry = ("sitemapindex", "sitemap") if index else ("urlset", "url")
    entries = "".join(f"<{entry}><loc>{address}</loc></{entry}>" for address in addresses)
    return f'<{root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</{root}>'.encode()


NAVIGATION = (
    '<nav><a href="/docs/">Home</a><a href="/docs/guide/">Guide</a>'
    '<a href="/docs/guide/intro.html#top">Intro</a>'
    '<a href="/docs/faq">FAQ</a></nav>'
)


def site_page(title: str, body: str) -> Answer:
    return html(f"<header>{NAVIGATION}</header><main><h1>{title}</h1>{body}</main>", title=f"{title} | Site")


SITE: dict[str, Answer] = {
    "/docs/": site_page(
        "Welcome",
        '<p>See <a href="guide/intro.html?utm=1#start">intro</a>, <a href="late.html">late</a>, '
        '<a href="/outside">outside</a>, <a href="https://other.test/docs/">other</a>, '
        '<a href="mailto:a@b.test">mail</a> <img src="/img/a%20b.png" alt="A"> <img src="/img/none.png"></p>'
        '<pre>[code](https://127.0.0.1/docs/faq)</pre>',
    ),
    "/docs/guide/": site_page(
        "Guide", '<p><a href="../">up</a> <a href="#here">here</a> <a href="./">self</a>'
    ),
    "/docs/guide/intro.html": site_page(
        "Intro *1*",
        '<figure><img src="../../img/a%20b.png"><figcaption>C</figcaption></figure><a href="/docs/faq">f</a>',
    ),
    "/docs/faq": gzipped(b"<title>FAQ</title><meta name=description content='Asked: often'><p>Caf\xc3\xa9"),
    "/docs/late.html": site_page("Late", '<a href="/docs/private/x.html">p</a> <a href="file.pdf">pdf</a>'),
    "/docs/private/x.html": site_page("Secret", ""),
    "/robots.txt": (200, {}, b"User-agent: *\nDisallow: /docs/private/\n"),
    "/img/a%20b.png": (200, {"content-type": "image/png"}, PNG),
    "/outside": site_page("Outside", ""),
}  # fmt: skip


def test_a_site_becomes_a_tree() -> None:
    with serve(SITE) as base:
        site = crawled(base, "/docs/")
    assert sorted(site.tree) == [
        ".gitbook/assets/a-b.png", "README.md", "SUMMARY.md", "faq.md", "guide/README.md", "guide/intro.md",
        "late.md",
    ]  # fmt: skip
    assert site.tree["SUMMARY.md"].decode() == (
        "# Table of contents\n\n"
        "* [Welcome](README.md)\n"
        "* [Guide](guide/README.md)\n"
        "  * [Intro \\*1\\*](guide/intro.md)\n"
        "* [FAQ](faq.md)\n"
        "* [Late](late.md)\n"
    )
    assert site.tree["README.md"].decode() == (
        '---\ntitle: "Welcome"\n---\n\n# Welcome\n\n'
        "See [intro](guide/intro.md#start), [late](late.md), "
        f"[outside]({base}/outside), [other](https://other.test/docs/), "
        f"[mail](mailto:a@b.test) ![A](.gitbook/assets/a-b.png) ![]({base}/img/none.png)\n\n"
        "```\n[code](https://127.0.0.1/docs/faq)\n```\n"
    )
    assert (
        site.tree["guide/README.md"].decode().endswith("[up](../README.md) [here](#here) [self](README.md)\n")
    )
    assert (
        site.tree["guide/intro.md"]
        .decode()
        .endswith(
            '<figure><img src="../.gitbook/assets/a-b.png" alt=""><figcaption>C</figcaption></figure>\n\n'
            "[f](../faq.md)\n"
        )
    )
    assert site.tree["faq.md"].decode() == (
        '---\ntitle: "FAQ"\ndescription: "Asked: often"\n---\n\n# FAQ\n\nCafé\n'
    )
    assert site.tree[".gitbook/assets/a-b.png"] == PNG
    assert site.skipped == [(f"{base}/docs/private/x.html", "not allowed by robots.txt")]
    assert site.found == 6


def test_each_page_is_fetched_once_and_nothing_else() -> None:
    asked: Counter[str] = Counter()

    def counted(answer: Answer, path: str) -> Answer:
        asked[path] += 1
        return answer

    routes: Routes = {path: (lambda _, a=answer, p=path: counted(a, p)) for path, answer in SITE.items()}  # type: ignore[misc]
    imported(routes, "/docs/")
    assert set(asked) == set(SITE) - {"/outside", "/docs/private/x.html"}
    assert set(asked.values()) == {1}


def test_the_sitemap_gives_the_order_and_pages_nobody_links_to() -> None:
    routes: dict[str, Answer] = {
        "/docs/": page("Home", "a", "later", "z"),
        "/docs/a": page("A"),
        "/docs/z": page("Z"),
        "/docs/later": page("Later"),
        "/b": page("B"),
    }
    with serve(routes) as base:
        maps = f"{base}/maps"
        one = sitemap_of(
            f"{base}/docs/z", f" {base}/docs/a#x ", f"{base}/b", "https://other.test/docs/y", "::"
        )
        index = sitemap_of(f"{maps}/one.xml.gz", f"{maps}/index.xml", "https://other.test/x.xml", index=True)
        routes["/maps/index.xml"] = (200, {}, index)
        routes["/maps/one.xml.gz"] = (200, {"content-type": "application/gzip"}, gzip.compress(one))
        routes["/robots.txt"] = (200, {}, f"Sitemap: {maps}/index.xml\n".encode())
        site = crawled(base, "/docs/")
    assert titles(site) == ["Home", "Z", "A", "Later"]


def test_without_a_sitemap_navigation_comes_first_and_breadth_before_depth() -> None:
    site = imported({
        "/": html('<main><h1>Home</h1><a href="c">c</a></main><nav><a href="a">a</a><a href="b">b</a></nav>'),
        "/a": page("A", "/d"), "/b": page("B"), "/c": page("C"), "/d": page("D"),
    })  # fmt: skip
    assert titles(site) == ["Home", "A", "B", "C", "D"]


def test_the_order_does_not_depend_on_which_page_answers_first() -> None:
    other = threading.Event()

    def early(_request: Request) -> Answer:
        other.set()
        return page("B", "/y")

    def late(_request: Request) -> Answer:
        assert other.wait(120), "the two are not asked for at the same time"
        time.sleep(0.1)
        return page("A", "/x")

    site = imported({"/": page("Home", "a", "b"), "/a": late, "/b": early, "/x": page("X"), "/y": page("Y")})
    assert titles(site) == ["Home", "A", "B", "X", "Y"]


def test_an_endless_calendar_ends_with_the_page_budget() -> None:
    def day(request: Request) -> Answer:
        number = int(request.path.rpartition("/")[2] or 0)
        return page(f"Day {number}", f"/cal/{number + 1}", f"/cal/{number + 2}?from={number}")

    with serve({"/cal/*": day}) as base:
        site = crawled(base, "/cal/0/", max_pages=7, max_depth=1000)
        assert site.found == 1
        site = crawled(base, "/cal/", max_pages=7, max_depth=1000)
    assert len(titles(site)) == 7
    assert site.skipped
    assert {reason for _, reason in site.skipped} == {"only 7 pages are imported"}


def test_depth_is_bounded() -> None:
    def deeper(request: Request) -> Answer:
        return page(request.path, request.path.rstrip("/") + "/x")

    with serve({"/*": deeper}) as base:
        site = crawled(base, max_depth=3)
    assert len(titles(site)) == 4
    assert site.skipped == [(f"{base}/x/x/x/x", "more than 3 links away from the start")]


def test_bytes_are_bounded_and_reasons_are_told() -> None:
    big = html("<p>" + "x" * 60_000)
    site = imported({"/": page("Home", *(f"/{n}" for n in range(9))), "/*": big}, max_bytes=150_000)
    pages = sum(len(text) for text in site.tree.values())
    assert 60_000 < pages < 150_000
    assert len(site.skipped) >= 6
    assert any("sent more than" in reason for _, reason in site.skipped)


def test_time_is_bounded() -> None:
    with serve({"/": page("Home", *(f"/x{n}" for n in range(5))), "/x*": slow(0.05)}) as base:
        site = crawled(base, deadline=time.monotonic() + 5)  # which end, although the pages never do
    assert titles(site) == ["Home"]
    assert {reason for _, reason in site.skipped} == {"127.0.0.1 took too long to answer.", "time was up"}


def test_a_page_with_very_many_links_is_bounded() -> None:
    links = "".join(f'<a href="/{number}">x</a>' for number in range(30_000))
    site = imported({"/": html(f"<h1>Home</h1>{links}"), "/*": page("P")}, max_pages=3)
    assert len(titles(site)) == 3
    assert site.found <= 2_001
    assert len(site.skipped) <= 1_000


def test_what_is_no_page_is_left_out() -> None:
    with serve({
        "/": page("Home", "/json", "/gone", "/bin.zip", "/loop", "/fine"),
        "/json": (200, {"content-type": "application/json"}, b"{}"),
        "/loop": redirect("/loop"),
        "/fine": page("Fine"),
    }) as base:  # fmt: skip
        site = crawled(base)
        assert titles(site) == ["Home", "Fine"]
        assert sorted(site.skipped) == [
            (f"{base}/gone", "127.0.0.1 answered with status 404."),
            (f"{base}/json", "not an HTML page"),
            (f"{base}/loop", "127.0.0.1 redirects too many times."),
        ]


def test_redirects_are_followed_inside_only_and_links_to_the_old_address_still_lead_there() -> None:
    with serve({
        "/docs/": page("Home", "old", "new", "out", "secret"),
        "/docs/old": redirect("/docs/new/"),
        "/docs/new*": page("New", "/docs/old#x"),
        "/docs/out": redirect("/elsewhere"),
        "/docs/secret": redirect("/docs/private/x"),
        "/docs/private/x": page("Secret"),
        "/elsewhere": page("Elsewhere"),
        "/robots.txt": (200, {}, b"User-agent: docyard\nDisallow: /docs/private\n"),
    }) as base:  # fmt: skip
        site = crawled(base, "/docs/")
    assert titles(site) == ["Home", "New"]
    assert b"[old](new.md) [new](new.md)" in site.tree["README.md"]
    assert b"(#x)" in site.tree["new.md"]
    assert sorted(reason for _, reason in site.skipped) == [
        "leads outside the given address",
        "not allowed by robots.txt",
    ]


def test_the_start_may_move_beneath_itself_but_not_away() -> None:
    with serve({
        "/docs": redirect("/docs/home/"),
        "/docs/home/": page("Home", "/docs/x", "/y"),
        "/docs/x": page("X"), "/y": page("Y"),
        "/away": redirect("/docs/home/"),
    }) as base:  # fmt: skip
        site = crawled(base, "/docs")
        assert titles(site) == ["Home", "X"]
        assert set(site.tree) == {"README.md", "SUMMARY.md", "x.md"}
        with pytest.raises(Invalid, match="outside itself"):
            crawled(base, "/away")
        with serve({"/": redirect(base.replace("127.0.0.1", "localhost") + "/docs/home/")}) as other:
            outbound = Outbound(
                allow=frozenset({("127.0.0.1", port_of(other)), ("localhost", port_of(base))}), timeout=120
            )
            with pytest.raises(Invalid, match="another site"):
                asyncio.run(crawl(outbound.fetch, other))


def test_a_start_that_is_no_page_is_refused() -> None:
    with serve({
        "/json": (200, {"content-type": "application/json"}, b"{}"),
        "/no/": page("No"),
        "/robots.txt": (200, {}, b"User-agent: *\nDisallow: /no/\n"),
    }) as base:  # fmt: skip
        with pytest.raises(Invalid, match="no HTML page"):
            crawled(base, "/json")
        with pytest.raises(Invalid, match=r"robots\.txt"):
            crawled(base, "/no/")
        with pytest.raises(OutboundError):
            crawled(base, "/missing")
        with pytest.raises(Invalid):
            asyncio.run(crawl(Outbound().fetch, "ftp://127.0.0.1/"))
        with pytest.raises(OutboundError):
            asyncio.run(crawl(Outbound().fetch, base))


@pytest.mark.parametrize(
    "robots", [(403, {}, b"no"), (200, {}, b"\xff\x00 junk: \n\n:::"), redirect("/robots.txt")]
)
def test_a_robots_file_that_cannot_be_read_allows_everything(robots: Answer) -> None:
    site = imported({"/": page("Home", "/a"), "/a": page("A"), "/robots.txt": robots})
    assert titles(site) == ["Home", "A"]


def test_a_crawl_delay_is_kept() -> None:
    times: list[float] = []  # at which somebody is asked, not those at which that arrives

    async def remember(url: str, **wishes: Any) -> OutboundResponse:
        times.append(time.monotonic())
        return await outbound.fetch(url, **wishes)

    robots: Answer = (200, {}, b"User-agent: *\nCrawl-delay: 0.2\n")
    with serve({"/": page("Home", "/a", "/b", "/c"), "/robots.txt": robots, "/*": page("P")}) as base:
        outbound = Outbound(allow=frozenset({("127.0.0.1", port_of(base))}), timeout=120)
        asyncio.run(crawl(remember, base))
    gaps = [after - before for before, after in pairwise(times[-3:])]
    assert len(gaps) == 2
    assert min(gaps) >= 0.199


def test_robots_rules_that_are_expensive_are_not() -> None:
    robots = read_robots(b"User-agent: *\n" + b"Disallow: /" + b"*a" * 2000 + b"b$\n" * 50)
    began = time.thread_time()
    robots.allows("https://docs.example.test/" + "a" * 900)
    assert time.thread_time() - began < 1


@pytest.mark.parametrize(
    "body",
    [
        b"", b"<", b"not xml", b"\x1f\x8b broken", b"<urlset/>", b"<a>" * 100_000, b"<urlset><url/></urlset>",
        b'<!DOCTYPE u [<!ENTITY e "x">]><urlset><url><loc>&e;</loc></url></urlset>',
        '<?xml version="1.0" encoding="utf-16"?><!DOCTYPE u [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
        "<urlset><url><loc>&e;</loc></url></urlset>".encode("utf-16"),
        gzip.compress(b"<urlset>" + b" " * 50_000_000),
    ],
)  # fmt: skip
def test_a_sitemap_that_cannot_be_read_or_is_dangerous_is_none(body: bytes) -> None:
    sitemap = read_sitemap(body)
    assert (sitemap.pages, sitemap.sitemaps) == ([], [])


def test_page_names_are_safe_and_unique() -> None:
    paths = ["", "a", "A.html", "a/b", "x y/%2e/ü", "..%2f", "summary", "readme", "...", "n" * 300]
    assert page_files(paths) == [
        "README.md", "a/README.md", "A.md", "a/b.md", "x-y/2e/ü.md", "2f.md", "summary-2.md", "readme-2.md",
        "page.md",
        "n" * 80 + ".md",
    ]  # fmt: skip


def test_the_table_of_contents_puts_pages_under_the_nearest_page_above() -> None:
    pages = [("a/b/c.md", "C"), ("README.md", "Home"), ("a/README.md", "[A]"), ("d/e.md", "E")]
    assert summary(pages) == (
        "# Table of contents\n\n"
        "* [Home](README.md)\n* [\\[A\\]](a/README.md)\n  * [C](a/b/c.md)\n* [E](d/e.md)\n"
    )


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("HTTPS://Docs.Example.test:443/a/../b//c/?x=1#y", "https://docs.example.test/b/c/"),
        ("http://x.test", "http://x.test/"),
        ("http://x.test:8080/a%20b/%7Ec", "http://x.test:8080/a%20b/~c"),
        ("http://x.test/a/%2e%2e/b", "http://x.test/b"),
        ("http://bücher.test/ü", "http://xn--bcher-kva.test/%C3%BC"),
        ("http://[::1]:80/", "http://[::1]/"),
        ("http://u:p@x.test/", None),
        ("http://x.test:99999/", None),
        ("http://[x/", None),
        ("ftp://x.test/", None),
        ("mailto:a@b.c", None),
        ("http:///x", None),
        ("http://x.test/" + "a" * 2000, None),
    ],
)
def test_each_address_has_one_spelling(address: str, expected: str | None) -> None:
    assert clean(address) == expected


def test_the_given_address_bounds_the_site() -> None:
    assert scope_of("https://x.test/docs/intro.html") == UrlScope("https://x.test", "/docs/")
    scope = scope_of("https://x.test/docs")
    assert scope == scope_of("https://x.test/docs/")
    paths = ["/docs", "/docs/", "/docs/a", "/docsy", "/", "/doc"]
    assert [path for path in paths if scope.holds(f"https://x.test{path}")] == ["/docs", "/docs/", "/docs/a"]
    assert not scope.holds("https://x.test.evil.test/docs/")
    assert not scope.holds("http://x.test/docs/")
    assert key("https://x.test/a/index.html") == key("https://x.test/a/") == key("https://x.test/a")


def test_starting_up_does_not_load_the_converters_libraries() -> None:
    code = (
        "import sys, app.formats.html_import.imported_files, app.formats.html_import.url_scope; "
        "sys.exit(bool({'protego', 'lxml', 'mammoth', 'httpx'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_pages_that_no_import_can_hold_stay_where_they_are() -> None:
    deep = "/d/" + "a/" * 70 + "z"
    links = f'<p><a href="{deep}#x">Deep</a> <a href="large">Large</a> <a href="b">B</a></p>'
    routes = {
        "/d/": html(f"<main><h1>Home</h1>{links}</main>"),
        "/d/b": html("<main><h1>B</h1></main>"),
        "/d/large": html("<main><h1>Large</h1><p>" + "*" * 2_700_000 + "</p></main>"),
        deep: html('<main><h1>Far</h1><p><a href="/d/b">B</a></p></main>'),
    }
    with serve(routes) as base:
        plan = planned(crawled(base, "/d/"))
        markdown = plan.tree.read("README.md").decode()
    assert [page.source for page in plan.pages] == ["README.md", "b.md"]
    assert f"[Deep]({base}{deep}#x)" in markdown
    assert f"[Large]({base}/d/large)" in markdown
    assert "[B](b.md)" in markdown
    left = {problem.file.removeprefix(base) for problem in plan.report.problems if problem.kind == "skipped"}
    assert left == {deep, "/d/large"}
