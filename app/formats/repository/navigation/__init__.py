"""Tables of contents of other documentation tools, each read as the entries that `SUMMARY.md` would give."""
