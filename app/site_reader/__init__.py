"""Published sites as people and machines read them."""
