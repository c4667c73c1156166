"""Change requests and their reviews. What becomes of them is in `merging`."""
