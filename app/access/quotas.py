"""Quotas of organizations: how many requests, events, jobs and bytes each may use.

The defaults are settings; an operator may give an organization numbers of its own. 0 is no limit. What a
change uses is held against them in `domain.quotas`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import cache
from typing import Literal, get_args

from app.access.rate_limits import Rate, RateLimits
from app.kit.settings import Settings

QuotaName = Literal["requests", "events", "jobs", "bytes"]
NAMES: tuple[QuotaName, ...] = get_args(QuotaName)
Own = Mapping[str, int] | None
"""The numbers that an organization has of its own, by the name of the quota."""
SECONDS: Mapping[QuotaName, int] = {"requests": 60, "events": 86_400}
"""The period over which uses of a quota are counted; the other quotas count what there is."""
_NOUNS: Mapping[QuotaName, str] = {
    "requests": "{most:,} API requests a minute",
    "events": "{most:,} events a day",
    "jobs": "{most:,} unfinished jobs",
    "bytes": "{most:,} stored bytes",
}


def limit_of(settings: Settings, own: Own, name: QuotaName) -> int:
    """Return how much of a quota an organization has; 0 is no limit."""
    default: int = getattr(settings, f"{name}_quota")
    return default if own is None else own.get(name, default)


def message(name: QuotaName, most: int) -> str:
    """Return what is said where a quota is used up."""
    noun = _NOUNS[name].format(most=most)
    return f"The organization has used up its quota of {noun}; see GET /v1/orgs/{{organizationId}}/quotas."


@cache
def rate(name: QuotaName, most: int) -> Rate:
    """Return a quota with a window as the rate that its bucket is filled at."""
    return Rate(most, message(name, most), SECONDS[name])


def bucket(name: QuotaName, organization_id: str) -> str:
    """Return the key of the bucket that holds what is left of a quota with a window."""
    return f"{name} {organization_id}"


def take_request(
    limits: RateLimits, settings: Settings, organization_id: str, own: Own, now: datetime
) -> None:
    """Count an API request in an organization; raises TooManyRequests where its quota is used up."""
    if most := limit_of(settings, own, "requests"):
        limits.take(bucket("requests", organization_id), rate("requests", most), now)
