"""The search index of spaces, and searches in it."""
