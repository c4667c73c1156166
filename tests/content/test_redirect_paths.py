"""Redirects as a matter of paths: which are taken, where they lead, and those that never end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.formats.text.redirect_paths import MOST_STEPS, Step, clean_path, following, looping
from app.kit.errors import Invalid
from app.kit.http.urls import is_link, safe_url


@pytest.mark.parametrize(
    ("given_path", "clean"),
    [("/", "/"), ("/a", "/a"), ("/a/", "/a"), ("/a/b", "/a/b"), ("/gr%C3%B6%C3%9Fe", "/größe"),
     ("/Getting%20started/Now", "/Getting started/Now")],
)  # fmt: skip
def test_a_path_is_compared_decoded_and_without_a_slash_at_its_end(given_path: str, clean: str) -> None:
    assert clean_path(given_path, path="source") == clean


@pytest.mark.parametrize(
    "wrong",
    ["", "a", "//evil.example", "/\\evil", "\\evil", "/a//b", "/../a", "/a/./b", "/a?b", "/a#b", "/ a", "/a ",
     "/%2e%2e", "/a%00", "/%2F%2Fevil", "https://evil.example", "javascript:alert(1)", "/a\n", "/%25"],
)  # fmt: skip
def test_what_may_be_read_as_another_place_is_no_path(wrong: str) -> None:
    with pytest.raises(Invalid):
        clean_path(wrong, path="source")


@pytest.mark.parametrize(
    "good", ["https://example.org", "http://example.org:8080/a?b=c#d", "https://größe.example/"]
)
def test_a_whole_address_is_taken(good: str) -> None:
    assert safe_url(good, path="url") == good


@pytest.mark.parametrize(
    "wrong",
    ["//evil.example", "https:evil.example", "https:/evil.example", "\\\\evil", "javascript:alert(1)",
     "https://user@evil.example", "https://user:pass@evil.example", "https://", "ftp://example.org",
     "data:text/html,x", "https://evil.example\\@good.example", "https://a b", "https://a\nb", " https://a.example",
     "HTTPS:evil", "https://example.org:0/", "https://example.org:99999/", "https://[::1", "mailto:a@b",
     'https://a.example/"onclick=x', "https://a.example/<script>", "http:///etc/passwd", "http://?x", "http://#x",
     "http://:80/", "http://./", "http://-/", "https://a.example%2f.evil.example/", "https://[127.0.0.1]/"],
)  # fmt: skip
def test_an_address_that_is_not_what_it_seems_is_refused(wrong: str) -> None:
    with pytest.raises(Invalid) as refused:
        safe_url(wrong, path="destination.url")
    assert refused.value.path == "destination.url"


def test_a_link_may_lead_to_a_mailbox() -> None:
    assert is_link("mailto:ada@example.org")
    wrong = ("mailto:", "mailto:ada", "mailto:a@b?bcc=c@d", "MAILTO:javascript:x", "tel:123", "http:///x")
    assert not any(is_link(each) for each in wrong)


STEPS = {
    "/old": Step("/new", True),
    "/old/api": Step("/api", False),
    "/exact": Step("/there", False),
}


@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("/old", "/new"),
        ("/old/a/b", "/new/a/b"),
        ("/old/api", "/api"),
        ("/old/api/x", "/new/api/x"),
        ("/older", None),
        ("/exact", "/there"),
        ("/exact/x", None),
        ("/", None),
    ],
)
def test_the_nearest_source_counts(path: str, target: str | None) -> None:
    assert following(path, STEPS) == target


@pytest.mark.parametrize(
    ("steps", "source"),
    [
        ({"/a": Step("/a", False)}, "/a"),
        ({"/a": Step("/b", False), "/b": Step("/a", False)}, "/a"),
        ({"/a": Step("/a/b", True)}, "/a"),
        ({"/a": Step("/b", True), "/b": Step("/a", True)}, "/a"),
        ({"/a": Step("/b/x", False), "/b": Step("/a", False), "/b/x": Step("/a", False)}, "/a"),
        ({"/": Step("/x", True)}, "/"),
        ({"/a": Step("/b", True), "/b/x": Step("/a/x", False)}, "/b/x"),
        ({"/a": Step("/b", True), "/b/x/y": Step("/a/x/y", True), "/b/x": Step("/c", False)}, "/b/x/y"),
        ({"/a": Step("/b", True), "/b": Step("/c", True), "/c/y": Step("/a/y", False)}, "/c/y"),
    ],
)
def test_who_is_sent_around_without_end_is_noticed(steps: dict[str, Step], source: str) -> None:
    assert source in looping(steps)


def test_a_way_with_an_end_is_no_loop() -> None:
    steps = {f"/{n}": Step(f"/{n + 1}", False) for n in range(MOST_STEPS - 2)}
    assert not looping(steps)
    assert not looping({"/a": Step("/a/b", False)})


PATHS = st.sampled_from(["/a", "/b", "/c", "/a/b", "/b/c", "/c/a"])


@given(st.dictionaries(PATHS, st.builds(Step, PATHS, st.booleans()), max_size=6))
def test_whoever_follows_redirects_without_a_loop_arrives(steps: dict[str, Step]) -> None:
    if looping(steps):
        return
    for start in ("/a", "/b", "/c", "/a/b", "/b/c", "/c/a", "/a/x", "/b/c/x", "/a/b/c/a/x", "/c/a/b"):
        here: str | None = start
        for _ in range(MOST_STEPS + 1):
            here = following(here, steps) if here else None
        assert here is None
