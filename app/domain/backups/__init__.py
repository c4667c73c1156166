"""Backups of the whole installation: written while it runs, verified, and restored into either engine."""
