"""What the installation keeps for itself: files' bytes, secrets, replayed answers, circuit breakers."""
