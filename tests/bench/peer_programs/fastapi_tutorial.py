"""FastAPI with SQLModel in the manner of the tutorial of both: plain functions, a session for each request, a
table model and a public one as `response_model`. It reads the product's own file, and nothing else of it.
"""

import os
from collections.abc import Iterator
from typing import Annotated

from fastapi import Depends, FastAPI, HTTPException, Query  # type: ignore[import-not-found]
from sqlmodel import Field, Session, SQLModel, create_engine, select


class SpaceBase(SQLModel):
    """What is shown of a space: as many columns as the product shows."""

    organization_id: str
    title: str
    emoji: str | None = None
    icon: str | None = None
    edit_mode: str
    default_level: str | None = None
    revision_id: str
    comments: int
    change_requests: int
    change_requests_open: int
    change_requests_draft: int
    created_at: str
    updated_at: str


class Space(SpaceBase, table=True):
    """The table."""

    id: str = Field(primary_key=True)
    rank: str
    deleted_at: str | None = None


class SpacePublic(SpaceBase):
    """The answer."""

    id: str


engine = create_engine(
    f"sqlite:///{os.environ['DOCYARD_DATABASE']}", connect_args={"check_same_thread": False}
)


def get_session() -> Iterator[Session]:
    """A session for each request."""
    with Session(engine) as session:
        yield session


SessionDep = Annotated[Session, Depends(get_session)]
app = FastAPI()


@app.get("/orgs/{organization_id}/spaces", response_model=list[SpacePublic])  # type: ignore[untyped-decorator]
def read_spaces(session: SessionDep, organization_id: str, limit: Annotated[int, Query(le=100)] = 100):  # type: ignore[no-untyped-def]
    """A list."""
    found = select(Space).where(Space.organization_id == organization_id, Space.deleted_at == None)  # noqa: E711
    return session.exec(found.order_by(Space.rank, Space.id).limit(limit)).all()


@app.get("/spaces/{space_id}", response_model=SpacePublic)  # type: ignore[untyped-decorator]
def read_space(space_id: str, session: SessionDep):  # type: ignore[no-untyped-def]
    """One space."""
    space = session.get(Space, space_id)
    if not space:
        raise HTTPException(status_code=404, detail="Space not found")
    return space
