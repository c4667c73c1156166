"""Organizations, their members and teams; invites, grants, quotas and domains."""
