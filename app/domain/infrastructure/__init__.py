"""Storage and services of the installation: blobs, secrets, replayed responses, circuit breakers."""
