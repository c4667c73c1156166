"""Domains and hosts that organizations claim, and how claims are proven."""
