"""Plain text: differences, merges, search terms, compressed strings, redirect paths."""
