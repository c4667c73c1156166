"""Published sites as they are visited: found by an address, read, searched."""
