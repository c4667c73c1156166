"""Addresses and hosts in settings: what is taken, what is refused with a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from app.cli import main
from app.kit.settings import Settings


@pytest.mark.parametrize("name", ["base_url", "app_url", "sites_url"])
@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("", ""),
        ("https://docs.example.org", "https://docs.example.org"),
        ("https://docs.example.org/", "https://docs.example.org"),
        ("http://127.0.0.1:8000//", "http://127.0.0.1:8000"),
        ("http://[::1]:8000/", "http://[::1]:8000"),
        ("https://example.org/docs/", "https://example.org/docs"),
    ],
)
def test_an_address_loses_its_closing_slashes(name: str, given: str, kept: str) -> None:
    assert getattr(Settings(**{name: given}), name) == kept  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["base_url", "app_url", "sites_url"])
@pytest.mark.parametrize(
    "given",
    [
        "docs.example.org", "/", "https:", "https://", "https:///docs", "ftp://example.org",
        "javascript:alert(1)",
        "https://ann:pass@example.org", "https://example.org/?a=b", "https://example.org/#top",
        "https://example.org:port", "https://exa mple.org", "https://example.org\n",
    ],
)  # fmt: skip
def test_what_is_no_address_is_refused(name: str, given: str) -> None:
    with pytest.raises(ValidationError, match="must begin with http"):
        Settings(**{name: given})  # type: ignore[arg-type]


def test_hosts_that_may_be_reached_are_read_with_their_ports() -> None:
    settings = Settings(outbound_allow=" Wiki.example.org:8080 ,[::1]:80,,127.0.0.1:65535")
    assert settings.allowed_hosts == {("wiki.example.org", 8080), ("::1", 80), ("127.0.0.1", 65_535)}


@pytest.mark.parametrize(
    "entry", ["example.org", "example.org:", ":80", "example.org:http", "example.org:0", "example.org:65536",
              "::1:80", "http://example.org:80", "example.org:８０"],
)  # fmt: skip
def test_an_entry_that_is_not_host_and_port_is_refused_by_name(
    entry: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DOCYARD_OUTBOUND_ALLOW", f"good.example.org:80, {entry}")
    assert main(["settings"]) == 1
    said = capsys.readouterr().err
    assert "DOCYARD_OUTBOUND_ALLOW" in said
    assert f"must be host:port, comma-separated; “{entry}” is not" in said
    assert said.count("\n") == 1


def test_fonts_are_a_folder(tmp_path: Path) -> None:
    assert Settings(pdf_fonts=str(tmp_path)).pdf_fonts == str(tmp_path)
    (tmp_path / "font.ttf").touch()
    for given in (tmp_path / "font.ttf", tmp_path / "none"):
        with pytest.raises(ValidationError, match="must be a folder"):
            Settings(pdf_fonts=str(given))


LOGINS = (
    "git.example.org=bob:one, git.example.org:8443=bob:two, git.example.org/acme/=bob:three,"
    "GIT.example.org/acme/docs.git=bob:f:o=ur,[::1]:80=bob:five"
)


@pytest.mark.parametrize(
    ("url", "token"),
    [
        ("https://git.example.org/other/docs.git", "one"),
        ("https://git.example.org:443/other/docs.git", "one"),
        ("https://git.example.org:8443/acme/docs.git", "two"),
        ("https://git.example.org/acme/notes.git", "three"),
        ("https://git.example.org/acme", "three"),
        ("https://git.example.org/acme/docs.git", "f:o=ur"),
        ("https://git.example.org/acmes/notes.git", "one"),
        ("http://[::1]/docs.git", "five"),
        ("https://git.example.org:9000/acme/docs.git", None),
        ("https://example.org/acme/docs.git", None),
        ("https://git.example.org.evil.example/acme/docs.git", None),
    ],
)
def test_a_login_is_for_its_server_and_what_is_below_its_path(url: str, token: str | None) -> None:
    login = Settings(git_credentials=LOGINS).git_login(url)
    assert login == (("bob", token) if token else None)


def test_a_misspelt_variable_is_refused_with_what_it_may_mean(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DOCYARD_RATE_LIMITS", "5")
    assert main(["settings"]) == 1
    said = " ".join(capsys.readouterr().err.split())
    assert "There is no setting DOCYARD_RATE_LIMITS. Did you mean DOCYARD_RATE_LIMIT?" in said


def test_a_value_can_come_from_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "secret"
    file.write_text("a secret with spaces \r\n")
    monkeypatch.delenv("DOCYARD_SECRET", raising=False)
    monkeypatch.setenv("DOCYARD_SECRET_FILE", str(file))
    assert Settings().secret == "a secret with spaces "


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "The file of DOCYARD_SECRET_FILE cannot be read: No such file or directory."),
        (b"\xff", "The file of DOCYARD_SECRET_FILE cannot be read: it is not text in UTF-8."),
        (b"x" * 1_000_001, "The file of DOCYARD_SECRET_FILE has more than 1000000 bytes."),
    ],
)
def test_a_file_without_a_value_is_refused(
    content: bytes | None,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "secret"
    if content is not None:
        file.write_bytes(content)
    monkeypatch.delenv("DOCYARD_SECRET", raising=False)
    monkeypatch.setenv("DOCYARD_SECRET_FILE", str(file))
    assert main(["settings"]) == 1
    assert said in " ".join(capsys.readouterr().err.split())


def test_a_value_from_the_environment_and_from_a_file_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCYARD_SMTP", "smtp://one")
    monkeypatch.setenv("DOCYARD_SMTP_FILE", str(tmp_path))
    with pytest.raises(ValidationError, match="Set DOCYARD_SMTP or DOCYARD_SMTP_FILE, not both"):
        Settings()
