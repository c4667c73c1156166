"""Synchronising a space with a Git repository: what is asked, and what is told of it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from app.models.base import Change, Column, Enumeration, Shape, Url, absent
from app.models.spaces import Provider

Direction = Literal["import", "export"]
State = Literal["running", "failure", "success", "timeout"]
Line = Annotated[str, StringConstraints(min_length=1, max_length=2048)]


class GitInfo(Shape):
    """Who hosts the repository."""

    provider: Provider


class GitImport(Change):
    """A repository, and how to import from it. `ref` is a branch, a tag or a full commit id."""

    url: Line = Field(description="https address of the repository")
    ref: Line = Field(description="branch, tag, or full commit id")
    repo_project_directory: str = Field(default="", max_length=1024, description="folder with the content")
    repo_tree_url: Url = absent()
    repo_commit_url: Url | None = Field(default=None, description="what a commit's id is put behind")
    timestamp: str | None = Field(
        default=None, max_length=100, description="accepted; what counts is the ref when it is read"
    )
    force: bool = Field(default=False, description="the repository wins, nothing is merged")
    standalone: bool = Field(default=False, description="into a change request that stays open")
    git_info: GitInfo = absent()


class GitExport(GitImport):
    """A repository, and how to push to it. `ref` is a branch."""

    commit_message: Annotated[str, StringConstraints(min_length=1, max_length=10_000)]
    force: bool = Field(default=False, description="the space wins, nothing is imported before")


class GitOperationOut(Shape):
    """The last sync. `message` says how it ended, for people."""

    state: State
    direction: Direction
    message: str | None = None


class GitInfoOut(Shape):
    """How the sync of a space stands."""

    repo_name: Annotated[str, Column("name")]
    installation_provider: Annotated[Provider | None, Column("provider")] = None
    url: str
    operation: GitOperationOut
    updated_at: datetime


ENUMERATIONS = (
    Enumeration(
        "GitSyncDirection",
        Direction,
        {
            "import": "",
            "export": "",
        },
    ),
    Enumeration(
        "GitSyncState",
        State,
        {
            "running": "",
            "failure": "",
            "success": "",
            "timeout": "",
        },
    ),
)
