"""Docs sites as they are managed: what they show, to whom, at which addresses."""
