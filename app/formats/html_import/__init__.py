"""Turning what was fetched from outside (HTML, docx, whole websites) into a tree of Markdown files."""
