"""Trees of Markdown brought into a line as one revision, and written out again."""
