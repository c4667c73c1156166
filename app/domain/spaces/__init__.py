"""Where content stands: spaces, collections, and their order in an organization."""
