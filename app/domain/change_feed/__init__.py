"""The feed of changes: recorded with every write, read by one task of a process, told to its subscribers."""
