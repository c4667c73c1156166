"""The audit log of each organization: written as a signed chain, verified, and read by administrators."""
