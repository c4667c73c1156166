"""Reading the content of spaces, change requests and revisions."""
