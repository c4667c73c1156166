"""Agents: what programs changed for people, and how it is undone."""
