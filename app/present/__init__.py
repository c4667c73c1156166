"""Rows to wire shapes, shared by all faces."""
