"""Spaces and Git repositories, kept the same from both sides."""
