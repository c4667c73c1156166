"""Personal data: its export, and its anonymization when an account is deleted."""
