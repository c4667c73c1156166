"""Change requests and their reviews. How they are merged and updated is in `revisions`."""
