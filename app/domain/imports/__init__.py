"""Imports of Markdown, HTML, documents and archives as one revision, and exports of a space as files."""
