"""Counts what happens in this process; `/metrics` shows the numbers.

They are plain numbers, which cost next to nothing where nobody asks for them, and need no library.
"""

from __future__ import annotations

from collections import Counter
from typing import Literal

JobEnd = Literal["done", "retried", "postponed", "failed", "lost"]
Transactions = Literal["writes", "commits", "restarts"]
Cache = Literal["site_pages", "graphql_documents"]

job_attempts: Counter[tuple[str, JobEnd]] = Counter()
"""Attempts of jobs by their kind and how they ended: `retried` and `postponed` ones are tried again, `lost`
ones were taken over by another worker."""
events: Counter[str] = Counter()
"""Deliveries of events to integrations by their status."""
transactions: Counter[Transactions] = Counter()
"""Writes that were committed, the commits that did so, of which several writes may share one, and the times
that a write started again since it had met another."""
cache_reads: Counter[tuple[Cache, bool]] = Counter()
"""Reads of caches, and whether they found what they looked for."""
stalls: Counter[Literal["times", "seconds"]] = Counter()
"""Times that the event loop was blocked for longer than `DOCYARD_LOOP_WARNING`, and the seconds of all."""
