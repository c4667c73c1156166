"""Synchronization of spaces with Git repositories, in both directions."""
