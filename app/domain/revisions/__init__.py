"""Revisions: how edits, merges, rollbacks, imports and syncs of content become the next one of a branch."""
