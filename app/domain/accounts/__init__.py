"""Accounts: what people, programs and agents sign in and call with."""
