"""Tables, and the shapes that callers send and get: one file per noun."""

from app.models.collections import Collection
from app.models.files import Blob, FileVersion
from app.models.jobs import Bucket, Fact, Job, Replay
from app.models.links import Link
from app.models.organizations import Member, Organization
from app.models.pages import Document, PageVersion
from app.models.revisions import LineProperties, ReusableVersion, Revision
from app.models.searches import SearchSection
from app.models.spaces import Space
from app.models.users import Token, User

__all__ = [
    "Blob",
    "Bucket",
    "Collection",
    "Document",
    "Fact",
    "FileVersion",
    "Job",
    "LineProperties",
    "Link",
    "Member",
    "Organization",
    "PageVersion",
    "Replay",
    "ReusableVersion",
    "Revision",
    "SearchSection",
    "Space",
    "Token",
    "User",
]
