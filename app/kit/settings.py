"""Settings: environment variables `DOCYARD_…`, each with the sentence that `docyard settings` prints."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, Field, field_validator, model_validator

from app.kit import environment
from app.kit.setting_groups import (
    ADDRESS,
    HOST_AND_PORT,
    LOGIN,
    AccountSettings,
    ConnectionSettings,
    MonitoringSettings,
    OriginSettings,
    PostgresSettings,
    entries,
    host_of,
    login_for,
    name_server,
)


class Settings(AccountSettings, ConnectionSettings, MonitoringSettings, OriginSettings, PostgresSettings):
    """Everything that may differ between two installations; what is not given comes from the environment."""

    model_config = ConfigDict(defer_build=False)

    database: str = Field(default="docyard.db", description="SQLite file, or postgresql:// address")
    blobs: str = Field(
        default="",
        description="where the bytes of new files go, if not into the database: s3://bucket/prefix",
    )
    base_url: str = Field(
        default="", description="public address of this server; every `urls` starts with it"
    )
    app_url: str = Field(
        default="", description="address of the application that `urls.app` leads to, if another"
    )
    sites_url: str = Field(
        default="",
        description="address that sites are published under, at another host or port than `base_url`",
    )
    sites_port: int = Field(
        default=0,
        ge=0,
        le=65_535,
        description="port of `docyard serve` for sites alone; the next one if there is no `sites_url`",
    )
    shared_origin: bool = Field(
        default=False,
        description="publish sites at the host and port of the API, by default below `/sites` of `base_url`",
    )
    cors_origins: str = Field(default="", description="origins of browsers that may call, comma-separated")
    secret: str = Field(
        default="",
        description="signs addresses and page tokens, encrypts keys; made beside the database if empty",
    )
    audit_key: str = Field(
        default="",
        description="key of the audit log, or a file of keys; made beside the database if empty",
    )
    outbound_allow: str = Field(
        default="", description="host:port, comma-separated, reachable although private"
    )
    outbound_timeout: float = Field(default=20.0, gt=0, description="seconds one outbound request may take")
    outbound_max_bytes: int = Field(
        default=50_000_000, gt=0, description="bytes one outbound answer may have"
    )
    git_credentials: str = Field(
        default="", description="host=user:token or host/path=user:token for git servers, comma-separated"
    )
    import_timeout: float = Field(
        default=60.0, gt=0, description="seconds one import from an address may take"
    )
    import_max_pages: int = Field(default=200, gt=0, description="pages one website import may read")
    import_run_timeout: float = Field(
        default=600.0, gt=0, le=800, description="seconds one import run may take"
    )
    import_run_max_pages: int = Field(
        default=2000, gt=0, description="pages of one website that an import run may read"
    )
    openapi_timeout: float = Field(
        default=120.0,
        gt=0,
        le=300,
        description="seconds to fetch one OpenAPI specification, and of processor time to read it",
    )
    openapi_max_bytes: int = Field(
        default=20_000_000, gt=0, description="bytes one OpenAPI specification may have, with all its files"
    )
    openapi_hours: float = Field(
        default=6.0, ge=0, description="hours until a specification is fetched again; 0 is never"
    )
    body_limit: int = Field(default=10_000_000, gt=0, description="bytes a request body may have")
    upload_limit: int = Field(
        default=100_000_000,
        gt=0,
        le=100_000_000,
        description="bytes of a file that is uploaded to this server; a bucket takes 100 MB",
    )
    download_limit: int = Field(
        default=0,
        ge=0,
        description="bytes of a file that this server sends; for more it redirects to the bucket, with boto3;"
        " 0 is no limit",
    )
    site_texts: str = Field(
        default="", description="folder of more texts around the pages of sites: one file for each language"
    )
    pdf_fonts: str = Field(
        default="", description="folder of more fonts for PDF: scripts that the built-in ones lack, emoji"
    )
    pdf_runs: int = Field(default=2, gt=0, le=16, description="PDF documents that are set at the same time")
    scripts: int = Field(
        default=16, gt=0, le=256, description="scripts of integrations that run at the same time"
    )
    script_memory: int = Field(
        default=48_000_000, ge=8_000_000, le=1_000_000_000, description="bytes of memory one script may take"
    )
    journal: str = Field(default="WAL", description="SQLite journal: WAL, or TRUNCATE on a network volume")
    synchronous: str = Field(default="FULL", description="SQLite durability: FULL or NORMAL")
    read_connections: int = Field(
        default=0, ge=0, le=64, description="connections that read; 0 is 2 on SQLite and 4 on PostgreSQL"
    )
    busy_timeout: float = Field(
        default=30.0, ge=0, description="seconds a write waits for another process (SQLite)"
    )
    running_jobs: int = Field(
        default=8,
        gt=0,
        description="jobs of one organization that run at the same time in each lane, in all processes",
    )
    job_lease: int = Field(
        default=120, ge=1, le=900, description="seconds until a job begins again whose process has died"
    )
    rate_limit: int = Field(default=0, ge=0, description="calls a token may make per minute; 0 is no limit")
    anonymous_rate_limit: int = Field(
        default=600,
        ge=0,
        description="API calls without a token, or with a refused one, per minute and address; 0 is no limit",
    )
    search_rate_limit: int = Field(
        default=120, ge=0, description="searches of sites per minute and address; 0 is no limit"
    )
    endpoint_rate_limit: int = Field(
        default=600,
        ge=0,
        description="calls of integrations' public endpoints per minute and address; 0 is no limit",
    )
    feedback_rate_limit: int = Field(
        default=20, ge=0, description="feedback on pages of sites per minute and address; 0 is no limit"
    )
    sign_in_rate_limit: int = Field(
        default=60, ge=0, description="steps of signing in per minute and address; 0 is no limit"
    )
    requests_quota: int = Field(
        default=12_000, ge=0, description="API requests in one organization per minute; 0 is no limit"
    )
    events_quota: int = Field(
        default=100_000, ge=0, description="events of integrations in one organization per day; 0 is no limit"
    )
    jobs_quota: int = Field(
        default=5_000, ge=0, description="jobs of one organization that are not done yet; 0 is no limit"
    )
    bytes_quota: int = Field(
        default=10_000_000_000, ge=0, description="bytes that one organization may store; 0 is no limit"
    )
    dns_servers: str = Field(
        default="",
        description="addresses of the name servers that prove domains, comma-separated, each perhaps with"
        " :port; the system's if empty",
    )
    domain_check_hours: float = Field(
        default=24.0, gt=0, description="hours until the proof of a domain is looked up again"
    )
    domain_grace_hours: float = Field(
        default=72.0, ge=0, description="hours for which a domain counts whose proof is gone"
    )
    saml_key: str = Field(
        default="", description="PEM text or file: RSA key that signs requests to identity providers"
    )
    purge_after_days: int = Field(default=7, ge=0, description="days until a deleted space is purged")
    statistics_days: int = Field(
        default=730, ge=0, description="days for which statistics of sites are kept; 0 collects none"
    )
    proxies: int = Field(
        default=0,
        ge=0,
        le=10,
        description="proxies in front, whose X-Forwarded-For and -Host are believed that far",
    )
    worker_threads: int = Field(
        default=2, gt=0, le=16, description="threads that compute on large texts, and as many on small ones"
    )
    worker_seconds: float = Field(
        default=10.0, gt=0, le=60, description="seconds of computing that one text of a request may take"
    )
    page_cache: int = Field(
        default=64_000_000, ge=0, description="bytes of memory for pages of sites that were written before"
    )
    demo_token: str = Field(default="", description="the administrator's token that `serve --demo` creates")

    @model_validator(mode="before")
    @classmethod
    def _from_environment(cls, given: dict[str, Any]) -> dict[str, Any]:
        return {**environment.read(cls.model_fields), **given}

    @field_validator("blobs")
    @classmethod
    def _bucket(cls, value: str) -> str:
        if value:
            from app.kit import s3

            s3.parse_address(value)
        return value

    @field_validator("base_url", "app_url", "sites_url")
    @classmethod
    def _address(cls, value: str) -> str:
        if value and ADDRESS.fullmatch(value) is None:
            raise ValueError("must begin with http:// or https:// and a host, and have no query")
        return value.rstrip("/")

    @field_validator("outbound_allow")
    @classmethod
    def _hosts_and_ports(cls, value: str) -> str:
        for entry in entries(value):
            found = HOST_AND_PORT.fullmatch(entry)
            if found is None or not 0 < int(found[1]) < 65_536:
                raise ValueError(f"must be host:port, comma-separated; “{entry}” is not")
        return value

    @field_validator("dns_servers")
    @classmethod
    def _name_servers(cls, value: str) -> str:
        for entry in entries(value):
            try:
                name_server(entry)
            except ValueError:
                raise ValueError(f"must be addresses in numbers, comma-separated; “{entry}” is not") from None
        return value

    @field_validator("git_credentials")
    @classmethod
    def _hosts_and_logins(cls, value: str) -> str:
        for number, entry in enumerate(entries(value), 1):
            if LOGIN.fullmatch(entry) is None:  # the entry itself is a secret
                raise ValueError(f"must be host=user:token, comma-separated; entry {number} is not")
        return value

    @field_validator("saml_key")
    @classmethod
    def _private_key(cls, value: str) -> str:
        if value:
            try:
                from app.kit.saml.certificates import signing_key
            except ModuleNotFoundError:
                raise ValueError("needs the extra: pip install 'docyard[saml]'") from None
            signing_key(value)
        return value

    @field_validator("pdf_fonts")
    @classmethod
    def _folder(cls, value: str) -> str:
        if value and not os.path.isdir(value):
            raise ValueError(f"must be a folder; “{value}” is not")
        return value

    @field_validator("journal")
    @classmethod
    def _journal(cls, value: str) -> str:
        if value.upper() not in ("WAL", "TRUNCATE"):
            raise ValueError("must be WAL or TRUNCATE")
        return value.upper()

    @field_validator("synchronous")
    @classmethod
    def _durability(cls, value: str) -> str:
        if value.upper() not in ("FULL", "NORMAL"):
            raise ValueError("must be FULL or NORMAL")
        return value.upper()

    @cached_property
    def allowed_hosts(self) -> frozenset[tuple[str, int]]:
        """`outbound_allow` as pairs of host and port."""
        pairs = (entry.rpartition(":") for entry in entries(self.outbound_allow))
        return frozenset((host.strip("[]").lower(), int(port)) for host, _, port in pairs)

    @cached_property
    def audit_key_file(self) -> Path:
        """Return where the key of the audit log is if `audit_key` does not say: never in the database."""
        return self._beside("audit-key")

    @cached_property
    def secret_file(self) -> Path:
        """Return where the secret is if `secret` does not say: never in the database."""
        return self._beside("secret")

    def _beside(self, ending: str) -> Path:
        """Return a file beside the database, or for one that is no file in the folder
        where the server runs.
        """
        if self.is_postgres or self.database == ":memory:":
            return Path(f"docyard.{ending}")
        return Path(f"{self.database.removeprefix('sqlite:///')}.{ending}")

    @cached_property
    def name_servers(self) -> tuple[tuple[str, int], ...]:
        """`dns_servers` as pairs of address and port."""
        return tuple(map(name_server, entries(self.dns_servers)))

    def git_login(self, url: str) -> tuple[str, str] | None:
        """Return the user and token that `git_credentials` has for a repository."""
        return login_for(entries(self.git_credentials), url)

    @cached_property
    def api_base(self) -> str:
        """Return what the addresses of the API start with."""
        return f"{self.base_url}/v1"

    @cached_property
    def app_base(self) -> str:
        """Return what addresses in the application start with."""
        return self.app_url or self.base_url

    @cached_property
    def sites_base(self) -> str:
        """Return what the addresses of published sites start with, unless they have a host of their own."""
        return self.sites_url or f"{self.base_url}/sites"

    @cached_property
    def sites_apart(self) -> bool:
        """Tell whether browsers keep what is published apart from the API and its sessions."""
        return host_of(self.sites_base) != host_of(self.base_url)

    @property
    def allowed_origins(self) -> frozenset[str]:
        """Return the origins that `cors_origins` names."""
        return frozenset(filter(None, map(str.strip, self.cors_origins.split(","))))

    @property
    def is_postgres(self) -> bool:
        """Tell whether `database` names a server that speaks PostgreSQL's protocol."""
        return self.database.startswith(("postgres://", "postgresql://"))
