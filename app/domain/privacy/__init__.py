"""Personal data: exported, or anonymized with an account; and organizations that are removed for good."""
