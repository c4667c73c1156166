"""Groups of settings, by what they are for, and the parsing of addresses and lists in settings."""

from __future__ import annotations

import re
from collections.abc import Iterable
from email.utils import parseaddr
from functools import cached_property
from hashlib import sha256
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import orjson
from pydantic import BaseModel, ConfigDict, Field, field_validator

from app.kit.database_timeouts import Timeouts

_HOST = r"(?:\[[0-9A-Fa-f:.]+\]|[^\s:/?#@\[\]]+)"
ADDRESS = re.compile(rf"https?://{_HOST}(?::[0-9]{{1,5}})?(?:/[^\s?#]*)?", re.IGNORECASE)
LOGIN = re.compile(rf"({_HOST})(?::([0-9]{{1,5}}))?((?:/[^\s=/]+)*)/?=([^:\s]+):(\S+)")
HOST_AND_PORT = re.compile(rf"{_HOST}:([0-9]{{1,5}})")
_PORTS = {"http": 80, "https": 443}
SHORTEST_TOKEN = 16  # characters of a token that operators choose
_OWN_ORIGINS = re.compile(r"https?://\*(?:\.[a-z0-9-]+)+(?::[0-9]{1,5})?", re.IGNORECASE)


def entries(value: str) -> list[str]:
    """Return what stands between the commas of a list."""
    return [entry.strip() for entry in value.split(",") if entry.strip()]


def name_server(entry: str) -> tuple[str, int]:
    """Return the address and port of a name server; raises ValueError."""
    bare = entry.count(":") > 1 and not entry.startswith("[")  # IPv6 without a port
    host, _, port = (entry, "", "") if bare else entry.partition("]:" if "]" in entry else ":")
    number = int(port or 53)
    if not 0 < number < 65_536:
        raise ValueError(entry)
    return str(ip_address(host.strip("[]"))), number


def login_for(logins: Iterable[str], url: str) -> tuple[str, str] | None:
    """Return the user and token for an address: of the logins for it, that with the longest path.

    What names no port is for the port that the scheme has by default, and no other.
    """
    parts = urlsplit(url)
    port, asked = parts.port or _PORTS.get(parts.scheme), f"{parts.path}/"
    found = [
        (login[3], (login[4], login[5]))
        for login in map(LOGIN.fullmatch, logins)
        if login
        and login[1].strip("[]").lower() == parts.hostname
        and int(login[2] or _PORTS.get(parts.scheme, 0)) == port
        and asked.startswith(f"{login[3]}/")
    ]
    return max(found, key=lambda each: len(each[0]), default=("", None))[1]


def host_of(address: str) -> str:
    """Return the host of an address as browsers name it in `Host`: without the usual port of its scheme."""
    return without_usual_port(urlsplit(address).netloc)


def without_usual_port(host: str) -> str:
    """Return a host in lower case, without the port that its scheme has by default."""
    return host.lower().removesuffix(":443").removesuffix(":80")


APOLLO = "apollo-persisted-query-manifest"


class GraphQLSettings(BaseModel):
    """Holds the settings of GraphQL."""

    model_config = ConfigDict(frozen=True, defer_build=True)  # never made by itself

    graphql_introspection: bool = Field(
        default=True, description="whether callers with a token may read the schema"
    )
    graphql_max_cost: int = Field(
        default=200_000, gt=0, description="what one GraphQL operation may cost, see the guide"
    )
    graphql_timeout: float = Field(
        default=10.0, gt=0, description="seconds the reads of one GraphQL request may take"
    )
    graphql_trusted_documents: str = Field(
        default="", description="JSON file, or folder of such files, with the GraphQL documents of frontends"
    )
    graphql_trusted_only: bool = Field(
        default=False, description="whether only trusted GraphQL documents are run"
    )

    @field_validator("graphql_trusted_documents")
    @classmethod
    def _documents(cls, value: str) -> str:
        if value:
            read_documents(value)
        return value


def read_documents(place: str) -> dict[str, str]:
    """Read the documents of a JSON file, or of those in a folder; keys are ids in lower case and SHA-256.

    A file is an object of texts by their ids (Relay's persisted queries, GraphQL Code Generator's persisted
    documents) or the manifest of Apollo's `generate-persisted-query-manifest`. Raises ValueError.
    """
    path = Path(place)
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    if not files:
        raise ValueError(f"must be a JSON file, or a folder of such files; there is none in “{path}”")
    found: dict[str, str] = {}
    for file in files:
        try:
            content = orjson.loads(file.read_bytes())
        except OSError as error:
            raise ValueError(f"“{file}” cannot be read: {error.strerror}") from None
        except orjson.JSONDecodeError as error:
            raise ValueError(f"“{file}” is not JSON: {error}") from None
        for id_, text in _texts(content, file).items():
            for key in (id_.lower(), sha256(text.encode()).hexdigest()):
                if found.setdefault(key, text) != text:
                    raise ValueError(f"“{file}” has another document for “{id_}” than the files before it")
    return found


def _texts(content: Any, file: Path) -> dict[str, str]:
    """Return the documents of a file by their ids."""
    if isinstance(content, dict) and content.get("format") == APOLLO and content.get("version") == 1:
        operations = content.get("operations")
        if isinstance(operations, list) and all(isinstance(each, dict) for each in operations):
            content = {each.get("id"): each.get("body") for each in operations}
    if isinstance(content, dict) and all(isinstance(part, str) for item in content.items() for part in item):
        return content
    raise ValueError(f"“{file}” must have texts of documents by their ids, or be a manifest of Apollo")


class AccountSettings(GraphQLSettings):
    """Holds the settings of accounts and organizations."""

    smtp: str = Field(
        default="",
        description="server that sends mail: smtp://user:password@host:port, or smtps://; without one no mail"
        " is sent",
    )
    mail_from: str = Field(default="", description="sender of mail: Docs <docs@example.org>")
    remove_organizations_after_days: int = Field(
        default=30, ge=0, le=3650, description="days until a deleted organization is removed for good"
    )
    sign_up: bool = Field(
        default=False, description="whether anybody may create an account, and not only who is invited"
    )
    session_days: int = Field(
        default=30, gt=0, le=400, description="days after which a session of a browser ends"
    )
    session_idle_days: int = Field(
        default=14, gt=0, le=400, description="days without use after which a session of a browser ends"
    )
    oidc_issuer: str = Field(
        default="",
        description="issuer of the OpenID Connect provider that signs in all who have an account",
    )
    oidc_client_id: str = Field(default="", description="client id that the provider gave to this server")
    oidc_client_secret: str = Field(default="", description="client secret that goes with it")
    oidc_label: str = Field(
        default="single sign-on", description="what people read where they sign in through the provider"
    )
    sso_hours: int = Field(
        default=12, gt=0, le=720, description="hours for which somebody stays signed in by single sign-on"
    )
    oauth_registration: bool = Field(
        default=True, description="whether applications may register themselves for OAuth, as agents do"
    )
    oauth_client_documents: bool = Field(
        default=True,
        description="whether the client id of an OAuth application may be the address of its description",
    )
    oauth_token_minutes: int = Field(
        default=60, gt=0, le=1440, description="minutes for which an application's access token works"
    )
    oauth_refresh_days: int = Field(
        default=30, gt=0, le=400, description="days without use after which an application is signed out"
    )
    oauth_refresh_grace: int = Field(
        default=10,
        ge=0,
        le=60,
        description="seconds in which a refresh token may be sent again, as by two tabs; 0 is never",
    )
    oauth_rate_limit: int = Field(
        default=600, ge=0, description="OAuth calls of applications per minute and address; 0 is no limit"
    )
    registration_rate_limit: int = Field(
        default=10, ge=0, description="registrations of applications per minute and address; 0 is no limit"
    )

    @field_validator("smtp")
    @classmethod
    def _mail_server(cls, value: str) -> str:
        if value:
            from app.kit.mail import MailServer

            MailServer.parse(value)
        return value

    @field_validator("mail_from")
    @classmethod
    def _sender(cls, value: str) -> str:
        if value and ("@" not in parseaddr(value)[1] or any(sign in value for sign in "\r\n")):
            raise ValueError("must be an e-mail address, with or without a name before it")
        return value

    @property
    def has_oidc(self) -> bool:
        """Return whether there is an OpenID Connect provider for everybody."""
        return bool(self.oidc_issuer and self.oidc_client_id and self.oidc_client_secret)

    @property
    def sends_mail(self) -> bool:
        """Return whether there is a server for mail and a sender."""
        return bool(self.smtp and self.mail_from)


class OriginSettings(BaseModel):
    """Holds the setting of the origins that integrations and sites with scripts have for themselves."""

    model_config = ConfigDict(frozen=True, defer_build=True)  # never made by itself

    integrations_url: str = Field(
        default="",
        description="origins of their own for integrations, and for sites with their scripts:"
        " https://*.apps.example.org",
    )

    @field_validator("integrations_url")
    @classmethod
    def _own_origins(cls, value: str) -> str:
        value = value.rstrip("/")
        if value and _OWN_ORIGINS.fullmatch(value) is None:
            raise ValueError("must be like https://*.apps.example.org: a host that begins with *, no path")
        return value.lower()


class ConnectionSettings(BaseModel):
    """Holds the settings of the connections of `docyard serve`."""

    model_config = ConfigDict(frozen=True, defer_build=True)  # never made by itself

    max_connections: int = Field(
        default=2048, gt=0, description="connections at a time; those without a request make room for others"
    )
    streams: int = Field(default=1000, ge=0, description="streams of changes that one process has open")
    streams_of_caller: int = Field(default=50, ge=0, description="and those of one person among them")
    header_bytes: int = Field(default=32_000, ge=1_000, description="bytes of a request before its body")
    header_timeout: float = Field(default=10.0, gt=0, description="seconds that receiving headers may take")
    body_timeout: float = Field(
        default=20.0, gt=0, description="seconds that a body may take either way, besides those for its bytes"
    )
    body_rate: int = Field(default=10_000, gt=0, description="bytes of a body that give it a second more")
    keep_alive: int = Field(
        default=75, gt=0, description="seconds that a connection may wait for its next request"
    )


class MonitoringSettings(BaseModel):
    """Holds the settings of what tells operators how the server is."""

    model_config = ConfigDict(frozen=True, defer_build=True)  # never made by itself

    access_log: bool = Field(default=True, description="whether each request leaves a line in the log")
    loop_warning: float = Field(
        default=0.25,
        ge=0,
        description="seconds that the event loop may be blocked before the log tells by what; 0 is never",
    )
    monitoring_token: str = Field(
        default="",
        description="token that reads /metrics and the reasons of /readyz; without one neither is shown",
    )
    traces_url: str = Field(
        default="",
        description="address that traces are sent to by OTLP over HTTP: http://collector:4318/v1/traces",
    )
    traces_share: float = Field(
        default=1.0,
        ge=0,
        le=1,
        description="share of the requests that are traced whose caller does not say whether they are",
    )
    minimum_disk: int = Field(
        default=100_000_000,
        ge=0,
        description="bytes that the disk of the database must have free for the server to be ready (SQLite)",
    )

    @field_validator("monitoring_token")
    @classmethod
    def _monitoring(cls, value: str) -> str:
        if value and len(value) < SHORTEST_TOKEN:
            raise ValueError(f"must have at least {SHORTEST_TOKEN} characters")
        if value and find_spec("prometheus_client") is None:
            raise ValueError("needs the extra: pip install 'docyard[metrics]'")
        return value

    @field_validator("traces_url")
    @classmethod
    def _collector(cls, value: str) -> str:
        if value and ADDRESS.fullmatch(value) is None:
            raise ValueError("must begin with http:// or https:// and a host, and have no query")
        if value and find_spec("opentelemetry.sdk") is None:
            raise ValueError("needs the extra: pip install 'docyard[traces]'")
        return value


class PostgresSettings(BaseModel):
    """Holds the settings of the connections to PostgreSQL."""

    model_config = ConfigDict(frozen=True, defer_build=True)  # never made by itself

    write_connections: int = Field(
        default=8, gt=0, le=64, description="connections that write (PostgreSQL; SQLite has one)"
    )
    statement_timeout: float = Field(
        default=5.0,
        gt=0,
        description="seconds that a statement of a request may take (PostgreSQL); one of a job may take 600",
    )
    connection_timeout: float = Field(
        default=3.0, gt=0, description="seconds that a request waits for a free connection (PostgreSQL)"
    )
    lock_timeout: float = Field(
        default=8.0,
        gt=0,
        description="seconds that a request waits for others who write at the same place (PostgreSQL)",
    )

    full_text: Literal["engine", "plain"] = Field(
        default="engine",
        description="engine, or plain: searches without the full text that some engines lack (PostgreSQL)",
    )

    @cached_property
    def timeouts(self) -> Timeouts:
        """Return how long requests wait for PostgreSQL."""
        return Timeouts(self.statement_timeout, self.connection_timeout, self.lock_timeout)
