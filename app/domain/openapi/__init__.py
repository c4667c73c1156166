"""OpenAPI specifications: fetched, checked, kept as versions, shown."""
