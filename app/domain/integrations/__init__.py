"""Integrations: published, installed, told of what happens, asked to render."""
