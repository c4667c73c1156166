"""What answers of all sites are made with, made once for a process."""

from __future__ import annotations

from dataclasses import dataclass

from app.runtime import Runtime
from app.site_reader.caching import Cache
from app.site_reader.request_url import Addresses
from app.site_reader.visit import Desks


@dataclass(frozen=True, slots=True)
class State:
    """The way to the database and the settings, the addresses of sites, and what is kept between requests."""

    runtime: Runtime
    addresses: Addresses
    cache: Cache
    desks: Desks
