"""HTML of published pages, block by block."""
