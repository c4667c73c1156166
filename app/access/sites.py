"""Sites among the kinds of objects that are judged; loaded with the first request that is about one."""

from __future__ import annotations

from operator import attrgetter

from app.access.context import Membership
from app.access.fetch import KINDS, created, kind_of
from app.access.levels import INHERITED
from app.models.sites import Site

STANDING = {"base_level": INHERITED, "lineage": ""}  # members have their own level, see rights.SITE
KINDS[Site] = kind_of("site", Site, attrgetter("organization_id"), Membership.on, created)
