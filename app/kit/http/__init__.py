"""HTTP: requests to other servers, and what every request and answer of this one has in common."""
