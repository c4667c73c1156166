"""Authentication and authorization: the caller, their permissions, and `fetch`, which finds objects."""
