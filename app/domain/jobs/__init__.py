"""Background jobs: the queue in the database, and what a job may use."""
