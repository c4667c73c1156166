"""OpenAPI documents: read, checked, turned into pages, and into views that a reader shows."""
