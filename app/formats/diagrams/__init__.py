"""Diagrams that are written as text, to pictures."""
