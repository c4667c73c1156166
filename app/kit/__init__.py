"""Knows nothing of documentation: database, paging, errors, ids, time, settings, jobs, outbound requests."""
