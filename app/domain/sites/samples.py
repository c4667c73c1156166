"""Sample content for the space of a new site: a few pages to begin with."""

from __future__ import annotations

from typing import Any

from app.access.context import Context
from app.domain.content.views import Where
from app.domain.revisions import edits
from app.models.content_changes import ContentChange, ContentChanges, ContentChangesQuery
from app.models.documents import Body

WELCOME = """This is a sample. Change it, or delete it and begin with a page of your own.

## What is here

{% hint style="info" %}
Every page is Markdown. Blocks such as this one stand between tags.
{% endhint %}

* [Quick start](/pages/start) shows the way from nothing to a first result.
* [Common questions](/pages/questions) is for what people ask again and again.
"""
START = """## Before you begin

Say what readers need to have.

## The first step

1. One thing after another.
2. With a result that can be seen.
"""
QUESTIONS = """## How do I change this page?

Open it in the application, or send a change over the API.
"""


async def fill(cx: Context, space: Any) -> None:
    """Put sample pages into an empty space, as its caller."""
    pages = (
        ("welcome", "Welcome", "What is here, and where to begin.", WELCOME),
        ("start", "Quick start", "From nothing to a first result.", START),
        ("questions", "Common questions", None, QUESTIONS),
    )
    changes = [
        ContentChange(
            operation="insert_page", ref=ref, title=title, description=words, document=Body(markdown=text)
        )
        for ref, title, words, text in pages
    ]
    # The first page names those that follow.
    ordered = [changes[1], changes[2], changes[0].model_copy(update={"at": 0})]
    batch = ContentChanges(changes=ordered)
    await edits.change_content(cx, Where(space.id), ContentChangesQuery(), batch, {})
