"""Several states of the same content come to one: merged, updated, rolled back."""
