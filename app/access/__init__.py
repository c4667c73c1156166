"""Who calls, what they may do, and the one way to find an object."""
