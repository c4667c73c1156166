"""Docyard: a documentation platform's management API."""
