"""Containers of content: spaces, collections, and their order in an organization."""
