"""REST: answers the operations under `/v1`."""
